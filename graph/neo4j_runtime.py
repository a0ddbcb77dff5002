"""Find what a Neo4j server needs to run on this machine: a Java that is new enough, and its jars.

Maven brings the jars (docker/pom.xml) once per version; they are kept between runs. It refuses to
install anything system-wide and to guess: where Java or Maven is missing, the error says which.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from ..core.errors import InvalidInput, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEFAULT_VERSION = "5.26.12"
#: Names the folder that holds `<version>/jars`, instead of the user's cache.
CACHE_VARIABLE = "MERIDIA_NEO4J_JARS"

_ENTRY_POINT = "META-INF/services/org.neo4j.server.startup.EntryPoint"
_DOWNLOAD_SECONDS_MAX = 1200.0


def java_for(version: str, java: Path | None = None) -> Path:
    """Return a Java that is new enough for Neo4j `version`: `java` itself, or the first found.

    Looked at in this order: JAVA_HOME, PATH, and the folders where systems install Java.
    """
    needed = _java_needed(version)
    versions: dict[Path, int | None] = {}
    for candidate in [java] if java is not None else _java_candidates(os.environ):
        # Systems link one Java under several names; asking each would take 0.1 s a name.
        real = candidate.resolve()
        if real in versions:
            continue
        versions[real] = major = _java_major(candidate)
        if major is not None and major >= needed:
            return candidate
    candidates_text = ", ".join(
        f"{path} ({major or 'does not run'})" for path, major in versions.items()
    )
    raise Unavailable(
        f"Neo4j {version} needs Java {needed} or newer; found: {candidates_text or 'none'}. "
        f"Install one (Debian and Ubuntu: a package such as openjdk-{needed}-jre-headless), "
        "or set JAVA_HOME."
    )


def fetch_jars(version: str, *, cache: Path | None = None, pom: Path | None = None) -> Path:
    """Return the folder of the jars of Neo4j `version`, downloading them (150 MB) the first time.

    Kept under `cache`, by default MERIDIA_NEO4J_JARS or the user's cache, as `<version>/jars`. The
    folder appears whole or not at all; of several processes one downloads and the others wait.
    """
    _java_needed(version)
    shelf = (cache or _default_cache(os.environ)).expanduser().resolve() / version
    jars = shelf / "jars"
    if jars.is_dir():
        return jars
    shelf.mkdir(parents=True, exist_ok=True)
    with locked(shelf / "lock"):
        # Another process may have brought them while this one waited for the lock.
        if not jars.is_dir():
            for leftover in shelf.glob("partial-*"):
                shutil.rmtree(leftover)
            with tempfile.TemporaryDirectory(prefix="partial-", dir=shelf) as partial:
                _download(version, Path(partial) / "jars", pom or _packaged_pom())
                (Path(partial) / "jars").rename(jars)
    return jars


def entry_point(jars: Path, version: str) -> str:
    """Return the main class that the neo4j jar itself names; it differs between versions."""
    archive = jars / f"neo4j-{version}.jar"
    try:
        with zipfile.ZipFile(archive) as jar:
            lines = jar.read(_ENTRY_POINT).decode().splitlines()
    except (OSError, KeyError, zipfile.BadZipFile) as problem:
        raise Unavailable(
            f"{archive} names no Neo4j server to start ({problem}). Delete {jars} to download it "
            "again."
        ) from problem
    names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not names:
        raise Unavailable(f"{archive} names no Neo4j server to start. Delete {jars} to try again.")
    return names[0]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an advisory lock on `path`; the system frees it should this process die."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run(
    command: list[str], seconds_max: float, environment: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Run a command to its end; return its exit status and what it wrote, errors included.

    Raises Unavailable where it cannot be started or takes longer than `seconds_max`.
    """
    try:
        # Java and Maven of this machine, with arguments made here; nothing passes through a shell.
        answer = subprocess.run(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=seconds_max,
            check=False,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise Unavailable(f"{command[0]} did not run to its end: {problem}") from problem
    return answer.returncode, answer.stdout


def last_lines(text: str, count: int) -> str:
    """Return the last `count` lines of `text` that are not blank."""
    return "\n".join([line for line in text.splitlines() if line.strip()][-count:])


def _java_needed(version: str) -> int:
    """Return the oldest Java that runs `version`: 17 for Neo4j 5, 21 for the calendar releases."""
    if not re.fullmatch(r"\d{1,4}\.\d{1,3}\.\d{1,3}", version):
        raise InvalidInput(f"Neo4j version {version!r} is not of the form {DEFAULT_VERSION}.")
    line = int(version.partition(".")[0])
    if line < 5:
        raise InvalidInput(f"Neo4j {version} is too old: Meridia works with 5 and later.")
    return 17 if line == 5 else 21


def _java_candidates(environment: Mapping[str, str]) -> Iterator[Path]:
    if environment.get("JAVA_HOME"):
        yield Path(environment["JAVA_HOME"]) / "bin" / "java"
    on_path = shutil.which("java", path=environment.get("PATH"))
    if on_path:
        yield Path(on_path)
    yield from sorted(Path("/usr/lib/jvm").glob("*/bin/java"))
    yield from sorted(Path("/Library/Java/JavaVirtualMachines").glob("*/Contents/Home/bin/java"))


def _java_major(java: Path) -> int | None:
    """Return the major version that `java` reports, None where it does not run."""
    try:
        status, output = run([str(java), "-version"], seconds_max=60)
    except Unavailable:
        return None
    # Up to Java 8 the first number was always 1: "1.8.0_402".
    match = re.search(r'version "(?:1\.)?(\d+)', output)
    return int(match[1]) if status == 0 and match else None


def _default_cache(environment: Mapping[str, str]) -> Path:
    override = environment.get(CACHE_VARIABLE)
    return Path(override) if override else user_cache_path("meridia") / "neo4j"


def _packaged_pom() -> Path:
    return Path(__file__).resolve().parent.parent / "docker" / "pom.xml"


def _download(version: str, target: Path, pom: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise Unavailable(
            "Maven (mvn) is not on PATH, and brings the jars of Neo4j. Install it (Debian and "
            f"Ubuntu: maven), or set {CACHE_VARIABLE} to a folder that holds {version}/jars."
        )
    command = [maven, "-B", "-q", "-Dstyle.color=never", "-f", str(pom)]
    command += ["dependency:copy-dependencies", "-DincludeScope=runtime"]
    command += [f"-DoutputDirectory={target}", f"-Dneo4j.version={version}"]
    status, output = run(command, _DOWNLOAD_SECONDS_MAX)
    if status != 0 or not (target / f"neo4j-{version}.jar").is_file():
        ending = last_lines(output, 12) or f"it ended with status {status}"
        raise Unavailable(f"Maven did not bring Neo4j {version}. It said:\n{ending}")
