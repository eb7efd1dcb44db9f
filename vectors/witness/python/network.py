"""Digests by pycryptodome, signatures by eth-account and eth-keys, and the table of responses about a STORE."""

import json
import re

from Crypto.Hash import keccak
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_keys import keys
from eth_keys.exceptions import BadSignature, ValidationError
from eth_utils import ValidationError as WrongKey

from recipes import read
from refusal import Refused, require

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
FIELD = 2**256 - 2**32 - 977
GREATEST = 2**53 - 1


# --- digests and keys ------------------------------------------------------------------------------------------


def hash_of(data):
    return keccak.new(digest_bits=256, data=data)


def keccak256(i):
    return {"hash": hash_of(read(i["data"])).hexdigest()}


def eip191_sign(i):
    secret = read(i["private_key"])
    require(len(secret) == 32 and 0 < int.from_bytes(secret, "big") < ORDER, "not a valid scalar")
    signed = Account.sign_message(encode_defunct(read(i["message"])), secret)
    return {
        "digest": signed.message_hash.hex().removeprefix("0x"),
        "signature": {"hex": signed.signature.hex().removeprefix("0x")},
        "address": Account.from_key(secret).address,
    }


def recovered(message, signature):
    """The signer of a personal message. The library accepts more forms of v than the document."""
    require(len(signature) == 65, "length")
    require(signature[64] in (0, 1, 27, 28), "v")
    r, s = (int.from_bytes(signature[at : at + 32], "big") for at in (0, 32))
    require(0 < r < ORDER and 0 < s <= ORDER // 2, "scalars")
    try:
        return Account.recover_message(encode_defunct(message), signature=signature)
    except (BadSignature, ValidationError, WrongKey, ValueError) as error:
        raise Refused(error) from error


def eip191_recover(i):
    return {"address": recovered(read(i["message"]), read(i["signature"]))}


def address_from_public_key(i):
    require(re.fullmatch(r"0x04[0-9a-fA-F]{128}", i["public_key"], re.ASCII), "form")
    key = bytes.fromhex(i["public_key"][4:])
    x, y = int.from_bytes(key[:32], "big"), int.from_bytes(key[32:], "big")
    require(x < FIELD and y < FIELD and (y * y - x**3 - 7) % FIELD == 0, "not on the curve")
    return {"address": keys.PublicKey(key).to_checksum_address()}


# --- records and requests --------------------------------------------------------------------------------------


class Odd:
    """A number that serializers write differently. Where it is signed, it has no canonical form."""


def unique(pairs):
    require(len(dict(pairs)) == len(pairs), "a key appears twice")
    return dict(pairs)


def integer(text):
    portable = len(text) < 20 and abs(int(text)) <= GREATEST
    return int(text) if portable else Odd()


def fraction(text):
    """An integer may have a zero fraction or an exponent. The library writes other fractions in their shortest form."""
    number = float(text)
    if number.is_integer() and abs(number) <= GREATEST:
        return int(number)
    return number if 0.0001 <= abs(number) < GREATEST else Odd()


def no_constant(text):
    raise Refused(f"{text} is not JSON")


def parsed(text, **hooks):
    """The library accepts NaN, and lone surrogates, which have no UTF-8 form."""
    try:
        value = json.loads(text, parse_constant=no_constant, **hooks)
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except ValueError as error:
        raise Refused(error) from error
    return value


def unwritten(value):
    raise Refused(f"{value} has several notations")


def canonical(message):
    record = parsed(message, object_pairs_hook=unique, parse_int=integer, parse_float=fraction)
    require(isinstance(record, dict), "not an object")
    content = record.get("content")
    require(isinstance(record.get("type"), str) and isinstance(record.get("channel"), str), "type and channel")
    require(isinstance(content, dict) and isinstance(content.get("address"), str), "content")
    require(type(content.get("time")) is int, "time")
    inner = "content" if "content" in content else "hashes"
    require(inner == "content" or isinstance(content.get("hashes"), list), "no content and no hashes")
    order = ["address", "key", "type", "ref", inner, "time"]
    content = {name: content[name] for name in order if name in content}
    record = {"type": record["type"], "channel": record["channel"], "content": content}
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False, default=unwritten)


def record_canonical(i):
    text = canonical(i["message_json"])
    return {"canonical": text, "digest": hash_of(text.encode()).hexdigest()}


def signed_by(message, signature, stated):
    require(re.fullmatch(r"(0x)?([0-9a-fA-F]{2})*", signature, re.ASCII), "not hex")
    signer = recovered(message, bytes.fromhex(signature.removeprefix("0x")))
    require(signer.lower() == stated.lower(), "a different signer")
    return {"address": signer}


def record_verify(i):
    digest = hash_of(canonical(i["message_json"]).encode()).digest()
    return signed_by(digest, i["signature"], i["sender"])


def request_verify(i):
    request = parsed(i["message_json"])
    require(isinstance(request, dict), "not an object")
    require(type(request.get("timestamp")) is int, "timestamp")
    require(isinstance(request.get("nonce"), str) and request["nonce"], "nonce")
    return signed_by(i["message_json"].encode(), i["signature"], i["address"])


# --- responses -------------------------------------------------------------------------------------------------


def store_classify(i):
    """The rows of the document's table in order. The first that applies decides."""
    http, body = i["http_status"], i.get("body")
    body = body if isinstance(body, dict) else {}
    status, message = body.get("status"), body.get("message")
    cid = None
    if isinstance(message, dict) and message.get("type") == "STORE" and isinstance(message.get("content"), dict):
        cid = message["content"].get("item_hash")
    rows = [
        (http in (200, 410) and status == "forgotten", "forgotten"),
        (http in (200, 410) and status in ("pending", "rejected"), "unknown"),
        (http == 410 or http == 200 and status == "removed", "removed"),
        (http == 404, "absent"),
        (http == 200 and status in ("processed", "removing") and isinstance(cid, str) and cid != "", "live"),
        (http == 200, "absent"),
        (True, "unknown"),
    ]
    found = next(name for holds, name in rows if holds)
    warns = found in ("forgotten", "removed", "absent")
    return {
        "class": found,
        "cid": cid if found == "live" else None,
        "warning": f"STORE_{found.upper()}" if warns else None,
        "forget_target": found == "live",
    }


OPERATIONS = {
    "keccak256": keccak256,
    "eip191.sign": eip191_sign,
    "eip191.recover": eip191_recover,
    "address.from_public_key": address_from_public_key,
    "record.canonical": record_canonical,
    "record.verify": record_verify,
    "request.verify": request_verify,
    "store.classify": store_classify,
}
