"""Builds the wheel and the source distribution, the same bytes from the same commit: `make dist`.

Files are dated by SOURCE_DATE_EPOCH, by default the time of the commit. setuptools dates the wheel
so; the source distribution is packed again, in order, without the names and rights of who built it.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Build what the options name, and print the hashes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--source", type=Path, default=ROOT, help="the repository")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where the files go")
    arguments = parser.parse_args()
    for file in build(arguments.source, arguments.out, time_of(arguments.source)):
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
    built = [*out.glob("*.tar.gz"), *out.glob("*.whl")]
    pack_again(built[0], at)
    return built


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
