"""Makes the packages of one program, and verifies them. `.ci/packages` starts it.

`build.py make PROGRAM FOLDER OUT` packs FOLDER, the content of the archive, and puts the same program into every other package.
`build.py target PROGRAM [TARGET]` prints the target that the program was built for, which must be TARGET.
`build.py verify OUT` compares the packages with their digests, the program in each with the others, and the signature with a key.

The same input gives the same bytes: entries are sorted, and every time is SOURCE_DATE_EPOCH.
"""

import argparse
import base64
import gzip
import hashlib
import io
import json
import os
import re
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = ROOT / "packaging"
NAME = "assay-conformance"
MODULE = "assay_conformance"
# The modules of the Python package, beside `__init__.py`.
MODULES = ["__main__.py", "program.py", "pytest_plugin.py", "simulator.py"]
ABOUT = "Tests whether a server, a client or a test vector conforms to the documents of six services"
# No address is published. A package that was made without --repository leads to an address that cannot exist.
NO_REPOSITORY = "https://repository.invalid/assay"

# The word of ELF for a machine, then the names that the registries have for it.
MACHINES = {
    "Advanced Micro Devices X86-64": {"rust": "x86_64", "python": "x86_64", "npm": "x64", "homebrew": "x86_64"},
    "AArch64": {"rust": "aarch64", "python": "aarch64", "npm": "arm64", "homebrew": "arm64"},
}
# What every Linux with glibc has. A wheel for `manylinux` must not need more.
LIBRARIES = re.compile(r"(libc|libm|libdl|librt|libpthread|libgcc_s|ld-linux[-\w]*)\.so\.\d")
# The oldest Linux that a static program is promised for. It needs a kernel, and no C library.
STATIC_TAGS = "manylinux_2_17_{0}.musllinux_1_1_{0}"

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"
PAYLOAD = "application/vnd.in-toto+json"
SUMS, PLAIN, SIGNED = "SHA256SUMS", "provenance.json", "provenance.dsse.json"


class Wrong(Exception):
    """What happened, where, and what to do."""


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def run(*command, **options):
    ran = subprocess.run(command, capture_output=True, **options)
    if ran.returncode != 0:
        raise Wrong(f"{command[0]} ended with exit code {ran.returncode}: {ran.stderr.decode(errors='replace').strip()}")
    return ran.stdout


class Program:
    """A built program: what its file says about where it runs."""

    def __init__(self, path):
        self.path = Path(path)
        try:
            self.data = self.path.read_bytes()
        except OSError as error:
            raise Wrong(f"{path}: the program cannot be read ({error.strerror}): build it first, or name another file") from None
        if self.data[:4] != b"\x7fELF":
            raise Wrong(f"{path} is not a program for Linux: packages are made for Linux only; elsewhere use cargo install")
        flags = ["--file-header", "--program-headers", "--dynamic", "--version-info", "--wide"]
        facts = run("readelf", *flags, str(path), env={**os.environ, "LC_ALL": "C"}).decode()
        machine = re.search(r"Machine:\s+(.*)", facts)[1]
        if machine not in MACHINES:
            raise Wrong(f"{path} is for {machine}: packages are made for {', '.join(MACHINES)}")
        self.machine = MACHINES[machine]
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", facts)
        self.is_static = not needed and "INTERP" not in facts
        if other := [name for name in needed if not LIBRARIES.fullmatch(name)]:
            raise Wrong(f"{path} needs {', '.join(other)}, which not every Linux has: link it statically (see .ci/release)")
        if not self.is_static:
            versions = [tuple(map(int, found.split("."))) for found in re.findall(r"Name: GLIBC_([\d.]+)", facts)]
            if not versions:
                raise Wrong(f"{path} is linked to libraries and names no version of glibc: build it for a -musl or -gnu target")
            self.glibc = max(versions)[:2]

    @property
    def target(self):
        return f"{self.machine['rust']}-unknown-linux-{'musl' if self.is_static else 'gnu'}"

    @property
    def wheel_tags(self):
        if self.is_static:
            return STATIC_TAGS.format(self.machine["python"])
        return "manylinux_{}_{}_{}".format(*self.glibc, self.machine["python"])

    @property
    def npm_package(self):
        return f"{NAME}-linux-{self.machine['npm']}"


