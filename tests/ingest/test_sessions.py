"""The past of sessions: however events come, each is decided on by the same history."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.events import parse_event
from meridia.core.experience import Decision
from meridia.core.types import EntryKind, Outcome
from meridia.core.vocabulary import CaptureMode, RecordStatus
from meridia.ingest.arrival import Arrival
from meridia.ingest.commit import decision_of
from meridia.ingest.history import SessionHistory
from meridia.ingest.sessions import Pasts, fold
from tests.ingest.happenings import EVENTS, agent, result, user
from tests.ingest.world import HOME, World, a_world, outcomes

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


def told(world: World) -> list[tuple[Any, ...]]:
    """Return what was decided and kept of every event, without what differs between journals."""
    ids = {entry.id: entry.key for entry in world.entries()}
    found = []
    for entry in world.entries(EntryKind.EXPERIENCE_CAPTURED):
        payload = dict(entry.payload or {})
        if double := payload.get("duplicate_of"):
            payload["duplicate_of"] = ids[double]
        found.append((entry.key, payload, entry.provisional))
    return found


def histories(world: World) -> list[tuple[Any, ...]]:
    """Return the histories of all sessions, with their lists in order."""
    rows = world.rows("SELECT session, history FROM session_state ORDER BY session")
    return [(session, json.loads(history)) for session, history in rows]


def chunks(events: Sequence[Any], sizes: Sequence[int]) -> list[Sequence[Any]]:
    """Cut a list into runs of some sizes, again and again."""
    parts, place = [], 0
    while place < len(events):
        size = sizes[len(parts) % len(sizes)]
        parts.append(events[place : place + size])
        place += size
    return parts


@given(STREAMS, st.lists(st.integers(1, 6), min_size=1, max_size=3))
def test_batches_of_any_size_decide_as_one_by_one(events, sizes):
    with a_world() as one, a_world() as many:
        alone = one.take(*events)
        together = [
            answer
            for chunk in chunks(events, sizes)
            for answer in many.capture.many(HOME, [parse_event(event) for event in chunk])
        ]
        assert outcomes(together) == outcomes(alone)
        if events:
            assert told(many) == told(one)
            assert histories(many) == histories(one)


@given(STREAMS, st.sets(st.integers(0, 13)))
def test_a_forgotten_history_changes_no_decision_while_events_are_held(events, moments):
    with a_world() as kept, a_world() as forgetful:
        kept.take(*events)
        for place, event in enumerate(events):
            if place in moments:
                forgetful.forget_sessions()
            forgetful.take(event)
        if events:
            assert told(forgetful) == told(kept)
            if max(moments, default=0) < len(events):
                # Only what was written after the last loss is there again.
                kept_rows = dict(histories(kept))
                assert all(kept_rows[key] == value for key, value in histories(forgetful))


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
            assert told(twice) == told(once)
            assert histories(twice) == histories(once)


def test_a_history_is_folded_from_the_journal_as_it_was_written(world):
    world.take(
        user("Where is the boat?", 0, person="Dana", session={"key": "s1"}),
        result("bash", {"cmd": "ls"}, "no boat", 5, failed=True, session={"key": "s1"}),
        agent("In the shed?", 9, session={"key": "s1"}),
    )
    ((session, stored),) = histories(world)
    folded = fold(world.file.journal.stream(HOME, session))
    assert folded == SessionHistory.from_json(stored)
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
    (entry, _) = world.entries(EntryKind.EXPERIENCE_CAPTURED)
    folded = fold(world.file.journal.stream(HOME, str(entry.stream)))
    assert len(folded.messages) == 1


def test_events_without_a_session_share_one_history(world):
    world.take(user("hello there", 0), user("hello again", 5))
    ((session, history),) = histories(world)
    assert session == ""
    assert len(history["messages"]) == 2


def test_a_session_remembers_when_its_latest_event_was_in_whatever_order_they_came(world):
    world.take(
        user("the later one", 60, session={"key": "s1"}),
        user("the earlier one", 0, session={"key": "s1"}),
    )
    ((last,),) = world.rows("SELECT last_at FROM session_state")
    assert last.startswith("2026-03-01T10:01:00")


def test_a_transaction_that_failed_leaves_no_history(world):
    world.take(user("first words", 0, id="taken", session={"key": "s1"}))
    before = histories(world)
    wrong = parse_event(user("other words", 3, id="taken", session={"key": "s1"}))
    fresh = parse_event(user("new words", 2, id="new", session={"key": "s1"}))
    (fine, _) = world.capture.many(HOME, [fresh, wrong])
    assert fine.outcome is Outcome.LIGHT
    ((_, after),) = histories(world)
    assert [len(h["messages"]) for h in (before[0][1], after)] == [1, 2]


# Doubles


def double_of(world: World, event: dict[str, Any]) -> str | None:
    with world.file.database.reading() as connection:
        past = Pasts(connection, world.file.journal, HOME)
        return past.before(Arrival(HOME, event)).duplicate_of


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


def test_a_result_has_a_double_of_the_same_tool_only(world):
    (first,) = world.take(result("bash", {"cmd": "ls"}, "a boat and a mast"))
    assert double_of(world, result("bash", {"cmd": "ls"}, "a boat and a mast")) == first.id
    assert double_of(world, result("zsh", {"cmd": "ls"}, "a boat and a mast")) is None
    assert double_of(world, result("bash", {"cmd": "ls -l"}, "a boat and a mast")) is None


# People


def test_a_history_knows_the_speaker_and_whom_the_session_is_with(world):
    world.take(user("Hello, it is me", 0, person="Dana", session={"key": "s1"}))
    arrival = Arrival(HOME, result("bash", {}, "done", 5, session={"key": "s1"}))
    with world.file.database.reading() as connection:
        past = Pasts(connection, world.file.journal, HOME)
        assert set(past.before(arrival).history.people) == {"dana"}
    stored = histories(world)
    assert "people" not in stored[0][1], "who is known belongs to the space"


def test_in_a_space_that_is_not_there_nothing_is_known(world):
    arrival = Arrival(HOME, user("Hello, it is me", 0, person="Dana", session={"key": "s1"}))
    with world.file.database.reading() as connection:
        found = Pasts(connection, world.file.journal, HOME).before(arrival)
    assert (found.history, found.duplicate_of) == (SessionHistory(), None)


def test_what_a_payload_says_of_its_decision_is_enough_for_a_history():
    decision = Decision(
        0.6, 0.5, CaptureMode.FULL, Outcome.CAPTURED, RecordStatus.EVALUATED, "for a test"
    )
    event = result("bash", {"cmd": "make"}, "done", 0)
    brief = decision_of({"event": event, "decision": {"significance": 0.6, "mode": "full"}})
    assert SessionHistory().after(event, brief) == SessionHistory().after(event, decision)
