"""A small program that uses a node of the network, written from its document alone.

The environment says what to do: ASSAY_NODE_URLS (separated by blanks, the first is asked first), ASSAY_ADDRESS,
ASSAY_WALLET_KEY (hex) and ASSAY_TASK (JSON). Prints one JSON object. `--careless NAME` leaves out one thing.
"""

import hashlib
import json
import os
import pathlib
import sys
import time
import urllib.error
import urllib.request

from eth_account import Account
from eth_account.messages import encode_defunct

CARELESS = {"writes-again": "makes a new message for each attempt", "uploads-again": "does not look for what an upload has left"}
ATTEMPTS = 6
PAGE = 100


def call(url, body=None, content_type="application/json"):
    """The status, the headers and the JSON of an answer; status 0 if there is none."""
    headers = {"Content-Type": content_type} if body is not None else {}
    request = urllib.request.Request(url, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.headers, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.headers, None
    except OSError:
        return 0, {}, None


def sign(text):
    return "0x" + Account.sign_message(encode_defunct(text=text), os.environ["ASSAY_WALLET_KEY"]).signature.hex()


def persist(url, body, content_type="application/json", left=lambda: None):
    """Sends a request until it is accepted or rejected. `left` is what an attempt without an answer has left, if anything."""
    for attempt in range(ATTEMPTS):
        if attempt and (found := left()):
            return {"item_hash": found}
        status, headers, answer = call(url, body(attempt), content_type)
        if status in (200, 201, 202):
            return {"item_hash": answer["item_hash"]}
        if status == 429:
            time.sleep(int(headers["Retry-After"]))
        elif status >= 500:
            time.sleep(1)
        elif status:
            sys.exit(f"the node answers {status}")
    sys.exit("the node fails")


def create(node, task, careless):
    started = int(time.time())

    def body(attempt):
        message = {"chain": "ETH", "channel": task["channel"], "type": task["type"]}
        message |= {"timestamp": started - (attempt if careless else 0), "content": task["content"]}
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        outer = {"signature": sign(text), "address": os.environ["ASSAY_ADDRESS"]}
        # The signature covers the text of the message as it is sent.
        return f'{{"message":{text},{json.dumps(outer)[1:]}'.encode()

    return persist(node + task["path"], body)


def stored(node):
    """The hash of a STORE of this address. A file is signed without a time, so each upload is a message of its own."""
    _, _, answer = call(f"{node}/api/v0/messages?addresses={os.environ['ASSAY_ADDRESS']}&types=STORE")
    return next((message["item_hash"] for message in answer["messages"]), None)


def upload(node, task, careless):
    data = pathlib.Path(task["file"]).read_bytes()
    fields = {"address": os.environ["ASSAY_ADDRESS"], "channel": task["channel"]}
    fields |= {"signature": sign(hashlib.sha256(data).hexdigest())}
    form = "".join(f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{fields[name]}\r\n' for name in fields)
    form += '--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
    body = form.encode() + data + b"\r\n--b--\r\n"
    left = (lambda: None) if careless else (lambda: stored(node))
    return persist(node + task["path"], lambda attempt: body, "multipart/form-data; boundary=b", left)


def listed(node, task):
    hashes, page = [], 1
    while True:
        _, _, answer = call(f"{node}{task['path']}?addresses={task['address']}&page={page}&limit={PAGE}")
        hashes += [message["item_hash"] for message in answer["messages"]]
        if len(hashes) >= answer["pagination"]["total"] or not answer["messages"]:
            return {"item_hashes": hashes}
        page += 1


def read(nodes, task):
    for node in nodes:
        status, _, answer = call(node + task["path"])
        if status == 200:
            return {"content": answer["message"]["content"]}
    sys.exit("no node has the message")


def main():
    careless = sys.argv[2] if sys.argv[1:2] == ["--careless"] else ""
    nodes, task = os.environ["ASSAY_NODE_URLS"].split(), json.loads(os.environ["ASSAY_TASK"])
    do = {
        "create": lambda: create(nodes[0], task, careless == "writes-again"),
        "upload": lambda: upload(nodes[0], task, careless == "uploads-again"),
        "list": lambda: listed(nodes[0], task),
        "read": lambda: read(nodes, task),
    }
    print(json.dumps(do[task["do"]]()))


main()
