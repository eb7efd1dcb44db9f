"""A fuzzer that knows only the OpenAPI documents, against the simulator: fuzz.py ASSAY PROFILE CONTROL_URL.

Validates each document, then sends valid and invalid requests to every endpoint. A status, content type or body that
the document does not describe makes the run exit with 1.
"""

import json
import os
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
from collections import Counter
from pathlib import Path

from openapi_spec_validator import OpenAPIV31SpecValidator

EXAMPLES = os.environ.get("ASSAY_FUZZ_EXAMPLES", "12")
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
SERVICES = os.environ.get("ASSAY_FUZZ_SERVICES", "gateway metadata network hosting publish drop").split()
SITES = {"network": ["network", "compute-1", "scheduler", "status", "credit"]}
# A 5xx that the documents of these services describe is not a finding.
FORESEEN_5XX = {"publish", "drop", "gateway", "metadata"}


# A login has no credentials, a submit needs the message of a prepare, and the parameters of an estimation are unknown.
NEVER_ACCEPTED = {
    "GET /about/login",
    "POST /api/vf-cli/publish/submit",
    "GET /api/v0/estimation/token-to-credit",
}


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


def known(profile, beside, state):
    """What generated requests cannot guess: names of existing resources."""
    contract = next(one for one in state["metadata"]["contracts"] if one["cid"] and one["uri"] and one["overridden"])
    paths = {
        "contract_metadata_cid": [contract["cid"]],
        "contract_uri": [contract["uri"]],
        "token_id": contract["overridden"],
        "network": state["network"]["indexed"],
        "check_name": ["full"],
    }
    nodes = state["network"]["nodes"]
    messages = get(profile["network"]["url"] + "/api/v0/messages?limit=100")["messages"]
    paths["hash"] = [message["item_hash"] for message in messages]
    files = [message["content"]["item_hash"] for message in messages if "item_hash" in message["content"]]
    machines = [node["machine_id"] for node in nodes if node.get("machine_id")]
    at = {
        "/api/v0/storage/{hash}": {"hash": files},
        "/api/v0/storage/raw/{hash}": {"hash": files},
        "/api/v0/ipfs/{hash}": {"hash": files},
        "/vm/{hash}": {"hash": machines},
        "/api/v0/core/{node_hash}/metrics": {"node_hash": [node["node_id"] for node in nodes if "machine" not in node]},
        "/api/v0/compute/{node_hash}/metrics": {"node_hash": [node["node_id"] for node in nodes if "machine" in node]},
    }
    paths["program_hash"] = [message["item_hash"] for message in messages if message["type"] == "PROGRAM"]
    paths["vm_hash"] = [message["item_hash"] for message in messages if message["type"] == "INSTANCE"]
    instances = get(profile["network"]["url"] + "/api/v0/instances")["instances"]
    paths["instance_id"] = [instance["instance_id"] for instance in instances]
    keyed = [message for message in messages if message["type"] == "AGGREGATE"]
    paths["address"] = [message["sender"] for message in keyed]
    paths["key"] = [message["content"]["key"] for message in keyed]
    return {
        "paths": paths,
        "at": at,
        "models": [model["id"] for model in get(profile["gateway"]["url"] + "/v1/models")["data"]],
        "key": (beside / "p.gateway-valid.key").read_text().strip(),
        "domains": profile["publish"]["domains"][:40],
        "publish_key": (beside / "p.key").read_text().strip(),
    }


def run(service, document, url, tags, work):
    checks = CHECKS if service not in FORESEEN_5XX else CHECKS.removeprefix("not_a_server_error,")
    command = [Path(sys.executable).with_name("st"), "run", document, "--url", url, "--checks", checks]
    command += ["--max-examples", EXAMPLES, "--seed", "7", "--generation-deterministic", "--no-shrink", "--no-color"]
    command += ["--phases", "coverage,fuzzing", "--continue-on-failure"]
    command += ["--request-timeout", "20", "--suppress-health-check", "all", "--warnings", "off"]
    for tag in tags:
        command += ["--include-tag", tag]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks"}
    done = subprocess.run(command, cwd=work, env=environment, text=True, capture_output=True)
    name = f"{service} at {url}"
    if done.returncode != 0:
        print(f"== {name}\n{done.stdout}\n{done.stderr}")
        return False
    cases = [line.strip() for line in done.stdout.splitlines() if "generated" in line]
    print(f"{name}: no undocumented response ({'; '.join(cases)})")
    return True


def accepted(service, document, seen, never_accepted=NEVER_ACCEPTED):
    """Whether every operation accepted at least one request: a fuzzer that is always rejected finds nothing."""
    statuses = {}
    for line in seen.read_text().splitlines():
        label, _, status = line.rpartition(" ")
        statuses.setdefault(label, Counter())[int(status)] += 1
    labels = [f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item]
    never = [label for label in labels if not any(status < 300 for status in statuses.get(label, {}))]
    for label in labels:
        print(f"  {label}: {dict(sorted(statuses.get(label, {}).items()))}")
    never = sorted(set(never) - never_accepted)
    if never:
        print(f"{service}: no request was accepted, so these are hardly tested: {', '.join(never)}")
    return not never


def main(assay, profile_path, control):
    beside = Path(profile_path).parent
    profile = tomllib.loads(Path(profile_path).read_text())
    state = get(control + "/_sim/v1/state")
    sites = get(control + "/_sim/v1/info")["sites"]
    good = True
    with tempfile.TemporaryDirectory() as work:
        Path(work, "hooks.py").write_bytes(Path(__file__).with_name("hooks.py").read_bytes())
        names = Path(work, "known.json")
        names.write_text(json.dumps(known(profile, beside, state)))
        os.environ["ASSAY_KNOWN"] = str(names)
        for service in SERVICES:
            path = Path(work, f"{service}.json")
            urls = [f"--url={name}={sites[name]}" for name in SITES.get(service, [service])]
            subprocess.run([assay, "openapi", "--service", service, "--out", path, *urls], check=True)
            document = json.loads(path.read_text())
            OpenAPIV31SpecValidator(document).validate()
            seen = Path(work, f"{service}.seen")
            seen.touch()
            os.environ["ASSAY_SEEN"] = str(seen)
            groups = {}
            for methods in document["paths"].values():
                for operation in methods.values():
                    # An endpoint with its own server is tested there, with its whole group.
                    elsewhere = operation.get("servers", document["servers"])[0]["url"]
                    groups.setdefault(elsewhere, set()).update(operation["tags"])
            for url, tags in groups.items():
                good &= run(service, path, url, sorted(tags), work)
            good &= accepted(service, document, seen)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
