"""Shared journals for tests: each a schema of its own in the one real PostgreSQL."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator

import psycopg
import pytest

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


def _drop_all(server_url: str) -> None:
    with psycopg.connect(server_url, autocommit=True) as connection:
        names = connection.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'journal\\_%'"
        ).fetchall()
        for (name,) in names:
            connection.execute(f"DROP SCHEMA {name} CASCADE")
