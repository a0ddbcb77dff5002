from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.data_sets import read_tau_bench as read
from meridia.ingest.importers.import_record import ImportRecord, ImportSource


def records(runs: Any) -> list[ImportRecord]:
    return list(read(ImportSource(io.BytesIO(json.dumps(runs).encode()), "x")))


def run(*messages: Any) -> list[ImportRecord]:
    return records([{"task_id": 1, "trial": 2, "reward": 0.0, "traj": messages}])


def result(content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "c1", "name": "bell", "content": content}


@given(st.lists(st.sampled_from(["system", "user", "assistant", "call", "tool"])))
def test_every_message_is_an_event_unless_it_is_the_system_or_only_calls(roles: list[str]) -> None:
    call = {"id": "c1", "function": {"name": "bell", "arguments": "{}"}}
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call]}
        if role == "call"
        else {"role": role, "content": "words", "tool_call_id": "c1", "name": "bell"}
        for role in roles
    ]
    events = [record.event for record in run(*messages) if record.event]
    wanted = [at for at, role in enumerate(roles) if role not in ("system", "call")]
    assert [event.id for event in events] == [f"1/2/{at}" for at in wanted]


@pytest.mark.parametrize(
    ("content", "failed"),
    [
        ("Error: no such user", True),
        ("Error", True),
        ('{"error": "no such user"}', True),
        ({"error": "no such user"}, True),
        ('{"error": null}', False),
        ("Errorless", False),
        ('The word "error" in a sentence', False),
        ("", False),
        (None, False),
    ],
)
def test_a_result_is_an_error_by_its_first_word_or_its_error_key(
    content: Any, failed: bool
) -> None:
    (record,) = run(result(content))
    assert record.event is not None
    assert record.event.tool is not None
    assert record.event.tool.isError is failed
    assert record.event.payload == {"result": content}


def test_arguments_go_to_the_result_of_their_own_call() -> None:
    calls = [
        {"id": name, "function": {"name": name, "arguments": json.dumps({"for": name})}}
        for name in ("c1", "c2")
    ]
    messages = [
        {"role": "assistant", "content": "", "tool_calls": calls},
        *({"role": "tool", "tool_call_id": name, "content": name} for name in ("c2", "c1")),
    ]
    first, second = run(*messages)
    assert first.event is not None
    assert second.event is not None
    assert first.event.payload == {"args": {"for": "c2"}, "result": "c2"}
    assert second.event.payload == {"args": {"for": "c1"}, "result": "c1"}


def test_a_call_without_a_result_is_told() -> None:
    call = {"id": "c1", "function": {"name": "bell", "arguments": "{}"}}
    (record,) = run({"role": "assistant", "content": None, "tool_calls": [call]})
    assert record.where == "x 1/2/0"
    assert record.skipped == "tool calls without a result"


@pytest.mark.parametrize("arguments", ["[" * 100_000, '{"a": NaN}', "", None, "[1]"])
def test_arguments_that_are_no_object_are_kept_as_they_came(arguments: str | None) -> None:
    call = {"id": "c1", "function": {"name": "bell", "arguments": arguments}}
    (record,) = run({"role": "assistant", "content": None, "tool_calls": [call]}, result("ok"))
    assert record.event is not None
    assert record.event.payload == {"args": arguments, "result": "ok"}
