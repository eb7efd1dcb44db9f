"""A small client of the signed publishing exchange, written from its document alone.

The environment says what to do: ASSAY_URL, ASSAY_CHAIN_URL, ASSAY_KEY (the seed, hex), ASSAY_DOMAIN, and ASSAY_CID with an
optional ASSAY_VERSION, or ASSAY_TRANSFER_TO, or ASSAY_ACCEPT. Prints the transaction's signature and exits with 0 if the
record landed and the chain proves it. `--careless NAME` leaves out one thing that the document asks for.
"""

import base64
import hashlib
import http.client
import json
import os
import re
import sys
import time
import urllib.parse
from datetime import datetime, timedelta, timezone

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CARELESS = {
    "any-fee-payer": "does not compare the fee payer with its own key",
    "lossy-text": "replaces invalid UTF-8 and drops a byte order mark",
    "any-time": "accepts a record of any time",
    "coarse-time": "writes the time of an envelope in seconds",
    "hammers-503": "sends a prepare twenty times at once to a node that may not write",
}

PREPARE, SUBMIT = "/api/vf-cli/publish/prepare", "/api/vf-cli/publish/submit"
# The document omits the address. It is the chain's public memo program.
MEMO = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
SKEW = timedelta(minutes=10)
# A submit returns after confirmation, which can take about three minutes.
SUBMIT_TIMEOUT = 240
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class Stop(Exception):
    """The client gives up, for this reason."""


class Gone(Exception):
    """A submit returned 410."""


