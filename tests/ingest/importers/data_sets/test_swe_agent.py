from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.data_sets import read_swe_agent as read
from meridia.ingest.importers.import_record import ImportRecord, ImportSource


def records(run: Any) -> list[ImportRecord]:
    return list(read(ImportSource(io.BytesIO(json.dumps(run).encode()), "clock-7.traj")))


def step(action: str, observation: str | None, reasoning: str = "Hm.") -> dict[str, Any]:
    return {
        "action": action,
        "observation": observation,
        "thought": reasoning,
        "response": reasoning,
    }


def ids(actual: list[ImportRecord]) -> list[str | None]:
    return [record.event.id for record in actual if record.event]


def results(actual: list[ImportRecord]) -> list[Any]:
    events = [record.event for record in actual]
    return [(e.tool.name, e.payload) for e in events if e and e.tool]


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_a_step_gives_its_words_and_its_result(steps: list[tuple[bool, bool]]) -> None:
    actual = records(
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
    assert ids(actual) == expected


def test_an_action_is_the_call_that_the_history_tells_in_order() -> None:
    history = [
        {"role": "assistant", "content": "Hm.", "action": "ls", "tool_calls": [call]}
        for call in (
            {"id": "c1", "function": {"name": "list", "arguments": '{"n": 1}'}},
            {"id": "c2", "function": {"name": "list", "arguments": '{"n": 2}'}},
        )
    ]
    actual = records({"trajectory": [step("ls", str(n)) for n in range(3)], "history": history})
    assert results(actual) == [
        ("list", {"args": {"n": 1}, "result": "0"}),
        ("list", {"args": {"n": 2}, "result": "1"}),
        ("bash", {"args": {"command": "ls"}, "result": "2"}),
    ]


@pytest.mark.parametrize("calls", [[], [7], [{"id": "c"}], "torn", None])
def test_an_action_without_a_call_is_a_line_for_the_shell(calls: Any) -> None:
    history = [{"role": "assistant", "action": "ls", "tool_calls": calls}]
    actual = records({"trajectory": [step("ls", "ok")], "history": history})
    assert results(actual) == [("bash", {"args": {"command": "ls"}, "result": "ok"})]


def test_the_task_is_what_stands_before_the_first_action() -> None:
    history = [
        {"role": "system", "content": "You mend clocks."},
        {"role": "user", "content": "A demonstration", "is_demo": True},
        {"role": "assistant", "content": "Shown", "is_demo": True},
        {"role": "user", "content": "Mend it."},
        {"role": "assistant", "content": "Hm.", "action": "ls"},
        {"role": "user", "content": "ok (Open file: n/a)"},
    ]
    actual = records({"trajectory": [step("ls", "ok")], "history": history})
    assert ids(actual) == ["clock-7/task/1", "clock-7/0", "clock-7/0/result"]


def test_a_history_alone_is_read_as_the_steps_that_it_tells() -> None:
    call = {"id": "c", "function": {"name": "list", "arguments": "{}"}}
    actual = records(
        {
            "history": [
                {"role": "user", "content": "Mend it."},
                {"role": "assistant", "content": "Hm.", "action": "ls", "tool_calls": [call]},
                {"role": "tool", "content": "clock.py", "tool_call_ids": ["c"]},
                {"role": "assistant", "content": "Done.", "thought": "Done.", "action": "submit"},
            ]
        }
    )
    assert ids(actual) == ["clock-7/task/0", "clock-7/0", "clock-7/0/result", "clock-7/1"]
    assert results(actual) == [("list", {"args": {}, "result": "clock.py"})]
    assert actual[-1].skipped == "tool calls without a result"


def test_what_is_no_message_of_the_history_is_refused_alone() -> None:
    torn, reported = records(
        {"trajectory": [], "history": [7, {"role": "user", "content": "Mend it."}]}
    )
    assert torn.problem == "is a number: no message"
    assert reported.event is not None


def test_every_attempt_of_a_run_is_a_session_of_its_own() -> None:
    attempts = [{"trajectory": [step("", "")]}, "torn", {"trajectory": [step("", "")]}]
    actual = records({"attempts": attempts, "trajectory": [step("never", "read")]})
    assert ids(actual) == ["clock-7/attempt-1/0", "clock-7/attempt-3/0"]
    assert len(actual) == 3


def test_what_was_only_thought_is_left_out_unless_it_is_all_there_is() -> None:
    reasoning = {"action": "", "observation": "", "thought": ""}
    blocks = {"thinking_blocks": [{"type": "thinking", "thinking": "Hm."}]}
    assert ids(records({"trajectory": [{**reasoning, **blocks}]})) == ["clock-7/0"]
    actual = records({"trajectory": [{**reasoning, **blocks}, step("", "", "Aha.")]})
    assert ids(actual) == ["clock-7/1"]


def test_unread_fields_go_with_the_result() -> None:
    reported = {**step("ls", "ok"), "execution_time": 0.5, "query": ["never kept"]}
    _, result = records({"trajectory": [reported], "info": {"exit_status": "submitted"}})
    assert result.event is not None
    assert result.event.metadata == {"swe_agent": {"execution_time": 0.5}}
