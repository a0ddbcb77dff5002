"""The sink of Graphiti over a real Neo4j: filled, searched, killed, forgotten, beside our graph."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import neo4j
import pytest

from meridia import Memory
from meridia.core.errors import Refused, Unavailable
from meridia.core.settings import GraphitiSettings, GraphSettings, ModelSettings, Settings
from meridia.graph.graphiti.client import open_graphiti
from meridia.graph.graphiti.mapping import EXPERIENCE
from meridia.graph.schema import Partition
from meridia.models.embedder import MiniLmEmbedder
from tests.fakes import FakeEmbedder
from tests.model_server import Received, Reply, model_server

TALK = (
    ("Dana", "My sister Mira lives in Bergen."),
    ("Robin", "I love sailing."),
    ("Dana", "I moved to Oslo, and I like the harbour there."),
    ("Oskar", "My cousin Henrike is a boatbuilder."),
    ("Oskar", "I have a dog called Zephyrine."),
)


@pytest.fixture
def server(neo4j_server: Any) -> Iterator[Any]:
    """Yield a server without anything of Graphiti's, before and after."""
    with neo4j.GraphDatabase.driver(
        neo4j_server.uri, auth=(neo4j_server.user, neo4j_server.password)
    ) as driver:
        ours = "MATCH (n) WHERE n.group_id IS NOT NULL OR n:Own OR n:Meridia DETACH DELETE n"
        driver.execute_query(ours)
        neo4j_server.rows = lambda text, **values: [
            dict(row) for row in driver.execute_query(text, **values).records
        ]
        yield neo4j_server
        driver.execute_query(ours)


def settings_of(server: Any, **more: Any) -> Settings:
    graphiti = {"uri": server.uri, "user": server.user, "password": server.password}
    return Settings(
        graphiti=GraphitiSettings(**graphiti, **more.pop("graphiti", {})),
        sinks=more.pop("sinks", {"attempts": 1}),
        **more,
    )


@pytest.fixture
def open_memory(server: Any, tmp_path: Any) -> Iterator[Callable[..., Memory]]:
    """Yield a way to open a memory with a sink, the talk in it."""
    opened: list[Memory] = []

    def open_(name: str = "one", space: str = "boats", **more: Any) -> Memory:
        path = tmp_path / f"{name}.db"
        embedder = more.pop("embedder", FakeEmbedder())
        memory = Memory(path, space, settings_of(server, **more), embedder=embedder)
        opened.append(memory)
        if not memory.parts.journal.head(memory.space).seq:
            for count, (who, text) in enumerate(TALK):
                memory.remember(text, person=who, session="s1", id=f"m-{count}")
            end = {"kind": "session_boundary", "session": {"key": "s1"}, "payload": {"b": "end"}}
            memory.capture(end)
            memory.enrich()
        return memory

    yield open_
    for memory in opened:
        memory.close()


def everything(server: Any) -> list[dict[str, Any]]:
    """Return what Graphiti has in full, edges and vectors included, in one order."""
    nodes = "MATCH (n) WHERE n.group_id IS NOT NULL RETURN labels(n) AS l, properties(n) AS p"
    edges = "MATCH ()-[r]->() WHERE r.group_id IS NOT NULL RETURN type(r) AS l, properties(r) AS p"
    rows = server.rows(nodes) + server.rows(edges)
    return sorted(rows, key=lambda row: (str(row["l"]), row["p"]["uuid"]))


def test_neo4j_is_filled_from_a_conversation_and_graphitis_search_finds_memories(
    server, open_memory
):
    memory = open_memory()
    assert memory.sinks.sync() == {"graphiti": ""}
    assert memory.sinks.count("graphiti") == 1
    client = memory._components.graphiti
    found = [fact for fact, _ in client.search("boats", "Dana's sister", 3)]
    assert any(fact.fact == "Dana has a sister, Mira." for fact in found)
    told = [memory.get(fact.attributes[EXPERIENCE]).text for fact in found]
    assert TALK[0][1] in told
    assert client.search("elsewhere", "Dana's sister", 3) == []
    labels = {tuple(sorted(row["l"])) for row in everything(server) if isinstance(row["l"], list)}
    assert {("Entity", "Person"), ("Episodic",)} <= labels


