"""What Assay and a schema fuzzer find at three servers with eight mistakes each: measure.py ASSAY [--alone] [SERVER ...].

Each server runs without a mistake, with each mistake alone, and with all of them. A mistake is found if a tool reports
something that it does not report about the server without a mistake. Prints the tables of docs/other-tools.md. Schemathesis (requirements.txt of the folder
openapi) must be beside the Python that runs this.

With `--alone` only Assay runs, with a profile and the heavy checks. It must report nothing about a server without a
mistake, and find every mistake; otherwise the exit code is 1.
"""

import importlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
KEY = "rival-key"
CIDS = ["bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi", "bafybeihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"]
URIS = ["https://art.example.com/one", "svc:sketches"]
TOKENS = ["0", "1", "2", "7"]
PROFILES = {
    "gateway": """[gateway]
url = "URL"
key = { env = "ASSAY_GATEWAY_KEY" }
readings = { wire_compat = true }
models = { chat = "text-small", tools = "text-tools", always_calls = "text-tools", fails_midway = "text-breaks", down = "text-down" }
""",
    "metadata": f"""[metadata]
url = "URL"
contracts = [
  {{ cid = "{CIDS[0]}", uri_path = "{URIS[0]}", tokens = ["0", "1", "7"], overridden = "1" }},
  {{ cid = "{CIDS[1]}", uri_path = "{URIS[1]}", tokens = ["1", "2"] }},
]
""",
    "drop": """[drop]
url = "URL"
limits = { drops_per_hour = 900 }
""",
}
# What Assay says of a server that it does not recognize: the run ends before the first check.
STRANGER = "exit code 3"
# The names of existing resources, for parameters and members of the OpenAPI document.
NAMES = {
    "contract_metadata_cid": CIDS,
    "contract_uri": URIS,
    "token_id": TOKENS,
    "model": ["text-small", "text-tools"],
}


class Server:
    """A server with these mistakes, on a free port."""

    def __init__(self, name, mistakes):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        limits = {"RIVAL_DROPS_PER_HOUR": "1000000", "RIVAL_DROPS_PER_DAY": "1000000", "RIVAL_KEY": KEY}
        command = [sys.executable, HERE / f"{name}.py", str(port), *mistakes]
        self.process = subprocess.Popen(command, env={**os.environ, **limits}, stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"{name} does not start")

    def __enter__(self):
        return self.url

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def assay(program, name, url, work, profile, options):
    """The ids of the checks that fail."""
    report = Path(work, "report.json")
    report.unlink(missing_ok=True)
    target = ["--profile", Path(work, "p.toml")] if profile else [f"--{name}-url", url]
    Path(work, "p.toml").write_text(PROFILES[name].replace("URL", url))
    environment = {**os.environ, "ASSAY_GATEWAY_KEY": KEY}
    command = [program, "run", *target, "--seed", "7", "--json", report, *options]
    ended = subprocess.run(command, cwd=work, env=environment, text=True, capture_output=True)
    if ended.returncode == 3:
        return {STRANGER}
    if ended.returncode not in (0, 1):
        raise SystemExit(f"{name}: assay ended with {ended.returncode}: {ended.stderr}")
    run = json.loads(report.read_text())
    failed = {one["id"] for one in run["outcomes"] if one["verdict"] in ("fail", "warn", "error")}
    # The target contradicts a value that the profile names: the run is not enough tested.
    failed |= {why for why in run["why"] if "contradicts" in why}
    if ended.returncode == 1 and not failed:
        # Without a profile, nothing shows the core of most services.
        return {why for why in run["why"]} if profile else set()
    return failed


def named(schema):
    """Writes the names of existing resources into an OpenAPI document, as enumerations."""
    if isinstance(schema, list):
        for one in schema:
            named(one)
    elif isinstance(schema, dict):
        names = NAMES.get(schema.get("name")) if "in" in schema else None
        if names and "schema" in schema:
            schema["schema"] = {"type": "string", "enum": names}
        for member, one in schema.get("properties", {}).items() if isinstance(schema.get("properties"), dict) else ():
            if member == "model" and isinstance(one, dict) and one.get("type") == "string":
                one["enum"] = NAMES["model"]
        for one in schema.values():
            named(one)


