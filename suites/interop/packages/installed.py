"""Installs the packages of `.ci/packages` into empty environments, and runs the README's example with each.

`installed.py ASSAY WORK` makes the packages from a built program. It leaves them in WORK/packages.
"""

import atexit
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "packaging"))
import build  # noqa: E402

PACKAGES = ROOT / ".ci/packages"
work = Path(sys.argv[2]).resolve()
version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
began = time.monotonic()


def step(words):
    print(f"{time.monotonic() - began:5.1f} s  {words}", flush=True)


def run(*command, code=0, says="", **options):
    """Runs a command that must end with this exit code, and print this."""
    command = [str(one) for one in command]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if ran.returncode != code or says not in ran.stdout:
        sys.exit(f"{command} ended with {ran.returncode}, not with {code} and {says!r}:\n{ran.stdout[-3000:]}")
    return ran.stdout


# A release is stripped, too. It saves seconds in every step below.
program = work / "program"
run("strip", "-o", program, sys.argv[1])

# The packages, twice: the second time from another folder, as another user of the machine may do it.
out, again = work / "packages", work / "again"
key, public, other = work / "key.pem", work / "key.pub.pem", work / "other.pub.pem"
for file in [work / "unused.pem", key]:
    run("openssl", "genpkey", "-algorithm", "ed25519", "-out", file)
    run("openssl", "pkey", "-in", file, "-pubout", "-out", public if file == key else other)
