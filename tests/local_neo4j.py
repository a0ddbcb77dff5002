"""A real Neo4j Community server without a container engine, for tests and for `make neo4j`.

    python -m tests.local_neo4j [--version V] [--port N] [--home FOLDER]

Maven brings the server's jars once (docker/pom.xml); a Java that is new enough runs them as a
separate process, on loopback only. For development: 512 MB of heap, no TLS, no clustering.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from neo4j import GraphDatabase
from neo4j.exceptions import DriverError, Neo4jError
from platformdirs import user_cache_path

from meridia.core.errors import MeridiaError, Unavailable

ROOT = Path(__file__).resolve().parents[1]
DEFAULT_VERSION = "5.26.12"
#: Names the folder that holds `<version>/jars`, instead of the user's cache.
CACHE_VARIABLE = "MERIDIA_NEO4J_JARS"
ENTRY_POINT = "META-INF/services/org.neo4j.server.startup.EntryPoint"
READY_SECONDS_MAX = 120.0
JAVA_OPTIONS = (
    "-Xmx512m",
    # One small heap on a shared machine: the serial collector starts fastest and needs least.
    "-XX:+UseSerialGC",
    # A server of tests is never warm: the quick compiler alone takes a third less of the processor.
    "-XX:TieredStopAtLevel=1",
    # Most of what is made is garbage at once, and the jars are those that Maven has checked:
    # together these take another sixteenth less.
    "-Xmn256m",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
)
CONFIGURATION = """\
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
dbms.usage_report.enabled=false
dbms.security.auth_enabled=true
# A read transaction alone would let LOAD CSV read any file of this user.
dbms.security.allow_csv_import_from_file_urls=false
db.transaction.timeout=30s
# A graph of tests grows from nothing all the time: plans made once serve, for a fifth less.
dbms.cypher.min_replan_interval=1d
dbms.cypher.statistics_divergence_threshold=0.99
dbms.memory.transaction.total.max=256m
server.memory.pagecache.size=128m
"""


@dataclass(frozen=True)
class LocalNeo4j:
    """A server that runs as a child of this process, in a session of its own."""

    uri: str
    user: str
    password: str
    home: Path
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        """End the server in order; it takes about 10 s."""
        self.process.terminate()
        self.process.wait()

    def kill(self) -> None:
        """End the server at once; its data recovers at the next start."""
        self.process.kill()
        self.process.wait()


def start(version: str, home: Path, port: int = 0) -> LocalNeo4j:
    """Start a server on `home` and wait until it answers; `port` 0 takes any free one.

    A home that was used before keeps its data and its password. Raises Unavailable where Java,
    Maven or the server fail.
    """
    port = checked_port(port) if port else free_port()
    java, jars = java_for(version), fetch_jars(version)
    for folder in (home, home / "conf", home / "logs"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home / "conf" / "neo4j.conf").write_text(CONFIGURATION.format(port=port))
    password = password_of(home, java, jars)
    with (home / "logs" / "console.log").open("wb") as console:
        process = subprocess.Popen(
            [
                *(str(java), *JAVA_OPTIONS, "-cp", f"{jars}/*", entry_point(jars, version)),
                *(f"--home-dir={home}", f"--config-dir={home / 'conf'}"),
            ],
            stdout=console,
            stderr=subprocess.STDOUT,
            # Ctrl-C in a terminal does not reach it.
            start_new_session=True,
        )
    server = LocalNeo4j(f"bolt://127.0.0.1:{port}", "neo4j", password, home, process)
    try:
        wait_until_ready(server)
    except BaseException:
        server.kill()
        raise
    return server


def password_of(home: Path, java: Path, jars: Path) -> str:
    """Return the password of a home; set a random one before its server first runs."""
    file = home / "password"
    if not file.exists():
        password = secrets.token_hex(16)
        tool = ["org.neo4j.cli.AdminTool", "dbms", "set-initial-password", "--", password]
        run(
            [str(java), "-Xmx128m", "-cp", f"{jars}/*", *tool],
            NEO4J_HOME=str(home),
            NEO4J_CONF=str(home / "conf"),
        )
        file.touch(mode=0o600)
        file.write_text(password)
    return file.read_text()


def wait_until_ready(server: LocalNeo4j) -> None:
    """Return when the server's database takes a transaction."""
    deadline = time.monotonic() + READY_SECONDS_MAX
    print("  the server is starting", end="", flush=True)
    while True:
        try:
            with (
                GraphDatabase.driver(
                    server.uri, auth=(server.user, server.password), connection_timeout=5
                ) as driver,
                driver.session(database="neo4j") as session,
                session.begin_transaction(),
            ):
                print(" and ready", flush=True)
                return
        except (DriverError, Neo4jError) as problem:
            if server.process.poll() is not None or time.monotonic() > deadline:
                log = (server.home / "logs" / "console.log").read_text(errors="replace")
                raise Unavailable(f"Neo4j does not start: {problem}\n{log[-2000:]}") from problem
        print(".", end="", flush=True)
        time.sleep(0.5)