def fuzzer(program, name, url, work, enumerate_names):
    """Each operation with the kind of each failure."""
    path = Path(work, "openapi.json")
    subprocess.run([program, "openapi", "--service", name, "--url", url, "--out", path], check=True)
    document = json.loads(path.read_text())
    if enumerate_names:
        named(document)
        path.write_text(json.dumps(document))
    command = [Path(sys.executable).with_name("st"), "run", path, "--url", url, "--max-examples", "50", "--seed", "7"]
    command += ["--no-color", "--continue-on-failure", "--suppress-health-check", "all", "--request-timeout", "10"]
    command += ["--header", f"Authorization: Bearer {KEY}"] if name == "gateway" else []
    ended = subprocess.run(command, cwd=work, text=True, capture_output=True)
    found, operation = set(), ""
    for line in ended.stdout.splitlines():
        if head := re.fullmatch(r"_+ ((?:[A-Z]+ \S+)|.*?) _+", line):
            operation = head[1]
        elif operation and (kind := re.fullmatch(r"- (\S.*)", line)):
            found.add(f"{operation}: {kind[1]}")
    if ended.returncode != bool(found):
        raise SystemExit(f"{name}: st ended with {ended.returncode} and {len(found)} reports: {ended.stdout}{ended.stderr}")
    return found


def counted(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def versions(program):
    said = lambda *command: subprocess.run(command, text=True, capture_output=True).stdout.split()[-1]
    return f"Assay {said(program, '--version')}, Schemathesis {said(Path(sys.executable).with_name('st'), '--version')}"


def main(program, *servers):
    program = Path(program).resolve()
    sys.path.insert(0, str(HERE))
    tools = [
        ("URL", lambda *where: assay(program, *where, False, [])),
        ("profile", lambda *where: assay(program, *where, True, [])),
        ("heavy", lambda *where: assay(program, *where, True, ["--include", "heavy"])),
        ("Schemathesis", lambda *where: fuzzer(program, *where, False)),
        ("names", lambda *where: fuzzer(program, *where, True)),
    ]
    is_alone = "--alone" in servers
    servers = [name for name in servers if name != "--alone"]
    if is_alone:
        tools = [tools[2]]
    else:
        print(f"{versions(program)}\n")
    sums, wrong = {}, []
    for name in servers or PROFILES:
        mistakes = importlib.import_module(name).MISTAKES
        print(f"| `{name}` | " + " | ".join(title for title, _ in tools) + " |\n|---" + "|---" * len(tools) + "|")
        with tempfile.TemporaryDirectory() as work:
            reports = {}
            for mistake in [None, *mistakes, "all"]:
                row = []
                for title, tool in tools:
                    with Server(name, [mistake] if mistake else []) as url:
                        began = time.monotonic()
                        found = tool(name, url, work)
                        seconds = time.monotonic() - began
                    if mistake is None:
                        reports[title] = found
                    more = found - reports[title]
                    if mistake is None:
                        row.append(counted(len(found), "report"))
                        wrong += [f"{name} has no mistake, and fails {one}" for one in found if is_alone]
                    elif mistake == "all":
                        what = "exit code 3" if more == {STRANGER} else counted(len(more), "finding")
                        row.append(f"{what}, {seconds:.1f} s")
                    else:
                        row.append("found" if more else "-")
                        sums[title] = sums.get(title, 0) + bool(more)
                        wrong += [f"{name}: {mistake} is not found"] if is_alone and not more else []
                    print(f"{name} {mistake} {title}: {sorted(more or found)[:3]}", file=sys.stderr)
                what = {None: "no mistake", "all": "all eight at once"}.get(mistake) or mistakes[mistake]
                print(f"| {what} | " + " | ".join(row) + " |", flush=True)
        print()
    print("found: " + ", ".join(f"{title} {count}" for title, count in sums.items()))
    return "\n".join(wrong) or None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
