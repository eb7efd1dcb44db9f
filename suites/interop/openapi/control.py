"""A fuzzer that knows only the OpenAPI document of the control API, against a simulator: control.py CONTROL_URL.

Validates the document, then sends valid and invalid requests to every path. A status, content type or body that the document
does not describe, a 5xx, or a response that does not come makes the run exit with 1.
"""

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from fuzz import CHECKS, EXAMPLES, accepted, get
from openapi_spec_validator import OpenAPIV31SpecValidator

# The fuzzer cannot read a stream that does not end.
STREAMS = "changes$"
NEVER_ACCEPTED = set()


def fork(base):
    request = urllib.request.Request(base + "/fork", b"{}", {"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def streams(base, path):
    """The first event comes at once, in the form of server-sent events; after a change the next one comes."""
    with urllib.request.urlopen(f"{base}/{path}", timeout=20) as stream:
        assert stream.headers["content-type"] == "text/event-stream", stream.headers
        counts = []
        for _ in range(2):
            line = stream.readline().decode()
            assert line.startswith("data: ") and stream.readline() == b"\n", line
            counts.append(json.loads(line.removeprefix("data: "))["count"])
            setting = urllib.request.Request(
                f"{base}/{path.removesuffix('changes')}variations", b"[]", {"Content-Type": "application/json"}, method="PUT"
            )
            urllib.request.urlopen(setting, timeout=20).close()
        assert counts[1] > counts[0], counts


def main(control):
    base = control + "/_sim/v1"
    document = get(base + "/openapi.json")
    assert document == get(base + "/openapi.json"), "the document is the same each time"
    OpenAPIV31SpecValidator(document).validate()
    streams(base, "changes")
    streams(base, fork(base)["path"] + "/changes")
    with tempfile.TemporaryDirectory() as work:
        Path(work, "hooks.py").write_bytes(Path(__file__).with_name("control_hooks.py").read_bytes())
        path, seen = Path(work, "control.json"), Path(work, "control.seen")
        path.write_text(json.dumps(document))
        seen.touch()
        names = Path(work, "known.json")
        names.write_text(json.dumps({"base": base, "deviations": list(get(base + "/info")["deviations"])}))
        command = [Path(sys.executable).with_name("st"), "run", path, "--url", base, "--checks", CHECKS]
        command += ["--max-examples", EXAMPLES, "--seed", "7", "--generation-deterministic", "--no-shrink", "--no-color"]
        command += ["--phases", "coverage,fuzzing", "--continue-on-failure", "--exclude-path-regex", STREAMS]
        command += ["--request-timeout", "20", "--suppress-health-check", "all", "--warnings", "off"]
        environment = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "ASSAY_KNOWN": str(names), "ASSAY_SEEN": str(seen)}
        done = subprocess.run(command, cwd=work, env=environment, text=True, capture_output=True)
        if done.returncode != 0:
            print(f"== control API\n{done.stdout}\n{done.stderr}")
            return 1
        cases = [line.strip() for line in done.stdout.splitlines() if "generated" in line]
        print(f"control API: no undocumented response ({'; '.join(cases)})")
        described = {path: item for path, item in document["paths"].items() if not path.endswith("changes")}
        good = accepted("control", {"paths": described}, seen, NEVER_ACCEPTED)
    # It still answers, and its worlds can be made.
    fork(base)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
