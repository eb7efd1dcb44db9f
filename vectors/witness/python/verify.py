"""Confirms the golden cases with third-party libraries: PyNaCl for Ed25519, solders for messages and base58,
aleph-cid for identifiers, eth-account, eth-keys and pycryptodome for wallet signatures, eciespy and cryptography for
encryption, pydantic and Starlette for documents and paths of token metadata.

Prints one JSON line per operation and exits with 1 on any disagreement with a case, with the manifest's counts, or with
divergences.json. With --write it also records its results in data/witnesses.json. A case that a library cannot express
is skipped with a reason and not counted.
"""

import base64
import hashlib
import json
import re
import sys
from datetime import datetime, timedelta, timezone
from importlib.metadata import version
from pathlib import Path

import jsonschema
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey
from solders.hash import Hash, ParseHashError
from solders.instruction import CompiledInstruction
from solders.message import Message, MessageHeader
from solders.pubkey import Pubkey

import alone
import drop
import gateway
import history
import metadata
import network
import records
import sealed
from recipes import read
from refusal import Refused, Skipped, require

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
KEYS = {"pub": ["d", "c", "v", "t"], "transfer": ["d", "newVault", "t"], "accept": ["d", "transfer", "t"]}
WINDOW = timedelta(minutes=10)
MEMO = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"


# --- bytes and strings -----------------------------------------------------------------------------------------


def hexed(data):
    return {"hex": data.hex()}


def b64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def from_b64url(text):
    require(re.fullmatch(r"[A-Za-z0-9_-]*", text), "alphabet")
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError as error:
        raise Refused(error) from error
    require(b64url(data) == text, "not canonical")
    return data


def pubkey(text):
    try:
        return Pubkey.from_string(text)
    except ValueError as error:
        raise Refused(error) from error


def instant(text):
    """Any ISO 8601 instant with an offset."""
    require(isinstance(text, str), "a time is a string")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise Refused(error) from error
    require(moment.tzinfo is not None, "no offset")
    return moment


def exact(text):
    require(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text, re.ASCII), "not the exact form")
    return instant(text)


def unique(pairs):
    require(len(dict(pairs)) == len(pairs), "a key appears twice")
    return dict(pairs)


# --- operations ------------------------------------------------------------------------------------------------


def domain_canonical(i):
    label = r"(?!-)[a-z0-9-]{1,63}(?<!-)"
    require(len(i["domain"]) <= 253, "length")
    require(re.fullmatch(rf"{label}(\.{label})+", i["domain"], re.ASCII), "grammar")
    return {}


def vfkey_sign(i):
    claims = {"v": 1, "m": i["method"], "p": i["path"], "d": i["domain"], "t": i["time"]}
    claims["h"] = hashlib.sha256(read(i["body"])).hexdigest()
    message = ("svc-vf:1:auth:" + json.dumps(claims, separators=(",", ":"), ensure_ascii=False)).encode()
    signature = SigningKey(read(i["secret_key"])).sign(message).signature
    return {"header": f"VfKey {b64url(message)}.{b64url(signature)}"}


def vfkey_verify(i):
    header = i.get("authorization")
    require(header is not None, "no header")
    require(header.startswith("VfKey "), "scheme")
    parts = header[len("VfKey ") :].split(".")
    require(len(parts) == 2, "parts")
    message, signature = map(from_b64url, parts)
    require(len(signature) == 64, "signature length")
    try:
        text = message.decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        raise Refused(error) from error
    require(text.startswith("svc-vf:1:auth:"), "prefix")
    try:
        claims = json.loads(text[len("svc-vf:1:auth:") :], object_pairs_hook=unique)
    except ValueError as error:
        raise Refused(error) from error
    require(isinstance(claims, dict) and sorted(claims) == sorted("vmpdth"), "six keys")
    require(type(claims["v"]) is int and claims["v"] == 1, "version")
    require(claims["m"] == i["method"] and claims["p"] == i["path"], "method and path")
    require(abs(instant(claims["t"]) - instant(i["now"])) <= WINDOW, "window")
    require(claims["h"] == hashlib.sha256(read(i["body"])).hexdigest(), "hash")
    require(isinstance(claims["d"], str), "domain")
    domain_canonical({"domain": claims["d"]})
    bound = [binding for binding in i["bindings"] if binding["domain"] == claims["d"]]
    require(bound, "binding")
    incoming = bound[0].get("incoming_key")
    accept = i.get("op") == "accept"
    require(incoming or not accept, "no transfer is pending")
    key = incoming if accept else bound[0]["key"]
    try:
        VerifyKey(bytes(pubkey(key))).verify(message, signature)
    except BadSignatureError as error:
        raise Refused(error) from error
    return {"domain": claims["d"], "key": key, "frozen": bool(incoming) and not accept}


