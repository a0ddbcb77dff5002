"""The past of sessions: however events come, each is decided on by the same history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import Conflict
from meridia.core.events import parse_event
from meridia.core.ids import session_id
from meridia.core.types import EntryKind, Outcome
from meridia.core.vocabulary import CaptureMode
from meridia.ingest.capture.commit import CaptureContext, decision_of
from meridia.ingest.capture.event_view import read_event
from meridia.ingest.capture.service import SessionCache, fold
from meridia.ingest.capture.session_history import SessionHistory
from tests.drafts import a_payload, recorded
from tests.ingest.ingest_events import EVENTS, agent, result, user
from tests.ingest.ingest_world import HOME, World, a_world, outcomes

#: Events of two sessions; of a result, too, it may be known for whom it was.
STREAMS = st.lists(
    st.tuples(st.sampled_from(["s1", "s2"]), EVENTS, st.sampled_from([{}, {"person": "Kim"}])),
    max_size=14,
).map(
    lambda drawn: [
        {**person, **event, "id": f"e-{place}", "session": {"key": key}}
        for place, (key, event, person) in enumerate(drawn)
    ]
)


def payloads_in(world: World) -> list[tuple[Any, ...]]:
    """Return what was decided and kept of every event, without what differs between journals."""
    ids = {entry.id: entry.key for entry in world.entries()}
    rows = []
    for entry in world.entries(EntryKind.EXPERIENCE_CAPTURED):
        payload = recorded(entry)
        if double := payload.get("duplicate_of"):
            payload["duplicate_of"] = ids[double]
        rows.append((entry.key, payload, entry.provisional))
    return rows


def history_of(world: World, key: str | None) -> SessionHistory:
    """Return a session's history as one would find it who knows nothing yet."""
    session = {} if key is None else {"session": {"key": key}}
    return past_of(world, user("hm", 0, **session)).history


def past_of(world: World, event: dict[str, Any]) -> CaptureContext:
    context = CaptureContext(HOME, event, event_view=read_event(event))
    SessionCache(world.file.journal, world.file.space(HOME)).load_history(context)
    return context


def histories(world: World) -> list[SessionHistory]:
    """Return the histories of all sessions."""
    return [history_of(world, key) for key in ("s1", "s2")]


def chunks(events: Sequence[Any], sizes: Sequence[int]) -> list[Sequence[Any]]:
    """Cut a list into runs of some sizes, again and again."""
    runs, place = [], 0
    while place < len(events):
        size = sizes[len(runs) % len(sizes)]
        runs.append(events[place : place + size])
        place += size
    return runs


@given(STREAMS, st.lists(st.integers(1, 6), min_size=1, max_size=3))
def test_batches_of_any_size_decide_as_one_by_one(events, sizes):
    with a_world() as single, a_world() as many:
        alone = single.take(*events)
        together = [
            answer
            for chunk in chunks(events, sizes)
            for answer in many.capture.capture_events(HOME, [parse_event(event) for event in chunk])
        ]
        assert outcomes(together) == outcomes(alone)
        if events:
            assert payloads_in(many) == payloads_in(single)
            assert histories(many) == histories(single)


@given(STREAMS, st.sets(st.integers(0, 13)))
def test_a_forgotten_history_changes_no_decision_while_events_are_held(events, moments):
    with a_world() as steady, a_world() as forgetful:
        steady.take(*events)
        for place, event in enumerate(events):
            if place in moments:
                forgetful.forget_sessions()
            forgetful.take(event)
        if events:
            assert payloads_in(forgetful) == payloads_in(steady)
            assert histories(forgetful) == histories(steady)


@given(STREAMS, st.sets(st.integers(0, 13)), st.booleans())
def test_whoever_captures_next_decides_by_the_same_history(events, moments, alone):
    if not alone:
        events = [{name: event[name] for name in event if name != "session"} for event in events]
    with a_world() as single, a_world() as several:
        single.take(*events)
        for place, event in enumerate(events):
            if place in moments:
                several.restart()
                several.catch_up() if place else None
            several.take(event)
        if events:
            assert payloads_in(several) == payloads_in(single)


@given(STREAMS, st.data())
def test_an_event_sent_again_changes_nothing(events, data):
    with a_world() as once, a_world() as twice:
        once.take(*events)
        for place, event in enumerate(events):
            twice.take(event)
            again = data.draw(st.integers(0, place))
            (answer,) = twice.take(events[again])
            assert answer.outcome is Outcome.REDELIVERED
        if events:
            assert payloads_in(twice) == payloads_in(once)
            assert histories(twice) == histories(once)


def test_a_history_is_folded_from_the_journal_as_it_was_written(world):
    world.take(
        user("Where is the boat?", 0, person="Dana", session={"key": "s1"}),
        result("bash", {"cmd": "ls"}, "no boat", 5, failed=True, session={"key": "s1"}),
        agent("In the shed?", 9, session={"key": "s1"}),
    )
    folded = fold(world.file.journal.stream(HOME, session_id(HOME, "s1")))
    assert folded == replace(history_of(world, "s1"), people={})
    assert folded.interlocutor == "dana"
    assert len(folded.failures) == 1
    assert folded.asked
    assert folded.people == {}