def test_a_program_of_its_own_finds_facts_in_neo4j_with_graphitis_search(open_memory, caplog):
    memory = open_memory(embedder=MiniLmEmbedder())
    assert memory.sinks.sync() == {"graphiti": ""}

    async def ask(graphiti: Any) -> list[str]:
        try:
            found = await graphiti.search("Who is Dana's sibling?", group_ids=["boats"])
            return [fact.fact for fact in found]
        finally:
            await graphiti.close()

    graphiti = open_graphiti(memory._components.settings)
    assert "Dana has a sister, Mira." in asyncio.run(ask(graphiti))
    assert not [r for r in caplog.records if r.name.startswith("neo4j")]


def test_neo4j_has_no_gap_and_no_double_after_a_delivery_that_was_cut_off(
    server, open_memory, monkeypatch
):
    memory = open_memory(sinks={"attempts": 1, "batch": 4})
    memory.sinks.sync()
    whole = everything(server)
    assert memory.sinks.rebuild() == {"graphiti": ""}
    assert everything(server) == whole
    client, saved = memory._components.graphiti, []

    def save(batch: Any, save: Any = client.save) -> None:
        save(batch)
        saved.append(batch)
        if len(saved) == 3:
            raise KeyboardInterrupt  # it is there, and the cursor does not know yet

    monkeypatch.setattr(client, "save", save)
    with pytest.raises(KeyboardInterrupt):
        memory.sinks.rebuild()
    assert everything(server) != whole
    again = open_memory()
    assert again.sinks.sync() == {"graphiti": ""}
    assert everything(server) == whole


def test_neo4j_keeps_nothing_of_a_person_who_was_forgotten(server, open_memory):
    memory = open_memory()
    memory.sinks.sync()
    assert "Zephyrine" in json.dumps(everything(server), default=str)
    memory.forget(person="Oskar")
    assert "Zephyrine" not in json.dumps(everything(server), default=str)
    memory.sinks.sync()
    left = json.dumps(everything(server), default=str)
    for name in ("Oskar", "Zephyrine", "Henrike", "boatbuilder"):
        assert name not in left
    assert "Mira" in left


def facts_of(server: Any) -> dict[str, tuple[str | None, str | None]]:
    """Return Graphiti's facts: until when each holds, and since when that is known."""
    text = "MATCH ()-[r:RELATES_TO]->() RETURN r.fact AS f, r.invalid_at AS i, r.expired_at AS e"
    return {
        row["f"]: tuple(None if at is None else at.iso_format() for at in (row["i"], row["e"]))
        for row in server.rows(text)
    }


def test_neo4j_is_told_of_corrections_and_merges(server, open_memory):
    memory = open_memory(sinks={"attempts": 1, "batch": 4})
    memory.sinks.sync()
    assert set(facts_of(server).values()) == {(None, None)}
    at = datetime(2027, 1, 2, tzinfo=UTC)
    memory.update("m-4", "I have a dog called Biscuit.", at=at)
    memory.curation.merge("Bergen", "Oslo")
    memory.enrich()
    memory.sinks.sync()
    facts = facts_of(server)
    invalid, expired = facts.pop("Oskar has a pet, Zephyrine.")
    assert datetime.fromisoformat(invalid) == at
    assert expired is not None
    assert set(facts.values()) == {(None, None)}
    assert {"Oskar has a pet, Biscuit.", "Bergen is the same as Oslo."} <= facts.keys()
    same = "MATCH (a)-[:RELATES_TO {name: 'IS_DUPLICATE_OF'}]->(b) RETURN a.name AS a, b.name AS b"
    assert server.rows(same) == [{"a": "Bergen", "b": "Oslo"}]

    memory.curation.unmerge("Bergen")
    memory.enrich()
    memory.sinks.sync()
    assert None not in facts_of(server)["Bergen is the same as Oslo."]
    memory.curation.merge("Bergen", "Oslo")
    memory.enrich()
    memory.sinks.sync()
    whole = everything(server)
    assert len(server.rows(same)) == 2
    memory.sinks.rebuild()
    assert everything(server) == whole