def canonical_record(kind, fields):
    body = json.dumps({key: fields[key] for key in KEYS[kind]}, separators=(",", ":"), ensure_ascii=False)
    return f"svc-vf:1:{kind}:{body}".encode()


def check_record(kind, fields, judge_time=True):
    require(kind in KEYS, "kind")
    require(sorted(fields) == sorted(KEYS[kind]), "keys")
    require(all(isinstance(value, str) and value for value in fields.values()), "empty or not a string")
    domain_canonical({"domain": fields["d"]})
    if judge_time:
        exact(fields["t"])


def record_encode(i):
    check_record(i["kind"], i["fields"])
    return {"record": hexed(canonical_record(i["kind"], i["fields"]))}


def record_parse(i, judge_time=True):
    data = read(i["record"])
    try:
        text = data.decode("utf-8", "strict")
        found = re.fullmatch(r"svc-vf:1:([a-z]+):(\{.*\})", text, re.DOTALL)
        require(found, "form")
        fields = json.loads(found[2])
    except ValueError as error:
        raise Refused(error) from error
    check_record(found[1], fields, judge_time)
    try:
        require(canonical_record(found[1], fields) == data, "not canonical")
    except UnicodeEncodeError as error:
        raise Refused(error) from error
    return {"kind": found[1], "fields": fields}


def decode(data):
    """solders is lenient in places, so a message must encode back to the same bytes."""
    require(data and data[0] < 0x80, "not legacy")
    try:
        message = Message.from_bytes(data)
    except ValueError as error:
        raise Refused(error) from error
    require(bytes(message) == data, "does not encode back")
    return message


def transaction_encode(i):
    accounts = [pubkey(i[name]) for name in ("fee_payer", "client", "memo_program")]
    try:
        blockhash = Hash.from_string(i["blockhash"])
    except ParseHashError as error:
        raise Refused(error) from error
    record = read(i["record"])
    require(len(record) < 65536, "length")
    instruction = CompiledInstruction(2, record, bytes([1]))
    message = Message.new_with_compiled_instructions(2, 1, 1, accounts, blockhash, [instruction])
    return {"message": hexed(bytes(message))}


def transaction_decode(i):
    message = decode(read(i["message"]))
    header: MessageHeader = message.header
    return {
        "header": [
            header.num_required_signatures,
            header.num_readonly_signed_accounts,
            header.num_readonly_unsigned_accounts,
        ],
        "accounts": [str(key) for key in message.account_keys],
        "blockhash": str(message.recent_blockhash),
        "instructions": [
            {"program": each.program_id_index, "accounts": list(each.accounts), "data": hexed(bytes(each.data))}
            for each in message.instructions
        ],
    }


