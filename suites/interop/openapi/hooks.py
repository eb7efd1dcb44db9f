"""Adds what a request generator cannot guess: keys, signatures over the sent bytes, and names of existing resources.

About half of the requests are changed; the others are sent as generated.
"""

import base64
import hashlib
import io
import json
import os
import time
import zipfile
from datetime import datetime, timezone
from pathlib import Path

import schemathesis
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from eth_account import Account
from eth_account.messages import encode_defunct
from requests.auth import AuthBase

KNOWN = json.loads(Path(os.environ["ASSAY_KNOWN"]).read_text())
CALLER = Account.from_key(bytes([7] * 32))
DOMAINS = KNOWN["domains"]
# The path of the current operation.
CALL = {"path": ""}
PUBLISHER = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(KNOWN["publish_key"]))


def draw(value, of):
    """A number below `of` that depends only on the value, so that the same seed gives the same run."""
    text = json.dumps(value, sort_keys=True, default=repr).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "big") % of


def is_helped(value):
    return draw(value, 2) == 0


def pick(value, names):
    return names[draw([value, "pick"], len(names))]


def archive():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        zipped.writestr(zipfile.ZipInfo("index.html"), "<p>hello")
    return file.getvalue()


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if not isinstance(path_parameters, dict) or not is_helped(path_parameters):
        return path_parameters
    helped = dict(path_parameters)
    here = KNOWN["at"].get(context.operation.path, {})
    for name in helped:
        names = here.get(name) or KNOWN["paths"].get(name)
        if names:
            helped[name] = pick(path_parameters, names)
    return helped


@schemathesis.hook
def map_body(context, body):
    # Only a form carries bytes: JSON may have any other member under the same name.
    is_form = any(form.media_type == "multipart/form-data" for form in context.operation.body)
    if not isinstance(body, dict) or not is_form or not is_helped(body):
        return body
    helped = dict(body)
    if "artifact" in helped:
        helped["artifact"] = archive()
    if "file" in helped and "address" in helped:
        data = helped["file"] if isinstance(helped["file"], bytes) else b"a file"
        text = hashlib.sha256(data).hexdigest()
        helped.update(file=data, address=CALLER.address, signature=signed(text))
    return helped


@schemathesis.hook
def before_call(context, case, kwargs):
    CALL["path"] = case.operation.path


@schemathesis.hook
def after_call(context, case, response):
    with open(os.environ["ASSAY_SEEN"], "a") as seen:
        seen.write(f"{case.operation.label} {response.status_code}\n")
    # Later requests update the instance and run the program that were created here.
    created = {
        "POST /api/v0/instances": ("instance_id", "instance_id"),
        "POST /api/v0/programs": ("program_hash", "item_hash"),
    }
    if case.operation.label in created and response.status_code == 200:
        parameter, member = created[case.operation.label]
        KNOWN["paths"][parameter] = [json.loads(response.content)[member]]


def signed(text):
    return "0x" + CALLER.sign_message(encode_defunct(text=text)).signature.hex().removeprefix("0x")


class Signer(AuthBase):
    """Signs requests over the bytes that are sent."""

    def __call__(self, request):
        if "//" in CALL["path"]:
            self.unfold(request)
        self.fill(request)
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        if "/v1/" in request.path_url or request.path_url in ("/completions", "/svc/auth/check"):
            if draw([request.path_url, body.hex()], 8) > 0:
                request.headers["Authorization"] = "Bearer " + KNOWN["key"]
        elif "/api/vf-cli/" in request.path_url:
            self.publish(request, body)
        elif "/api/v0/" in request.path_url:
            self.network(request, body)
        return request

    def unfold(self, request):
        """Restores a double slash in the path, which the generator folds into one."""
        origin, path = request.url[: request.url.index("/", 8)], request.url[request.url.index("/", 8) :]
        uri, slash, rest = path[1:].partition("/")
        request.url = f"{origin}/{uri}{slash}/{rest}"

    def fill(self, request):
        """Sets an existing model, a short conversation, and a bound domain."""
        try:
            body = json.loads(request.body)
        except (ValueError, TypeError, RecursionError):
            return
        if not isinstance(body, dict) or not is_helped(body):
            return
        helped = dict(body)
        if "model" in body:
            helped["model"] = pick(body, KNOWN["models"])
        if isinstance(body.get("messages"), list):
            helped.update(messages=[{"role": "user", "content": "Hello"}])
            helped.pop("tools", None)
        if isinstance(body.get("max_tokens"), int):
            helped["max_tokens"] = 16
        if "domain" in body:
            helped.update(domain=pick(body, DOMAINS), cid="bafy-fuzz")
            helped.pop("op", None)
        if helped != body:
            request.prepare_body(json.dumps(helped), None)

    def publish(self, request, body):
        try:
            domain = json.loads(body)["domain"]
        except (ValueError, TypeError, KeyError, RecursionError):
            domain = pick(body.hex(), DOMAINS)
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        envelope = {
            "v": 1,
            "m": request.method,
            "p": request.path_url.split("?")[0],
            "d": domain if domain in DOMAINS else pick(body.hex(), DOMAINS),
            "t": now,
            "h": hashlib.sha256(body).hexdigest(),
        }
        message = ("svc-vf:1:auth:" + json.dumps(envelope)).encode()
        parts = [message, PUBLISHER.sign(message)]
        parts = [base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts]
        request.headers["Authorization"] = "VfKey " + ".".join(parts)

    def network(self, request, body):
        try:
            envelope = json.loads(body)
        except (ValueError, RecursionError):
            return
        message = envelope.get("message") if isinstance(envelope, dict) else None
        own = [one for one in KNOWN["paths"]["instance_id"] if one in request.path_url]
        if not isinstance(message, dict) or not (own or draw(envelope, 4) > 0):
            return
        message["timestamp"] = int(time.time())
        message["chain"] = "ETH"
        content = message.get("content")
        if own and isinstance(content, dict):
            content["instance_id"] = own[0]
        if request.path_url == "/api/v0/aggregates" and isinstance(content, dict):
            content.update(key="fuzz", address=CALLER.address)
            content.setdefault("content", {})
        if request.path_url == "/api/v0/messages":
            document = {"type": "fuzz", "address": CALLER.address, "content": {"said": content}}
            message.update(type="POST", content={**document, "time": message["timestamp"]})
        text = json.dumps(message)
        rest = json.dumps({"signature": signed(text), "address": CALLER.address})
        request.prepare_body(f'{{"message": {text}, {rest[1:]}', None)


schemathesis.auth.set_from_requests(Signer())
