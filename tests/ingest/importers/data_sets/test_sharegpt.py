from __future__ import annotations

import io
import json
from typing import Any

import pytest

from meridia.ingest.importers.data_sets import read_sharegpt as read
from meridia.ingest.importers.import_record import ImportRecord, ImportSource


def records(*turns: Any, **fields: Any) -> list[ImportRecord]:
    body = json.dumps([{"conversations": turns, **fields}]).encode()
    everything = read(ImportSource(io.BytesIO(body), "data.json"))
    return [record for record in everything if record.skipped is None]


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


@pytest.mark.parametrize(
    "call",
    [
        '{"name": "weather", "arguments": {"city": "Oslo"}}',
        "{'arguments': {'city': 'Oslo'}, 'name': 'weather'}",
    ],
)
def test_calls_marked_in_what_was_said_wait_for_marked_results(call: str) -> None:
    said, first, second = records(
        {"from": "gpt", "value": f"I look.\n<tool_call>\n{call}\n</tool_call>"},
        {"from": "gpt", "value": f"<tool_call>{call.replace('Oslo', 'Bern')}</tool_call>"},
        {
            "from": "tool",
            "value": "<tool_response>\n4\n</tool_response><tool_response>9</tool_response>",
        },
    )
    assert said.event is not None
    assert said.event.payload == {"text": "I look."}
    for record, city, result in ((first, "Oslo", "4"), (second, "Bern", "9")):
        assert record.event is not None
        assert record.event.tool is not None
        assert record.event.tool.name == "weather"
        assert record.event.payload == {"args": {"city": city}, "result": result}


def test_what_is_marked_and_no_call_stays_what_was_said() -> None:
    (record,) = records({"from": "gpt", "value": "<tool_call>{look}</tool_call>"})
    assert record.event is not None
    assert record.event.payload == {"text": "<tool_call>{look}</tool_call>"}


def test_conversations_that_share_an_id_are_two_unless_one_goes_on() -> None:
    turns = [{"from": "human", "value": "x"}, {"from": "gpt", "value": "y"}]
    others = [{"from": "human", "value": "z"}]
    system = [{"from": "system", "value": "be kind"}]
    conversations = [turns[:1], others, turns, [*system, *others], [*others, turns[1]]]
    body = json.dumps([{"id": "c", "conversations": said} for said in conversations]).encode()
    keys = [
        record.event and record.event.session and record.event.session.key
        for record in read(ImportSource(io.BytesIO(body), "data.json"))
        if record.skipped is None
    ]
    assert keys == ["c", "c/2", "c", "c", "c/2", "c/2", "c/2"]
