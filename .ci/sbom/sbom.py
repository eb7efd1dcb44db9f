"""Describes what the program is made of: `sbom.py TARGET FOLDER` writes into FOLDER the bill of materials (CycloneDX 1.6, checked
against its schema) and the licences of the dependencies. The same lock file gives the same bytes."""

import json
import re
import subprocess
import sys
import tomllib
import uuid
from datetime import datetime, timezone
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

PROGRAM = "assay-conformance"
LICENCE_FILE = re.compile("licen[cs]e|copying|notice|unlicense", re.IGNORECASE)

target, folder = sys.argv[1], Path(sys.argv[2])
command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
metadata = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
packages = {package["id"]: package for package in metadata["packages"]}
nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
lock = tomllib.loads(Path("Cargo.lock").read_text())
checksums = {(package["name"], package["version"]): package.get("checksum") for package in lock["package"]}


def needed(package):
    """The packages that a package needs to be built; tests do not count."""
    return [d["pkg"] for d in nodes[package]["deps"] if any(kind["kind"] != "dev" for kind in d["dep_kinds"])]


def component(package):
    name, version = package["name"], package["version"]
    checksum = checksums[name, version]
    return Component(
        name="assay" if name == PROGRAM else name,
        version=version,
        bom_ref=f"{name}@{version}",
        type=ComponentType.APPLICATION if name == PROGRAM else ComponentType.LIBRARY,
        description=package["description"],
        licenses=[LicenseFactory().make_from_string(package["license"].replace("/", " OR "))],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=checksum)] if checksum else [],
        purl=PackageURL("cargo", None, name, version) if package["source"] else None,
    )


root = next(id for id, package in packages.items() if package["name"] == PROGRAM)
components, rest = {}, [root]
while rest:
    id = rest.pop()
    if id not in components:
        components[id] = component(packages[id])
        rest += needed(id)

committed = subprocess.run(["git", "log", "-1", "--format=%ct"], check=True, capture_output=True).stdout
bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(sorted(map(str, components)) + [target])))
bom.metadata.timestamp = datetime.fromtimestamp(int(committed), timezone.utc)
bom.metadata.component = components[root]
bom.components = [one for id, one in components.items() if id != root]
for id, one in components.items():
    bom.register_dependency(one, [components[other] for other in needed(id)])
text = JsonV1Dot6(bom).output_as_string(indent=2)
if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
    sys.exit(f"the bill of materials does not have the form of CycloneDX: {error}")
(folder / "assay.cdx.json").write_text(text)

# Each text once, with the packages that have it.
notices = {}
for package in sorted((packages[id] for id in components), key=lambda package: (package["name"], package["version"])):
    if package["source"]:
        source = Path(package["manifest_path"]).parent
        files = sorted(file for file in source.iterdir() if LICENCE_FILE.match(file.name) and file.is_file())
        for text in [file.read_text(errors="replace").strip() for file in files] or ["(no file in the package)"]:
            name = f"{package['name']} {package['version']}: {package['license']}"
            notices.setdefault(text, []).append(name)
rule = "=" * 80
texts = (f"{rule}\n{chr(10).join(names)}\n\n{text}\n\n" for text, names in notices.items())
(folder / "THIRD-PARTY.txt").write_text("".join(texts))
print(f"OK: {len(components)} packages are in the program for {target}")