def tarball(entries, epoch, level):
    """A gzipped tar of `{name: (bytes, mode)}`."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=level, mtime=0) as stream:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name, (data, mode) in sorted(entries.items()):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode, entry.mtime = len(data), mode, epoch
                tar.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def wheel(entries, info, epoch, level):
    """A wheel of `{name: (bytes, mode)}`. Its record comes last, as the format recommends."""
    packed = io.BytesIO()
    # A zip holds no time before 1980.
    moment = time.gmtime(max(epoch, 315532800))[:6]
    record = ""
    for name, (data, _) in sorted(entries.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    record += f"{info}/RECORD,,\n"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as file:
        for name, (data, mode) in [*sorted(entries.items()), (f"{info}/RECORD", (record.encode(), 0o644))]:
            entry = zipfile.ZipInfo(name, moment)
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | mode) << 16
            file.writestr(entry, data, compresslevel=level)
    return packed.getvalue()


def template(name, mode=0o644):
    """An entry of a package: a file of this folder, as it is."""
    return (TEMPLATES / name).read_bytes(), mode


def filled(name, values):
    """The template with each `@NAME@` replaced."""
    text = (TEMPLATES / name).read_text()
    text = re.sub(r"@([A-Z0-9_]+)@", lambda found: values[found[1]], text)
    return text.encode()


def as_json(value):
    return (json.dumps(value, indent=2) + "\n").encode()


def licences(folder):
    names = ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"]
    return {name: ((folder / name).read_bytes(), 0o644) for name in names}


def archive_of(folder, program):
    entries = {}
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        is_program = file == folder / "assay"
        entries[f"{folder.name}/{file.relative_to(folder)}"] = (file.read_bytes(), 0o755 if is_program else 0o644)
    if f"{folder.name}/assay" not in entries or entries[f"{folder.name}/assay"][0] != program.data:
        raise Wrong(f"{folder}/assay is not {program.path}: copy the program there first")
    return entries


def wheel_of(folder, program, version):
    info = f"{MODULE}-{version}.dist-info"
    metadata = filled("python/METADATA.in", {"VERSION": version, "ABOUT": ABOUT})
    metadata += (TEMPLATES / "description.md").read_bytes()
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in program.wheel_tags.split("."))
    about = f"Wheel-Version: 1.0\nGenerator: assay-packages\nRoot-Is-Purelib: false\n{tags}"
    scripts = f"[console_scripts]\n{NAME} = {MODULE}.__main__:main\n\n[pytest11]\nassay = {MODULE}.pytest_plugin\n"
    entries = {
        f"{MODULE}/__init__.py": (filled("python/__init__.py.in", {"VERSION": version}), 0o644),
        # It says that the modules have types.
        f"{MODULE}/py.typed": (b"", 0o644),
        **{f"{MODULE}/{name}": template(f"python/{name}") for name in MODULES},
        "assay.py": template("python/assay.py"),
        f"{MODULE}-{version}.data/scripts/assay": (program.data, 0o755),
        f"{info}/METADATA": (metadata, 0o644),
        f"{info}/WHEEL": (about.encode(), 0o644),
        f"{info}/entry_points.txt": (scripts.encode(), 0o644),
        f"{info}/sboms/assay.cdx.json": ((folder / "assay.cdx.json").read_bytes(), 0o644),
    }
    entries |= {f"{info}/licenses/{name}": content for name, content in licences(folder).items()}
    return entries, info


def npm_of(folder, program, version, repository):
    """The package with the launcher, and the package with the program."""
    shared = {"version": version, "license": "MIT OR Apache-2.0", "repository": {"type": "git", "url": repository}}
    launcher = {
        "name": NAME,
        **shared,
        "description": ABOUT,
        "main": "index.js",
        "types": "index.d.ts",
        "bin": {"assay": "bin/assay.js", NAME: "bin/assay.js"},
        "engines": {"node": ">=18"},
        "optionalDependencies": {program.npm_package: version},
    }
    # npm skips a package with `libc` where it cannot tell which one there is. A static program runs there, too.
    libc = {} if program.is_static else {"libc": ["glibc"]}
    carrier = {
        "name": program.npm_package,
        **shared,
        "description": f"The program of {NAME} for Linux on {program.machine['npm']}",
        "os": ["linux"],
        "cpu": [program.machine["npm"]],
        **libc,
    }
    readme = template("description.md")
    texts = licences(folder)
    return [
        (
            f"{NAME}-{version}.tgz",
            {
                "package.json": (as_json(launcher), 0o644),
                "bin/assay.js": template("npm/assay.js", 0o755),
                "index.d.ts": template("npm/index.d.ts"),
                "index.js": template("npm/index.js"),
                "lib/program.js": template("npm/program.js"),
                "README.md": readme,
                **{name: texts[name] for name in ["LICENSE-APACHE", "LICENSE-MIT"]},
            },
        ),
        (
            f"{program.npm_package}-{version}.tgz",
            {
                "package.json": (as_json(carrier), 0o644),
                "bin/assay": (program.data, 0o755),
                "README.md": readme,
                "assay.cdx.json": ((folder / "assay.cdx.json").read_bytes(), 0o644),
                **texts,
            },
        ),
    ]


def statement(subjects, program, version, args):
    """The in-toto statement of how the packages were made, with the predicate of SLSA 1.0."""
    commit = run("git", "-C", str(ROOT), "rev-parse", "HEAD").decode().strip()
    is_clean = not run("git", "-C", str(ROOT), "status", "--porcelain")
    toolchain = tomllib.loads((ROOT / "rust-toolchain.toml").read_text())["toolchain"]["channel"]
    materials = [{"uri": f"git+{args.repository}", "digest": {"gitCommit": commit}}]
    materials += [{"uri": "Cargo.lock", "digest": {"sha256": sha256((ROOT / "Cargo.lock").read_bytes())}}]
    return {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in sorted(subjects.items())],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": f"{args.repository}/blob/v{version}/docs/install.md#provenance",
                "externalParameters": {"target": program.target, "version": version},
                # A tree with changes that no commit holds cannot be built again from the commit.
                "internalParameters": {"rust": toolchain, "uncommittedChanges": not is_clean},
                "resolvedDependencies": materials,
            },
            "runDetails": {
                "builder": {"id": args.builder or f"{args.repository}/blob/v{version}/.ci/packages"},
                "byproducts": [{"name": "assay", "digest": {"sha256": sha256(program.data)}}],
            },
        },
    }


def signed_bytes(payload):
    """What a DSSE signature covers: the type and the payload, each with its length."""
    return b"DSSEv1 %d %s %d %s" % (len(PAYLOAD), PAYLOAD.encode(), len(payload), payload)


def public_key(key, *flags):
    """The public key in DER, of a private key or, with `-pubin`, of a public one."""
    return run("openssl", "pkey", *flags, "-in", str(key), "-pubout", "-outform", "DER")


def sign(payload, key):
    with tempfile.NamedTemporaryFile() as file:
        file.write(signed_bytes(payload))
        file.flush()
        signature = run("openssl", "pkeyutl", "-sign", "-rawin", "-inkey", str(key), "-in", file.name)
    encoded = [base64.b64encode(data).decode() for data in (payload, signature)]
    keyid = sha256(public_key(key))
    return {"payload": encoded[0], "payloadType": PAYLOAD, "signatures": [{"keyid": keyid, "sig": encoded[1]}]}


def print_target(args):
    target = Program(args.program).target
    if args.target not in (None, "", target):
        raise Wrong(f"{args.program} was built for {target}, not for {args.target}: name the right target, or none")
    print(target)


def remove_earlier(out):
    """Removes the packages of an earlier run, which the new statement would not name, and nothing else."""
    out.mkdir(parents=True, exist_ok=True)
    names = {file.name for file in out.iterdir()}
    sums = (out / SUMS).read_text().splitlines() if SUMS in names else []
    earlier = {line.split("  ", 1)[-1] for line in sums} | {SUMS}
    if other := sorted(names - earlier):
        raise Wrong(f"{out} holds {other[0]}, which is not a package of an earlier run: name an empty folder")
    for name in names:
        (out / name).unlink()


def make(args):
    program, folder, out = Program(args.program), Path(args.folder), Path(args.out)
    epoch, level = int(os.environ["SOURCE_DATE_EPOCH"]), 1 if args.fast else 9
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    if args.version != version:
        raise Wrong(
            f"{args.program} has version {args.version}, and Cargo.toml has {version}: "
            "build the program from this checkout"
        )
    home = f"{args.repository}/releases/download/v{version}"
    remove_earlier(out)

    packages = {}
    archive = f"{folder.name}.tar.gz"
    packages[archive] = tarball(archive_of(folder, program), epoch, level)
    packages[f"{folder.name}.cdx.json"] = (folder / "assay.cdx.json").read_bytes()
    entries, info = wheel_of(folder, program, version)
    packages[f"{MODULE}-{version}-py3-none-{program.wheel_tags}.whl"] = wheel(entries, info, epoch, level)
    for name, files in npm_of(folder, program, version, args.repository):
        packages[name] = tarball({f"package/{path}": content for path, content in files.items()}, epoch, level)
    digest = hashlib.sha256(packages[archive]).digest()
    values = {
        "VERSION": version,
        "ABOUT": ABOUT,
        "REPOSITORY": args.repository,
        "URL": f"{home}/{archive}",
        "SHA256": digest.hex(),
        "SRI": f"sha256-{base64.b64encode(digest).decode()}",
        "ARCH": program.machine["homebrew"],
        "SYSTEM": f"{program.machine['rust']}-linux",
        "NEEDS_GLIBC": "false" if program.is_static else "true",
    }
    packages[f"{NAME}.rb"] = filled("homebrew/assay-conformance.rb.in", values)
    packages["flake.nix"] = filled("nix/flake.nix.in", values)

    subjects = {name: sha256(data) for name, data in packages.items()}
    payload = as_json(statement(subjects, program, version, args))
    packages[PLAIN] = payload
    if args.sign:
        packages[SIGNED] = as_json(sign(payload, args.sign))
    sums = "".join(f"{sha256(data)}  {name}\n" for name, data in sorted(packages.items()))
    packages[SUMS] = sums.encode()
    for name, data in packages.items():
        (out / name).write_bytes(data)
    for problem in problems(out):
        raise Wrong(problem)
    print(f"{out}: {len(packages)} files; every program has the SHA-256 {sha256(program.data)}")


def programs(out):
    """The SHA-256 of the program in each package that carries it."""
    found = {}
    for file in sorted(out.iterdir()):
        if file.name.endswith(".whl"):
            with zipfile.ZipFile(file) as wheel:
                inside = {name: wheel.read for name in wheel.namelist() if name.endswith(".data/scripts/assay")}
                found |= {file.name: sha256(read(name)) for name, read in inside.items()}
        elif file.name.endswith(("gz", "tgz")):
            with tarfile.open(file) as tar:
                for entry in tar:
                    if entry.isfile() and entry.name.endswith("/assay"):
                        found[file.name] = sha256(tar.extractfile(entry).read())
    return found


def problems(out, key=None):
    """What is wrong with the packages in a folder: nothing, or one sentence each."""
    try:
        payload = (out / PLAIN).read_bytes()
        made = json.loads(payload)
        subjects = {subject["name"]: subject["digest"]["sha256"] for subject in made["subject"]}
        wanted = made["predicate"]["runDetails"]["byproducts"][0]["digest"]["sha256"]
        sums = dict(reversed(line.split("  ", 1)) for line in (out / SUMS).read_text().splitlines())
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        return [f"{out}: the statement or the checksums cannot be read ({error}): fetch all files of the release again"]
    found = []
    if (made["_type"], made["predicateType"]) != (STATEMENT, PREDICATE):
        found.append(f"{PLAIN}: not a provenance statement of SLSA 1.0: fetch it again")
    names = {file.name for file in out.iterdir()} - {SUMS, PLAIN, SIGNED}
    found += [f"{name}: missing, though the statement names it" for name in sorted(subjects.keys() - names)]
    found += [f"{name}: the statement does not name this file: do not use it" for name in sorted(names - subjects.keys())]
    for name in sorted(names & subjects.keys()):
        digest = sha256((out / name).read_bytes())
        for source, other in ((PLAIN, subjects[name]), (SUMS, sums.get(name))):
            if digest != other:
                found.append(f"{name}: its SHA-256 is {digest}, and {source} has {other}: do not use it")
    if key and not found:
        found = signature_problems(out, payload, key)
    if found:
        return found
    inside = programs(out)
    found += [
        f"{name}: the program inside has the SHA-256 {digest}, and the statement has {wanted}: do not use it"
        for name, digest in inside.items()
        if digest != wanted
    ]
    if len(inside) < 3:
        found.append(f"{out}: only {len(inside)} packages carry a program: fetch all files of the release again")
    return found


def signature_problems(out, payload, key):
    try:
        envelope = json.loads((out / SIGNED).read_bytes())
        held = base64.b64decode(envelope["payload"], validate=True)
        kind, signatures = envelope["payloadType"], [base64.b64decode(one["sig"]) for one in envelope["signatures"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"{SIGNED}: the signature cannot be read ({error}): the packages are not signed, or fetch the file again"]
    if held != payload or kind != PAYLOAD:
        return [f"{SIGNED}: it holds another statement than {PLAIN}: do not use the packages"]
    public_key(key, "-pubin")
    with tempfile.TemporaryDirectory() as work:
        message, file = Path(work, "message"), Path(work, "signature")
        message.write_bytes(signed_bytes(payload))
        for signature in signatures:
            file.write_bytes(signature)
            flags = ["-pubin", "-inkey", str(key), "-in", str(message), "-sigfile", str(file)]
            command = ["openssl", "pkeyutl", "-verify", "-rawin", *flags]
            if subprocess.run(command, capture_output=True).returncode == 0:
                return []
    return [f"{SIGNED}: no signature was made with the key in {key}: do not use the packages"]


def verify(args):
    out = Path(args.out)
    if not out.is_dir():
        raise Wrong(f"{out}: no such folder: name the one that .ci/packages wrote")
    if found := problems(out, args.key):
        raise Wrong("\n".join(found))
    signed = f"signed with the key in {args.key}" if args.key else "signature not checked: name the public key with --key"
    print(f"OK: the packages in {out} are as their statement says; {signed}")


def main():
    parser = argparse.ArgumentParser(prog=".ci/packages", description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(required=True)
    made = commands.add_parser("make")
    for name in ["program", "folder", "out"]:
        made.add_argument(name)
    made.add_argument("--version", required=True, help="what the program prints as its version")
    made.add_argument("--repository", default=NO_REPOSITORY, help="where releases are published")
    made.add_argument("--builder", help="the URI of who builds, for the statement")
    made.add_argument("--sign", metavar="KEY.pem", help="an ed25519 private key")
    made.add_argument("--fast", action="store_true", help="compress little: for tests")
    made.set_defaults(does=make)
    checked = commands.add_parser("verify")
    checked.add_argument("out")
    checked.add_argument("--key", metavar="KEY.pem", help="the public key of the signature")
    checked.set_defaults(does=verify)
    named = commands.add_parser("target")
    named.add_argument("program")
    named.add_argument("target", nargs="?", help="what it should be")
    named.set_defaults(does=print_target)
    args = parser.parse_args()
    try:
        args.does(args)
    except Wrong as wrong:
        sys.exit(f"{wrong}")


if __name__ == "__main__":
    main()
