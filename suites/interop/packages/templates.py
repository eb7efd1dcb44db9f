"""Validates the action, the component and the manifests by the schemas of their services, and runs their shell lines.

`templates.py ASSAY PACKAGES WORK` takes the archive from PACKAGES, as a release would serve it, and the simulator from ASSAY.
"""

import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
program, packages, work = (Path(argument).resolve() for argument in sys.argv[1:])
version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
tools = Path(sys.executable).parent
began = time.monotonic()


def step(words):
    print(f"{time.monotonic() - began:5.1f} s  {words}", flush=True)


def run(*command, code=0, **options):
    ran = subprocess.run([str(one) for one in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if ran.returncode != code:
        sys.exit(f"{command} ended with {ran.returncode}, not with {code}:\n{ran.stdout[-3000:]}")
    return ran.stdout


def written(name, content):
    file = work / name
    file.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return file


# The files and the pipelines of docs/ci.md, by their schemas.
action = yaml.safe_load((ROOT / "action.yml").read_text())
header, job = yaml.safe_load_all((ROOT / "templates/assay.yml").read_text())
page = (ROOT / "docs/ci.md").read_text()
blocks = re.findall(r"^```yaml\n(.*?)^```$", page, re.M | re.S)
workflow, include = map(yaml.safe_load, blocks[:2])


def valid(schema, *files):
    run(tools / "check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files)


def interpolated(value, inputs):
    """The component with its inputs, as GitLab makes a pipeline of it."""
    if isinstance(value, dict):
        return {interpolated(key, inputs): interpolated(one, inputs) for key, one in value.items()}
    if isinstance(value, list):
        return [interpolated(one, inputs) for one in value]
    return re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda found: inputs[found[1]], value) if isinstance(value, str) else value


def with_defaults(given, declared):
    """The inputs of a caller, with the defaults of the others."""
    assert given.keys() <= declared.keys(), f"no such input: {given.keys() - declared.keys()}"
    needed = {name for name, about in declared.items() if "default" not in about}
    assert needed <= given.keys(), f"an input is missing: {needed - given.keys()}"
    inputs = {name: about.get("default") for name, about in declared.items()} | given
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in inputs.items()}


(used,) = [one for one in workflow["jobs"]["assay"]["steps"] if one["uses"].startswith("OWNER/")]
(component,) = include["include"]
asked = with_defaults(component["inputs"], header["spec"]["inputs"])
valid("github-actions", ROOT / "action.yml")
# As they are: YAML reads the key `on` as a boolean.
files = [written(f"block-{number}.yml", block) for number, block in enumerate(blocks)]
assert len(files) == 6, "docs/ci.md has other pipelines"
valid("github-workflows", files[0], files[2])
valid("gitlab-ci", written("header.yml", header), files[1], files[3])
valid("gitlab-ci", written("component.yml", interpolated(job, asked)))
kubernetes = sorted((ROOT / "packaging/kubernetes").glob("*.yaml"))
run(tools / "kubernetes-validate", "--strict", *kubernetes, *files[4:])
assert len(kubernetes) == 2, kubernetes
# A schema that accepts everything shows nothing.
for schema, file in [("github-actions", {**action, "run": 1}), ("github-workflows", blocks[0].replace("runs-on:", "runs:")), ("gitlab-ci", {"a": {"script": 1}})]:
    run(tools / "check-jsonschema", "--builtin-schema", f"vendor.{schema}", written("wrong.yml", file), code=1)
wrong = yaml.safe_load(kubernetes[1].read_text())
wrong["spec"]["template"]["spec"]["restartPolicies"] = "Never"
run(tools / "kubernetes-validate", "--strict", written("wrong.yml", wrong), code=1)

# One version everywhere.
assert action["inputs"]["version"]["default"] == version
assert used["uses"] == f"OWNER/assay@v{version}" and component["component"].endswith(f"@{version}")
for file in kubernetes:
    assert f"image: assay:{version}\n" in file.read_text(), f"{file} has another version"
assert f"--tag assay:{version} ." in (ROOT / "docs/install.md").read_text(), "docs/install.md has another version"
step("action, component, manifests and the pipelines of docs/ci.md are valid")

# The scripts, as a linter of shells sees them.
scripts = [one for one in action["runs"]["steps"] if "run" in one]
for number, one in enumerate(scripts):
    run(tools / "shellcheck", "--shell", "bash", written(f"step-{number}.sh", one["run"]))
(template,) = job.values()
lines = "\n".join([*template["before_script"], *template["script"]]) + "\n"
# The arguments of a component are separated by blanks.
run(tools / "shellcheck", "--shell", "sh", "--exclude", "SC2086", written("component.sh", lines))
run(tools / "shellcheck", *(ROOT / ".ci" / name for name in ["packages", "installed", "release"]))
step("the shell lines are linted")

# A server for the archive, and two targets: one that conforms, and one that does not.


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


serve = functools.partial(Files, directory=packages)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve)
threading.Thread(target=server.serve_forever, daemon=True).start()
(archive,) = packages.glob("*.tar.gz")
url = f"http://127.0.0.1:{server.server_port}/{archive.name}"
digest = run("sha256sum", archive).split()[0]
simulators, drops = [], {}


