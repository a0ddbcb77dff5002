"""Activation over the edges of an engine is activation over arrays, for every policy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from meridia.core.ports import Table
from meridia.graph.kglite_store import KgliteStore
from tests.retrieval.candidates.conftest import Engine
from tests.retrieval.candidates.test_activator import answers

HOW = [
    {"policy": "spread"},
    *(
        pytest.param(how, marks=pytest.mark.thorough)
        for how in ({"policy": "sample"}, {"policy": "walk"})
    ),
    {"policy": "walk", "tracerank": True},
    {"policy": "spread", "rerank_depth": 0, "fold": False, "order": False},
]


@pytest.mark.parametrize("how", HOW, ids=str)
def test_activation_by_one_query_a_hop_is_activation_over_arrays(
    copied: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]
):
    monkeypatch.setattr("meridia.retrieval.recall_service.seed_of", lambda recall, request: 5)
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
