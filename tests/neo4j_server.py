"""The one source of a real Neo4j for tests; a test that wants one asks for `neo4j_server`.

Three ways, in this order: a server that the environment names (MERIDIA_TEST_NEO4J_URI, _USER,
_PASSWORD; it should hold nothing of value), a container where a Docker engine answers, and
Maven's jars on this machine. MERIDIA_TEST_NEO4J_VERSION chooses the version of the last two.
Without any, the tests are skipped; with MERIDIA_REQUIRE_NEO4J=1 they fail instead.
"""

from __future__ import annotations

import gc
import os
import secrets
import shutil
import warnings
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
import requests
from docker.errors import DockerException
from neo4j import GraphDatabase

import docker
from meridia.core.errors import Unavailable
from tests import local_neo4j
from tests.local_neo4j import DEFAULT_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

ADVICE = (
    "these tests need a Neo4j: set MERIDIA_TEST_NEO4J_URI, _USER and _PASSWORD, or start Docker, "
    "or install Java and Maven"
)


@dataclass
class Neo4jServer:
    """A running Neo4j. Its address and password stay the same when it is killed and restarted."""

    uri: str
    user: str
    password: str
    version: str
    local: local_neo4j.LocalNeo4j | None = None

    @property
    def can_be_killed(self) -> bool:
        """Whether this is a process of our own, so that `kill` and `restart` work."""
        return self.local is not None

    def kill(self) -> None:
        """End the server at once, as a power cut would."""
        assert self.local is not None, "only a server from Maven's jars can be killed"
        self.local.kill()

    def restart(self) -> None:
        """Start the killed server again, on the same data and port."""
        assert self.local is not None, "only a server from Maven's jars can be restarted"
        port = int(self.uri.rpartition(":")[2])
        self.local = local_neo4j.start(self.version, self.local.home, port)


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServer]:
    """Yield a real Neo4j server for the whole run of the tests."""
    with ExitStack() as running:
        why = ""
        try:
            server = running.enter_context(a_server(os.environ, tmp_path_factory))
        except Unavailable as problem:
            why = str(problem)
        if not why:
            yield server
        elif os.environ.get("MERIDIA_REQUIRE_NEO4J") == "1":
            pytest.fail(f"{ADVICE}; {why}", pytrace=False)
        else:
            pytest.skip(f"{ADVICE} ({why.splitlines()[0]})")


@contextmanager
def a_server(
    environment: Mapping[str, str], folders: pytest.TempPathFactory
) -> Iterator[Neo4jServer]:
    """Run a server the first way that is open here; raise Unavailable where none is."""
    version = environment.get("MERIDIA_TEST_NEO4J_VERSION", DEFAULT_VERSION)
    if "MERIDIA_TEST_NEO4J_URI" in environment:
        yield named_server(environment)
    elif docker_answers():
        with container(version) as server:
            yield server
    else:
        with local_server(version, folders.mktemp("neo4j")) as server:
            yield server


def named_server(environment: Mapping[str, str]) -> Neo4jServer:
    """Return the server that the environment names, after asking it for its version."""
    uri = environment["MERIDIA_TEST_NEO4J_URI"]
    user = environment.get("MERIDIA_TEST_NEO4J_USER", "neo4j")
    password = environment.get("MERIDIA_TEST_NEO4J_PASSWORD", "")
    with GraphDatabase.driver(uri, auth=(user, password)) as driver:
        version = driver.get_server_info().agent.removeprefix("Neo4j/")
    return Neo4jServer(uri, user, password, version)


def docker_answers() -> bool:
    """Ask the engine: a client without an engine, as on many machines, is no help."""
    with warnings.catch_warnings():
        # Where no engine listens, the library forgets to close the socket that it tried.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            with closing(docker.from_env(timeout=5)) as engine:
                return bool(engine.ping())
        except (DockerException, requests.RequestException):
            return False
        finally:
            gc.collect()


@contextmanager
def container(version: str) -> Iterator[Neo4jServer]:
    """Run the official image of `version`."""
    # At import, testcontainers looks for an engine's settings; only this way needs that.
    from testcontainers.community.neo4j import Neo4jContainer

    with Neo4jContainer(f"neo4j:{version}", password=secrets.token_hex(16)) as running:
        yield Neo4jServer(running.get_connection_url(), running.username, running.password, version)


@contextmanager
def local_server(version: str, home: Path) -> Iterator[Neo4jServer]:
    """Run a server from Maven's jars on `home`, and remove both at the end."""
    started = local_neo4j.start(version, home)
    server = Neo4jServer(started.uri, started.user, started.password, version, started)
    try:
        yield server
    finally:
        # The data is thrown away, so the 10 s of an orderly stop would be waste.
        server.kill()
        shutil.rmtree(home)