def check_message(i):
    message, client, asked = decode(read(i["message"])), pubkey(i["client"]), i["request"]
    accounts = message.account_keys
    require(message.header.num_required_signatures == 2, "signatures")
    require(len(accounts) > 1 and accounts[1] == client and accounts[0] != client, "accounts")
    require(len(message.instructions) == 1, "instructions")
    (instruction,) = message.instructions
    program = instruction.program_id_index
    require(program < len(accounts) and str(accounts[program]) == (i.get("memo_program") or MEMO), "program")
    require(list(instruction.accounts) == [1], "instruction's accounts")
    # Checks 8 to 12 as the single comparison that the document names: read t, rebuild, compare.
    record = bytes(instruction.data)
    time = re.search(rb'"t":"([^"\\]*)"\}$', record)
    require(time, "no time")
    kind = asked.get("op") or "pub"
    values = {
        "pub": lambda: {"c": asked["cid"], "v": asked["version"] if (asked.get("version") or "").strip() else "0"},
        "transfer": lambda: {"newVault": asked["new_authority"]},
        "accept": lambda: {"transfer": asked.get("transfer") or ""},
    }[kind]()
    fields = {"d": asked["domain"], **values, "t": time[1].decode("ascii", "replace")}
    check_record(kind, fields)
    require(canonical_record(kind, fields) == record, "a different record")
    require(abs(exact(fields["t"]) - instant(i["now"])) <= WINDOW, "window")
    return {"record": hexed(record)}


def verify_transaction(i):
    require(i["meta"].get("err") is None, "error")
    message, program = decode(read(i["message"])), i.get("memo_program") or MEMO
    accounts = [str(key) for key in message.account_keys]
    memos = [bytes(each.data) for each in message.instructions if accounts[each.program_id_index] == program]
    require(memos == [read(i["record"])], "record")
    logs = i["meta"].get("logMessages") or []
    require("Log truncated" not in logs, "truncated")
    depth, inside, signed, done = 0, False, False, []
    for line in logs:
        invoke = re.fullmatch(r"Program (\w+) invoke \[(\d+)\]", line, re.ASCII)
        end = re.fullmatch(r"Program (\w+) (success|failed: .*)", line, re.ASCII | re.DOTALL)
        if invoke:
            depth += 1
            require(int(invoke[2]) == depth, "nesting")
            if depth == 1:
                inside, signed = invoke[1] == program, False
        elif end:
            if depth == 1 and inside:
                require(end[1] == program, "nesting")
                done.append((end[2] == "success", signed))
            depth -= 1
            require(depth >= 0, "nesting")
        elif depth == 1 and inside and line == f"Program log: Signed by {i['client']}":
            signed = True
    require((True, True) in done, "no successful invocation names the client")
    return {}


OPERATIONS = {
    "domain.canonical": domain_canonical,
    "vfkey.sign": vfkey_sign,
    "vfkey.verify": vfkey_verify,
    "publish.record.encode": record_encode,
    "publish.record.parse": record_parse,
    "transaction.encode": transaction_encode,
    "transaction.decode": transaction_decode,
    "publish.check_message": check_message,
    "publish.verify_transaction": verify_transaction,
    "cid.file": drop.cid_file,
    "cid.directory": drop.cid_directory,
    "drop.inspect_zip": drop.inspect_zip,
    **gateway.OPERATIONS,
    **metadata.OPERATIONS,
    **network.OPERATIONS,
    **sealed.OPERATIONS,
    **records.OPERATIONS,
    **history.OPERATIONS,
}
LIBRARIES = {
    "drop": ("aleph-cid", "jsonschema"),
    "gateway": ("httpx-sse", "jsonschema"),
    "hosting": ("eciespy", "cryptography", "eth-account", "eth-keys", "pycryptodome", "jsonschema"),
    "metadata": ("pydantic", "starlette", "jsonschema"),
    "network": ("eth-account", "eth-keys", "pycryptodome", "jsonschema"),
    "publish": ("PyNaCl", "cryptography", "solders", "jsonschema"),
}


# The readings of rules that the document leaves open: a library's own answer is recorded, whatever it is.
OPEN = {"A-106/followed", "A-138/one-reading", "A-138/wide-end", "A-140/names-are-bytes"}


def judge(case):
    """What this program found if it disagrees with the case, else None."""
    fault = disagreement(case)
    if fault and case.get("reading") in OPEN:
        raise Skipped(f"observed: the libraries differ ({fault.split(':')[0]})")
    return fault


