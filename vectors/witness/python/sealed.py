"""Key E by eth-account, wrapped keys by eciespy, envelopes and bundles by the cryptography package."""

import base64
import hashlib
import io
import re
import tarfile
from types import SimpleNamespace
from unittest import mock

import ecies
import ecies.keys
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from ecies.config import Config
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_keys import keys

from network import FIELD, ORDER, Odd, fraction, hash_of, integer, parsed, unique
from recipes import read
from refusal import Refused, require

TITLE = "Svc Cloud \u2014 encryption key"


# --- strings ---------------------------------------------------------------------------------------------------


def from_base64(text):
    """The library accepts spare bits and needless padding, so a string must be the encoding of its bytes."""
    require(isinstance(text, str), "not a string")
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Refused(error) from error
    require(base64.b64encode(data).decode() == text, "does not encode back")
    return data


def to_base64(data):
    return base64.b64encode(data).decode()


def utf8(data):
    try:
        return data.decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        raise Refused(error) from error


def portable(text):
    """JSON that all parsers read alike: no duplicate keys, and no number that serializers write differently."""

    def checked(read):
        def number(text):
            value = read(text)
            require(not isinstance(value, Odd), "a number that serializers write differently")
            return value

        return number

    return parsed(text, object_pairs_hook=unique, parse_int=checked(integer), parse_float=checked(fraction))


def base64_decode(i):
    return {"bytes": {"hex": from_base64(i["text"]).hex()}}


# --- keys ------------------------------------------------------------------------------------------------------


def secret_key(recipe):
    secret = read(recipe)
    require(len(secret) == 32 and 0 < int.from_bytes(secret, "big") < ORDER, "not a valid scalar")
    return secret


def public_key(text):
    require(re.fullmatch(r"0x04[0-9a-fA-F]{128}", text, re.ASCII), "form")
    key = bytes.fromhex(text[2:])
    x, y = int.from_bytes(key[1:33], "big"), int.from_bytes(key[33:], "big")
    require(x < FIELD and y < FIELD and (y * y - x**3 - 7) % FIELD == 0, "not on the curve")
    return key


def derive(i):
    secret, text = secret_key(i["private_key"]), i["derivation_text"]
    account, lines = Account.from_key(secret), text.split("\n")
    require(len(lines) == 7 and all(line and "\r" not in line for line in lines), "seven lines")
    require(lines[0] == TITLE and lines[6] == "Version: 1", "title and version")
    require(lines[5] == f"Wallet: {account.address}", "wallet")
    signature = bytes(Account.sign_message(encode_defunct(text=text), secret).signature)
    own = hash_of(signature).digest()
    return {
        "signature": {"hex": signature.hex()},
        "private_key": {"hex": own.hex()},
        "public_key": "0x04" + keys.PrivateKey(own).public_key.to_bytes().hex(),
    }


# --- wrapping --------------------------------------------------------------------------------------------------


def wrapped(recipient, draw, plaintext):
    """The library's encryption, with its two random values replaced by those of the case."""
    ephemeral, nonce = secret_key(draw["ephemeral_private_key"]), read(draw["nonce"])
    public = public_key(recipient)

    def drawn(length):
        require(length == len(nonce), "the library draws a different length")
        return nonce

    with (
        mock.patch("ecies.utils.symmetric.os", SimpleNamespace(urandom=drawn)),
        mock.patch("ecies.PrivateKey", lambda curve: ecies.keys.PrivateKey(curve, ephemeral)),
    ):
        return ecies.encrypt(public, plaintext, Config(symmetric_nonce_length=len(nonce)))


def unwrapped(secret, data, nonce):
    """The library also accepts hybrid keys and does not check lengths."""
    require(len(data) >= 65 + nonce + 16 and data[0] == 4, "layout")
    try:
        return ecies.decrypt(secret, data, Config(symmetric_nonce_length=nonce))
    except ValueError as error:
        raise Refused(error) from error


