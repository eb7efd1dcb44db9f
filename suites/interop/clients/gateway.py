"""A small client of the inference gateway, written from its document alone.

The environment configures it: ASSAY_GATEWAY_URL, ASSAY_MODE (`gateway` or `direct`), ASSAY_CA_FILE, ASSAY_GATEWAY_KEY or
ASSAY_PAYMENT, ASSAY_REFRESH_SECONDS and ASSAY_ATTESTATION_KEY. It reads prompts from standard input, one JSON object a
line, and prints a line for each. `--careless NAME` leaves out one thing that the document asks for.

The document does not show how an item hash is resolved and an enclave attested; the client uses the stand-ins that
`spec/src/gateway/stand_in.rs` describes.
"""

import hashlib
import http.client
import json
import os
import secrets
import ssl
import sys
import time
import urllib.parse

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

CARELESS = {
    "one-server": "does not try another server of the list",
    "partial-stream": "reports what has arrived of a stream that breaks off",
    "skips-errors": "skips events of a stream that are not chunks",
    "names-tools": "sends the name of a tool in place of the id of its call",
    "any-nonce": "accepts an attestation for another nonce",
    "any-certificate": "sends requests over a connection with another certificate than the attested one",
}

CHAT = "/v1/chat/completions"
RESOLVE, ATTESTATION = "/stand-in/v1/resolve/", "/stand-in/v1/attestation"
ROUNDS = 8


class Refused(Exception):
    """The request is rejected; another server would reject it, too."""


class Failed(Exception):
    """A server failed; another may answer."""