def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Reader:
    """Reads the parts of a message."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        part = self.data[self.at : self.at + count]
        if len(part) < count:
            raise Stop("the message ends too early")
        self.at += count
        return part

    def byte(self):
        return self.take(1)[0]

    def length(self):
        value = 0
        for shift in (0, 7, 14):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise Stop("a length of more than three bytes")


def length_bytes(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def decode(data):
    """The header, the accounts, the blockhash and the instructions of a legacy message."""
    reader = Reader(data)
    header = reader.take(3)
    if header[0] >= 0x80:
        raise Stop("a versioned message")
    accounts = [reader.take(32) for _ in range(reader.length())]
    blockhash = reader.take(32)
    instructions = []
    for _ in range(reader.length()):
        program = reader.byte()
        passed = reader.take(reader.length())
        instructions.append((program, passed, reader.take(reader.length())))
    return header, accounts, blockhash, instructions


def encode(header, accounts, blockhash, instructions):
    out = header + length_bytes(len(accounts)) + b"".join(accounts) + blockhash + length_bytes(len(instructions))
    for program, passed, data in instructions:
        out += bytes([program]) + length_bytes(len(passed)) + passed + length_bytes(len(data)) + data
    return out


class Client:
    def __init__(self, careless):
        env = os.environ
        self.careless = careless
        self.url, self.chain, self.domain = env["ASSAY_URL"], env["ASSAY_CHAIN_URL"], env["ASSAY_DOMAIN"]
        self.key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(env["ASSAY_KEY"]))
        self.public = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        # The body of a prepare, and what the record must say, without its time.
        if "ASSAY_TRANSFER_TO" in env:
            authority = "chain:" + env["ASSAY_TRANSFER_TO"]
            self.body = {"domain": self.domain, "op": "transfer", "newAuthority": authority}
            self.kind, self.record = "transfer", {"d": self.domain, "newVault": authority}
        elif "ASSAY_ACCEPT" in env:
            self.body = {"domain": self.domain, "op": "accept"}
            self.kind, self.record = "accept", {"d": self.domain, "transfer": env["ASSAY_ACCEPT"]}
        else:
            version = env.get("ASSAY_VERSION")
            self.body = {"domain": self.domain, "cid": env["ASSAY_CID"]}
            if version:
                self.body["version"] = version
            self.kind, self.record = "pub", {"d": self.domain, "c": env["ASSAY_CID"], "v": version or "0"}

    def envelope(self, path, body):
        unit = "seconds" if self.careless == "coarse-time" else "milliseconds"
        now = datetime.now(timezone.utc).isoformat(timespec=unit).replace("+00:00", "Z")
        parts = {"v": 1, "m": "POST", "p": path, "d": self.domain, "t": now, "h": hashlib.sha256(body).hexdigest()}
        message = ("svc-vf:1:auth:" + compact(parts)).encode()
        return f"VfKey {base64url(message)}.{base64url(self.key.sign(message))}"

    def post(self, path, body, timeout=30):
        """Sends a request; waits and sends it again where the service asks for that."""
        tries = 0
        while True:
            url = urllib.parse.urlsplit(self.url)
            connection = http.client.HTTPConnection(url.hostname, url.port, timeout=timeout)
            headers = {"Content-Type": "application/json", "Authorization": self.envelope(path, body)}
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            text = answer.read()
            connection.close()
            tries += 1
            if answer.status == 503 and self.careless == "hammers-503" and tries < 20:
                continue
            if answer.status not in (429, 503) or tries >= 3:
                return answer.status, text
            time.sleep(float(answer.headers.get("Retry-After") or tries))

    def prepare(self):
        status, text = self.post(PREPARE, compact(self.body).encode())
        if status != 200:
            raise Stop(f"prepare returned {status}: {text.decode(errors='replace')}")
        prepared = json.loads(text)
        message = base64.b64decode(prepared["message"], validate=True)
        self.check(message)
        observed = prepared.get("txtObserved") or {}
        if observed.get("vault") not in (None, base58(self.public), "chain:" + base58(self.public)):
            print(f"warning: the TXT record names {observed['vault']}", file=sys.stderr)
        return message, prepared

    def check(self, message):
        """The checks before signing, in the order of the document."""

        def holds(fact, what):
            if not fact:
                raise Stop(f"not signed: {what}")

        header, accounts, blockhash, instructions = decode(message)
        holds(encode(header, accounts, blockhash, instructions) == message, "not the shortest encoding")
        holds(header[0] == 2, "not two signatures")
        holds(len(accounts) > 1 and accounts[1] == self.public, "account 1 is another key")
        holds(accounts[0] != self.public or self.careless == "any-fee-payer", "the client would pay")
        holds(len(instructions) == 1, "not one instruction")
        program, passed, data = instructions[0]
        holds(program < len(accounts) and base58(accounts[program]) == MEMO, "not the memo program")
        holds(passed == b"\1", "other accounts are passed to the program")
        if self.careless == "lossy-text":
            text = data.decode(errors="replace").removeprefix("\ufeff")
        else:
            try:
                text = data.decode()
            except UnicodeDecodeError:
                raise Stop("not signed: the record is not UTF-8") from None
        found = re.search(r'"t":"([^"\\]*)"}$', text)
        holds(found, "the record has no time")
        expected = f"svc-vf:1:{self.kind}:" + compact({**self.record, "t": found[1]})
        holds(text == expected, f"the record is {text!r}")
        holds(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", found[1], re.ASCII), "the time has another form")
        at = datetime.strptime(found[1], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
        if self.careless != "any-time":
            holds(abs(datetime.now(timezone.utc) - at) < SKEW, "the record's time is not now")

    def submit(self, message, prepared):
        """The transaction's signature. A lost response is asked for again with the same body."""
        signature = base64.b64encode(self.key.sign(message)).decode()
        body = {"prepareId": prepared["prepareId"], "signature": signature}
        if self.kind == "accept":
            body["op"] = "accept"
        body = compact(body).encode()
        for attempt in range(4):
            try:
                status, text = self.post(SUBMIT, body, SUBMIT_TIMEOUT)
            except (OSError, http.client.HTTPException) as lost:
                print(f"the response to the submit is lost: {lost}", file=sys.stderr)
                continue
            if status == 200:
                return json.loads(text)["signature"]
            if status == 410:
                raise Gone(json.loads(text).get("error", ""))
            # The lost submit may still be on its way.
            if status != 409 or attempt == 0 or b"frozen" in text:
                raise Stop(f"submit returned {status}: {text.decode(errors='replace')}")
            time.sleep(1)
        raise Stop("the outcome of the submit is not known")

    def call(self, method, *params):
        url = urllib.parse.urlsplit(self.chain)
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
        body = compact({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        connection.request("POST", url.path or "/", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status != 200:
            raise Stop(f"the chain returned {answer.status}")
        return json.loads(text)["result"]

    def transaction(self, signature):
        config = {"encoding": "base64", "commitment": "confirmed", "maxSupportedTransactionVersion": 0}
        return self.call("getTransaction", signature, config)

    def prove(self, signature, message):
        """Raises unless the chain shows that the client's key has signed exactly this record."""
        found = self.transaction(signature)
        if not found:
            raise Stop(f"the chain does not know {signature}")
        if not same_message(found, message):
            raise Stop(f"{signature} is another transaction")
        if found["meta"]["err"] is not None:
            raise Stop(f"{signature} failed: {found['meta']['err']}")
        signed, stack, succeeded = False, [], False
        for line in found["meta"]["logMessages"]:
            if line == "Log truncated":
                raise Stop(f"{signature} is not verified: its log is truncated")
            if invoked := re.fullmatch(r"Program (\S+) invoke \[(\d+)\]", line):
                stack.append(invoked[1])
            elif ended := re.fullmatch(r"Program (\S+) (success|failed: .*)", line):
                succeeded |= stack == [MEMO] and ended[1] == MEMO and ended[2] == "success" and signed
                del stack[-1:]
            elif line == f"Program log: Signed by {base58(self.public)}" and stack == [MEMO]:
                signed = True
        if not succeeded:
            raise Stop(f"{signature} is not verified: its log does not show the signer")

    def look(self, message, last_height):
        """The signature of the transaction, once it has landed; nothing, once it can no longer land."""
        while True:
            height = self.call("getBlockHeight")
            listed = self.call("getSignaturesForAddress", base58(self.public), {"commitment": "confirmed"})
            for entry in listed:
                found = self.transaction(entry["signature"])
                if found and same_message(found, message):
                    return entry["signature"]
            if height > last_height:
                return None
            time.sleep(0.5)

    def publish(self):
        for _ in range(2):
            message, prepared = self.prepare()
            try:
                signature = self.submit(message, prepared)
            except Gone as gone:
                if "safety ceiling" not in str(gone).lower():
                    continue
                # The transaction can still land: nothing else is signed before that is known.
                signature = self.look(message, prepared["lastValidBlockHeight"])
                if signature is None:
                    continue
            self.prove(signature, message)
            return signature
        raise Stop("410: the clock or the cluster has a problem")


def same_message(found, message):
    """Whether a transaction of the chain holds exactly this message."""
    reader = Reader(base64.b64decode(found["transaction"][0]))
    reader.take(64 * reader.length())
    return reader.data[reader.at :] == message


def main():
    careless = sys.argv[2] if sys.argv[1:2] == ["--careless"] else None
    if careless not in (None, *CARELESS):
        sys.exit(f"--careless takes one of: {', '.join(CARELESS)}")
    try:
        print(Client(careless).publish())
    except Stop as stop:
        sys.exit(str(stop))


main()
