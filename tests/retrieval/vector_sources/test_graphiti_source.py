"""Graphiti's search as a source: scores that can be read as cosines, and silence that is said."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from meridia import Memory
from meridia.core.errors import Unavailable
from meridia.core.ports import VectorQuery
from meridia.core.settings import GraphitiSettings, RecallSettings, Settings
from meridia.graph.graphiti.mapping import EXPERIENCE, uuid_of
from meridia.graph.schema import partition
from meridia.retrieval.vector_sources import sources
from meridia.retrieval.vector_sources.sources import GraphitiSource, PausedSource
from tests.fakes import waiting

SETTINGS = Settings(
    graphiti=GraphitiSettings(uri="bolt://127.0.0.1:9"), recall=RecallSettings(graphiti=2.0)
)
MIRA, ROSES = "My sister Mira lives in Bergen.", "The roses need water."


class Found:
    """A client whose search finds what it was made to find, or is down."""

    def __init__(self) -> None:
        self.facts: list[tuple[Any, float]] = []
        self.asked: list[str] = []
        self.down = False

    def search(self, group: str, question: str, limit: int, timeout_s: float) -> list[Any]:
        self.asked.append(group)
        if self.down:
            raise Unavailable("Graphiti's Neo4j does not answer")
        return self.facts[:limit]

    def close(self) -> None:
        """Hold nothing."""


@pytest.fixture
def memory(embedder, clock, random_bytes):
    with Memory(None, "s", waiting(SETTINGS), clock, random_bytes, embedder) as memory:
        for text in (MIRA, ROSES, "The boat is green."):
            memory.remember(text, person="Dana", session="a")
        memory.capture(
            {"kind": "session_boundary", "session": {"key": "a"}, "payload": {"type": "end"}}
        )
        memory.enrich()
        client = Found()
        source = GraphitiSource(client, memory.parts.journal)  # type: ignore[arg-type]
        memory._components._sources["graphiti"] = PausedSource(source)
        yield memory


def client_of(memory: Memory) -> Found:
    return memory._components.vector_source("graphiti")._source._client  # type: ignore[attr-defined, return-value]


def a_fact(memory: Memory, text: str) -> Any:
    (id,) = [each.id for each in memory.list().memories if each.text == text]
    return SimpleNamespace(attributes={EXPERIENCE: id}, episodes=[])


def a_query(memory: Memory, **fields: Any) -> VectorQuery:
    given: dict[str, Any] = {"limit": 5, "until": 10**6} | fields
    return VectorQuery(memory.space, "who?", np.zeros(16, np.float32), "m", **given)


def test_row_24_a_fact_speaks_for_the_memory_that_it_comes_from(memory):
    client_of(memory).facts = [(a_fact(memory, ROSES), 0.5), (a_fact(memory, MIRA), 0.75)]
    source = memory._components.vector_source("graphiti")
    seqs = {each.text: each.seq for each in memory.list().memories}
    assert source.search(a_query(memory)) == [(seqs[MIRA], 0.75), (seqs[ROSES], 0.5)]
    assert source.search(a_query(memory, among=[seqs[ROSES]])) == [(seqs[ROSES], 0.5)]
    assert source.search(a_query(memory, until=0)) == []
    assert client_of(memory).asked == ["s"] * 3


def test_what_a_model_read_from_a_session_speaks_for_its_memories_half_as_much(memory):
    (episode,) = memory.chronicle.episodes()
    uuid = uuid_of(partition(memory.parts.journal, memory.space), episode.episode)
    client_of(memory).facts = [(SimpleNamespace(attributes={}, episodes=[uuid]), 0.8)]
    found = memory._components.vector_source("graphiti").search(a_query(memory))
    assert len(found) == len(episode.sources)
    assert {score for _, score in found} == {0.4}


def test_recall_counts_it_names_it_in_the_trace_and_replays_it(memory):
    plain = {hit.text: hit.score for hit in memory.recall("what is green?").hits}
    client_of(memory).facts = [(a_fact(memory, MIRA), 0.75)]
    answer = memory.recall("what is green?")
    scores = {hit.text: hit.score for hit in answer.hits}
    assert scores[MIRA] == pytest.approx(plain[MIRA] + 1.5)
    assert scores[ROSES] == pytest.approx(plain[ROSES])
    (hit,) = [hit for hit in answer.hits if hit.text == MIRA]
    (leaf,) = [leaf for leaf in hit.trace.leaves() if "Graphiti" in leaf.label]
    assert leaf.value == 1.5
    client_of(memory).facts = []
    assert memory.reasons.replay(answer.id).identical


def test_what_words_and_meaning_do_not_find_joins_the_candidates(memory):
    asked = {"candidates": 10}
    memory.settings = memory.settings.model_copy(
        update={"recall": memory.settings.recall.model_copy(update=asked)}
    )
    client_of(memory).facts = [(a_fact(memory, ROSES), 0.9)]
    assert ROSES in [hit.text for hit in memory.recall("zzz").hits]


def test_where_it_does_not_answer_recall_does_and_says_so(memory, monkeypatch):
    client_of(memory).down = True
    answer = memory.recall("what is green?")
    assert answer.hits
    assert any("answered without Graphiti" in note for note in answer.notes)
    assert any("not asked again" in note for note in memory.recall("what is green?").notes)
    assert len(client_of(memory).asked) == 1
    assert not memory._components.vector_source("graphiti").is_available(memory.space)
    client_of(memory).asked.clear()
    monkeypatch.setattr(sources, "time", SimpleNamespace(monotonic=lambda: 1e12))
    client_of(memory).down = False
    assert not any("Graphiti" in note for note in memory.recall("what is green?").notes)
    assert len(client_of(memory).asked) == 1


def test_without_the_setting_it_is_not_asked(embedder):
    off = Settings(graphiti=GraphitiSettings(uri="bolt://127.0.0.1:9"))
    with Memory(None, "s", waiting(off), embedder=embedder) as memory:
        memory.remember("The boat is green.")
        assert memory.recall("green?").notes == []


def test_a_setting_without_an_address_is_said_in_the_notes(embedder):
    settings = Settings(recall=RecallSettings(graphiti=1.0))
    with Memory(None, "s", waiting(settings), embedder=embedder) as memory:
        memory.remember("The boat is green.")
        (note,) = memory.recall("green?").notes
        assert (
            note
            == "answered without Graphiti: graphiti.uri is empty: set the address of a Neo4j server"
        )