def disagreement(case):
    try:
        answer = OPERATIONS[case["op"]](case["in"])
    except Refused as refused:
        return None if case["expect"]["verdict"] == "reject" else f"rejected: {refused}"
    if case["expect"]["verdict"] == "reject":
        return f"accepted: {answer}"
    return None if answer == case["expect"]["ok"] else f"a different output: {answer}"


def settled(files):
    """Whether the libraries by themselves differ from the cases exactly as divergences.json lists."""
    found = alone.divergences(files)
    listed = [each for each in json.loads((ROOT / "divergences.json").read_text()) if each["witness"] == "python"]

    def flat(entries):
        """Versions of libraries are locked and compared. The language's own version depends on the machine."""
        return {
            f"{case}: {each['library']} {'' if each['library'] == 'Python' else each['version']} says {each['says']}"
            for each in entries
            for case in each["cases"]
        }

    for each in sorted(flat(found) - flat(listed)):
        print(f"{each}: not listed in divergences.json", file=sys.stderr)
    for each in sorted(flat(listed) - flat(found)):
        print(f"{each}: listed in divergences.json, but no longer found", file=sys.stderr)
    print(json.dumps({"divergences": len(flat(found)), "libraries": len(alone.ALONE)}))
    if "--divergences" in sys.argv:
        print(json.dumps(found, indent=2))
    return flat(found) == flat(listed)


def main():
    schema = jsonschema.Draft202012Validator(json.loads((ROOT / "schema/case.schema.json").read_text()))
    manifest, agrees, records, files = json.loads((DATA / "manifest.json").read_text()), True, [], {}
    for path in [DATA / name for name in manifest["files"] if name.count("/") == 1]:
        libraries = [f"{name} {version(name)}" for name in LIBRARIES[path.parent.name]]
        libraries.append(f"Python {sys.version.split()[0]}")
        text = path.read_bytes()
        cases, name = json.loads(text), str(path.relative_to(DATA))
        op = cases[0]["op"]
        files.setdefault(op, []).extend(cases)
        for error in schema.iter_errors(cases):
            agrees = False
            print(f"{name}: {error.json_path}: {error.message}", file=sys.stderr)
        if manifest["files"].get(name) != hashlib.sha256(text).hexdigest():
            agrees = False
            print(f"{name}: the manifest has a different hash", file=sys.stderr)
        counts, skipped = {"accept": 0, "reject": 0}, {}
        for case in cases:
            try:
                fault = judge(case)
            except Skipped as reason:
                skipped[case["id"]] = str(reason)
                continue
            if fault:
                agrees = False
                print(f"{case['id']}: {fault}", file=sys.stderr)
            else:
                counts[case["expect"]["verdict"]] += 1
        record = {
            "witness": "python",
            "op": op,
            "file": name,
            "sha256": hashlib.sha256(text).hexdigest(),
            "accepts": counts["accept"],
            "rejects": counts["reject"],
            "skipped": skipped,
            "libraries": libraries,
        }
        records.append(record)
        print(json.dumps({key: record[key] for key in ("op", "accepts", "rejects", "skipped", "libraries")}))
        agrees &= sum(counts.values()) + len(skipped) == len(cases)
    for op, counted in manifest["operations"].items():
        held = [case["expect"]["verdict"] for case in files.get(op, [])]
        if counted != {verdict: held.count(verdict) for verdict in ("accept", "reject")}:
            agrees = False
            print(f"{op}: the manifest counts {counted}, the files contain {len(held)}", file=sys.stderr)
    agrees &= settled(files)
    if agrees and "--write" in sys.argv:
        path = DATA / "witnesses.json"
        others = [each for each in json.loads(path.read_text()) if each["witness"] != "python"]
        both = sorted(others + records, key=lambda each: (each["file"], each["witness"]))
        path.write_text(json.dumps(both, indent=2, ensure_ascii=False) + "\n")
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