class Client:
    def __init__(self, careless):
        env = os.environ
        self.careless = careless
        self.url, self.direct = env["ASSAY_GATEWAY_URL"], env["ASSAY_MODE"] == "direct"
        self.key, self.payment = env.get("ASSAY_GATEWAY_KEY"), env.get("ASSAY_PAYMENT")
        self.refresh = float(env.get("ASSAY_REFRESH_SECONDS", 60))
        self.authority = env.get("ASSAY_ATTESTATION_KEY")
        self.trust = ssl.create_default_context(cafile=env.get("ASSAY_CA_FILE"))
        self.listed, self.listed_at = None, 0
        self.cookies, self.pins = {}, {}

    def connect(self, base):
        """A connection, and the digest of the certificate that it presents."""
        url = urllib.parse.urlsplit(base)
        if url.scheme != "https":
            return http.client.HTTPConnection(url.hostname, url.port, timeout=60), None
        connection = http.client.HTTPSConnection(url.hostname, url.port, timeout=60, context=self.trust)
        connection.connect()
        return connection, hashlib.sha256(connection.sock.getpeercert(binary_form=True)).hexdigest()

    def send(self, base, method, path, body=None, headers=(), connection=None):
        """The status and the body of a response."""
        headers = dict(headers)
        if base in self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies[base].items())
        try:
            connection = connection or self.connect(base)[0]
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                name, _, value = cookie.split(";")[0].partition("=")
                self.cookies.setdefault(base, {})[name.strip()] = value.strip()
            return answer.status, answer.read()
        except http.client.IncompleteRead as cut:
            if self.careless == "partial-stream":
                return 200, cut.partial
            raise Failed("the response broke off") from None
        except (OSError, http.client.HTTPException) as error:
            raise Failed(f"{base}: {error}") from None
        finally:
            if connection:
                connection.close()

    def complete(self, base, body, connection=None):
        """The message of a completion, or its words where it is streamed."""
        text = json.dumps(body)
        headers = {"Content-Type": "application/json"}
        credentials = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        status, answer = self.send(base, "POST", CHAT, text, {**headers, **credentials}, connection)
        if status == 402 and self.payment:
            status, answer = self.send(base, "POST", CHAT, text, {**headers, "X-PAYMENT": self.payment})
        if status != 200:
            kind = Failed if status >= 500 else Refused
            raise kind(f"{base} returned {status}: {answer.decode(errors='replace')[:200]}")
        if body["stream"]:
            return {"content": self.words(answer)}
        try:
            message = json.loads(answer)["choices"][0]["message"]
        except (ValueError, LookupError, TypeError):
            raise Failed(f"{base} returned no completion") from None
        return message

    def words(self, stream):
        words = ""
        events = stream.decode(errors="replace").replace("\r\n", "\n").split("\n\n")
        for event in events:
            data = "\n".join(line[5:].removeprefix(" ") for line in event.split("\n") if line.startswith("data:"))
            if not data:
                continue
            if data == "[DONE]":
                break
            try:
                chunk = json.loads(data)
                delta = chunk["choices"][0]["delta"] if chunk["choices"] else {}
            except (ValueError, LookupError, TypeError):
                if self.careless == "skips-errors":
                    continue
                if self.careless == "partial-stream" and event is events[-1]:
                    # The last event of what has arrived.
                    break
                raise Failed(f"the stream failed midway: {data}") from None
            words += delta.get("content") or ""
        if not words:
            raise Failed("the stream has no words")
        return words

    def servers(self, model):
        if self.listed is None or time.monotonic() - self.listed_at >= self.refresh:
            asked_at = time.monotonic()
            status, answer = self.send(self.url, "GET", "/svc/models")
            if status != 200:
                raise Failed(f"discovery returned {status}")
            self.listed, self.listed_at = json.loads(answer), asked_at
        if model not in self.listed:
            raise Refused(f"discovery does not list {model}")
        return self.listed[model]["servers"]

    def ask_servers(self, model, body):
        tried, last = set(), Failed(f"discovery lists no server for {model}")
        while True:
            fresh = [server for server in self.servers(model) if server not in tried]
            if not fresh:
                raise last
            for server in fresh:
                tried.add(server)
                try:
                    if server.startswith("tee://"):
                        return self.ask_enclave(server.removeprefix("tee://"), body)
                    return self.complete(server, body)
                except Failed as failed:
                    last = failed
                    if self.careless == "one-server":
                        raise
            # The list may have changed.
            self.listed = None

    def ask_enclave(self, item_hash, body):
        for _ in range(2):
            if item_hash not in self.pins:
                self.pins[item_hash] = self.attest(item_hash)
            address, pinned = self.pins[item_hash]
            try:
                connection, shown = self.connect(address)
            except OSError:
                # It has booted: it has another port and another certificate.
                del self.pins[item_hash]
                continue
            if shown == pinned or self.careless == "any-certificate":
                return self.complete(address, body, connection)
            connection.close()
            del self.pins[item_hash]
        raise Failed(f"{item_hash} cannot be verified")

    def attest(self, item_hash):
        """The address of an enclave, and its certificate, if the authority vouches for both."""
        if not self.authority:
            raise Failed(f"{item_hash} cannot be verified: no authority is known")
        status, answer = self.send(self.url, "GET", RESOLVE + item_hash)
        if status != 200:
            raise Failed(f"{item_hash} cannot be resolved: {status}")
        address = json.loads(answer)["address"]
        try:
            connection, shown = self.connect(address)
        except OSError as error:
            raise Failed(f"{address}: {error}") from None
        nonce = secrets.token_hex(32)
        # No key and no cookie: nothing is known about this server.
        self.cookies.pop(address, None)
        status, answer = self.send(address, "GET", f"{ATTESTATION}?nonce={nonce}", connection=connection)
        if status != 200:
            raise Failed(f"{address} does not attest itself: {status}")
        said = json.loads(answer)
        if self.careless == "any-nonce":
            nonce = said["nonce"]
        expected = {"item_hash": item_hash, "nonce": nonce, "certificate_sha256": shown}
        if {name: said.get(name) for name in expected} != expected:
            raise Failed(f"{address} attests something else")
        signed = "".join(f"{line}\n" for line in ("assay stand-in attestation v1", *expected.values()))
        try:
            authority = Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.authority))
            authority.verify(bytes.fromhex(said["signature"]), signed.encode())
        except (InvalidSignature, ValueError):
            raise Failed(f"{address}: the authority has not signed the attestation") from None
        return address, shown

    def ask(self, model, body):
        if self.direct:
            return self.ask_servers(model, body)
        for attempt in range(3):
            try:
                return self.complete(self.url, body)
            except Failed:
                if attempt == 2:
                    raise
                time.sleep(0.5)

    def answer(self, prompt):
        body = {
            "model": prompt["model"],
            "messages": [{"role": "user", "content": prompt["prompt"]}],
            "stream": prompt["stream"],
        }
        if "tools" in prompt:
            body["tools"] = prompt["tools"]
        for _ in range(ROUNDS):
            message = self.ask(prompt["model"], body)
            if not message.get("tool_calls"):
                return message["content"]
            body["messages"].append(message)
            for call in message["tool_calls"]:
                name = call["function"]["name"]
                call_id = name if self.careless == "names-tools" else call["id"]
                result = {"role": "tool", "tool_call_id": call_id, "content": prompt["results"][name]}
                body["messages"].append(result)
        raise Refused("the model calls tools without end")


def main():
    careless = sys.argv[2] if sys.argv[1:2] == ["--careless"] else None
    if careless not in (None, *CARELESS):
        sys.exit(f"--careless takes one of: {', '.join(CARELESS)}")
    client = Client(careless)
    for line in sys.stdin:
        prompt = json.loads(line)
        try:
            reply = {"id": prompt["id"], "answer": client.answer(prompt)}
        except (Refused, Failed) as error:
            print(error, file=sys.stderr)
            reply = {"id": prompt["id"], "error": str(error)}
        print(json.dumps(reply), flush=True)


main()
