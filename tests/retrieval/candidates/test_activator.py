"""The activator: arrays and queries give one ranking, and an engine that is down costs a note."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from meridia import Memory
from meridia.core.ports import Table
from meridia.core.recall_settings import RecallSettings
from meridia.core.settings import GraphSettings, Settings
from meridia.graph.kglite_store import KgliteStore

QUESTIONS = [
    "Why did publishing the website fail?",
    "What did Oskar promise Dana?",
    "What did I say about boats?",
    "Who mended the sail with Robin last spring?",
    "zygote",
]
NOWHERE = {"engine": "neo4j", "neo4j_uri": "bolt://127.0.0.1:9", "neo4j_password": "none"}

Engine = Callable[[], dict[str, Any]]


@pytest.fixture(params=["kglite", "neo4j"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Return the settings of either engine."""
    if request.param == "kglite":
        return lambda: {"engine": "embedded"}
    server: Any = request.getfixturevalue("neo4j_server")
    return lambda: {
        "engine": "neo4j",
        "neo4j_uri": server.uri,
        "neo4j_user": server.user,
        "neo4j_password": server.password,
    }


@pytest.fixture
def copied(demo: Memory, tmp_path: Path) -> Path:
    """Return a copy of the demo's journal, whose graph nobody else has open."""
    path = tmp_path / "demo.db"
    with demo.parts.database.reading() as connection:
        connection.execute("VACUUM INTO ?", (str(path),))
    return path


def answers(path: Path, graph: dict[str, Any], **recall: Any) -> tuple[list, list[str]]:
    """Return what every question brings back with its score, and all notes."""
    settings = Settings(recall=RecallSettings(**recall), graph=GraphSettings(**graph))
    with Memory(path, "demo", settings) as memory:
        found = [memory.recall(question, limit=30) for question in QUESTIONS]
    ranked = [[(hit.id, hit.score) for hit in recall.hits] for recall in found]
    return ranked, [note for recall in found for note in recall.notes]


HOW = [
    {"policy": "spread"},
    {"policy": "sample"},
    {"policy": "walk"},
    {"policy": "walk", "tracerank": True},
    {"policy": "spread", "rerank_depth": 0, "fold": False, "order": False},
]


@pytest.mark.parametrize("how", HOW, ids=str)
def test_activation_by_one_query_a_hop_is_activation_over_arrays(
    copied: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]
):
    monkeypatch.setattr("meridia.retrieval.recall_service.seed_of", lambda recall: 5)
    arrays, _ = answers(copied, engine(), traverse="arrays", **how)
    queries, notes = answers(copied, engine(), traverse="cypher", **how)
    assert any(arrays)
    for by_array, by_query in zip(arrays, queries, strict=True):
        assert [id for id, _ in by_query] == [id for id, _ in by_array]
        assert [s for _, s in by_query] == pytest.approx([s for _, s in by_array], abs=1e-9)
    assert notes == []


@pytest.mark.parametrize("type", ["NEXT", "IN_SESSION", "SPOKEN_BY"])
def test_an_edge_that_is_gone_from_the_engine_carries_nothing(
    copied: Path, monkeypatch: pytest.MonkeyPatch, type: str
):
    graph = {"engine": "embedded"}
    whole, _ = answers(copied, graph, traverse="cypher")
    asked = KgliteStore.run

    def without(store: KgliteStore, statement: str, values: Mapping[str, Any]) -> Table:
        ways = {way: [t for t in values.get(way, ()) if t != type] for way in ("along", "against")}
        return asked(store, statement, {**values, **ways})

    monkeypatch.setattr(KgliteStore, "run", without)
    assert answers(copied, graph, traverse="arrays")[0] == whole
    assert answers(copied, graph, traverse="cypher")[0] != whole


def test_without_the_engine_recall_answers_from_memory_and_says_so(
    copied: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("meridia.retrieval.recall_service.seed_of", lambda recall: 5)
    arrays, _ = answers(copied, {"engine": "embedded"}, traverse="arrays", policy="walk")
    alone, notes = answers(copied, NOWHERE, traverse="cypher", policy="walk")
    assert alone == arrays
    assert len(notes) == len(QUESTIONS)  # told once an answer
    assert all("the graph did not answer" in note for note in notes)


def test_arrays_never_ask_the_engine(copied: Path):
    _, notes = answers(copied, NOWHERE, traverse="arrays")
    assert notes == []