run(PACKAGES, program, "", out, "--fast", "--sign", key)
step("packages made")
run(PACKAGES, program, "", "again", "--fast", "--sign", "key.pem", cwd=work, env={**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C"})
names = sorted(file.name for file in out.iterdir())
assert names == sorted(file.name for file in again.iterdir()), names
for name in names:
    assert (out / name).read_bytes() == (again / name).read_bytes(), f"a second build gives other bytes of {name}"
step(f"packages made again: {len(names)} files with the same bytes")

# What `.ci/packages` rejects.
run(PACKAGES, program, "riscv64gc-unknown-linux-gnu", work / "none", code=1, says="name the right target")
target = build.Program(program).target
older = [sys.executable, ROOT / "packaging/build.py", "make", program, work, work / "none", "--version", "9.9.9"]
run(*older, env={**os.environ, "SOURCE_DATE_EPOCH": "0"}, code=1, says="build the program from this checkout")
(work / "mine").mkdir()
(work / "mine/thesis.txt").write_text("years of work")
try:
    build.remove_earlier(work / "mine")
    sys.exit("a folder with other files was accepted")
except build.Wrong as wrong:
    assert "name an empty folder" in str(wrong)
assert (work / "mine/thesis.txt").exists()
step("wrong programs and folders rejected")

# Verification, and what it must notice.
run(PACKAGES, "verify", out, "--key", public, says="signed with the key")
run(PACKAGES, "verify", out, "--key", other, code=1, says="no signature was made with the key")
(wheel,) = out.glob("*.whl")
launcher, carrier = out / f"assay-conformance-{version}.tgz", next(out.glob("assay-conformance-linux-*.tgz"))


def tampered(name, says, change):
    """Verification must fail once this file of the second build is changed."""
    file = again / name
    before = file.read_bytes() if file.exists() else None
    file.unlink(missing_ok=True)
    after = change(before)
    if after is not None:
        file.write_bytes(after)
    found = build.problems(again, public)
    assert found and says in found[0], (name, found)
    file.unlink(missing_ok=True)
    if before is not None:
        file.write_bytes(before)


def flipped(data):
    return data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]


for name in names:
    if name not in ["SHA256SUMS", "provenance.json", "provenance.dsse.json"]:
        tampered(name, f"{name}: its SHA-256 is", flipped)
tampered(wheel.name, "missing, though the statement names it", lambda _: None)
tampered("extra.whl", "the statement does not name this file", lambda _: b"PK")
tampered("SHA256SUMS", "its SHA-256 is", lambda data: re.sub(rb"^\w{64}", b"0" * 64, data, flags=re.M))
tampered("provenance.json", "another statement", lambda data: data.replace(b'"rust": "1', b'"rust": "2'))
tampered("provenance.json", "cannot be read", lambda _: b"{}")
tampered("provenance.dsse.json", "cannot be read", lambda _: None)
tampered("provenance.dsse.json", "cannot be read", lambda _: b"{}")
# Who repacks a file and corrects every digest still lacks the key.
repacked = b"class AssayConformance < Formula\nend\n"
(again / "assay-conformance.rb").write_bytes(repacked)
old, new = (run("sha256sum", folder / "assay-conformance.rb").split()[0] for folder in (out, again))
for name in ["provenance.json", "SHA256SUMS"]:
    (again / name).write_text((again / name).read_text().replace(old, new))
run(PACKAGES, "verify", again, says="signature not checked")
run(PACKAGES, "verify", again, "--key", public, code=1, says="another statement")
shutil.rmtree(again)
step("packages verified; each change was noticed")

# What the other packages say about the archive.
archive = out / f"assay-{version}-{target}.tar.gz"
digest = run("sha256sum", archive).split()[0]
formula = out / "assay-conformance.rb"
run("ruby", "-c", formula, says="Syntax OK")
assert f'sha256 "{digest}"' in formula.read_text() and f'/{archive.name}"' in formula.read_text()
flake = out / "flake.nix"
run("nix-instantiate", "--parse", flake)
stub = Path(__file__).with_name("stub.nix")
evaluate = ["nix-instantiate", "--eval", "--strict", "--json", "--readonly-mode", stub, "--argstr", "flake", flake]
# Nothing is built, so the state of an installed Nix stays as it is.
folders = {f"NIX_{name}_DIR": str(work / "nix") for name in ["STATE", "LOG"]}
evaluated = json.loads(run(*evaluate, env={**os.environ, **folders}).splitlines()[-1])
(package,) = evaluated["packages"].values()
assert package["version"] == version and package["src"]["url"].endswith(f"/{archive.name}"), package
binstall = tomllib.loads((ROOT / "command/Cargo.toml").read_text())["package"]["metadata"]["binstall"]
words = {"repo": "https://repository.invalid/assay", "version": version, "target": target, "bin": "assay"}
url, inside = (re.sub(r"\{ (\w+) \}", lambda found: words[found[1]], binstall[name]) for name in ["pkg-url", "bin-dir"])
assert url == package["src"]["url"], url
with tarfile.open(archive) as tar:
    held = {entry.name.split("/", 1)[1] for entry in tar}
    assert tar.getmember(inside).mode == 0o755, inside
for name in ["AGENTS.md", "README.md", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt", "assay.cdx.json", "assay.1", "assay.fish"]:
    assert name in held, f"{archive.name} lacks {name}"
step("formula, flake and binstall metadata lead to the archive")

# The README's example. Its URL is the drop of a simulator at its usual ports.
readme = (ROOT / "README.md").read_text()
(example,) = re.findall(r"^(assay run --drop-url )http://127\.0\.0\.1:4118$", readme, re.M)


class Simulator:
    """`assay sim` at free ports; it prints its URLs."""

    def __init__(self, assay, environment, *options):
        command = [*assay, "sim", "--quiet", "--listen", "127.0.0.1:0", *options]
        self.child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        atexit.register(self.child.kill)
        self.drop = None
        for line in self.child.stdout:
            if line.startswith("drop "):
                self.drop = line.split()[1]
            if "Ctrl-C" in line:
                return
        sys.exit(f"{command} ended before it printed its URLs")

    def end(self, number, code):
        self.child.send_signal(number)
        ended = self.child.wait(timeout=20)
        assert ended == code, f"after signal {number} the exit code is {ended}, not {code}"


def example_of(place, install, environment, names):
    """Installs, then runs the README's example: two commands, and a verdict."""
    start = time.monotonic()
    run(*install, cwd=place, env=environment)
    installed = time.monotonic() - start
    found = shutil.which("assay", path=environment["PATH"])
    assert found and Path(found).is_relative_to(place), f"assay is {found}"
    simulator = Simulator(["assay"], environment)
    start = time.monotonic()
    said = run("sh", "-c", example + simulator.drop, says="tested part conforms", cwd=place, env=environment)
    ran = time.monotonic() - start
    print(f"         {installed:.1f} s to install, {ran:.1f} s to the verdict: {said.strip().splitlines()[-2]}")
    for name in names:
        run(*name, "--version", says=f"assay {version}", cwd=place, env=environment)
        run(*name, "run", "--no-such-flag", code=2, cwd=place, env=environment)
    simulator.end(signal.SIGINT, 0)
    wrong = Simulator(names[-1], environment, "--deviate", "drop.response.expires-at/seconds")
    run(*names[-1], "run", "--drop-url", wrong.drop, "drop.response", code=1, says="does not conform", env=environment, cwd=place)
    wrong.end(signal.SIGTERM, 0)


system = "/usr/bin:/bin"
home = work / "home"
home.mkdir()

# A path with blanks, because launchers often forget to quote.
place = work / "only python"
place.mkdir()
# Without a `pip` of its own, which takes longer to install than everything else.
run(sys.executable, "-m", "venv", "--without-pip", place / "v")
bin = place / "v/bin"
environment = {"PATH": f"{bin}:{system}", "HOME": str(home)}
pip = [sys.executable, "-m", "pip", "--python", bin / "python", "--disable-pip-version-check"]
install = [*pip, "install", "--quiet", "--no-index", "--root-user-action=ignore", wheel]
commands = [["assay"], ["assay-conformance"], ["python", "-m", "assay_conformance"], ["python", "-m", "assay"]]
example_of(place, install, environment, commands)
run(*pip, "check", env=environment)
run(*install, "--target", place / "elsewhere", env=environment)
run("python", "-m", "assay_conformance", "--version", says=f"assay {version}", env={**environment, "PYTHONPATH": str(place / "elsewhere")})
(place / "elsewhere/bin/assay").unlink()
(bin / "assay").unlink()
run("python", "-m", "assay_conformance", code=4, says="is missing", env=environment)
# The package of the other distribution comes first, and keeps its files.
(site,) = (place / "v/lib").glob("python3*/site-packages")
(site / "assay").mkdir()
(site / "assay/__init__.py").touch()
(site / "assay/__main__.py").write_text("print('the other')")
run("python", "-m", "assay", says="the other", env=environment)
step("the wheel works")

place = work / "only node"
place.mkdir()
modules = place / "node_modules"
node = Path(shutil.which("node")).resolve().parent
environment = {"PATH": f"{modules}/.bin:{node}:{Path(shutil.which('npm')).parent}:{system}", "HOME": str(home)}
install = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", launcher, carrier]
# The last one starts a simulator, too, and npx runs a program in a shell, which does not pass signals on.
commands = [["npx", "--offline", "assay"], ["assay"], ["assay-conformance"]]
example_of(place, install, environment, commands)


def fake(script):
    """Puts a script in the place of the program."""
    file = modules / carrier.name.removesuffix(f"-{version}.tgz") / "bin/assay"
    file.write_text(f"#!/bin/sh\n{script}\n")


fake('trap "echo got >&2" INT; echo ready; n=0; while [ $n -lt 15 ]; do sleep 0.1; n=$((n + 1)); done')


def interrupted(interrupt, **options):
    """How often the program got SIGINT after one interrupt of the launcher."""
    terminal, side = pty.openpty()
    child = subprocess.Popen(["assay"], env=environment, stdin=side, stdout=side, stderr=side, **options)
    os.close(side)
    said = b""
    while b"ready" not in said:
        said += os.read(terminal, 1000)
    interrupt(child, terminal)
    child.wait(timeout=20)
    try:
        while part := os.read(terminal, 1000):
            said += part
    except OSError:
        pass
    os.close(terminal)
    return said.count(b"got")


def controlling():
    """Makes the terminal the controlling one, as a shell does."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


counts = [
    interrupted(lambda child, terminal: os.write(terminal, b"\x03"), start_new_session=True, preexec_fn=controlling),
    interrupted(lambda child, terminal: child.send_signal(signal.SIGINT), start_new_session=True),
]
assert counts == [1, 1], f"the program got SIGINT so often: by Ctrl-C and by kill: {counts}"
for word, number in {"KILL": 9, "SEGV": 11, "TERM": 15}.items():
    fake(f"ulimit -c 0; kill -{word} $$")
    run("assay", code=128 + number, env=environment)
fake("exit 7")
run("assay", code=7, env=environment)
about = modules / carrier.name.removesuffix(f"-{version}.tgz") / "package.json"
right = about.read_text()
about.write_text(right.replace(f'"version": "{version}"', '"version": "9.9.9"'))
run("assay", code=4, says="Install both with one version", env=environment)
about.write_text(right)
script = modules / "assay-conformance/bin/assay.js"
for platform, machine in [("darwin", "arm64"), ("win32", "x64"), ("linux", "s390x")]:
    become = f"for (const [k, v] of [['platform', '{platform}'], ['arch', '{machine}']]) Object.defineProperty(process, k, {{ value: v }});"
    said = run("node", "-e", f"{become} require({json.dumps(str(script))})", code=4, says="cargo install", env=environment)
    assert f"not for {platform}-{machine}" in said, said
# What a Linux without the C library of the program says.
(about.parent / "bin/assay").write_text("#!/lib/no-such-loader.so\n")
run("assay", code=4, says="lacks the C library", env=environment)
shutil.rmtree(about.parent)
run("assay", code=4, says="--omit=optional", env=environment)
step("the npm packages work")