def target(name, *options):
    """A checkout for a running server: the profile with its keys, and an empty baseline."""
    place = work / name
    place.mkdir()
    command = [program, "sim", "--quiet", "--seed", "7", "--listen", "127.0.0.1:0", "--write-profile", "target.toml", *options]
    simulator = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True)
    simulators.append(simulator)
    while "Ctrl-C" not in (line := simulator.stdout.readline()):
        assert line, "the simulator has ended"
    # The pipelines of `.ci/interop` test every service; here the fastest is enough, and saves a minute.
    profile = (place / "target.toml").read_text()
    drops[name] = re.search(r'^\[drop\]\nurl = "(.*)"', profile, re.M)[1]
    tables = re.split(r"^(?=\[)", profile, flags=re.M)
    kept = [one for number, one in enumerate(tables) if number == 0 or re.match(r"\[+metadata\b", one)]
    assert len(kept) > 1, profile
    (place / "target.toml").write_text("".join(kept))
    (place / "known.toml").write_text("known = []\n")
    return place


class Runner:
    """What a runner of GitHub gives the steps of a composite action."""

    def __init__(self, name, place, system="Linux"):
        self.temp = work / f"runner-{name}"
        self.temp.mkdir()
        self.place, self.system = place, system
        self.said, self.failed, self.done, self.outputs = "", False, [], {}

    def value(self, expression, inputs):
        """The value of an expression: names, strings, `==`, `!=`, `&&`, `||` and `always()`."""
        contexts = {
            "runner.temp": str(self.temp),
            "github.server_url": "https://github.invalid",
            "github.action_repository": "OWNER/assay",
            "github.repository": "OWNER/server",
            **{f"inputs.{name}": value for name, value in inputs.items()},
            **{f"steps.run.outputs.{name}": self.outputs.get(name, "") for name in ["reports", "exit-code"]},
        }
        name = r"'[^']*'|[a-z]+\.[\w.-]+"
        expression = re.sub(name, lambda found: found[0] if found[0][0] == "'" else repr(contexts[found[0]]), expression)
        expression = expression.replace("always()", "True").replace("&&", " and ").replace("||", " or ")
        return eval(expression, {"__builtins__": {}})

    def filled(self, text, inputs):
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: str(self.value(found[1], inputs)), text)

    def run(self, given):
        inputs = with_defaults({"url": url, "sha256": digest} | given, action["inputs"])
        files = {name: self.temp / name.lower() for name in ["GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"]}
        for file in files.values():
            file.touch()
        for one in action["runs"]["steps"]:
            condition = one.get("if", "True")
            if (self.failed and "always()" not in condition) or not self.value(condition, inputs):
                continue
            self.done.append(one["name"])
            if "uses" in one:
                for value in one["with"].values():
                    self.filled(value, inputs)
                continue
            assert "${{" not in one["run"], "an input must not be part of a script"
            added = files["GITHUB_PATH"].read_text().splitlines()
            environment = {"PATH": ":".join([*added, os.environ["PATH"]]), "HOME": str(self.temp), "RUNNER_OS": self.system}
            environment |= {"RUNNER_TEMP": str(self.temp), **{name: str(file) for name, file in files.items()}}
            environment |= {name: self.filled(value, inputs) for name, value in one.get("env", {}).items()}
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", one["run"]]
            ran = subprocess.run(command, cwd=self.place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.said += ran.stdout
            self.failed |= ran.returncode != 0
            self.outputs |= dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
        self.summary = files["GITHUB_STEP_SUMMARY"].read_text()
        return self


try:
    right = target("right")
    wrong = target("wrong", "--deviate", "metadata.root.version")
    documented = {name: value for name, value in used["with"].items() if name != "sha256"}
    all_steps = [one["name"] for one in action["runs"]["steps"] if "vectors" not in one["name"]]

    ran = Runner("whole", right).run(documented)
    assert not ran.failed and ran.outputs["exit-code"] == "0" and ran.done == all_steps, ran.said
    for name in ["assay.json", "assay.html", "assay.md", "assay.sarif", "assay.xml"]:
        assert (Path(ran.outputs["reports"]) / name).stat().st_size > 0, name
    assert ran.summary, "the summary is empty"
    step("the action of docs/ci.md ends with 0 at a server that conforms")

    ran = Runner("wrong", wrong).run({"profile": "target.toml", "args": "--service metadata metadata.root"})
    assert ran.failed and ran.outputs["exit-code"] == "1", ran.said
    assert "::error" in ran.said and "metadata.root.version" in ran.summary, ran.said
    assert ran.done == [name for name in all_steps if "scanning" not in name], ran.done
    small = {"profile": "target.toml", "args": "metadata.root"}
    # A URL alone: what needs more than that is not tested.
    bare = {"args": f"--drop-url {drops['right']}"}
    ran = Runner("coverage", right).run({**bare, "min-coverage": "100"})
    assert ran.outputs["exit-code"] == "1" and "not enough tested" in ran.said, ran.said
    (right / "known.bad.toml").write_text("[[known]]\n")
    ran = Runner("baseline", right).run({**bare, "baseline": "known.bad.toml"})
    assert ran.outputs["exit-code"] == "2" and "known.bad.toml" in ran.said, ran.said
    ran = Runner("bad", right).run({**small, "fail-on": "never"})
    assert ran.failed and ran.outputs["exit-code"] == "2" and ran.summary == "", ran.said
    ran = Runner("hostile", right).run({"profile": "target.toml", "args": "metadata.root $(touch owned) `touch owned` ; touch owned", "artifact": "a;b"})
    assert ran.failed and not (right / "owned").exists(), ran.said
    ran = Runner("other", right).run({**small, "sha256": "0" * 64})
    assert ran.done == all_steps[:2] and "is not that of the input sha256" in ran.said, ran.said
    assert not (ran.temp / "assay").exists() and not (ran.temp / "assay.tar.gz").exists()
    ran = Runner("missing", right).run({**small, "url": url + ".none"})
    assert ran.done == all_steps[:2] and "cannot be fetched" in ran.said, ran.said
    ran = Runner("mac", right, system="macOS").run(small)
    assert ran.done == all_steps[:2] and "this runner has macOS" in ran.said, ran.said
    run(program, "vectors", "pack", work / "vectors.tar")
    vectors = run("sha256sum", work / "vectors.tar").split()[0]
    written("documents.json", run(program, "requirements", "--json"))
    documents = run("sha256sum", work / "documents.json").split()[0]
    ran = Runner("pins", right).run({**small, "vectors-sha256": vectors, "documents-sha256": documents})
    assert not ran.failed and len(ran.done) == len(all_steps), ran.said
    ran = Runner("drift", right).run({**small, "documents-sha256": vectors})
    assert ran.failed and "other content in documents.json" in ran.said and "exit-code" not in ran.outputs, ran.said
    step("the action: failures, wrong digests, other systems and hostile inputs")

    def component_at(name, place, code, **given):
        """Runs the lines of the component as one script, in a checkout of its own."""
        checkout = work / f"checkout-{name}"
        shutil.copytree(place, checkout)
        inputs = with_defaults({**component["inputs"], "url": url, "sha256": digest, **given}, header["spec"]["inputs"])
        (one,) = interpolated(job, inputs).values()
        environment = {"PATH": os.environ["PATH"], "HOME": str(work), **one["variables"]}
        said = run("sh", "-ec", "\n".join([*one["before_script"], *one["script"]]), cwd=checkout, env=environment, code=code)
        return checkout, said

    checkout, _ = component_at("right", right, 0)
    for name in [*template["artifacts"]["paths"], template["artifacts"]["reports"]["junit"]]:
        assert (checkout / name).stat().st_size > 0, name
    component_at("wrong", wrong, 1, args="metadata.root.*")
    checkout, said = component_at("other", right, 1, sha256="0" * 64)
    assert "FAILED" in said and not (checkout / ".assay/assay").exists(), said
    step("the component of docs/ci.md works")

    mounts = {"/etc/assay": right, "/reports": work / "reports"}
    mounts["/reports"].mkdir()
    for file in kubernetes:
        spec = yaml.safe_load(file.read_text())["spec"]
        (container,) = spec.get("jobTemplate", {"spec": spec})["spec"]["template"]["spec"]["containers"]
        assert {mount["mountPath"] for mount in container["volumeMounts"]} == {*mounts, "/tmp"}
        (line,) = container["args"]
        line = re.sub("|".join(mounts), lambda found: str(mounts[found[0]]), line)
        run(*container["command"], line, env={"PATH": f"{program.parent}:{os.environ['PATH']}"})
    found = sorted(file.suffix for file in mounts["/reports"].iterdir())
    assert found == [".html", ".html", ".json", ".json"], found
    step("the lines of the manifests work")
finally:
    for simulator in simulators:
        simulator.kill()
    server.shutdown()
