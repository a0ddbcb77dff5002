from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.events import EventKind
from meridia.ingest.importers.import_record import ImportRecord, ImportSource
from meridia.ingest.importers.memory_stores import read_mem0 as read


def records(*documents: Any) -> list[ImportRecord]:
    body = b"\n".join(json.dumps(document).encode() for document in documents)
    everything = read(ImportSource(io.BytesIO(body), "export.json"))
    return [record for record in everything if record.skipped is None]


def memory(id: str, text: str = "Likes rain", **fields: Any) -> dict[str, Any]:
    return {"id": id, "memory": text, **fields}


@given(st.lists(st.text("abc", min_size=1)))
def test_every_memory_is_one_manual_ingest_in_every_form(texts: list[str]) -> None:
    memories = [memory(str(n), text) for n, text in enumerate(texts)]
    events = [record.event for record in records({"results": memories})]
    assert [event and event.payload for event in events] == [{"text": text} for text in texts]
    assert all(event and event.kind is EventKind.MANUAL_INGEST for event in events)
    assert [record.event for record in records({"memories": memories})] == events
    assert [record.event for record in records(memories)] == events
    assert [record.event for record in records(*memories)] == events


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
    (record,) = records(memory("m", **fields))
    assert record.event is not None
    assert record.event.person == person
    assert record.event.session is not None
    assert record.event.session.key == key


def test_a_memory_without_an_id_is_named_by_its_place() -> None:
    result = records({"results": [{"memory": "a"}, 7, {"memory": "b"}]}, {"memory": "c"})
    assert [record.event.id for record in result if record.event] == [
        "export/0",
        "export/2",
        "export/3",
    ]