def test_an_erased_event_is_passed_over_by_the_fold(world):
    world.take(
        user("One thing to remember", 0, session={"key": "s1"}),
        user("Another thing entirely", 5, session={"key": "s1"}),
    )
    with world.file.database.writing() as connection:
        connection.execute("DELETE FROM payload WHERE seq = 1")
    folded = fold(world.file.journal.stream(HOME, session_id(HOME, "s1")))
    assert len(folded.messages) == 1


def test_events_without_a_session_share_one_history(world):
    world.take(user("hello there", 0), user("hello again", 5))
    world.restart()
    assert len(history_of(world, None).messages) == 2
    assert not history_of(world, "s1").messages


def test_a_transaction_that_failed_leaves_no_history(world):
    world.take(user("first words", 0, id="taken", session={"key": "s1"}))
    wrong = parse_event(user("other words", 3, id="taken", session={"key": "s1"}))
    fresh = parse_event(user("new words", 2, id="new", session={"key": "s1"}))
    with pytest.raises(Conflict):
        world.capture.capture_atomically(HOME, [fresh, wrong])
    assert len(history_of(world, "s1").messages) == 1
    fine, _ = world.capture.capture_events(HOME, [fresh, wrong])
    assert fine.outcome is Outcome.TEXT_ONLY
    assert len(history_of(world, "s1").messages) == 2


# Doubles


def double_of(world: World, event: dict[str, Any]) -> str | None:
    return past_of(world, event).duplicate_of


def test_the_double_is_the_first_with_the_same_words_of_the_same_speaker(world):
    first, _, other = world.take(
        user("The mast is up now.", person="Dana"),
        user("The mast is up now.", person=" DANA "),
        user("The mast is up now.", person="Ravi"),
    )
    assert double_of(world, user("The mast is up now.", person="dana")) == first.id
    assert double_of(world, user("The mast is up now.", person="Ravi")) == other.id
    assert double_of(world, user("The mast is up now.")) is None
    assert double_of(world, agent("The mast is up now.", person="Dana")) is None
    assert double_of(world, user("The mast is down now.", person="Dana")) is None


def test_short_texts_and_empty_ones_have_no_double(world):
    world.take(user("ok, thanks!", person="Dana"), user("", artifacts=[{"uri": "a"}]))
    assert double_of(world, user("ok, thanks!", person="Dana")) is None
    assert double_of(world, user("", artifacts=[{"uri": "a"}])) is None


def test_a_note_under_an_id_of_the_callers_has_no_double(world):
    def noted(**fields: Any) -> dict[str, Any]:
        return {"kind": "manual_capture", "payload": {"text": "The mast is up now."}, **fields}

    (first,) = world.take(noted(id="a"))
    assert double_of(world, noted(id="b")) is None
    assert double_of(world, noted()) == first.id


def test_a_result_has_a_double_of_the_same_tool_only(world):
    (first,) = world.take(result("bash", {"cmd": "ls"}, "a boat and a mast"))
    assert double_of(world, result("bash", {"cmd": "ls"}, "a boat and a mast")) == first.id
    assert double_of(world, result("zsh", {"cmd": "ls"}, "a boat and a mast")) is None
    assert double_of(world, result("bash", {"cmd": "ls -l"}, "a boat and a mast")) is None


# People


def test_a_history_knows_the_speaker_and_whom_the_session_is_with(world):
    world.take(
        user("Hello, it is me", 0, person="Dana", session={"key": "s1"}),
        user("And me", 1, person="Ravi", session={"key": "s2"}),
    )
    context = past_of(world, result("bash", {}, "done", 5, session={"key": "s1"}))
    assert set(context.history.people) == {"dana"}
    both = past_of(world, user("Hi", 5, person="Ravi", session={"key": "s1"}))
    assert set(both.history.people) == {"dana", "ravi"}


def test_what_a_payload_says_of_its_decision_tells_how_much_is_kept():
    event = result("bash", {"cmd": "make"}, "done", 0)
    brief = decision_of(
        a_payload(
            EntryKind.EXPERIENCE_CAPTURED,
            {"event": event, "decision": {"significance": 0.6, "mode": "full"}},
        )
    )
    assert brief.mode is CaptureMode.FULL


def test_a_result_introduces_nobody_in_one_batch_or_in_two(world):
    events = [
        {**result("read", {"path": f"{place}"}, "text", place * 400), "person": "Kim"}
        for place in range(3)
    ]
    world.take(*events)
    modes = {recorded(entry)["decision"].get("mode") for entry in world.entries()}
    assert modes == {"trace_only"}
    assert world.rows("SELECT * FROM relationship") == []


def test_of_hundreds_of_tools_the_same_are_remembered_however_often_a_history_was_written(world):
    # In no order of their names; the oldest of them are forgotten.
    calls = [
        result(f"tool{place * 7 % 300}", {}, f"text {place}", place, session={"key": "s1"})
        for place in range(300)
    ]
    with a_world() as other:
        world.take(*calls)
        other.take(*calls[:260])
        other.restart()
        other.take(*calls[260:])
        assert dict(history_of(world, "s1").used) == dict(history_of(other, "s1").used)
        assert payloads_in(world) == payloads_in(other)
