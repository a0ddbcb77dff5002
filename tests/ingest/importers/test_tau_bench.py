from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.import_record import ImportLimits, ImportRecord, ImportSource
from meridia.ingest.importers.tau_bench import read

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
CALLS = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["c1", "c2"]) | JSON,
        "function": JSON
        | st.fixed_dictionaries(
            {"name": st.just("bell") | JSON}, optional={"arguments": st.just("{}") | JSON}
        ),
    }
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"]) | JSON},
    optional={
        "content": st.text() | JSON,
        "tool_calls": JSON | st.lists(CALLS, max_size=2),
        "tool_call_id": st.sampled_from(["c1", "c2"]) | JSON,
        "name": st.just("bell") | JSON,
        "extra": JSON,
    },
)
RUNS = st.fixed_dictionaries(
    {
        "task_id": st.integers() | JSON,
        "trial": st.integers() | JSON,
        "traj": JSON | st.lists(MESSAGES | JSON, max_size=5),
    },
    optional={"reward": JSON},
)


def records(runs: Any) -> list[ImportRecord]:
    return list(read(ImportSource(io.BytesIO(json.dumps(runs).encode()), "x"), ImportLimits()))


def run(*messages: Any) -> list[ImportRecord]:
    return records([{"task_id": 1, "trial": 2, "reward": 0.0, "traj": messages}])


def result(content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "c1", "name": "bell", "content": content}


def test_a_golden_file_gives_its_events_and_refusals(golden: Callable[..., Any]) -> None:
    results, expected = golden("tau_bench.json")
    assert results == expected


@given(st.lists(RUNS | JSON, max_size=3))
def test_any_json_gives_records_and_never_raises(runs: list[Any]) -> None:
    for record in records(runs):
        assert (record.event is None) != (record.problem is None)
        record.where.encode()
        str(record.problem).encode()
        if record.event:
            record.event.as_json()


@given(st.binary())
def test_any_bytes_give_refusals_and_never_raise(body: bytes) -> None:
    for record in read(ImportSource(io.BytesIO(body), "x"), ImportLimits()):
        assert record.event is None


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
    assert record.problem == "tool call 'c1' of bell has no result: left out"


@pytest.mark.parametrize("arguments", ["[" * 100_000, '{"a": NaN}', "", None, "[1]"])
def test_arguments_that_are_no_object_are_kept_as_they_came(arguments: str | None) -> None:
    call = {"id": "c1", "function": {"name": "bell", "arguments": arguments}}
    (record,) = run({"role": "assistant", "content": None, "tool_calls": [call]}, result("ok"))
    assert record.event is not None
    assert record.event.payload == {"args": arguments, "result": "ok"}
