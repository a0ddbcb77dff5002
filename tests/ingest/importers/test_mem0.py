from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.events import EventKind
from meridia.ingest.importers.import_record import ImportLimits, ImportRecord, ImportSource
from meridia.ingest.importers.mem0 import read

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
MEMORIES = st.fixed_dictionaries(
    {},
    optional={
        "id": JSON,
        "memory": st.text() | JSON,
        "user_id": JSON,
        "run_id": JSON,
        "created_at": st.just("2025-11-02T08:30:00Z") | JSON,
        "metadata": JSON,
    },
)
DOCUMENTS = st.fixed_dictionaries({"results": st.lists(MEMORIES | JSON, max_size=3) | JSON})


def records(*documents: Any) -> list[ImportRecord]:
    body = b"\n".join(json.dumps(document).encode() for document in documents)
    return list(read(ImportSource(io.BytesIO(body), "export.json"), ImportLimits()))


def memory(id: str, text: str = "Likes rain", **fields: Any) -> dict[str, Any]:
    return {"id": id, "memory": text, **fields}


def test_a_golden_file_gives_its_events_and_refusals(golden: Callable[..., Any]) -> None:
    result, expected = golden("mem0.json")
    assert result == expected


@given(st.lists(DOCUMENTS | MEMORIES | JSON, max_size=3))
def test_any_json_gives_records_and_never_raises(documents: list[Any]) -> None:
    for record in records(*documents):
        assert (record.event is None) != (record.problem is None)
        record.where.encode()
        str(record.problem).encode()


@given(st.binary())
def test_any_bytes_give_refusals_and_never_raise(body: bytes) -> None:
    for record in read(ImportSource(io.BytesIO(body), "x"), ImportLimits()):
        assert record.event is None


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
