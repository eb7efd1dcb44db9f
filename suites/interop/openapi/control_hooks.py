"""Adds what a generator of requests to the control API cannot guess: names of worlds, of snapshots and of deviations.

About half of the requests are changed; the others are sent as generated.
"""

import hashlib
import json
import os
import urllib.request
from pathlib import Path

import schemathesis

KNOWN = json.loads(Path(os.environ["ASSAY_KNOWN"]).read_text())
WORLDS, SNAPSHOTS = [], []


def draw(value, of):
    """A number below `of` that depends only on the value, so that the same seed gives the same run."""
    text = json.dumps(value, sort_keys=True, default=repr).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "big") % of


def post(path):
    request = urllib.request.Request(
        f"{KNOWN['base']}/{path}", b"{}", {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if not isinstance(path_parameters, dict) or "world" not in path_parameters or draw(path_parameters, 2):
        return path_parameters
    if not WORLDS:
        WORLDS.append(post("fork")["world"])
    return {**path_parameters, "world": WORLDS[draw([path_parameters, "pick"], len(WORLDS))]}


@schemathesis.hook
def map_query(context, query):
    # More requests than wait would take three seconds each.
    if isinstance(query, dict) and "at_least" in query and draw(query, 4):
        return {**query, "at_least": 0}
    return query


@schemathesis.hook
def map_body(context, body):
    path = context.operation.path.rsplit("/", 1)[-1]
    if path == "restore" and isinstance(body, dict) and "snapshot" in body and draw(body, 2):
        if not SNAPSHOTS:
            SNAPSHOTS.append(post("snapshot")["snapshot"])
        return {**body, "snapshot": SNAPSHOTS[0]}
    if path == "deviations" and isinstance(body, list) and draw(body, 2):
        names = KNOWN["deviations"]
        return [names[draw([body, n], len(names))] for n in range(len(body))]
    return body


@schemathesis.hook
def before_call(context, case, kwargs):
    # The longest histories take a minute each, in which the world does nothing else.
    arguments = case.body.get("arguments") if isinstance(case.body, dict) else None
    for name in ("deployments", "messages"):
        number = arguments.get(name) if isinstance(arguments, dict) else None
        if isinstance(number, int) and 100 < number <= 1_000_000:
            case.body = {**case.body, "arguments": {**arguments, name: 100}}


@schemathesis.hook
def after_call(context, case, response):
    with open(os.environ["ASSAY_SEEN"], "a") as seen:
        seen.write(f"{case.operation.label} {response.status_code}\n")
    if case.operation.label == "DELETE /worlds/{world}" and response.status_code == 200:
        ended = case.path_parameters["world"]
        WORLDS[:] = [world for world in WORLDS if world != ended]
