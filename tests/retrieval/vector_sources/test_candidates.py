"""One suite over all vector sources, and recall with each: whole, down, empty and behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pydantic import SecretStr

from meridia import Memory
from meridia.core.errors import Unavailable
from meridia.core.ports import VectorFilters, VectorQuery, VectorSource
from meridia.core.settings import GraphSettings, PostgresSettings, RecallSettings, Settings
from meridia.core.types import Space
from meridia.core.vocabulary import Engagement
from tests.fakes import WAITING, FakeEmbedder, waiting
from tests.ingest.forgetting.told import SAID, tell

QUESTION = "Where does Dana live in Berlin?"
#: How a server is named in tests → the source that it stands for.
SOURCES = {"built-in": "built-in", "postgres": "pgvector", "neo4j": "neo4j"}


def opened(name: str, request: pytest.FixtureRequest, path: Path) -> Memory:
    """Open a memory whose recall asks a source, over a real server."""
    recall, graph, postgres = RecallSettings(), GraphSettings(), PostgresSettings()
    if name == "postgres":
        postgres = PostgresSettings(url=request.getfixturevalue("postgres_url"))
    elif name == "neo4j":
        server = request.getfixturevalue("neo4j_server")
        graph = GraphSettings(
            engine="neo4j",
            neo4j_uri=server.uri,
            neo4j_user=server.user,
            neo4j_password=SecretStr(server.password),
        )
    recall = RecallSettings(vector_source=SOURCES[name])
    settings = Settings(recall=recall, graph=graph, postgres=postgres)
    return Memory(path, "home", waiting(settings), embedder=FakeEmbedder())


@pytest.fixture(params=SOURCES)
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with opened(request.param, request, tmp_path / "a.db") as memory:
        for space in ("home", "away"):
            tell(memory.in_space(space))
            memory.in_space(space).sinks.sync()
        yield memory
        if request.param == "neo4j":
            for space in ("home", "away"):
                memory.in_space(space).graph.store().drop()


@pytest.fixture
def source(memory: Memory) -> VectorSource:
    source = memory._components.vector_source(memory.settings.recall.vector_source)
    source.until(Space("home"))
    return source


def a_query(memory: Memory, limit: int = 4, **more: object) -> VectorQuery:
    embedder = FakeEmbedder()
    (vector,) = embedder.embed([QUESTION])
    until = memory.parts.journal.head(Space("home")).seq
    query = VectorQuery(Space("home"), QUESTION, vector, embedder.model, limit, until)
    return replace(query, **more)


def exact(memory: Memory) -> dict[int, float]:
    """Return the cosine of every memory of home with the question."""
    embedder = FakeEmbedder()
    (vector,) = embedder.embed([QUESTION])
    page = memory.list(limit=100).memories
    cosines = embedder.embed([each.text for each in page]) @ vector
    return dict(zip([each.seq for each in page], cosines.tolist(), strict=True))


def test_a_source_names_the_nearest_of_its_space_first(memory, source):
    cosines = exact(memory)
    near = source.search(a_query(memory))
    assert [score for _, score in near] == sorted((s for _, s in near), reverse=True)
    best = sorted(cosines.values(), reverse=True)[:4]
    assert [score for _, score in near] == pytest.approx(best, abs=2e-3)
    assert all(cosines[seq] == pytest.approx(score, abs=2e-3) for seq, score in near)


def test_a_source_keeps_to_what_it_is_asked_among_and_until(memory, source):
    seqs = sorted(exact(memory))
    assert {seq for seq, _ in source.search(a_query(memory, until=seqs[2]))} <= set(seqs[:3])
    among = seqs[4:6]
    assert {seq for seq, _ in source.search(a_query(memory, among=among))} == set(among)
    assert len(source.search(a_query(memory, limit=100))) == len(SAID)


def test_a_source_filters_by_session_significance_engagement_and_valence(memory, source):
    rows = memory.parts.database.connection.execute(
        "SELECT seq, significance, engagement_quality, emotional_valence FROM experience "
        "WHERE space = (SELECT number FROM space WHERE name = 'home')"
    ).fetchall()
    low = float(np.median([row[1] for row in rows])) - 1e-4
    happy = [row[0] for row in rows if row[3] is not None and row[3] > 0.1]

    def seqs(**filters):
        query = a_query(memory, limit=100, filters=VectorFilters(**filters))
        return sorted(seq for seq, _ in source.search(query))

    session = [each.seq for each in memory.list(session="s2", limit=100).memories]
    assert seqs(session="s2") == sorted(session)
    assert seqs(significance_min=low) == [row[0] for row in rows if row[1] >= low]
    assert seqs(engagement=Engagement.ROUTINE) == [r[0] for r in rows if r[2] == "routine"]
    assert seqs(valence_min=0.1) == happy
    assert set(seqs(valence_max=0.1)).isdisjoint(happy)


def test_a_source_is_there_and_says_how_far_it_has_come(memory, source):
    assert source.is_available(Space("home"))
    assert source.until(Space("home")) == memory.parts.journal.head(Space("home")).seq


def test_recall_with_a_source_gives_the_same_and_names_it_in_the_trace(memory):
    answer = memory.recall(QUESTION)
    with Memory(memory.parts.path, "home", WAITING, embedder=FakeEmbedder()) as built_in:
        expected = built_in.recall(QUESTION)
    assert [(h.id, h.score) for h in answer.hits] == [
        (h.id, pytest.approx(h.score)) for h in expected.hits
    ]
    labels = {leaf.label for hit in answer.hits for leaf in hit.trace.leaves()}
    name = memory.settings.recall.vector_source
    assert any(f"candidate of {name}" in label for label in labels) == (name != "built-in")
    for hit in answer.hits:
        assert sum(leaf.value for leaf in hit.trace.leaves()) == pytest.approx(hit.score)
    assert answer.notes == expected.notes
    assert memory.reasons.replay(answer.id).identical


def test_recall_finds_what_is_newer_than_the_source_and_says_so(memory):
    memory.remember("Dana moved to Bergen, to the yellow house.", person="Dana", id="new")
    answer = memory.recall("Who moved to the yellow house in Bergen?")
    assert answer.hits[0].event_id == "new"
    lacking = [note for note in answer.notes if "lacks the newest" in note]
    assert bool(lacking) == (memory.settings.recall.vector_source == "pgvector")
    assert memory.reasons.replay(answer.id).identical


@pytest.mark.parametrize("name", ["pgvector", "neo4j"])
def test_recall_answers_without_its_source_and_says_so(tmp_path, name):
    recall = RecallSettings(vector_source=name)
    nowhere = PostgresSettings(url="postgresql://u:secret@127.0.0.1:1/x", timeout_s=2)
    settings = Settings(recall=recall, postgres=nowhere)
    with Memory(tmp_path / "a.db", "home", waiting(settings), embedder=FakeEmbedder()) as memory:
        tell(memory)
        source = memory._components.vector_source(name)
        assert not source.is_available(Space("home"))
        with pytest.raises(Unavailable):
            source.search(a_query(memory))
        answer = memory.recall(QUESTION)
        (note,) = answer.notes
        assert f"built-in vectors: {name}" in note
        assert "secret" not in note
        with Memory(memory.parts.path, "home", WAITING, embedder=FakeEmbedder()) as built_in:
            assert [h.id for h in built_in.recall(QUESTION).hits] == [h.id for h in answer.hits]


def test_a_source_that_nobody_set_up_is_told(tmp_path):
    settings = Settings(recall=RecallSettings(vector_source="pgvector"))
    with Memory(tmp_path / "a.db", "home", waiting(settings), embedder=FakeEmbedder()) as memory:
        tell(memory)
        answer = memory.recall(QUESTION)
    assert answer.hits
    (note,) = answer.notes
    assert note.endswith(
        "pgvector did not answer (postgres.url is empty: set the address of a PostgreSQL server)"
    )
