"""An anonymous site drop: `python drop.py PORT [MISTAKE ...]`.

Without a mistake it follows the document. `all` switches every mistake on.
RIVAL_DROPS_PER_HOUR and RIVAL_DROPS_PER_DAY set the limits per IP (10 and 20).
"""
import hashlib
import io
import mimetypes
import os
import re
import secrets
import stat
import threading
import time
import zipfile
from email.message import Message
from email.parser import BytesHeaderParser
from urllib.parse import quote, unquote

from cid import cid_of
from common import Handler, Refused, run

MISTAKES = {
    # Drop response
    "expires_in_seconds": "`expiresAt` and `exp` are in seconds, not in milliseconds.",
    # Drop response
    "token_in_query": "`claimUrl` has the token in its query, not in its fragment.",
    # POST /api/drop
    "source_rejected": "An invalid `source` is rejected with `400`, not ignored.",
    # Drop errors
    "nested_index_accepted": "A zip with the site in one top folder is accepted and the folder is removed.",
    # Computing the content identifier
    "dotfiles_left_out": "Files and folders that start with a dot are left out of the site and of its `cid`.",
    # Limits
    "file_limit_off_by_one": "A zip with 1001 files is accepted.",
    # Drop errors
    "bad_zip_500": "An artifact that is not a zip gets `500`, not `400`.",
    # POST /api/drop
    "same_bytes_same_drop": "A second upload of the same zip returns the first drop.",
}
ON = set()

ZIP_BYTES = 10 * 1024 * 1024
SITE_BYTES = 40 * 1024 * 1024
FILES = 1000
CLAIM_SECONDS = 4 * 3600
PER_HOUR = int(os.environ.get("RIVAL_DROPS_PER_HOUR", "10"))
PER_DAY = int(os.environ.get("RIVAL_DROPS_PER_DAY", "20"))
LOCK = threading.Lock()
DROPS = {}         # drop id: {"files", "until", "answer", "sha256"}
HISTORY = {}       # IP: times of drops
UPLOADING = set()  # IPs with an upload in flight


def form_fields(body, content_type):
    """The fields of a multipart form: name to bytes."""
    header = Message()
    header["Content-Type"] = content_type
    boundary = header.get_boundary()
    if header.get_content_type() != "multipart/form-data" or not boundary:
        raise Refused(400, "the body is not multipart/form-data")
    fields = {}
    for part in (b"\r\n" + body).split(b"\r\n--" + boundary.encode())[1:]:
        if part.startswith(b"--"):
            return fields
        head, _, data = part.lstrip(b" \t").partition(b"\r\n\r\n")
        name = BytesHeaderParser().parsebytes(head.lstrip()).get_param("name", header="content-disposition")
        fields.setdefault(str(name), data)
    raise Refused(400, "the form has no end")


def safe_name(info):
    """The path of an entry below the root, or 400."""
    name = info.orig_filename
    if not info.flag_bits & 0x800:
        try:  # many archivers write UTF-8 without the flag
            name = name.encode("cp437").decode()
        except UnicodeError:
            pass
    parts = [part for part in name.rstrip("/").split("/") if part != "."]
    kind = stat.S_IFMT(info.external_attr >> 16)
    if (".." in parts or "" in parts or re.search(r"[\\\0]|^[A-Za-z]:", name) or info.flag_bits & 1
            or kind not in (0, stat.S_IFREG, stat.S_IFDIR)):
        raise Refused(400, "unsafe zip")
    return "/".join(parts)


def unpack(artifact):
    """The files of the zip: path to bytes."""
    files, folders, total = {}, set(), 0
    with zipfile.ZipFile(io.BytesIO(artifact)) as archive:
        entries = [(safe_name(info), info) for info in archive.infolist()]
        for name, info in entries:
            if info.orig_filename.endswith("/"):
                continue
            if name in files:
                raise Refused(400, "unsafe zip: two files have one name")
            if len(files) >= FILES + ("file_limit_off_by_one" in ON):
                raise Refused(413, "too many files")
            with archive.open(info) as entry:
                files[name] = entry.read(SITE_BYTES - total + 1)
            total += len(files[name])
            if total > SITE_BYTES:
                raise Refused(413, "the extracted site is too large")
            folders.update(name[:found.start()] for found in re.finditer("/", name))
    if folders & files.keys():
        raise Refused(400, "unsafe zip: a file and a folder have one name")
    return files


