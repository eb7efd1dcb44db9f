"""Runs the golden cases against your functions: replace `canonical` and `encode` with them.

    assay vectors run -- python3 shim.py
"""

import json
import re
import sys
from datetime import date


def canonical(given):
    label = "(?!-)[a-z0-9-]{1,63}(?<!-)"
    if len(given["domain"]) > 253 or not re.fullmatch(rf"{label}(\.{label})+", given["domain"]):
        raise ValueError("domain")
    return {}


def encode(given):
    keys = {"pub": "d c v t", "transfer": "d newVault t", "accept": "d transfer t"}[given["kind"]].split()
    fields, time = given["fields"], r"[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3])(:[0-5][0-9]){2}\.[0-9]{3}Z"
    canonical({"domain": fields["d"]})
    if sorted(fields) != sorted(keys) or not all(isinstance(v, str) and v for v in fields.values()):
        raise ValueError("form")
    if not re.fullmatch(time, fields["t"]):
        raise ValueError("time")
    date.fromisoformat(fields["t"][:10])
    body = json.dumps({key: fields[key] for key in keys}, separators=(",", ":"), ensure_ascii=False)
    return {"record": {"hex": f"svc-vf:1:{given['kind']}:{body}".encode().hex()}}


OPERATIONS = {"domain.canonical": canonical, "publish.record.encode": encode}
HELLO = {"name": "example", "version": "1", "operations": list(OPERATIONS), "readings": ["A-082/raw"]}

for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"]}
    if request["op"] == "hello":
        answer["ok"] = HELLO
    elif request["op"] not in OPERATIONS:
        answer["unsupported"] = True
    else:
        try:
            answer["ok"] = OPERATIONS[request["op"]](request["in"])
        except (KeyError, ValueError) as error:
            answer["reject"] = {"rule": str(error), "stage": "check"}
    print(json.dumps(answer), flush=True)
