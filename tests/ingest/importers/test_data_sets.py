"""Data sets: LoCoMo, tau-bench, SWE-agent, ShareGPT."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.events import text_of
from meridia.ingest.importers.data_sets import (
    read_locomo,
    read_sharegpt,
    read_swe_agent,
    read_tau_bench,
)
from meridia.ingest.importers.import_record import ImportRecord, ImportSource

# Locomo


def locomo(samples: Any) -> list[ImportRecord]:
    stream = io.BytesIO(json.dumps(samples).encode())
    return list(read_locomo(ImportSource(stream, "x")))


def session(turns: Any, time: Any = "1:56 pm on 8 May, 2023") -> list[dict[str, Any]]:
    conversation = {"session_1": turns, "session_1_date_time": time}
    return [{"sample_id": "garden", "conversation": conversation}]


@pytest.mark.parametrize(
    ("time", "instant"),
    [
        ("12:00 am on 1 January, 2024", "2024-01-01T00:00:00Z"),
        ("12:59 pm on 31 December, 2023", "2023-12-31T12:59:00Z"),
        ("11:05 PM on 9 september 2022", "2022-09-09T23:05:00Z"),
    ],
)
def test_session_times_are_read_on_a_twelve_hour_clock_in_utc(time: str, instant: str) -> None:
    (record,) = locomo(session([{"speaker": "Ada", "dia_id": "D1:1", "text": "Hi"}], time))
    assert record.event is not None
    assert record.event.as_json()["ts"] == instant


@pytest.mark.parametrize(
    "time", ["13:00 pm on 1 May, 2023", "1:00 pm on 31 June, 2023", "1:00 pm on 1 Mai, 2023", 5, ""]
)
def test_a_session_with_an_unreadable_time_is_one_refusal(time: object) -> None:
    (record,) = locomo(session([{"speaker": "Ada", "dia_id": "D1:1", "text": "Hi"}] * 3, time))
    assert record.where == "x garden session_1_date_time"
    assert "its 3 turns are refused" in str(record.problem)


def test_only_what_was_said_is_searchable() -> None:
    turn = {"speaker": "Ada", "dia_id": "D1:1", "text": "Look", "query": "hidden", "note": "hidden"}
    (record,) = locomo(session([turn]))
    assert record.event is not None
    assert text_of(record.event.as_json()) == "Look"
    assert record.event.metadata == {"locomo": {"query": "hidden", "note": "hidden"}}


def test_a_photo_whose_address_is_too_long_keeps_its_turn() -> None:
    inlined = "data:image/jpeg;base64," + "A" * 5_000
    turn = {"speaker": "Ada", "dia_id": "D1:1", "text": "Look", "img_url": [inlined]}
    (record,) = locomo(session([turn]))
    assert record.event is not None
    assert record.event.artifacts[0].uri == "locomo:D1:1"
    assert record.event.metadata == {"locomo": {"img_url": [inlined]}}


def test_one_sample_needs_no_array_around_it() -> None:
    (sample,) = session([{"speaker": "Ada", "dia_id": "D1:1", "text": "Hi"}])
    assert locomo(sample) == locomo([sample])


# Tau bench


def tau_bench(runs: Any) -> list[ImportRecord]:
    return list(read_tau_bench(ImportSource(io.BytesIO(json.dumps(runs).encode()), "x")))


def run(*messages: Any) -> list[ImportRecord]:
    return tau_bench([{"task_id": 1, "trial": 2, "reward": 0.0, "traj": messages}])


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


# Swe agent


def swe_agent(run: Any) -> list[ImportRecord]:
    return list(read_swe_agent(ImportSource(io.BytesIO(json.dumps(run).encode()), "clock-7.traj")))


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
    actual = swe_agent(
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
    actual = swe_agent({"trajectory": [step("ls", str(n)) for n in range(3)], "history": history})
    assert results(actual) == [
        ("list", {"args": {"n": 1}, "result": "0"}),
        ("list", {"args": {"n": 2}, "result": "1"}),
        ("bash", {"args": {"command": "ls"}, "result": "2"}),
    ]


@pytest.mark.parametrize("calls", [[], [7], [{"id": "c"}], "torn", None])
def test_an_action_without_a_call_is_a_line_for_the_shell(calls: Any) -> None:
    history = [{"role": "assistant", "action": "ls", "tool_calls": calls}]
    actual = swe_agent({"trajectory": [step("ls", "ok")], "history": history})
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
    actual = swe_agent({"trajectory": [step("ls", "ok")], "history": history})
    assert ids(actual) == ["clock-7/task/1", "clock-7/0", "clock-7/0/result"]


def test_a_history_alone_is_read_as_the_steps_that_it_tells() -> None:
    call = {"id": "c", "function": {"name": "list", "arguments": "{}"}}
    actual = swe_agent(
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
    torn, reported = swe_agent(
        {"trajectory": [], "history": [7, {"role": "user", "content": "Mend it."}]}
    )
    assert torn.problem == "is a number: no message"
    assert reported.event is not None


def test_every_attempt_of_a_run_is_a_session_of_its_own() -> None:
    attempts = [{"trajectory": [step("", "")]}, "torn", {"trajectory": [step("", "")]}]
    actual = swe_agent({"attempts": attempts, "trajectory": [step("never", "read")]})
    assert ids(actual) == ["clock-7/attempt-1/0", "clock-7/attempt-3/0"]
    assert len(actual) == 3


def test_what_was_only_thought_is_left_out_unless_it_is_all_there_is() -> None:
    reasoning = {"action": "", "observation": "", "thought": ""}
    blocks = {"thinking_blocks": [{"type": "thinking", "thinking": "Hm."}]}
    assert ids(swe_agent({"trajectory": [{**reasoning, **blocks}]})) == ["clock-7/0"]
    actual = swe_agent({"trajectory": [{**reasoning, **blocks}, step("", "", "Aha.")]})
    assert ids(actual) == ["clock-7/1"]


def test_unread_fields_go_with_the_result() -> None:
    reported = {**step("ls", "ok"), "execution_time": 0.5, "query": ["never kept"]}
    _, result = swe_agent({"trajectory": [reported], "info": {"exit_status": "submitted"}})
    assert result.event is not None
    assert result.event.metadata == {"swe_agent": {"execution_time": 0.5}}


# Sharegpt


def sharegpt(*turns: Any, **fields: Any) -> list[ImportRecord]:
    body = json.dumps([{"conversations": turns, **fields}]).encode()
    everything = read_sharegpt(ImportSource(io.BytesIO(body), "data.json"))
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
        (record,) = sharegpt(turn)
        assert record.event is not None
        assert (record.event.kind.value, record.event.person) == (kind, person)


def test_a_call_that_names_no_tool_is_what_the_assistant_said() -> None:
    call, result = sharegpt(
        {"from": "function_call", "value": "look(seal)"}, {"from": "observation", "value": "ok"}
    )
    assert call.event is not None
    assert result.event is not None
    assert call.event.payload == {"text": "look(seal)"}
    assert result.event.tool is not None
    assert result.event.tool.name == "tool"


def test_a_bare_number_names_no_conversation_outside_of_its_file() -> None:
    (record,) = sharegpt({"from": "human", "value": "x"}, id=7)
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
    said, first, second = sharegpt(
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
    (record,) = sharegpt({"from": "gpt", "value": "<tool_call>{look}</tool_call>"})
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
        for record in read_sharegpt(ImportSource(io.BytesIO(body), "data.json"))
        if record.skipped is None
    ]
    assert keys == ["c", "c/2", "c", "c", "c/2", "c/2", "c/2"]
