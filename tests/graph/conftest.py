"""Graph stores for tests: the embedded engine always, Neo4j where a server can be had."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest

from meridia.core.ports import GraphStore
from meridia.core.types import Space
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.neo4j_store import Neo4jStore
from meridia.graph.schema import Partition
from tests.histories import TestJournal


@pytest.fixture
def space() -> Space:
    """Return a space that is empty when a test begins.

    All tests share its name: Neo4j plans a statement anew for every label, so for every space.
    """
    return Space("test")


@pytest.fixture
def journal() -> Iterator[TestJournal]:
    """Yield an empty journal."""
    journal = TestJournal()
    yield journal
    journal.close()


def _empty(server: Any) -> None:
    """Remove what tests before this one left in the server that all share."""
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        driver.execute_query(
            "MATCH (n) WHERE n.space IS NOT NULL OR n:MeridiaProjection DETACH DELETE n"
        )


@pytest.fixture
def open_neo4j(request: pytest.FixtureRequest) -> Iterator[Callable[..., Neo4jStore]]:
    """Yield a way to open spaces of a real Neo4j that is empty of ours."""
    server: Any = request.getfixturevalue("neo4j_server")
    _empty(server)
    opened: list[Neo4jStore] = []

    def open_(space: Space, journal: str = "one") -> Neo4jStore:
        partition = Partition(
            space, hashlib.blake2b(f"{journal} {space}".encode()).hexdigest()[:16]
        )
        store = Neo4jStore(server.uri, server.user, server.password, "neo4j", partition)
        opened.append(store)
        return store

    yield open_
    for store in opened:
        store.close()


@pytest.fixture(params=["kglite", "neo4j"])
def open_store(
    request: pytest.FixtureRequest, tmp_path: Path, space: Space
) -> Iterator[Callable[[], GraphStore]]:
    """Yield a way to open one store, and the same again, over either engine."""
    if request.param == "neo4j":
        open_neo4j = request.getfixturevalue("open_neo4j")
        yield lambda: open_neo4j(space)
        return
    opened: list[KgliteStore] = []

    def open_() -> KgliteStore:
        opened.append(KgliteStore(tmp_path / "graphs" / "graph.kgl", space))
        return opened[-1]

    yield open_
    for store in opened:
        store.close()


@pytest.fixture
def graph_store(open_store: Callable[[], GraphStore]) -> GraphStore:
    """Return an empty store, over either engine."""
    return open_store()


@pytest.fixture
def kglite_store(tmp_path: Path) -> Iterator[KgliteStore]:
    """Yield an empty store of the space `home` over the embedded engine."""
    store = KgliteStore(tmp_path / "graph.kgl", Space("home"))
    yield store
    store.close()
