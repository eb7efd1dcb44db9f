"""Runs the small clients of this folder in the worlds of `assay client`.

As they are, every world is green. Each careless variant fails in the worlds of exactly the requirements that it breaks.

Usage: run.py ASSAY [NAME…]
NAME is a client as printed, such as `publish.py`, or a service: its client and all variants of it.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
# The careless variants of each client, with the requirements that each breaks.
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
    "node": {"writes-again": "network.client.once", "uploads-again": "network.client.once"},
    "recovery": {
        "any-sender": ("hosting.amends.authority", "hosting.recovery.strangers"),
        "any-claim": "hosting.claims.invalid",
        "by-timestamp": "hosting.amends.order",
        "emptied": "hosting.projects.tombstone-read",
    },
}
# Most worlds wait, so few cores can run many of them.
JOBS = "12"
GREEN = "pass"


def outcomes(assay, service, careless, rows):
    """The verdicts of the worlds, by requirement and fact."""
    # The libraries of the recovery tool take a second to start.
    near = [*rows, "hosting.recovery.owner-alone"] if careless and service == "recovery" else []
    client = [sys.executable, str(HERE / f"{service}.py"), *(["--careless", careless] if careless else [])]
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [assay, "client", service, *near, "--jobs", JOBS, "--quiet", "--json", str(report), "--", *client]
        ran = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if ran.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)} ended with {ran.returncode}\n{ran.stdout}")
        found = json.loads(report.read_text())["outcomes"]
    return {(one["id"], one["fact"]): one["verdict"] for one in found}, ran


def main():
    assay, names = sys.argv[1], sys.argv[2:]
    wrong, conforming, caught = [], 0, 0
    for service, variants in CARELESS.items():
        for careless, broken in [(None, ()), *variants.items()]:
            rows = {broken} if isinstance(broken, str) else set(broken)
            name = f"{service}.py" + (f" --careless {careless}" if careless else "")
            if names and name not in names and service not in names:
                continue
            verdicts, ran = outcomes(assay, service, careless, rows)
            red = {requirement for (requirement, _), verdict in verdicts.items() if verdict != GREEN}
            of_rows = {verdict for (requirement, _), verdict in verdicts.items() if requirement in rows}
            if careless is None:
                is_right = not red and len(verdicts) > 20 and ran.returncode == 0
            else:
                ends = {"fail": 1, "warn": 0}
                is_right = red == rows and [ends[one] for one in of_rows - {GREEN}] == [ran.returncode]
            places = " and ".join(sorted(rows))
            worlds = f"{len(verdicts)} worlds, {sum(verdict != GREEN for verdict in verdicts.values())} not green"
            print(f"{name}: {worlds}{f', all of {places}' if rows and is_right else ''}", flush=True)
            conforming += careless is None
            caught += careless is not None
            if not is_right:
                wrong.append(f"{name}: wanted {sorted(rows) or 'nothing'} to fail, got {sorted(red)}\n{ran.stdout}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"OK: {conforming} small clients conform, {caught} careless ones fail at their place")


main()