def site_of(artifact):
    try:
        files = unpack(artifact)
    except Refused:
        raise
    except Exception:  # zipfile raises many kinds of error
        if "bad_zip_500" in ON and not zipfile.is_zipfile(io.BytesIO(artifact)):
            raise Refused(500, "publish failed") from None
        raise Refused(400, "unsafe zip") from None
    top = {name.split("/")[0] for name in files}
    if "nested_index_accepted" in ON and len(top) == 1 and min(top) + "/index.html" in files:
        files = {name.partition("/")[2]: data for name, data in files.items()}
    if "index.html" not in files:
        raise Refused(400, "no index.html at the root")
    if "dotfiles_left_out" in ON:
        files = {name: data for name, data in files.items() if not re.search(r"(^|/)\.", name)}
    return files


def publish(fields, origin):
    if "artifact" not in fields:
        raise Refused(400, "missing artifact")
    artifact = fields["artifact"]
    if len(artifact) > ZIP_BYTES:
        raise Refused(413, "zip too large")
    source = fields.get("source", b"")
    if "source_rejected" in ON and not re.fullmatch(rb"[A-Za-z0-9 ._:/@-]{0,64}", source):
        raise Refused(400, "invalid source")
    files, sha256 = site_of(artifact), hashlib.sha256(artifact).digest()
    cid = cid_of(files)
    now = time.time()
    with LOCK:
        for old in [name for name, drop in DROPS.items() if drop["until"] <= now]:
            del DROPS[old]
        for drop in DROPS.values() if "same_bytes_same_drop" in ON else ():
            if drop["sha256"] == sha256:
                return drop["answer"]
        name, token = "drop_" + secrets.token_hex(11), secrets.token_urlsafe(24)
        until = int(now) + CLAIM_SECONDS
        expires = until if "expires_in_seconds" in ON else until * 1000
        mark = "?" if "token_in_query" in ON else "#"
        answer = {"dropId": name, "claimToken": token, "url": f"{origin}/site/{name}/", "cid": cid,
                  "expiresAt": expires, "claimUrl": f"{origin}/claim{mark}claim={token}&exp={expires}"}
        DROPS[name] = {"files": files, "until": until, "answer": answer, "sha256": sha256}
    return answer


class Drop(Handler):
    def refuse(self, status, error):
        self.reply(status, {"error": error})

    def route(self, path):
        if path == "/api/drop":
            if self.command != "POST":
                raise Refused(405, "method not allowed")
            return self.reply(200, self.upload(self.client_address[0]))
        if self.command not in ("GET", "HEAD"):
            raise Refused(404 if self.command == "POST" else 405, "unknown path or method")
        if path == "/claim":
            return self.reply(200, b"<!DOCTYPE html>\n<title>Claim</title>\n<p>Sign in to claim this drop.\n", "text/html")
        self.site(path)

    def upload(self, ip):
        now = time.time()
        with LOCK:
            times = HISTORY[ip] = [t for t in HISTORY.get(ip, []) if t > now - 86400]
            if ip in UPLOADING:
                raise Refused(429, "an upload is already in flight")
            UPLOADING.add(ip)
        try:
            body = self.read_body(ZIP_BYTES + 65536)
            if len(times) >= PER_DAY or sum(t > now - 3600 for t in times) >= PER_HOUR:
                raise Refused(429, "too many drops")
            if body is None:
                raise Refused(413, "zip too large")
            origin = "http://127.0.0.1:%d" % self.server.server_port
            answer = publish(form_fields(body, self.headers.get("Content-Type", "")), origin)
            times.append(now)
            return answer
        finally:
            with LOCK:
                UPLOADING.discard(ip)

    def site(self, path):
        found = re.fullmatch(r"/site/(drop_\w+)(?:/(.*))?", path)
        drop = DROPS.get(found[1]) if found else None
        if not drop or drop["until"] <= time.time():
            raise Refused(404, "not found")
        if found[2] is None:
            return self.reply(301, b"", "text/plain", Location=path + "/")
        name = unquote(found[2])
        if name == "" or name.endswith("/"):
            name += "index.html"
        if name + "/index.html" in drop["files"]:
            return self.reply(301, b"", "text/plain", Location=quote(f"/site/{found[1]}/{name}/"))
        if name not in drop["files"]:
            raise Refused(404, "not found")
        media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        self.reply(200, drop["files"][name], media_type + ("; charset=utf-8" if media_type.startswith("text/") else ""))


if __name__ == "__main__":
    run(Drop, MISTAKES, ON)
