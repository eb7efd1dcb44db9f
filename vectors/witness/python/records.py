"""Amend chains, claims, authority and single records. No library implements these rules, so they are written once
more, from the document, over parsed JSON; signatures and addresses are eth-account's and eth-keys'.
"""

import json
import re
from datetime import datetime

from eth_keys import keys

from network import address_from_public_key, parsed, record_verify, unique
from refusal import Refused, require

CHANNEL = "SVC_CHANNEL_V1"
DEPLOYMENT = "svc-cloud-deployment"
CLAIM = "svc-vm-pubkey"


# --- parts -----------------------------------------------------------------------------------------------------


def is_address(text):
    return isinstance(text, str) and re.fullmatch(r"0x[0-9a-fA-F]{40}", text, re.ASCII) is not None


def same(one, other):
    return one.lower() == other.lower()


def is_integer(value):
    return type(value) is int


def check_form(record):
    for name in ("item_hash", "type", "channel", "signature"):
        require(isinstance(record.get(name), str), f"{name} is not a string")
    require(is_address(record.get("sender")), "sender")
    content = record.get("content")
    require(isinstance(content, dict) and is_address(content.get("address")), "content")
    require(is_integer(content.get("time")) and content["time"] >= 0, "time")
    require(all(isinstance(content[name], str) for name in ("key", "type", "ref") if name in content), "strings")


def is_signed(record):
    message = json.dumps(record, ensure_ascii=False)
    try:
        record_verify({"message_json": message, "signature": record["signature"], "sender": record["sender"]})
    except Refused:
        return False
    return True


def is_moment(text):
    try:
        return isinstance(text, str) and "T" in text and datetime.fromisoformat(text) is not None
    except ValueError:
        return False


def check_state(body):
    """The content of a creation or an amend. Records before schema 4 may lack most of it."""
    require(isinstance(body, dict), "not an object")
    schema = body.get("schemaVersion")
    require("schemaVersion" not in body or is_integer(schema) and 1 <= schema <= 4, "schema")
    legacy = schema is None or schema < 4
    require(re.fullmatch(r"deploy_[A-Za-z0-9_-]{12}", str(body.get("deploymentId")), re.ASCII), "deployment")
    require(re.fullmatch(r"proj_[A-Za-z0-9_-]{12}", str(body.get("projectId")), re.ASCII), "project")
    public = body.get("public")
    require(isinstance(public, dict) and public.get("status") in ("queued", "live", "failed"), "status")
    require(legacy or "storeRef" in public, "no reference")
    reference = public.get("storeRef")
    require(reference is None or isinstance(reference, str), "reference")
    cid = public.get("cid") if legacy and reference is None else None
    warnings = ["LEGACY_SCHEMA"] if legacy else []
    return {"status": public["status"], "store_ref": reference, "cid": cid, "warnings": warnings}


def state_of(record):
    try:
        return check_state(record["content"].get("content"))
    except Refused:
        return None


# --- operations ------------------------------------------------------------------------------------------------


def amends_resolve(i):
    messages, authorized = i["messages"], i.get("authorized")
    for message in messages:
        check_form(message)
    counted = [each for each in messages if each["channel"] == CHANNEL]
    if authorized is not None:
        counted = [each for each in counted if any(same(each["sender"], one) for one in authorized)]
        counted = [each for each in counted if is_signed(each)]
    created = [each for each in counted if each["item_hash"] == i["creation"]]
    created = [each for each in created if each["content"].get("type") == DEPLOYMENT]
    require(created, "no creation")
    amends = [each for each in counted if each["content"].get("type") == "amend" and state_of(each)]
    leaf, seen = created[0], {i["creation"]}
    while True:
        following = [each for each in amends if each["content"].get("ref") == leaf["item_hash"]]
        if not following:
            break
        following.sort(key=lambda each: (-each["content"]["time"], each["item_hash"]))
        if following[0]["item_hash"] in seen:
            break
        leaf = following[0]
        seen.add(leaf["item_hash"])
    state = check_state(leaf["content"].get("content"))
    return {
        "leaf": leaf["item_hash"],
        "status": state["status"],
        "store_ref": state["store_ref"],
        "warnings": state["warnings"],
    }


def check_claim(record):
    check_form(record)
    content = record["content"]
    require(record["type"] == "POST" and content.get("type") == CLAIM, "not a claim")
    body = content.get("content")
    require(isinstance(body, dict) and is_integer(body.get("v")) and body["v"] == 1, "version")
    require(isinstance(body.get("instanceHash"), str) and body["instanceHash"], "instance")
    require(isinstance(body.get("pubkey"), str) and is_moment(body.get("registeredAt")), "key and time")
    owner = address_from_public_key({"public_key": body["pubkey"]})["address"]
    require(same(owner, content["address"]) and same(record["sender"], content["address"]), "a different address")
    require(is_signed(record), "signature")
    return body


