"""Runs the two small clients of this folder in the worlds of `assay client`.

As they are, every world is green. Each careless variant fails in the worlds of exactly one requirement.

Usage: run.py ASSAY [NAME…]
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
# The careless variants of each client, with the requirement that each breaks.
CARELESS = {
    "publish": {
        "any-fee-payer": "publish.check.fee-payer",
        "lossy-text": "publish.check.record-form",
        "any-time": "publish.check.time",
        "coarse-time": "publish.client.envelope",
        "hammers-503": "publish.client.retries-later",
    },
    "gateway": {
        "one-server": "gateway.client.other-server",
        "partial-stream": "gateway.client.dead-stream",
        "skips-errors": "gateway.client.error-event",
        "names-tools": "gateway.client.tool-result",
        "any-nonce": "gateway.confidential.refused",
        "any-certificate": "gateway.confidential.pinned",
    },
}
# Most worlds wait, so few cores can run many of them.
JOBS = "12"
GREEN = "pass"


def outcomes(assay, service, careless):
    """The verdicts of all worlds, by requirement and fact."""
    client = [sys.executable, str(HERE / f"{service}.py"), *(["--careless", careless] if careless else [])]
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [assay, "client", service, "--jobs", JOBS, "--quiet", "--json", str(report), "--", *client]
        ran = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if ran.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)} ended with {ran.returncode}\n{ran.stdout}")
        found = json.loads(report.read_text())["outcomes"]
    return {(one["id"], one["fact"]): one["verdict"] for one in found}, ran


def main():
    assay, names = sys.argv[1], sys.argv[2:]
    wrong, conforming, caught = [], 0, 0
    for service, variants in CARELESS.items():
        for careless, row in [(None, None), *variants.items()]:
            name = f"{service}.py" + (f" --careless {careless}" if careless else "")
            if names and name not in names:
                continue
            verdicts, ran = outcomes(assay, service, careless)
            red = {requirement for (requirement, _), verdict in verdicts.items() if verdict != GREEN}
            verdict_of_row = {verdict for (requirement, _), verdict in verdicts.items() if requirement == row}
            if careless is None:
                is_right = not red and len(verdicts) > 25 and ran.returncode == 0
            else:
                is_right = red == {row} and verdict_of_row <= {GREEN, "fail"} and ran.returncode == 1
            worlds = f"{len(verdicts)} worlds, {sum(verdict != GREEN for verdict in verdicts.values())} not green"
            print(f"{name}: {worlds}{f', all of {row}' if row and is_right else ''}", flush=True)
            conforming += careless is None
            caught += careless is not None
            if not is_right:
                wrong.append(f"{name}: wanted {row or 'nothing'} to fail, got {sorted(red)}\n{ran.stdout}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"OK: {conforming} small clients conform, {caught} careless ones fail at their place")


main()
