"""A digest sees everything that is ours, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from meridia.core.ports import GraphStore, Head
from meridia.core.types import EdgeUpsert, Mutation, NodeUpsert, Seq
from meridia.graph import digest as digest_module
from meridia.graph.digest import count, digest
from meridia.graph.kglite_store import KgliteStore

AT = datetime(2026, 3, 1, tzinfo=UTC)
EXPERIENCE = NodeUpsert("Experience", "e1", {"text": "a", "seq": 1, "at": AT})
PERSON = NodeUpsert("Person", "p1", {"name": "Dana", "aliases": ["a", "b"]})
SAID = EdgeUpsert(
    "SPOKEN_BY", "Experience", "e1", "Person", "p1", {"weight": 0.1, "since": AT, "source_seq": 1}
)


def changed(upsert: Mutation, **properties: object) -> Mutation:
    return replace(upsert, properties={**upsert.properties, **properties})


def written(store: GraphStore, *changes: Mutation) -> str:
    store.drop()
    with store.transaction() as writer:
        writer.apply(changes)
        writer.move_cursor(Head(Seq(1), b""))
    return digest(store).hash


def test_every_property_and_every_end_counts(kglite_store: KgliteStore):
    base = [EXPERIENCE, PERSON, SAID]
    variants = [
        base,
        [EXPERIENCE, PERSON],
        [changed(EXPERIENCE, text="b"), PERSON, SAID],
        [changed(EXPERIENCE, text=""), PERSON, SAID],
        [changed(EXPERIENCE, text=None), PERSON, SAID],
        [changed(EXPERIENCE, seq=2), PERSON, SAID],
        [changed(EXPERIENCE, at=AT + timedelta(microseconds=1)), PERSON, SAID],
        [EXPERIENCE, changed(PERSON, aliases=["b", "a"]), SAID],
        [EXPERIENCE, PERSON, changed(SAID, weight=0.1 + 1e-16)],
        [EXPERIENCE, PERSON, changed(SAID, source_seq=2)],
        [EXPERIENCE, PERSON, NodeUpsert("Entity", "x", {}), SAID],
    ]
    hashes = [written(kglite_store, *variant) for variant in variants]
    assert len(set(hashes)) == len(variants)
    assert written(kglite_store, *base) == hashes[0]


def test_the_same_instant_in_another_zone_is_the_same(kglite_store: KgliteStore):
    there = AT.astimezone(ZoneInfo("Asia/Kolkata"))
    assert written(kglite_store, changed(EXPERIENCE, at=there)) == written(kglite_store, EXPERIENCE)


def test_the_order_of_writing_does_not_matter(kglite_store: KgliteStore):
    people = [NodeUpsert("Person", f"p{n}", {"name": str(n)}) for n in range(20)]
    assert written(kglite_store, *people) == written(kglite_store, *reversed(people))


def test_neither_the_cursor_nor_the_size_of_pages_counts(
    graph_store: GraphStore, monkeypatch: pytest.MonkeyPatch
):
    memories = [NodeUpsert("Experience", f"e{n}", {"seq": n}) for n in range(11)]
    people = [NodeUpsert("Person", f"p{n}", {}) for n in range(3)]
    edges = [
        replace(SAID, source=memory.id, target=f"p{n % 3}") for n, memory in enumerate(memories)
    ]
    first = written(graph_store, *memories, *people, *edges)
    with graph_store.transaction() as writer:
        writer.move_cursor(Head(Seq(99), b""))
    monkeypatch.setattr(digest_module, "_PAGE", 4)
    found = digest(graph_store)
    assert found.hash == first
    assert (found.nodes, found.edges) == ({"Experience": 11, "Person": 3}, {"SPOKEN_BY": 11})


def test_counting_says_what_the_digest_says(graph_store: GraphStore):
    written(graph_store, EXPERIENCE, PERSON, SAID)
    counts, found = count(graph_store), digest(graph_store)
    assert (counts.nodes, counts.edges) == (found.nodes, found.edges)


def test_other_spaces_of_a_neo4j_database_do_not_count(
    open_neo4j: Callable[..., GraphStore], space
):
    mine, other = open_neo4j(space), open_neo4j(f"{space}-other")
    before = written(mine, EXPERIENCE)
    written(other, NodeUpsert("Experience", "o1", {"text": "other"}))
    assert digest(mine).hash == before
    assert digest(mine).nodes == {"Experience": 1}
