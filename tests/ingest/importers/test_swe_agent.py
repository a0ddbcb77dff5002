from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.record import Limits, Record, Source
from meridia.ingest.importers.swe_agent import read

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
STEPS = st.fixed_dictionaries(
    {},
    optional={
        "action": st.just("ls") | JSON,
        "observation": JSON,
        "thought": JSON,
        "response": JSON,
        "thinking_blocks": JSON,
        "state": JSON,
    },
)
HISTORY = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"]) | JSON},
    optional={"content": JSON, "action": st.just("ls") | JSON, "tool_calls": JSON, "is_demo": JSON},
)
RUNS = st.fixed_dictionaries(
    {},
    optional={
        "trajectory": st.lists(STEPS | JSON, max_size=4) | JSON,
        "history": st.lists(HISTORY | JSON, max_size=4) | JSON,
        "attempts": JSON,
        "info": JSON,
    },
)


def records(run: Any) -> list[Record]:
    return list(read(Source(io.BytesIO(json.dumps(run).encode()), "clock-7.traj"), Limits()))


def step(action: str, observation: str | None, thought: str = "Hm.") -> dict[str, Any]:
    return {"action": action, "observation": observation, "thought": thought, "response": thought}


def ids(found: list[Record]) -> list[str | None]:
    return [record.event.id for record in found if record.event]


def results(found: list[Record]) -> list[Any]:
    events = [record.event for record in found]
    return [(e.tool.name, e.payload) for e in events if e and e.tool]


def test_a_golden_file_gives_its_events_and_refusals(golden: Callable[..., Any]) -> None:
    found, expected = golden("swe_agent.traj")
    assert found == expected


@given(st.lists(RUNS | JSON, max_size=3))
def test_any_json_gives_records_and_never_raises(runs: list[Any]) -> None:
    for record in records(runs):
        assert (record.event is None) != (record.problem is None)
        record.where.encode()
        str(record.problem).encode()


@given(st.binary())
def test_any_bytes_give_refusals_and_never_raise(body: bytes) -> None:
    for record in read(Source(io.BytesIO(body), "x"), Limits()):
        assert record.event is None


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_a_step_gives_its_words_and_its_result(steps: list[tuple[bool, bool]]) -> None:
    found = records(
        {
            "trajectory": [
                step("ls" if acts else "", "ok" if acts else "", "Hm." if speaks else "")
                for speaks, acts in steps
            ]
        }
    )
    expected = []
    for at, (speaks, acts) in enumerate(steps):
        expected += [f"clock-7/{at}"] if speaks else []
        expected += [f"clock-7/{at}/result"] if acts else []
    assert ids(found) == expected


def test_an_action_is_the_call_that_the_history_tells_in_order() -> None:
    history = [
        {"role": "assistant", "content": "Hm.", "action": "ls", "tool_calls": [call]}
        for call in (
            {"id": "c1", "function": {"name": "list", "arguments": '{"n": 1}'}},
            {"id": "c2", "function": {"name": "list", "arguments": '{"n": 2}'}},
        )
    ]
    found = records({"trajectory": [step("ls", str(n)) for n in range(3)], "history": history})
    assert results(found) == [
        ("list", {"args": {"n": 1}, "result": "0"}),
        ("list", {"args": {"n": 2}, "result": "1"}),
        ("bash", {"args": {"command": "ls"}, "result": "2"}),
    ]


@pytest.mark.parametrize("calls", [[], [7], [{"id": "c"}], "torn", None])
def test_an_action_without_a_call_is_a_line_for_the_shell(calls: Any) -> None:
    history = [{"role": "assistant", "action": "ls", "tool_calls": calls}]
    found = records({"trajectory": [step("ls", "ok")], "history": history})
    assert results(found) == [("bash", {"args": {"command": "ls"}, "result": "ok"})]


def test_the_task_is_what_stands_before_the_first_action() -> None:
    history = [
        {"role": "system", "content": "You mend clocks."},
        {"role": "user", "content": "A demonstration", "is_demo": True},
        {"role": "assistant", "content": "Shown", "is_demo": True},
        {"role": "user", "content": "Mend it."},
        {"role": "assistant", "content": "Hm.", "action": "ls"},
        {"role": "user", "content": "ok (Open file: n/a)"},
    ]
    found = records({"trajectory": [step("ls", "ok")], "history": history})
    assert ids(found) == ["clock-7/task/1", "clock-7/0", "clock-7/0/result"]


def test_a_history_alone_is_read_as_the_steps_that_it_tells() -> None:
    call = {"id": "c", "function": {"name": "list", "arguments": "{}"}}
    found = records(
        {
            "history": [
                {"role": "user", "content": "Mend it."},
                {"role": "assistant", "content": "Hm.", "action": "ls", "tool_calls": [call]},
                {"role": "tool", "content": "clock.py", "tool_call_ids": ["c"]},
                {"role": "assistant", "content": "Done.", "thought": "Done.", "action": "submit"},
            ]
        }
    )
    assert ids(found) == ["clock-7/task/0", "clock-7/0", "clock-7/0/result", "clock-7/1"]
    assert results(found) == [("list", {"args": {}, "result": "clock.py"})]
    assert found[-1].problem == "tool call 'clock-7/1' of bash has no result: left out"


def test_what_is_no_message_of_the_history_is_refused_alone() -> None:
    torn, told = records(
        {"trajectory": [], "history": [7, {"role": "user", "content": "Mend it."}]}
    )
    assert torn.problem == "is a number: no message"
    assert told.event is not None


def test_every_attempt_of_a_run_is_a_session_of_its_own() -> None:
    attempts = [{"trajectory": [step("", "")]}, "torn", {"trajectory": [step("", "")]}]
    found = records({"attempts": attempts, "trajectory": [step("never", "read")]})
    assert ids(found) == ["clock-7/attempt-1/0", "clock-7/attempt-3/0"]
    assert len(found) == 3


def test_what_was_only_thought_is_left_out_unless_it_is_all_there_is() -> None:
    thought = {"action": "", "observation": "", "thought": ""}
    blocks = {"thinking_blocks": [{"type": "thinking", "thinking": "Hm."}]}
    assert ids(records({"trajectory": [{**thought, **blocks}]})) == ["clock-7/0"]
    found = records({"trajectory": [{**thought, **blocks}, step("", "", "Aha.")]})
    assert ids(found) == ["clock-7/1"]


def test_unread_fields_go_with_the_result() -> None:
    told = {**step("ls", "ok"), "execution_time": 0.5, "query": ["never kept"]}
    _, result = records({"trajectory": [told], "info": {"exit_status": "submitted"}})
    assert result.event is not None
    assert result.event.metadata == {"swe_agent": {"execution_time": 0.5}}