def java_for(version: str) -> Path:
    """Return a Java that runs Neo4j `version`: 17 or newer for 5, 21 for the calendar releases."""
    needed = 17 if version.startswith("5.") else 21
    for java in javas():
        output = run([str(java), "-version"])
        major = re.search(r'version "(\d+)', output)
        if major and int(major[1]) >= needed:
            return java
    raise Unavailable(f"Neo4j {version} needs Java {needed} or newer: install one or set JAVA_HOME")


def javas() -> Iterator[Path]:
    """Yield the Javas of this machine: JAVA_HOME, PATH, where systems install them."""
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / "java"
    if on_path := shutil.which("java"):
        yield Path(on_path)
    yield from sorted(Path("/usr/lib/jvm").glob("*/bin/java"))
    yield from sorted(Path("/Library/Java/JavaVirtualMachines").glob("*/Contents/Home/bin/java"))


def fetch_jars(version: str) -> Path:
    """Return the folder of the jars of Neo4j `version`, downloading them (150 MB) the first time.

    The folder appears whole or not at all; of several processes one downloads, the others wait.
    """
    cache = os.environ.get(CACHE_VARIABLE) or user_cache_path("meridia") / "neo4j"
    shelf = Path(cache) / version
    shelf.mkdir(parents=True, exist_ok=True)
    with (shelf / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shelf / "jars").is_dir():
            maven = shutil.which("mvn")
            if maven is None:
                raise Unavailable("Maven (mvn), which brings the jars of Neo4j, is not on PATH")
            with tempfile.TemporaryDirectory(dir=shelf) as partial:
                command = [maven, "-B", "-f", str(ROOT / "docker" / "pom.xml")]
                command += ["dependency:copy-dependencies", "-DincludeScope=runtime"]
                command += [f"-DoutputDirectory={partial}/jars", f"-Dneo4j.version={version}"]
                download(command)
                Path(partial, "jars").rename(shelf / "jars")
    return shelf / "jars"


def entry_point(jars: Path, version: str) -> str:
    """Return the main class that the neo4j jar itself names; it differs between versions."""
    with zipfile.ZipFile(jars / f"neo4j-{version}.jar") as jar:
        return jar.read(ENTRY_POINT).decode().split()[-1]


def download(command: Sequence[str]) -> None:
    """Run Maven to its end and count its downloads; raise Unavailable where it fails."""
    lines: list[str] = []
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            count = sum("Downloaded from" in one for one in lines) if "Downloaded" in line else 0
            if count and count % 20 == 0:
                print(f"  {count} files downloaded", flush=True)
    if process.returncode:
        raise Unavailable(f"{command[0]} failed:\n{''.join(lines)[-2000:]}")


def run(command: Sequence[str], **environment: str) -> str:
    """Run a command to its end and return its output; raise Unavailable where it fails."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    if done.returncode:
        raise Unavailable(f"{command[0]} failed:\n{done.stdout[-2000:]}")
    return done.stdout


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def checked_port(port: int) -> int:
    """Return a port that was named; raise Unavailable where somebody listens on it already."""
    with socket.socket() as probe:
        # As the server does: a connection that was just closed is not in its way.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise Unavailable(
                f"port {port} of this machine is taken ({error.strerror}): end what listens there, "
                "or name another with --port"
            ) from None
    return port


def main() -> None:
    """Run a server until Ctrl-C; print the settings for Meridia."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--version", default=DEFAULT_VERSION)
    parser.add_argument("--port", type=int, default=7687)
    parser.add_argument("--home", type=Path, default=ROOT / ".venv" / "neo4j")
    chosen = parser.parse_args()
    print("Starting Neo4j; the first time its jars are downloaded (150 MB).", flush=True)
    try:
        server = start(chosen.version, chosen.home.resolve(), chosen.port)
    except MeridiaError as problem:
        raise SystemExit(str(problem)) from None
    print("export MERIDIA_GRAPH_ENGINE=neo4j")
    for name in ("uri", "user", "password"):
        print(f"export MERIDIA_GRAPH_NEO4J_{name.upper()}={getattr(server, name)}")
    print("Ctrl-C stops the server and keeps its data.", flush=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        server.process.wait()
    server.stop()


if __name__ == "__main__":
    main()