def test_neo4j_groups_of_others_are_left_alone(server, open_memory):
    server.rows("CREATE (:Entity:Own {uuid: 'u', group_id: 'other', name: 'Dana'})")
    first = open_memory("one")
    first.sinks.sync()
    second = open_memory("two")
    assert "not from this journal" in second.sinks.sync()["graphiti"]
    elsewhere = open_memory("two", space="elsewhere")
    assert elsewhere.sinks.sync() == {"graphiti": ""}
    with pytest.raises(Refused, match="not from this journal"):
        second._components.fanout._delivery("graphiti").sink.drop(Partition(second.space, "2" * 16))
    before = [row for row in everything(server) if row["p"]["group_id"] != "boats"]
    first._components.fanout._delivery("graphiti").restart(first.space)
    first.forget(person="Dana")
    first.sinks.sync()
    assert [row for row in everything(server) if row["p"]["group_id"] != "boats"] == before


def test_neo4j_shared_with_our_graph_neither_sees_nor_cleans_the_other(server, open_memory):
    own = GraphSettings(
        engine="neo4j",
        neo4j_uri=server.uri,
        neo4j_user=server.user,
        neo4j_password=server.password,
    )
    refused = open_memory("refused", graph=own)
    assert "graphiti.shared" in refused.sinks.sync()["graphiti"]
    assert "graphiti.shared" in refused.status().sinks[0].error
    assert any("graphiti" in note for note in refused.forget(ids=["m-0"]).notes)
    memory = open_memory("shared", graph=own, graphiti={"shared": True})
    digest, counts = memory.graph.digest(), memory.graph.counts()
    memory.sinks.sync()
    theirs = everything(server)
    assert memory.graph.counts() == counts
    names = memory.query("MATCH (n:Entity) RETURN n.name AS name, n.group_id AS group").rows
    assert all(group is None for _, group in names)
    memory.upkeep.rebuild()
    assert everything(server) == theirs
    facts = [fact.group_id for fact, _ in memory._components.graphiti.search("boats", "Dana", 20)]
    assert set(facts) == {"boats"}
    memory._components.graphiti.drop("boats")
    assert everything(server) == []
    assert memory.graph.digest() == digest


def test_neo4j_with_a_model_is_filled_by_add_episode(server, open_memory):
    with model_server() as scripted:
        scripted.by_rule = _extracts
        address = f"{scripted.origin}/v1"
        model = ModelSettings(dialect="openai", name="m", base_url=address, api_key="k")
        open_memory("model").close()
        memory = open_memory("model", graphiti={"model": "on"}, model=model)
        for _ in range(2):
            assert memory.sinks.rebuild() == {"graphiti": ""}
            assert memory.sinks.count("graphiti") == 1
            facts = [f.fact for f, _ in memory._components.graphiti.search("boats", "harbour", 5)]
            assert facts == ["Dana likes the harbour of Oslo."]
        assert scripted.received
        memory.close()


def _extracts(request: Received) -> Reply:
    """Answer what graphiti-core asks of a model: two entities, and one fact between them."""
    asked = json.dumps(request.body.get("response_format") or {})
    if "extracted_entities" in asked:
        entities = [{"name": name, "entity_type_id": 0} for name in ("Dana", "Oslo")]
        return Reply(json.dumps({"extracted_entities": entities}))
    if "relation_type" in asked:
        edge = {
            "source_entity_name": "Dana",
            "target_entity_name": "Oslo",
            "relation_type": "LIKES",
            "fact": "Dana likes the harbour of Oslo.",
            "valid_at": None,
            "invalid_at": None,
        }
        return Reply(json.dumps({"edges": [edge]}))
    if "entity_resolutions" in asked:
        return Reply(json.dumps({"entity_resolutions": []}))
    if "duplicate_facts" in asked:
        return Reply(json.dumps({"duplicate_facts": [], "contradicted_facts": []}))
    if "summaries" in asked:
        return Reply(json.dumps({"summaries": []}))
    return Reply("{}")


def test_neo4j_that_does_not_answer_is_said_and_tried_later(server, open_memory):
    memory = open_memory("down", graphiti={"timeout_s": 5.0})
    with Memory(
        memory.parts.path,
        "boats",
        Settings(
            graphiti=GraphitiSettings(uri="bolt://127.0.0.1:9", timeout_s=0.5),
            sinks={"attempts": 1},
        ),
        embedder=FakeEmbedder(),
    ) as unreachable:
        assert "does not answer" in unreachable.sinks.sync()["graphiti"]
        (status,) = unreachable.sinks.status()
        assert status.failures == 1
        source = unreachable._components.vector_source("graphiti")
        assert not source.is_available(unreachable.space)
        with pytest.raises(Unavailable):
            unreachable.sinks.count("graphiti")
    assert memory.sinks.sync() == {"graphiti": ""}
