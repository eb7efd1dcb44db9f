"""The verdict of each library by itself, without the rules that the witness adds. If it differs from the case's,
divergences.json must list it with a reason."""

import base64
import io
import json
import zipfile
from datetime import datetime
from importlib.metadata import version
from platform import python_version

import aleph_cid
import ecies
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from ecies.config import Config
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_keys import keys
from eth_utils import decode_hex
from nacl.signing import VerifyKey
from solders.message import Message
from solders.pubkey import Pubkey

from drop import laid_out
from recipes import read, spell_out


def of_rules(*names):
    return lambda case: case["expect"]["rule"].startswith(names)


def of_rows(*names):
    return lambda case: case["requirements"][0] in names


def everything(_):
    return True


def ecies_decrypt(i):
    config = Config(symmetric_nonce_length=i.get("nonce_length") or 16)
    return {"plaintext": {"hex": ecies.decrypt(read(i["private_key"]), read(i["ciphertext"]), config).hex()}}


def sign(i):
    secret = read(i["private_key"])
    signed = Account.sign_message(encode_defunct(read(i["message"])), secret)
    return {
        "signature": {"hex": bytes(signed.signature).hex()},
        "address": Account.from_key(secret).address,
    }


def recover(i):
    return {"address": Account.recover_message(encode_defunct(read(i["message"])), signature=read(i["signature"]))}


def recover_text(i):
    found = Account.recover_message(encode_defunct(text=i["message_json"]), signature=i["signature"])
    return accepted(found.lower() == i["address"].lower())


def address(i):
    return {"address": keys.PublicKey(decode_hex(i["public_key"])[1:]).to_checksum_address()}


def canonical(i):
    record = json.loads(i["message_json"])
    content = record["content"]
    inner = "content" if "content" in content else "hashes"
    order = [name for name in ("address", "key", "type", "ref", inner, "time") if name in content or name == inner]
    record = {"type": record["type"], "channel": record["channel"], "content": {name: content[name] for name in order}}
    return {"canonical": json.dumps(record, separators=(",", ":"), ensure_ascii=False)}


def time(i):
    datetime.fromisoformat(i["fields"]["t"])
    return {}


def signed(i):
    """The key, message and signature of a header, leniently decoded."""
    message, signature = i["authorization"].split(" ")[1].split(".")
    parts = (base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in (message, signature))
    binding = i["bindings"][-1]
    key = binding["incoming_key"] if i.get("op") == "accept" else binding["key"]
    return bytes(Pubkey.from_string(key)), *parts


def by_sodium(i):
    key, message, signature = signed(i)
    VerifyKey(key).verify(message, signature)
    return {}


def by_openssl(i):
    key, message, signature = signed(i)
    Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    return {}


def decode(i):
    message = Message.from_bytes(read(i["message"]))
    header = message.header
    return {
        "header": [
            header.num_required_signatures,
            header.num_readonly_signed_accounts,
            header.num_readonly_unsigned_accounts,
        ],
        "accounts": [str(key) for key in message.account_keys],
        "blockhash": str(message.recent_blockhash),
    }


def folder(i):
    with laid_out(spell_out(i["entries"])) as place:
        return {"cid": aleph_cid.hash_folder(place)} if i.get("hamt_size") != "block" else None


def unzip(i):
    with zipfile.ZipFile(io.BytesIO(read(i["zip"]))) as archive:
        for name in archive.namelist():
            archive.read(name)
    return {}


def accepted(good):
    if not good:
        raise ValueError("the signature does not verify")
    return {}


SIGNATURE = of_rows("publish.envelope.signature")
# Library, operation, the rejects that the library can judge, and the call.
ALONE = [
    ("eciespy", "ecies.decrypt", everything, ecies_decrypt),
    ("eth-account", "eip191.sign", everything, sign),
    ("eth-account", "eip191.recover", everything, recover),
    ("eth-account", "request.verify", of_rules("signature."), recover_text),
    ("eth-keys", "address.from_public_key", everything, address),
    ("Python", "base64.decode", everything, lambda i: {"bytes": {"hex": base64.b64decode(i["text"]).hex()}}),
    ("Python", "record.canonical", of_rules("canonical."), canonical),
    ("Python", "publish.record.encode", of_rules("record.time"), time),
    ("PyNaCl", "vfkey.verify", SIGNATURE, by_sodium),
    ("cryptography", "vfkey.verify", SIGNATURE, by_openssl),
    ("solders", "transaction.decode", everything, decode),
    ("aleph-cid", "cid.directory", everything, folder),
    ("Python", "drop.inspect_zip", of_rules("zip.form", "zip.counted", "zip.traversal", "zip.absolute"), unzip),
]


def version_of(library):
    return python_version() if library == "Python" else version(library)


def heard(ask, case):
    """The library's verdict on a case if it differs; None if it agrees or cannot judge the case."""
    expect = case["expect"]
    try:
        answer = ask(case["in"])
    except BaseException as error:  # a library in another language may panic
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return None if expect["verdict"] == "reject" else "reject"
    if answer is None:
        return None
    if expect["verdict"] == "reject":
        return "accept"
    return None if all(expect["ok"][name] == value for name, value in answer.items()) else "other"


def divergences(files):
    """Every divergence in the form of divergences.json, without reasons. files are the cases by operation."""
    found = {}
    for library, operation, judges, ask in ALONE:
        agreed = 0
        for case in files[operation]:
            if case["expect"]["verdict"] == "reject" and not judges(case):
                continue
            says = heard(ask, case)
            if says is None:
                agreed += case["expect"]["verdict"] == "accept"
            else:
                entry = {"witness": "python", "library": library, "version": version_of(library)}
                entry |= {"operation": operation, "says": says, "cases": []}
                found.setdefault((operation, library, says), entry)["cases"].append(case["id"])
        if not agreed:
            raise ValueError(f"{library} agrees with no case of {operation}: the call must be wrong")
    return [{**entry, "cases": sorted(entry["cases"])} for entry in found.values()]
