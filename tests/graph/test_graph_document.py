"""docs/graph.md names all there is in the graph, and its recipes run on both engines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest

from meridia.core.ports import GraphStore
from meridia.core.types import Space
from meridia.graph.digest import digest
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.projector import project
from meridia.graph.schema import EDGES, LABELS, EdgeType
from meridia.memory import Memory

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "graph.md").read_text("utf-8")
DEMO = Space("demo")
RECIPES = re.findall(r"```cypher\n(.*?)```", TEXT, re.DOTALL)
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if line.startswith("| ")
]
TYPES = {
    "text": str,
    "integer": int,
    "float": (float, int),
    "boolean": bool,
    "datetime": str,
    "list of text": list,
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Yield a memory with the conversation of the demo."""
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    with Memory.open(path, DEMO) as memory:
        memory.import_file(ROOT / "cli" / "data" / "demo.jsonl", "native")
        memory.enrich()
        yield memory


@pytest.fixture(params=["kglite", "neo4j"])
def store(request: pytest.FixtureRequest, demo: Memory, tmp_path: Path) -> Iterator[GraphStore]:
    """Yield the demo's graph on either engine."""
    if request.param == "neo4j":
        open_neo4j: Callable[..., GraphStore] = request.getfixturevalue("open_neo4j")
        opened = open_neo4j(DEMO)
        project(demo.parts.journal, opened, DEMO, 2000)
        yield opened
        return
    local = KgliteStore(tmp_path / "g.kgl", DEMO)
    project(demo.parts.journal, local, DEMO, 2000)
    yield local
    local.close()


def test_every_label_property_and_relationship_is_described():
    described = {(row[0], row[1]) for row in ROWS if row[0] in LABELS}
    ours = {(name, p) for name, label in LABELS.items() for p in label.properties if p != "space"}
    assert described == ours
    edges = [EdgeType(*row[:3]) for row in ROWS if row[0] in EDGES]
    assert edges == [edge for pairs in EDGES.values() for edge in pairs]
    assert len(RECIPES) == 10


def test_every_property_has_the_type_that_is_described(store: GraphStore):
    for label, name, kind, _ in [row for row in ROWS if row[0] in LABELS]:
        statement = f"MATCH (x:{label}) WHERE x.{name} IS NOT NULL RETURN x.{name} AS v LIMIT 5"
        for (value,) in store.query(statement, {}, 20, 5).rows:
            assert isinstance(value, TYPES[kind]), (label, name, value)
            if kind == "datetime":
                assert datetime.fromisoformat(str(value)).tzinfo
                later = statement.replace("IS NOT NULL", "< datetime('2999-01-01T00:00:00Z')")
                assert store.query(later, {}, 20, 5).rows, (label, name)


def test_the_recipes_run(store: GraphStore, demo: Memory, tmp_path: Path):
    answers = _answers(store)
    assert [recipe for recipe, rows in zip(RECIPES, answers, strict=True) if not rows] == []
    embedded = KgliteStore(tmp_path / "embedded.kgl", DEMO)
    project(demo.parts.journal, embedded, DEMO, 2000)
    assert answers == _answers(embedded)
    assert digest(store).hash == digest(embedded).hash
    embedded.close()


def _answers(store: GraphStore) -> list[list[list[object]]]:
    return [[list(row) for row in store.query(recipe, {}, 20, 50).rows] for recipe in RECIPES]
