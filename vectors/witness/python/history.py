"""Recovers a whole history, written independently from the document: authorized records, chains, nodes' responses,
envelopes."""

from network import parsed, store_classify, unique
from records import (
    CHANNEL,
    DEPLOYMENT,
    amends_resolve,
    authority,
    check_form,
    check_project_text,
    check_state,
    is_signed,
    project,
    state_of,
)
from refusal import Refused, require
from sealed import open_envelope


def check_deployment_text(text):
    plaintext = parsed(text, object_pairs_hook=unique)
    require(isinstance(plaintext, dict), "not an object")
    names = ("commit", "commitMessage", "branch", "actionsRunUrl", "error")
    require(all(name in plaintext and isinstance(plaintext[name], str | None) for name in names), "strings")
    return {name: plaintext[name] for name in names}


def counts(record, owner, security):
    """Whether a record is signed, on the channel, and authorized."""
    content = record["content"]
    act = {"signer": record["sender"], "address": content["address"], "type": record["type"]}
    act |= {"channel": record["channel"], "key": content.get("key"), "post_type": content.get("type")}
    try:
        check_form(record)
        require(record["channel"] == CHANNEL and is_signed(record), "channel and signature")
        authority({"owner": owner, "security": security, "act": act})
    except Refused:
        return False
    return True


def private(i, encrypted, check):
    """The content of an envelope, and the reader's warnings."""
    deks = encrypted.get("deks") if isinstance(encrypted, dict) else None
    if not isinstance(deks, dict):
        return None, []
    keys = {"user": i.get("wallet_key"), "encryption": i.get("encryption_key")}
    name = next((name for name, key in keys.items() if key is not None and name in deks), None)
    try:
        skips = i["role"] == "backend" and encrypted["v"] < 3
        require(name is not None or skips, "no key")
        opened = open_envelope({"envelope": encrypted, "role": i["role"], "dek": name, "private_key": keys.get(name)})
        if opened["plaintext"] is None:
            return None, opened["warnings"]
        return check(bytes.fromhex(opened["plaintext"]["hex"]).decode()), []
    except Refused:
        return None, []


def look_up(i, reference):
    """Queries one node after another until one has the message. Returns the lookups and the final reading."""
    answers = {(each["node"], each["hash"]): each for each in i["answers"]}
    asked, readings = [], []
    for node in range(i["nodes"]):
        answer = answers.get((node, reference), {"status": 0})
        asked.append({"node": node, "hash": reference})
        readings.append(store_classify({"http_status": answer["status"], "body": answer.get("body")}))
        if readings[-1]["class"] in ("live", "forgotten", "removed"):
            return asked, readings[-1]
    unknown = [each for each in readings if each["class"] == "unknown"]
    return asked, (unknown or readings)[0]


def entries_of(counted):
    """The last version of each project, with the record that wrote it."""
    found = {}
    for each in sorted(counted, key=lambda each: (each["content"]["time"], each["item_hash"])):
        if each["type"] == "AGGREGATE" and each["content"].get("key") == "projects":
            for name, value in each["content"]["content"].items():
                try:
                    project({"id": name, "value": value})
                except Refused:
                    continue
                found[name] = (value, each["item_hash"])
    return dict(sorted(found.items()))


def recover(i):
    owner, security = i["owner"], {"authorizations": [], "encryptionKey": None}
    empty = {"authorizations": [], "encryptionKey": {"pubkey": "0x04" + "11" * 64}}
    for each in sorted(i["messages"], key=lambda each: (each["content"]["time"], each["item_hash"])):
        if each["type"] == "AGGREGATE" and each["content"].get("key") == "security" and counts(each, owner, empty):
            security |= each["content"]["content"]
    counted = [each for each in i["messages"] if counts(each, owner, security)]
    posts = [each for each in counted if each["type"] == "POST"]
    warnings, projects, deployments, asked = set(), [], [], {}
    for name, (value, item_hash) in entries_of(counted).items():
        deleted = value["public"].get("deleted") is True
        plaintext, warned = (None, []) if deleted else private(i, value["encrypted"], check_project_text)
        warnings |= {(item_hash, warning, name) for warning in warned}
        projects.append({"id": name, "deleted": deleted, "plaintext": plaintext})
    created = [each for each in posts if each["content"].get("type") == DEPLOYMENT and state_of(each)]
    for each in sorted(created, key=lambda each: (each["content"]["time"], each["item_hash"])):
        chain = amends_resolve({"creation": each["item_hash"], "messages": posts})
        body = next(one for one in posts if one["item_hash"] == chain["leaf"])["content"]["content"]
        state, name = check_state(body), body["deploymentId"]
        plaintext, warned = private(i, body.get("encrypted"), check_deployment_text)
        warnings |= {(chain["leaf"], warning, name) for warning in [*warned, *state["warnings"]]}
        reference, cid, found = state["store_ref"], state["cid"], None
        if reference is not None:
            steps, reading = look_up(i, reference)
            asked |= {(step["node"], step["hash"]): step for step in steps}
            cid, found = reading["cid"], reading["class"]
            warnings |= {(reference, reading["warning"], name)} if reading["warning"] else set()
        deployments.append(
            {
                "deployment_id": name,
                "leaf": chain["leaf"],
                "status": state["status"],
                "store_ref": reference,
                "cid": cid,
                "store": found,
                "plaintext": plaintext,
            }
        )
    return {
        "asked": [asked[key] for key in sorted(asked)],
        "projects": projects,
        "deployments": deployments,
        "warnings": [dict(zip(("item_hash", "warning", "subject"), each, strict=True)) for each in sorted(warnings)],
    }


OPERATIONS = {"hosting.recover": recover}
