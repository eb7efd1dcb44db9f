"""A small recovery tool: reads an owner's messages from nodes and folds them with the witness of the vectors, whose
libraries are third parties'.

The environment says what to do: ASSAY_NODE_URLS (separated by blanks, the first is asked first), ASSAY_ADDRESS and
ASSAY_WALLET_KEY (hex). Prints one JSON object. `--careless NAME` leaves out one thing that the document asks for.
"""

import json
import os
import pathlib
import sys
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "vectors" / "witness" / "python"))
import history  # noqa: E402
import records  # noqa: E402
from refusal import Refused  # noqa: E402

CARELESS = {
    "any-sender": "takes each record that names one of the owner's projects, from any sender",
    "any-claim": "takes each claim that names a machine, from any sender",
    "by-timestamp": "orders posts by the times of their messages",
    "emptied": "takes a project for deleted if its envelope is empty",
}
PAGE = 100


def get(node, path):
    """The status and the JSON of an answer; no JSON is null."""
    try:
        with urllib.request.urlopen(f"{node}/api/v0{path}", timeout=30) as answer:
            status, body = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, body = error.code, error.read()
    try:
        return status, json.loads(body)
    except ValueError:
        return status, None


def listed(nodes, query):
    """The messages of a list, from every node, each once."""
    found = {}
    for node in nodes:
        page = 1
        while True:
            path = "/messages?" + urllib.parse.urlencode({**query, "page": page, "limit": PAGE})
            status, body = get(node, path)
            messages = body.get("messages", []) if status == 200 else []
            fresh = {each["item_hash"]: each for each in messages if each["item_hash"] not in found}
            found |= fresh
            if not fresh:
                break
            page += 1
    return list(found.values())


def signers(messages, owner):
    """The addresses that the owner's `security` lists."""
    own = [each for each in messages if each["sender"].lower() == owner.lower() and each["type"] == "AGGREGATE"]
    written = [each["content"]["content"] for each in own if each["content"].get("key") == "security"]
    return {entry["address"] for body in written for entry in body.get("authorizations", [])}


def claims(nodes, machines, careless):
    """The key of each machine."""
    posts = listed(nodes, {"types": "POST", "channels": records.CHANNEL})
    posts = [each for each in posts if each["content"].get("type") == records.CLAIM]
    if careless == "any-claim":
        records.is_signed = lambda record: True
        for each in posts:
            each["sender"] = each["content"]["address"] = records.address_of(each["content"]["content"]["pubkey"])
    found = []
    for machine in machines:
        try:
            chosen = records.vm_claim_select({"claims": posts, "instance_hash": machine})
        except Refused:
            continue
        found.append({"instanceHash": machine, "pubkey": chosen["pubkey"]})
    return found


def is_empty(value):
    """Whether every string in a value is empty."""
    return all(map(is_empty, value.values())) if isinstance(value, dict) else not value


def recover(careless):
    nodes, owner = os.environ["ASSAY_NODE_URLS"].split(), os.environ["ASSAY_ADDRESS"]
    types = "POST,AGGREGATE,INSTANCE"
    messages = listed(nodes, {"addresses": owner, "types": types})
    others = signers(messages, owner) - {owner}
    messages += listed(nodes, {"addresses": ",".join(sorted(others)), "types": types}) if others else []
    if careless == "any-sender":
        messages += listed(nodes, {"types": "POST", "channels": records.CHANNEL})
        messages = list({each["item_hash"]: each for each in messages}.values())
        history.counts = lambda record, *_: record["channel"] == records.CHANNEL and records.is_signed(record)
    if careless == "by-timestamp":
        messages = [each for each in messages if records.is_signed(each)]
        for each in messages:
            each["content"]["time"] = int(each["timestamp"])
        # The signatures cover the times.
        history.is_signed = records.is_signed = lambda record: True
    asked = {"owner": owner, "role": "recovery-tool", "wallet_key": {"hex": os.environ["ASSAY_WALLET_KEY"]}}
    asked |= {"messages": messages, "answers": [], "nodes": len(nodes)}
    # A lookup that is answered may lead to another one.
    while True:
        recovered = history.recover(asked)
        known = {(each["node"], each["hash"]) for each in asked["answers"]}
        missing = [each for each in recovered["asked"] if (each["node"], each["hash"]) not in known]
        if not missing:
            break
        for each in missing:
            status, body = get(nodes[each["node"]], "/messages/" + urllib.parse.quote(each["hash"], safe=""))
            asked["answers"].append({**each, "status": status, "body": body})
    return asked, recovered, nodes


def main():
    careless = sys.argv[2] if sys.argv[1:2] == ["--careless"] else None
    asked, recovered, nodes = recover(careless)
    projects = recovered["projects"]
    if careless == "emptied":
        entries = history.entries_of(asked["messages"])
        for each in projects:
            each["deleted"] = is_empty(entries[each["id"]][0]["encrypted"])
    deployments = []
    bodies = {each["item_hash"]: each["content"].get("content") for each in asked["messages"]}
    for each in recovered["deployments"]:
        shown = {"deploymentId": each["deployment_id"], "projectId": bodies[each["leaf"]]["projectId"]}
        shown |= {"status": each["status"], "storeRef": each["store_ref"]}
        deployments.append(shown | {"cid": each["cid"], "plaintext": each["plaintext"]})
    machines = [each["item_hash"] for each in asked["messages"] if each["type"] == "INSTANCE"]
    warnings = [{"warning": each["warning"], "subject": each["subject"]} for each in recovered["warnings"]]
    found = {"projects": projects, "deployments": deployments, "claims": claims(nodes, machines, careless), "warnings": warnings}
    print(json.dumps(found))


main()
