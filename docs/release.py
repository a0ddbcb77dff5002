"""Builds wheel, source distribution and bill of materials, the same bytes from the same commit.

`make dist`, or `python -m docs.release --out FOLDER`. With `--homebrew ADDRESS`, under which the
files of the release will be, also a formula for a Homebrew tap.

Files are dated by SOURCE_DATE_EPOCH, by default the time of the commit. setuptools dates the wheel
so; the source distribution is packed again, in order, without the names and rights of who built it.
The bill of materials (CycloneDX 1.6) is made from what stands in the wheel: which libraries it asks
for, with which versions and extras, and the one that it brings.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from datetime import UTC, datetime
from email import message_from_bytes
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from packaging.requirements import Requirement

#: A library of the inspector that the wheel has as one file.
_BROUGHT = "cytoscape"

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Build what the options name, and print the hashes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--source", type=Path, default=ROOT, help="the repository")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where the files go")
    parser.add_argument("--homebrew", metavar="ADDRESS", help="where the release will be")
    arguments = parser.parse_args()
    files = build(arguments.source, arguments.out, time_of(arguments.source))
    if arguments.homebrew:
        files.append(arguments.out / "meridia.rb")
        files[-1].write_text(formula(files[0], arguments.homebrew.rstrip("/")), "utf-8")
    for file in files:
        print(hashlib.sha256(file.read_bytes()).hexdigest(), file.name)


def time_of(source: Path) -> int:
    """Return the time that files get, in seconds since 1970."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    command = ["git", "-C", str(source), "log", "-1", "--format=%ct"]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def build(source: Path, out: Path, at: int) -> list[Path]:
    """Build both into an empty or new folder, and return them."""
    command = [sys.executable, "-m", "build", "--outdir", str(out), str(source)]
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(at)}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    (sdist,), (wheel,) = out.glob("*.tar.gz"), out.glob("*.whl")
    pack_again(sdist, at)
    bill = out / f"{wheel.stem}.cdx.json"
    bill.write_text(json.dumps(materials(wheel, at), indent=1) + "\n", "utf-8")
    return [sdist, wheel, bill]


def materials(wheel: Path, at: int) -> dict[str, Any]:
    """Return what a wheel says that it is made of and needs, as a CycloneDX document."""
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        told = message_from_bytes(packed.read(name))
        (brought,) = (name for name in packed.namelist() if f"/{_BROUGHT}.esm" in name)
        script = packed.read(brought)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    product = {
        "type": "application",
        "bom-ref": "meridia",
        "name": told["Name"],
        "version": told["Version"],
        "purl": f"pkg:pypi/{told['Name']}@{told['Version']}",
        "licenses": [{"license": {"id": told["License-Expression"]}}],
        "hashes": [{"alg": "SHA-256", "content": digest}],
    }
    needed = [_needed(Requirement(line)) for line in told.get_all("Requires-Dist", [])]
    needed.append(_brought(script))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, digest)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(at, UTC).isoformat(),
            "component": product,
        },
        "components": needed,
        "dependencies": [
            {"ref": "meridia", "dependsOn": [component["bom-ref"] for component in needed]}
        ],
    }


_FORMULA = """\
class Meridia < Formula
  desc "{description}"
  homepage "{address}"
  url "{address}/{name}"
  sha256 "{digest}"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    system "python3.13", "-m", "venv", libexec
    system libexec/"bin/pip", "install", ".[service,postgres]"
    bin.install_symlink libexec/"bin/meridia"
  end

  test do
    system bin/"meridia", "demo"
  end
end
"""


def formula(sdist: Path, address: str) -> str:
    """Return the text of a Homebrew formula that installs a source distribution."""
    with tarfile.open(sdist) as packed:
        (name,) = (name for name in packed.getnames() if re.fullmatch(r"[^/]+/PKG-INFO", name))
        told = message_from_bytes(packed.extractfile(name).read())  # type: ignore[union-attr]
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    given = {"description": told["Summary"], "address": address, "name": sdist.name}
    return _FORMULA.format(**given, digest=digest)


def _brought(script: bytes) -> dict[str, Any]:
    version = re.findall(rb'version="(\d+\.\d+\.\d+)"', script)[0].decode()
    return {
        "type": "library",
        "bom-ref": f"npm:{_BROUGHT}",
        "name": _BROUGHT,
        "version": version,
        "purl": f"pkg:npm/{_BROUGHT}@{version}",
        "scope": "required",
        "licenses": [{"license": {"id": "MIT"}}],
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(script).hexdigest()}],
    }


def _needed(requirement: Requirement) -> dict[str, Any]:
    marker = str(requirement.marker or "")
    extra = re.search(r"extra == \"([\w-]+)\"", marker)
    told = [("meridia:versions", str(requirement.specifier))]
    told += [("meridia:extra", extra[1])] if extra else []
    return {
        "type": "library",
        "bom-ref": f"pypi:{requirement.name}{f':{extra[1]}' if extra else ''}",
        "name": requirement.name,
        "purl": f"pkg:pypi/{requirement.name.lower().replace('_', '-')}",
        "scope": "optional" if extra else "required",
        "properties": [{"name": name, "value": value} for name, value in told],
    }


def pack_again(sdist: Path, at: int) -> None:
    """Give an archive an order and dates that depend on nothing but its content."""
    packed = io.BytesIO()
    with (
        tarfile.open(sdist) as old,
        gzip.GzipFile(filename="", fileobj=packed, mode="wb", mtime=at) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            plain = tarfile.TarInfo(member.name)
            plain.type, plain.size, plain.mtime = member.type, member.size, at
            plain.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new.addfile(plain, old.extractfile(member) if member.isfile() else None)
    sdist.write_bytes(packed.getvalue())


if __name__ == "__main__":
    main()
