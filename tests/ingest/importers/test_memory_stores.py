"""Memories kept elsewhere: mem0 and Graphiti."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.events import EventKind
from meridia.ingest.importers.import_record import ImportRecord, ImportSource
from meridia.ingest.importers.memory_stores import GRAPHITI, MEM0

# Mem0


def mem0(*documents: Any) -> list[ImportRecord]:
    body = b"\n".join(json.dumps(document).encode() for document in documents)
    everything = MEM0.read(ImportSource(io.BytesIO(body), "export.json"))
    return [record for record in everything if record.skipped is None]


def memory(id: str, text: str = "Likes rain", **fields: Any) -> dict[str, Any]:
    return {"id": id, "memory": text, **fields}


@given(st.lists(st.text("abc", min_size=1)))
def test_every_memory_is_one_manual_ingest_in_every_form(texts: list[str]) -> None:
    memories = [memory(str(n), text) for n, text in enumerate(texts)]
    events = [record.event for record in mem0({"results": memories})]
    assert [event and event.payload for event in events] == [{"text": text} for text in texts]
    assert all(event and event.kind is EventKind.MANUAL_INGEST for event in events)
    assert [record.event for record in mem0({"memories": memories})] == events
    assert [record.event for record in mem0(memories)] == events
    assert [record.event for record in mem0(*memories)] == events


@pytest.mark.parametrize(
    ("fields", "person", "key"),
    [
        ({}, None, "export"),
        ({"user_id": "odile"}, "odile", "export"),
        ({"user_id": "odile", "run_id": "r"}, "odile", "r"),
        ({"user_id": 7, "run_id": []}, "7", "export"),
    ],
)
def test_a_memory_belongs_to_its_person_and_its_run(
    fields: Any, person: str | None, key: str
) -> None:
    (record,) = mem0(memory("m", **fields))
    assert record.event is not None
    assert record.event.person == person
    assert record.event.session is not None
    assert record.event.session.key == key


def test_a_memory_without_an_id_is_named_by_its_place() -> None:
    result = mem0({"results": [{"memory": "a"}, 7, {"memory": "b"}]}, {"memory": "c"})
    assert [record.event.id for record in result if record.event] == [
        "export/0",
        "export/2",
        "export/3",
    ]


# Graphiti


def graphiti(*documents: Any) -> list[ImportRecord]:
    body = b"\n".join(json.dumps(document).encode() for document in documents)
    everything = GRAPHITI.read(ImportSource(io.BytesIO(body), "export.json"))
    return [record for record in everything if record.skipped is None]


def episode(id: str, content: Any = "The fog lifts.", **fields: Any) -> dict[str, Any]:
    return {"uuid": id, "name": id, "content": content, **fields}


@given(st.lists(st.text("abc", min_size=1)))
def test_every_episode_is_one_manual_ingest_in_every_form(texts: list[str]) -> None:
    episodes = [episode(str(n), text) for n, text in enumerate(texts)]
    events = [record.event for record in graphiti({"episodes": episodes})]
    assert [event and event.payload for event in events] == [{"text": text} for text in texts]
    assert all(event and event.kind is EventKind.MANUAL_INGEST for event in events)
    assert [record.event for record in graphiti(episodes)] == events
    assert [record.event for record in graphiti(*episodes)] == events


@pytest.mark.parametrize(
    ("fields", "ts"),
    [
        ({}, None),
        ({"created_at": "2026-03-02T00:00:00Z"}, "2026-03-02T00:00:00Z"),
        ({"created_at": "?", "valid_at": "2026-03-01T00:00:00Z"}, "2026-03-01T00:00:00Z"),
        ({"valid_at": None, "reference_time": "2026-03-01T00:00:00Z"}, "2026-03-01T00:00:00Z"),
    ],
)
def test_an_episode_happened_at_its_reference_time(fields: Any, ts: str | None) -> None:
    (record,) = graphiti(episode("e", **fields))
    assert record.event is not None
    assert record.event.as_json().get("ts") == ts


def test_an_episode_belongs_to_its_group_or_to_the_exports() -> None:
    episodes = [episode("1", group_id="a"), episode("2"), episode("3", group_id="")]
    for around, key in (({"group_id": "g"}, "g"), ({}, "export")):
        result = graphiti({"episodes": episodes, **around})
        keys = [r.event.session.key for r in result if r.event and r.event.session]
        assert keys == ["a", key, key]


def test_a_record_is_kept_as_its_json_text() -> None:
    (record,) = graphiti(episode("e", {"wind": "north", "knots": 12}))
    assert record.event is not None
    assert record.event.payload == {"text": '{"knots":12,"wind":"north"}'}


def test_an_episode_without_an_id_is_named_by_its_group_and_place() -> None:
    result = graphiti({"episodes": [{"content": "a"}, 7, {"content": "b", "group_id": "g"}]})
    assert [record.event.id for record in result if record.event] == ["export/0", "g/2"]
