"""The operations of this witness as a program for `assay vectors run`.

A case that a library cannot express is answered with `unsupported`.
"""

import json
import sys

import verify
from refusal import Refused, Skipped

LIBRARIES = sorted({f"{name} {verify.version(name)}" for names in verify.LIBRARIES.values() for name in names})
HELLO = {"name": "witness-python", "version": "1", "libraries": LIBRARIES, "operations": list(verify.OPERATIONS)}


def answer(request):
    op, given = request["op"], request["in"]
    if op == "hello":
        return {"ok": HELLO}
    if op not in verify.OPERATIONS:
        return {"unsupported": True}
    try:
        return {"ok": verify.OPERATIONS[op](given)}
    except Refused as refused:
        return {"reject": {"rule": str(refused)}}
    except Skipped:
        return {"unsupported": True}


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], **answer(request)}), flush=True)
