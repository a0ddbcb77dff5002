from __future__ import annotations

import io
import json
from typing import Any

import pytest

from meridia.ingest.importers.import_record import ImportLimits, ImportRecord, ImportSource
from meridia.ingest.importers.sharegpt import read


def records(*turns: Any, **fields: Any) -> list[ImportRecord]:
    body = json.dumps([{"conversations": turns, **fields}]).encode()
    return list(read(ImportSource(io.BytesIO(body), "data.json"), ImportLimits()))


@pytest.mark.parametrize(
    ("word", "kind", "person"),
    [
        ("human", "user_message", None),
        ("user", "user_message", None),
        ("gpt", "assistant_message", None),
        ("bing", "assistant_message", None),
        ("Robin", "user_message", "Robin"),
    ],
)
def test_a_turn_is_said_by_whom_it_is_from(word: str, kind: str, person: str | None) -> None:
    for turn in ({"from": word, "value": "x"}, {"role": word, "content": "x"}):
        (record,) = records(turn)
        assert record.event is not None
        assert (record.event.kind.value, record.event.person) == (kind, person)


def test_a_call_that_names_no_tool_is_what_the_assistant_said() -> None:
    call, result = records(
        {"from": "function_call", "value": "look(seal)"}, {"from": "observation", "value": "ok"}
    )
    assert call.event is not None
    assert result.event is not None
    assert call.event.payload == {"text": "look(seal)"}
    assert result.event.tool is not None
    assert result.event.tool.name == "tool"


def test_a_bare_number_names_no_conversation_outside_of_its_file() -> None:
    (record,) = records({"from": "human", "value": "x"}, id=7)
    assert record.event is not None
    assert record.event.id == "data/7/0"
