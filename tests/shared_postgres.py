"""Shared journals for tests: each a schema of its own in the one real PostgreSQL."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg
import pytest

from tests.needed import missing
from tests.postgres_server import PostgresServer


def new_journal(server_url: str) -> str:
    """Make an empty schema; return the address of the journal in it."""
    name = f"journal_{secrets.token_hex(6)}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{server_url}?options=-csearch_path%3D{name}"


@pytest.fixture
def shared_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The address of a shared journal that holds nothing."""
    yield new_journal(postgres_server.url)
    _drop_all(postgres_server.url)


@pytest.fixture
def shared_urls(postgres_server: PostgresServer) -> Iterator[Callable[[], str]]:
    """Makes addresses of shared journals that hold nothing."""
    yield lambda: new_journal(postgres_server.url)
    _drop_all(postgres_server.url)


@pytest.fixture
def pooled_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The address of an empty database behind PgBouncer, which shares three connections."""
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        missing("POSTGRES", "this test needs the program pgbouncer")
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    server = urlsplit(postgres_server.url)
    folder = Path(tempfile.mkdtemp(prefix="meridia-pool-"))
    account = f'"{server.username}" "{unquote(server.password or "")}"\n'
    (folder / "users").write_text(account)
    lines = [
        "[databases]",
        f"* = host={server.hostname} port={server.port or 5432}",
        "[pgbouncer]",
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =",
        f"auth_type = plain\nauth_file = {folder}/users\nlogfile = {folder}/log",
        "pool_mode = transaction\ndefault_pool_size = 3",
    ]
    (folder / "pool.ini").write_text("\n".join(lines))
    if is_root := os.geteuid() == 0:  # it does not run as root
        for path in (folder, *folder.iterdir()):
            shutil.chown(path, "nobody")
    command = [program, "-q", str(folder / "pool.ini")]
    pool = subprocess.Popen(command, user="nobody" if is_root else None)
    name = f"pooled_{secrets.token_hex(6)}"
    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    place = f"{server.username}:{server.password}@127.0.0.1:{port}"
    try:
        yield f"{server.scheme}://{place}/{name}"
    finally:
        pool.terminate()
        pool.wait(10)
        shutil.rmtree(folder)
        with psycopg.connect(postgres_server.url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _drop_all(server_url: str) -> None:
    with psycopg.connect(server_url, autocommit=True) as connection:
        names = connection.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'journal\\_%'"
        ).fetchall()
        for (name,) in names:
            connection.execute(f"DROP SCHEMA {name} CASCADE")
