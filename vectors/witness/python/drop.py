"""Identifiers by aleph-cid, a library in Rust, and zips by Python's own zipfile and zlib."""

import io
import os
import struct
import tempfile
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path

import aleph_cid

from recipes import read, spell_out
from refusal import Refused, Skipped, require

SIZE, EXTRACTED, FILES = 10_000_000, 40_000_000, 1000
PIECE = 1 << 20
CID, SHARDED = 36, 262_144


def cid_file(i):
    hasher, content = aleph_cid.CidHasher.for_ipfs_v1_raw_leaves(), read(i["content"])
    for at in range(0, len(content), PIECE):
        hasher.update(content[at : at + PIECE])
    return {"cid": hasher.finalize()}


def cid_directory(i):
    if i.get("hamt_size") == "block":
        raise Skipped("the library measures only names and identifiers")
    with laid_out(spell_out(i["entries"])) as folder:
        if sum(len(os.fsencode(name)) + CID for name in os.listdir(folder)) == SHARDED:
            raise Skipped("the library shards a directory exactly at the limit (see divergences.json)")
        return {"cid": cid_of(folder)}


def inspect_zip(i):
    data = read(i["zip"])
    require(len(data) <= SIZE, "size of the zip")
    files, left = {}, EXTRACTED
    for path, content in entries(data):
        require(not path.startswith("/"), "absolute path")
        require(".." not in path.split("/"), "path with two dots")
        if not path.endswith("/"):
            files[path] = content(left)
            left -= len(files[path])
    require("index.html" in files, "no index.html at the root")
    require(len(files) <= FILES, "number of files")
    with laid_out({"path": path, "content": {"hex": content.hex()}} for path, content in files.items()) as folder:
        return {"files": len(files), "bytes": sum(map(len, files.values())), "cid": cid_of(folder)}


def cid_of(folder):
    """The library itself follows links and leaves out empty directories."""
    try:
        return aleph_cid.hash_folder(folder)
    except OSError as error:
        raise Refused(error) from error
    except ValueError as error:
        if "empty folder" in str(error):
            raise Skipped("the library supports no empty folder") from error
        raise


@contextmanager
def laid_out(entries):
    """A temporary folder with these entries."""
    with tempfile.TemporaryDirectory() as place:
        top = Path(place, "top")
        top.mkdir()
        for entry in entries:
            if "directory" in entry:
                (top / entry["directory"]).mkdir(parents=True, exist_ok=True)
                continue
            at = top / entry["path"]
            try:
                at.parent.mkdir(parents=True, exist_ok=True)
                if "link" in entry:
                    at.symlink_to(entry["link"])
                else:
                    at.write_bytes(read(entry["content"]))
            except (OSError, ValueError) as error:
                raise Refused(error) from error
        yield top


def entries(data):
    """Paths, and a function that reads a limited number of bytes of each: zipfile itself trusts the headers' sizes."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                yield entry.filename, lambda most, entry=entry: content(data, entry, most)
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError) as error:
        raise Refused(error) from error


def content(data, entry, most):
    name, extra = struct.unpack_from("<HH", data, entry.header_offset + 26)
    start = entry.header_offset + 30 + name + extra
    held = data[start : start + entry.compress_size]
    if entry.compress_type == zipfile.ZIP_DEFLATED:
        try:
            held = zlib.decompressobj(-zlib.MAX_WBITS).decompress(held, most + 1)
        except zlib.error as error:
            raise Refused(error) from error
    require(len(held) <= most, "extracted size")
    require(len(held) == entry.file_size and zlib.crc32(held) == entry.CRC, "the data differs from its headers")
    return held