def encrypt(i):
    return {"ciphertext": {"hex": wrapped(i["public_key"], i, read(i["plaintext"])).hex()}}


def decrypt(i):
    plain = unwrapped(secret_key(i["private_key"]), read(i["ciphertext"]), i.get("nonce_length") or 16)
    return {"plaintext": {"hex": plain.hex()}}


# --- envelopes and bundles -------------------------------------------------------------------------------------


def sealed(i, plaintext, recipients):
    dek, iv = read(i["dek"]), read(i["iv"])
    require(len(dek) == 32 and len(iv) == 12, "lengths")
    whole = AESGCM(dek).encrypt(iv, plaintext, None)
    deks = {name: to_base64(wrapped(i["deks"][name]["public_key"], i["deks"][name], dek)) for name in recipients}
    return {
        "alg": "aes-256-gcm",
        "ct": to_base64(whole[:-16]),
        "iv": to_base64(iv),
        "tag": to_base64(whole[-16:]),
        "deks": deks,
    }


def opened(envelope, name, recipe):
    require(envelope.get("alg") == "aes-256-gcm", "cipher")
    ct, iv, tag = (from_base64(envelope.get(member)) for member in ("ct", "iv", "tag"))
    require(len(iv) == 12 and len(tag) == 16, "lengths")
    data = from_base64(envelope["deks"].get(name))
    dek = unwrapped(secret_key(recipe), data, 12 if len(data) == 125 else 16)
    require(len(dek) == 32, "length of the key")
    try:
        return AESGCM(dek).decrypt(iv, ct + tag, None)
    except InvalidTag as error:
        raise Refused("tag") from error


def seal_envelope(i):
    parsed(i["plaintext_json"])
    return {"envelope": {"v": 3, **sealed(i, i["plaintext_json"].encode(), ("user", "encryption"))}}


def open_envelope(i):
    envelope = i["envelope"]
    require(isinstance(envelope, dict) and isinstance(envelope.get("deks"), dict), "not an object")
    require(type(envelope.get("v")) is int and envelope["v"] <= 3, "version")
    if envelope["v"] < 3 and i["role"] == "backend":
        return {"plaintext": None, "warnings": ["LEGACY_ENVELOPE_SKIPPED"]}
    plain = opened(envelope, i["dek"], i["private_key"])
    portable(utf8(plain))
    return {"plaintext": {"hex": plain.hex()}, "warnings": []}


def seal_bundle(i):
    return {"bundle": {"v": 1, "kind": "svc-bundle", **sealed(i, read(i["tarball"]), ("vm", "encryption"))}}


def open_bundle(i):
    data, stated = read(i["bundle"]), i.get("bundle_hash")
    if stated is not None:
        require(re.fullmatch(r"[0-9a-fA-F]{64}", stated, re.ASCII), "form of the hash")
        require(hashlib.sha256(data).hexdigest() == stated.lower(), "hash")
    bundle = portable(utf8(data))
    require(isinstance(bundle, dict) and isinstance(bundle.get("deks"), dict), "not an object")
    require(type(bundle.get("v")) is int and bundle["v"] == 1 and bundle.get("kind") == "svc-bundle", "kind")
    require(sorted(bundle["deks"]) == ["encryption", "vm"], "two recipients")
    tarball = opened(bundle, i["dek"], i["private_key"])
    try:
        with tarfile.open(fileobj=io.BytesIO(tarball)) as files:
            names = [each.name.removeprefix("./") for each in files if each.isreg()]
    except tarfile.TarError as error:
        raise Refused(error) from error
    require("manifest.json" in names, "manifest")
    return {"tarball": {"hex": tarball.hex()}}


OPERATIONS = {
    "base64.decode": base64_decode,
    "key_e.derive": derive,
    "ecies.encrypt": encrypt,
    "ecies.decrypt": decrypt,
    "envelope.seal": seal_envelope,
    "envelope.open": open_envelope,
    "bundle.seal": seal_bundle,
    "bundle.open": open_bundle,
}
