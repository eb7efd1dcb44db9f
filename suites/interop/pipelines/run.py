"""Runs the pipelines of docs/ci.md on one machine: every shell line of every job, one part after another."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

page, program, profile, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
# The section before these installs packages: suites/interop/packages/templates.py runs it.
_, _, pipelines = page.read_text().partition("\n## GitHub Actions\n")
blocks = re.findall(r"^```yaml\n(.*?)^```$", pipelines, re.M | re.S)
github, gitlab, kubernetes, verdict = (yaml.safe_load(block) for block in blocks)
path = f"{program.parent}:{os.environ['PATH']}"


def folder(name):
    """A checkout for a running server: the profile with its keys, and an empty baseline."""
    place = work / name
    place.mkdir()
    for file in profile.parent.glob(f"{profile.stem}.*"):
        shutil.copy(file, place)
    shutil.copy(profile, place / "target.toml")
    (place / "known.toml").write_text("known = []\n")
    return place


def shell(line, place, **variables):
    print(f"$ {line}", flush=True)
    env = {**os.environ, "PATH": path, **variables}
    ran = subprocess.run(["sh", "-ec", line], cwd=place, env=env, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")


def holds(*files):
    for file in files:
        assert file.stat().st_size > 0, file


place = folder("github")
summary = place / "step-summary.md"
steps = [step for step in github["jobs"]["part"]["steps"] if "run" in step]
for part in github["jobs"]["part"]["strategy"]["matrix"]["part"]:
    for step in steps:
        shell(step["run"].replace("${{ matrix.part }}", str(part)), place)
for step in github["jobs"]["verdict"]["steps"]:
    if "run" in step:
        shell(step["run"], place, GITHUB_STEP_SUMMARY=str(summary))
holds(summary, place / "assay.html", place / "assay.sarif")

place = folder("gitlab")
parts = gitlab["part"]["parallel"]
for part in range(1, parts + 1):
    for line in gitlab["part"]["script"]:
        shell(line, place, CI_NODE_INDEX=str(part), CI_NODE_TOTAL=str(parts))
for line in gitlab["verdict"]["script"]:
    shell(line, place)
holds(place / "assay.xml", place / "assay.html")

place = folder("kubernetes")
reports = place / "reports"
reports.mkdir()


def line_of(job):
    """The command of a job's only container, with its volumes mapped to folders of this machine."""
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["sh", "-c"]
    (line,) = container["args"]
    mounts = {"/etc/assay": place, "/reports": reports}
    assert {mount["mountPath"] for mount in container["volumeMounts"]} == set(mounts)
    return re.sub("|".join(mounts), lambda found: str(mounts[found[0]]), line)


parts = kubernetes["spec"]["completions"]
assert f"auto/{parts}" in line_of(kubernetes)
for part in range(parts):
    shell(line_of(kubernetes), place, JOB_COMPLETION_INDEX=str(part))
shell(line_of(verdict), place)
holds(reports / "assay.xml", reports / "assay.html")
print("OK: the pipelines of docs/ci.md work")
