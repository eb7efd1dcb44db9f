"""Runs the pipelines of the README as far as one machine can: every shell line of every job, part after part."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

readme, program, profile, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
blocks = re.findall(r"^```yaml\n(.*?)^```$", readme.read_text(), re.M | re.S)
github, gitlab, kubernetes = (yaml.safe_load(block) for block in blocks)
path = f"{program.parent}:{os.environ['PATH']}"


def folder(name):
    """A checkout of somebody whose server stands: the profile with its keys, and a baseline that knows nothing."""
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
    subprocess.run(["sh", "-ec", line], cwd=place, env=env, check=True, stdout=subprocess.DEVNULL)


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
spec = kubernetes["spec"]
(container,) = spec["template"]["spec"]["containers"]
assert container["command"] == ["sh", "-c"] and f"auto/{spec['completions']}" in container["args"][0]
line = container["args"][0].replace("/etc/assay", str(place)).replace("/reports", str(place))
for part in range(spec["completions"]):
    shell(line, place, JOB_COMPLETION_INDEX=str(part))
shell("assay merge part-*.json --json whole.json", place)
holds(place / "whole.json")
print("the pipelines of the README do what they say")
