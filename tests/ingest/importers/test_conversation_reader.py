"""Conversation reader"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.events import EventKind
from meridia.ingest.importers.conversation_reader import (
    ConversationReader,
    MessagePosition,
    stem,
    unused_fields,
)
from meridia.ingest.importers.import_record import ImportRecord, ImportSource, first_label
from meridia.ingest.importers.json_pieces import split_input
from meridia.ingest.importers.message_content import PendingCalls, ToolCall, ToolResult

USER, ASSISTANT = EventKind.USER_MESSAGE, EventKind.ASSISTANT_MESSAGE


def conversation() -> ConversationReader:
    return ConversationReader("x", "s")


def place(id: str = "m", **fields: Any) -> MessagePosition:
    return MessagePosition(f"file {id}", id, **fields)


def ids(records: Iterable[ImportRecord]) -> list[str | None]:
    return [record.event.id for record in records if record.event]


def problems(records: Iterable[ImportRecord]) -> list[str | None]:
    return [record.problem for record in records if record.problem]


@given(st.lists(st.tuples(st.sampled_from(["call", "result", "say"]), st.sampled_from("abc"))))
def test_every_result_has_the_arguments_of_the_oldest_call_of_its_id(
    steps: list[tuple[str, str]],
) -> None:
    held, waiting, expected = conversation(), dict[str, list[int]](), []
    records: list[ImportRecord] = []
    for number, (what, id) in enumerate(steps):
        if what == "call":
            call = {"id": id, "name": id, "args": {"n": number}}
            records += held.message(place(str(number)), ASSISTANT, None, [call])
            waiting.setdefault(id, []).append(number)
        elif what == "result":
            records += held.result(place(str(number)), ToolResult("ok", id, "f"))
            several = waiting.get(id)
            expected.append({"args": {"n": several.pop(0)}} if several else {})
        else:
            records += held.message(place(str(number)), USER, "words")
    results = [record.event for record in records if record.event and record.event.tool]
    assert [event.payload for event in results] == [{**e, "result": "ok"} for e in expected]
    assert len(list(held.finish())) == sum(map(len, waiting.values()))
    assert list(held.finish()) == []


def test_a_call_without_a_result_is_told_where_it_stands() -> None:
    held = conversation()
    assert not list(held.message(place(), ASSISTANT, None, [{"id": "c", "name": "f", "args": {}}]))
    (record,) = held.finish()
    assert record.where == "file m"
    assert record.skipped == "tool calls without a result"


def test_a_call_that_stands_in_the_content_too_is_one_call() -> None:
    held = conversation()
    content = [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]
    assert not list(held.message(place(), ASSISTANT, content, [{"id": "c", "name": "f"}]))
    assert len(list(held.finish())) == 1


def test_a_call_without_an_id_is_answered_by_its_name() -> None:
    calls = PendingCalls()
    calls.add(ToolCall("here", "f", {"n": 1}, None))
    assert calls.take(ToolResult("ok", None, "g")) is None
    assert calls.take(ToolResult("ok", "f", "f")) is None
    assert calls.take(ToolResult("ok", None, "f")) == ToolCall("here", "f", {"n": 1}, None)
    assert list(calls.skip_unanswered()) == []


@pytest.mark.parametrize("call_id", ["c", None])
def test_a_result_that_answers_nothing_and_names_no_tool_is_kept(call_id: str | None) -> None:
    (record,) = conversation().result(place(), ToolResult("ok", call_id))
    assert record.event is not None
    assert (record.event.tool.name, record.event.payload["result"]) == ("tool", "ok")


def test_a_malformed_call_is_refused_and_the_rest_goes_in() -> None:
    held = conversation()
    records = list(held.message(place(), ASSISTANT, "Hm.", [7, {"id": "c", "name": "f"}]))
    assert ids(records) == ["m"]
    assert len(problems(records)) == 1
    assert len(list(held.finish())) == 1


def test_calls_that_are_no_list_refuse_the_message() -> None:
    (record,) = conversation().message(place(), ASSISTANT, "Hm.", {"id": "c"})
    assert "tool_calls is an object" in str(record.problem)


def test_results_in_a_message_come_before_its_words_and_are_numbered() -> None:
    held = conversation()
    calls = [{"id": id, "name": "f", "args": id} for id in "ab"]
    list(held.message(place("1"), ASSISTANT, None, calls))
    tool_results = [{"type": "tool_result", "tool_use_id": id, "content": id} for id in "ba"]
    words = {"type": "text", "text": "Go on."}
    records = list(held.message(place("2"), USER, [words, *tool_results]))
    assert ids(records) == ["2", "2/1", "2/2"]
    assert [record.event.payload for record in records if record.event] == [
        {"args": "b", "result": "b"},
        {"args": "a", "result": "a"},
        {"text": "Go on."},
    ]


@pytest.mark.parametrize("content", [None, "", "  \n", [], [{"type": "text", "text": " "}]])
def test_a_message_of_nothing_is_left_out_and_counted(content: Any) -> None:
    (record,) = conversation().message(place(), USER, content)
    assert (record.event, record.problem, record.skipped) == (None, None, "empty messages")


def test_a_message_of_what_is_not_known_is_refused_with_its_types() -> None:
    (record,) = conversation().message(place(), USER, [{"type": "poem"}, {"type": "dance"}])
    assert record.problem == "content holds only what is not known: 'dance', 'poem'"


def test_a_picture_alone_is_a_message() -> None:
    (record,) = conversation().message(place(), USER, [{"type": "image", "url": "https://x/a"}])
    assert record.event is not None
    assert record.event.payload == {"text": ""}
    assert record.event.artifacts[0].uri == "https://x/a"


def test_what_was_not_lived_through_is_yielded_only_where_there_is_nothing_else() -> None:
    for spoken in (False, True):
        held = conversation()
        held.set_aside(place("system"), EventKind.MANUAL_INGEST, "You are a clerk.")
        reasoning = [{"type": "thinking", "thinking": "Hm."}]
        assert list(held.message(place("thought"), ASSISTANT, reasoning)) == []
        if spoken:
            assert ids(held.message(place("said"), USER, "Hello")) == ["said"]
        records = list(held.finish())
        assert ids(records) == ([] if spoken else ["system", "thought"])
        counts = {record.skipped: record.count for record in records if record.skipped}
        both = {"instructions to the model": 1, "thoughts of the model": 1}
        assert counts == (both if spoken else {})
        assert list(held.finish()) == []


def test_a_call_is_something_else_than_reasoning() -> None:
    held = conversation()
    held.set_aside(place("system"), EventKind.MANUAL_INGEST, "You are a clerk.")
    held.add_call(ToolCall("here", "f", {}, "c"))
    assert ids(held.finish()) == []


def test_fields_of_the_whole_conversation_go_with_the_first_event_that_is_admitted() -> None:
    held, nested = conversation(), json.loads("[" * 200 + "]" * 200)
    held.set_metadata({"model": "y"})
    records = [
        *held.message(place("1", metadata={"own": nested}), USER, "z"),
        *held.message(place("2", metadata={"own": 2}), USER, "short"),
        *held.message(place("3"), USER, "short"),
    ]
    assert ids(records) == ["2", "3"]
    assert [record.event.metadata for record in records if record.event] == [
        {"x": {"own": 2, "conversation": {"model": "y"}}},
        {},
    ]


def test_no_bytes_stay_in_arguments_results_or_metadata() -> None:
    held, data = conversation(), "data:image/png;base64," + "QUJD" * 20
    list(held.message(place("1"), ASSISTANT, None, [{"id": "c", "name": "f", "args": {"p": data}}]))
    (record,) = held.result(place("2", metadata={"copy": [data]}), ToolResult(f"saw {data}", "c"))
    assert record.event is not None
    assert "QUJD" not in str(record.event.as_json())
    assert len(record.event.artifacts) == 1


@pytest.mark.parametrize(
    ("body", "wheres"),
    [
        (b'{"a": 1}\n{"a": 2}\n', ["x line 1", "x line 2"]),
        (b'{"a": 1}', ["x line 1"]),
        (b'\n\n{"a": 1}\n', ["x line 3"]),
        (b'{"a": "torn\n{"a": 2}\n', ["x line 1", "x line 2"]),
        (b'[{"a": 1},\n{"a": 2}]', ["x item 1", "x item 2"]),
        (b'{\n"a": 1\n}', ["x item 1"]),
        (b'{"a": [\n1]}', ["x item 1"]),
        (b'{"a": 1, \r\n"b": 2}\n{"a": 2}', ["x item 1", "x item 2"]),
        (b"", []),
    ],
)
def test_content_is_cut_into_lines_unless_a_value_spreads_over_several(
    body: bytes, wheres: list[str]
) -> None:
    assert [piece.where for piece in split_input(ImportSource(io.BytesIO(body), "x"))] == wheres


@pytest.mark.parametrize(
    ("name", "records"),
    [
        ("run.7.jsonl", "run.7"),
        ("standard input", "standard input"),
        (".hidden", ".hidden"),
        ("a\udcff.json", "a?"),
        ("", "unnamed"),
    ],
)
def test_a_file_names_a_session_without_its_suffix(name: str, records: str) -> None:
    assert stem(ImportSource(io.BytesIO(), name)) == records


def test_the_first_field_that_can_name_something_does() -> None:
    assert first_label({"a": "", "b": 7, "c": "x"}, "a", "b", "c") == "7"
    assert first_label({"a": None}, "a", "b") is None


def test_unread_fields_are_kept_without_nulls() -> None:
    fields = {"a": 1, "b": None, "c": 0, "d": []}
    assert unused_fields(fields, frozenset({"a"})) == {"c": 0, "d": []}
