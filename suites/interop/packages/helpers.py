"""Installs the packages of `.ci/packages` into empty environments, and runs the tests that use the simulator from there.

`helpers.py PACKAGES WORK PYTHON NODE`: PACKAGES has the wheel and the npm packages. PYTHON and NODE are environments with the test
runners and the client libraries of `python/requirements.txt` and `node/package.json`. They stay as they are.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
packages, work, python, node = (Path(argument).resolve() for argument in sys.argv[1:])
work.mkdir(exist_ok=True)
began = time.monotonic()


def step(words):
    print(f"{time.monotonic() - began:5.1f} s  {words}", flush=True)


def run(*command, cwd, env):
    ran = subprocess.run([str(one) for one in command], cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ran.returncode != 0:
        sys.exit(f"{command} ended with {ran.returncode}:\n{ran.stdout[-8000:]}")
    return ran.stdout.strip()


def timed(install, first, **options):
    """Installs, then gets a first answer of the gateway."""
    times = []
    for command in [install, first]:
        start = time.monotonic()
        said = run(*command, **options)
        times.append(time.monotonic() - start)
    assert "assay-chat" in said, said
    return f"{times[0]:.1f} s to install, {times[1]:.1f} s to the first answer"


# The page shows files that are executed below.
page = (HERE.parents[2] / "docs/tests-with-the-simulator.md").read_text()
blocks = re.findall(r"^```(?:python|js) .*?\n(.*?)^```$", page, re.M | re.S)
shown = ["python/conftest.py", "python/test_support.py", "node/vitest/support.test.mjs", "node/node-test/support.test.mjs", "python/container.py"]
for name in shown:
    assert (HERE / name).read_text() in blocks, f"docs/tests-with-the-simulator.md does not show {name} as it is"
assert len(blocks) == len(shown), "docs/tests-with-the-simulator.md shows code that is not executed"
(options,) = re.findall(r'^SIM = "(.*)"$', (HERE / "python/container.py").read_text(), re.M)
assert f"\n  {options}\n" in page, "the container of docs/tests-with-the-simulator.md has other options than python/container.py"
step(f"the page shows {len(shown)} files as they are")

system = "/usr/bin:/bin"
home = work / "home"
home.mkdir()

# The wheel alone is installed here. The libraries are read from their environment.
place = work / "python tests"
shutil.copytree(HERE / "python", place)
run(sys.executable, "-m", "venv", "--without-pip", "v", cwd=place, env=os.environ)
(libraries,) = python.glob("lib/python3*/site-packages")
(site,) = place.glob("v/lib/python3*/site-packages")
(site / "libraries.pth").write_text(f"{libraries}\n")
environment = {"PATH": f"{place / 'v/bin'}:{system}", "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
(wheel,) = packages.glob("*.whl")
pip = [sys.executable, "-m", "pip", "--python", place / "v/bin/python", "--disable-pip-version-check"]
install = [*pip, "install", "--quiet", "--no-index", "--no-deps", "--root-user-action=ignore", wheel]
first = """
from urllib.request import Request, urlopen
from assay_conformance import Simulator

with Simulator(seed=7) as sim:
    print(urlopen(Request(sim.gateway.url + "/v1/models", headers={"authorization": "Bearer " + sim.gateway.key})).read())
"""
step(f"wheel: {timed(install, ['python', '-c', first], cwd=place, env=environment)}")
said = run("python", "-m", "pytest", "-q", "-p", "pytester", "-p", "no:cacheprovider", cwd=place, env=environment)
step(f"pytest: {said.splitlines()[-1]}")
mypy = ["python", "-m", "mypy", "--cache-dir", place / "mypy"]
run(*mypy, "--strict", "-p", "assay_conformance", cwd=place, env=environment)
run(*mypy, "--strict", "typed.py", cwd=place, env=environment)
run(*mypy, "--check-untyped-defs", "container.py", cwd=place, env=environment)
step("mypy: the types of the wheel, and their use")

place = work / "node tests/project"
shutil.copytree(HERE / "node", place, ignore=shutil.ignore_patterns("package*.json"))
(place / "package.json").write_text('{ "private": true }\n')
(place.parent / "node_modules").symlink_to(node / "node_modules")
paths = [node / "node_modules/.bin", Path(shutil.which("node")).resolve().parent, Path(shutil.which("npm")).parent]
environment = {"PATH": ":".join([*map(str, paths), system]), "HOME": str(home)}
tarballs = sorted(packages.glob("assay-conformance-*.tgz"))
install = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", *tarballs]
first = """
require("assay-conformance").startSimulator({ seed: 7 }).then(async (sim) => {
  const response = await fetch(`${sim.gateway.url}/v1/models`, { headers: { authorization: `Bearer ${sim.gateway.key}` } });
  console.log(await response.text());
  await sim.stop();
});
"""
step(f"npm packages: {timed(install, ['node', '-e', first], cwd=place, env=environment)}")
said = run("node", "--test", "node-test/", cwd=place, env=environment)
step(f"node:test: {re.search(r'pass [0-9]+', said)[0]}")
said = run("vitest", "run", "vitest", cwd=place, env={**environment, "NO_COLOR": "1"})
step(f"vitest: {re.search(r'Tests +(.*)', said)[1]}")
run("tsc", "--project", ".", cwd=place, env=environment)
step("tsc: the types of the npm package")