def vm_claim_select(i):
    claims = []
    for record in i["claims"]:
        try:
            body = check_claim(record)
        except Refused:
            continue
        if body["instanceHash"] == i["instance_hash"]:
            claims.append((record["content"]["time"], record["item_hash"], body["pubkey"]))
    require(claims, "not a claim")
    _, item_hash, pubkey = min(claims)
    return {"item_hash": item_hash, "pubkey": pubkey}


def address_of(key):
    return keys.PublicKey(bytes.fromhex(key[4:])).to_checksum_address()


def check_entry(entry):
    lists = [entry.get(name, []) for name in ("types", "channels", "aggregate_keys", "post_types")]
    require(all(isinstance(each, list) and all(isinstance(text, str) for text in each) for each in lists), "lists")
    return lists


def authority(i):
    act, security = i["act"], i["security"]
    entries = [(entry, check_entry(entry)) for entry in security["authorizations"]]
    kind, signer, owner = act["type"], act["signer"], i["owner"]
    if kind == "POST" and act.get("post_type") == CLAIM:
        require(same(signer, act["address"]), "a claim for another")
        return {"standing": "itself"}
    own_name = kind == "POST" and same(act["address"], signer)
    require(same(act["address"], owner) or own_name, "a different owner")
    if same(signer, owner):
        return {"standing": "owner"}
    require(kind != "AGGREGATE" or act.get("key") != "security", "security")
    require(not same(signer, address_of(security["encryptionKey"]["pubkey"])), "the encryption key")
    for entry, (types, channels, aggregates, posts) in entries:
        if not same(entry["address"], signer):
            continue
        session = bool(entry.get("pubkey")) or "AGGREGATE" in types and "FORGET" not in types
        names = {act.get("post_type"), DEPLOYMENT if act.get("post_type") == "amend" else act.get("post_type")}
        holds = [
            not (session and kind == "FORGET"),
            not types or kind in types,
            not channels or act["channel"] in channels,
            kind != "AGGREGATE" or not aggregates or act.get("key") in aggregates,
            kind != "POST" or not posts or any(name in posts for name in names),
        ]
        if all(holds):
            return {"standing": "session-key" if session else "delegate"}
    raise Refused("no authorization")


def project(i):
    entry = i["value"]
    require(re.fullmatch(r"proj_[A-Za-z0-9_-]{12}", i["id"], re.ASCII), "identifier")
    if entry.get("public", {}).get("deleted") is True:
        return {"deleted": True, "schema_version": None}
    schema = entry.get("schemaVersion")
    require(is_integer(schema) and schema in (1, 2) and entry.get("id") == i["id"], "schema and identifier")
    require(isinstance(entry.get("encrypted"), dict), "envelope")
    return {"deleted": False, "schema_version": schema}


def check_project_text(text):
    """Checks the type of all members that the document lists. Other members are kept."""
    plaintext = parsed(text, object_pairs_hook=unique)
    require(isinstance(plaintext, dict), "not an object")
    for name in ("name", "buildCommand", "outputDir"):
        require(isinstance(plaintext.get(name), str), name)
    require(plaintext.get("source") in ("codehost", "upload"), "source")
    for name in ("repo", "branch"):
        require(name in plaintext and isinstance(plaintext[name], str | None), name)
    require(plaintext["repo"] is None or re.fullmatch(r"[^/]+/.+", plaintext["repo"]), "owner and name")
    number = plaintext.get("installationId", "")
    require(number is None or type(number) in (int, float), "installation")
    return plaintext


def written(kind, message):
    content = message["content"]
    if kind == "security":
        require(message["type"] == "AGGREGATE" and content.get("key") == "security", "not a security record")
        require(isinstance(content.get("content"), dict), "not an object")
        return {"members": list(content["content"])}
    hashes = content.get("hashes")
    require(message["type"] == "FORGET" and isinstance(hashes, list) and hashes, "not a list")
    require(all(isinstance(each, str) for each in hashes), "not strings")
    return {"hashes": hashes}


def record(i):
    if i["kind"] == "project":
        return project(i)
    if i["kind"] == "plaintext":
        return {"plaintext": check_project_text(i["value"])}
    if i["kind"] == "bundle":
        reference = check_state(i["value"])["store_ref"]
        require(reference, "no bundle")
        return {"store_ref": reference, "bundle_hash": i["value"]["public"].get("bundleHash")}
    if i["kind"] == "deployment":
        return check_state(i["value"])
    if i["kind"] in ("security", "forget"):
        check_form(i["value"])
        return written(i["kind"], i["value"])
    require(re.fullmatch(r"drop_[A-Za-z0-9_-]{22}", i["value"], re.ASCII), "identifier")
    return {}


OPERATIONS = {
    "amends.resolve": amends_resolve,
    "vm_claim.select": vm_claim_select,
    "hosting.authority": authority,
    "hosting.record": record,
}
