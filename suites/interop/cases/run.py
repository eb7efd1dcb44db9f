"""Runs Assay against small servers, each with one public mistake or one unusual form: run.py ASSAY [CASE ...].

Each class of the modules beside this one says what is `wanted`. Rows: something must be red, under these rows (or those that begin so)
alone. `green`: nothing is red, and the exit code is 0. `open`, about which the documents say nothing: nothing is red. `finding`: nothing
is red, and the exit code is 1. A case with another result is named with what was expected and what came, and the exit code is then 1.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import access
import calls
import forms
import metadata
import streams
import values
from service import KEY, PAYMENT, REVOKED_KEY, SECOND_KEY, Service

RED = {"fail", "warn", "error", "unexpected-pass", "unstable"}
# How long one run may take.
SECONDS = 90
SECRETS = {"ASSAY_GATEWAY_KEY": KEY, "CASE_SECOND_KEY": SECOND_KEY, "CASE_REVOKED_KEY": REVOKED_KEY, "CASE_PAYMENT": PAYMENT}


class Case:
    def __init__(self, service, kind, name, wanted):
        self.service, self.kind, self.name, self.wanted = service, kind, name, wanted


def all_cases():
    """Each class of the modules that says what is wanted, and each service without a change."""
    yield Case("gateway", Service, "gateway", "green")
    yield Case("metadata", Service, "metadata", "green")
    for module in (streams, calls, forms, access, values, metadata):
        for name, kind in vars(module).items():
            if isinstance(kind, type) and issubclass(kind, Service) and "wanted" in vars(kind):
                service = "metadata" if module is metadata else "gateway"
                yield Case(service, kind, name.replace("_", "-"), kind.wanted)


async def judge(assay, case, folder):
    """What is wrong with the result of a case, or `None`."""
    service, servers = case.kind(), []
    for site in ("gateway", "near", "far") if case.service == "gateway" else ("metadata",):
        meet = lambda reader, writer, site=site: service.connection(site, reader, writer)  # noqa: E731
        servers.append(await asyncio.start_server(meet, "127.0.0.1", 0, limit=1 << 20))
        service.urls[site] = f"http://127.0.0.1:{servers[-1].sockets[0].getsockname()[1]}"
    service.stop = lambda: [server.close() for server in servers]
    lines = service.gateway_profile() if case.service == "gateway" else service.metadata_profile()
    profile, report = folder / f"{case.name}.toml", folder / f"{case.name}.json"
    profile.write_text("\n".join(["seed = 1", *lines, ""]))
    # Only odd input is worth the checks that send megabytes.
    heavy = ["--include", "heavy"] if case.kind.__module__ == "values" else []
    command = [assay, "run", "--profile", profile, "--service", case.service, *heavy, "--json", report]
    output = asyncio.subprocess.PIPE
    program = await asyncio.create_subprocess_exec(*command, env={**os.environ, **SECRETS}, cwd=folder, stdout=output, stderr=output)
    try:
        said = b"".join(await asyncio.wait_for(program.communicate(), SECONDS)).decode()
    except TimeoutError:
        program.kill()
        return f"expected a result within {SECONDS} s, came none"
    finally:
        service.closed = True
        service.stop()
    if not report.exists():
        return f"expected a report, came exit code {program.returncode}: {said.strip()[-400:]}"
    return difference(case.wanted, json.loads(report.read_text()), program.returncode)


def difference(wanted, report, ended):
    """What was expected and what came, if that differs."""
    red = sorted(outcome["id"] for outcome in report["outcomes"] if outcome["verdict"] in RED)
    came = f"exit code {ended}, red: {', '.join(red) or 'nothing'}"
    if isinstance(wanted, tuple):
        strange = [row for row in red if not row.startswith(wanted)]
        # A warning alone does not fail a run.
        wanted_code = int(any(outcome["verdict"] in RED - {"warn"} for outcome in report["outcomes"]))
        is_right = ended == wanted_code and red and not strange
        return None if is_right else f"expected red rows {' or '.join(wanted)} alone, came {came}"
    if wanted == "green":
        return None if ended == 0 and not red else f"expected exit code 0 and nothing red, came {came}"
    if wanted == "open":
        return None if not red else f"expected nothing red, came {came}"
    return None if ended == 1 and not red else f"expected a finding alone, came {came}"


async def main(assay, names):
    cases = list(all_cases())
    unknown = set(names) - {case.name for case in cases}
    if unknown:
        raise SystemExit(f"no such case: {', '.join(sorted(unknown))}")
    cases = [case for case in cases if not names or case.name in names]
    begun, wrong, free = time.monotonic(), 0, asyncio.Semaphore(os.cpu_count() or 2)

    async def run(case, folder):
        nonlocal wrong
        async with free:
            began = time.monotonic()
            said = await judge(assay, case, folder)
        if names:
            print(f"{case.name}: {time.monotonic() - began:.1f} s")
        if said:
            wrong += 1
            about = " ".join((case.kind.__doc__ or "").split())
            print(f"WRONG {case.name}: {said}. The case: {about}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        await asyncio.gather(*(run(case, Path(folder)) for case in cases))
    print(f"{len(cases) - wrong} of {len(cases)} cases are right, in {time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(os.path.abspath(sys.argv[1]), sys.argv[2:])))
