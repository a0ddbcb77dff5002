"""The history of a session: a fold over its events, holding what decisions need."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.codec import decode, encode
from meridia.core.errors import InvalidInput
from meridia.core.vocabulary import CaptureMode, Relationship
from meridia.ingest.capture.event_view import read_event
from meridia.ingest.capture.session_history import NO_BOND, CaptureCost, SessionHistory
from tests.ingest.ingest_events import SESSIONS, agent, at, boundary, result, user

MODES = st.sampled_from(CaptureMode)


def fold(*events, mode=CaptureMode.FULL):
    history = SessionHistory()
    for event in events:
        history = history.after(read_event(event), mode)
    return history


def test_a_history_does_not_change_when_it_grows():
    before = SessionHistory()
    after = before.after(read_event(user("hi", 1, person="Dana")), CaptureMode.FULL)
    assert before == SessionHistory()
    assert after != before


def test_results_and_what_is_said_are_remembered_apart():
    history = fold(result("read"), user("hi"), result("write"))
    assert [moment.actor for moment in history.results] == ["tool:read", "tool:write"]
    assert history.recent_events(read_event(user("x"))) == history.messages
    assert history.recent_events(read_event(result())) == history.results


def test_the_last_five_of_each_class_are_remembered_and_every_actors_last_time():
    history = fold(*(result(f"t{n}", seconds=n) for n in range(8)))
    assert [moment.actor for moment in history.results] == [f"tool:t{n}" for n in range(3, 8)]
    assert history.used["tool:t0"] == at(0)


def test_however_many_actors_there_are_a_history_stays_small():
    history = fold(*(result(f"t{n}") for n in range(300)))
    assert len(history.used) == 256
    assert "tool:t299" in history.used
    assert "tool:t0" not in history.used


def test_row_50_a_person_is_met_once():
    """Row 50: whether a person is new."""
    first = user("hi", person="Dana")
    history = SessionHistory()
    assert history.is_first_contact(read_event(first))
    assert not history.after(read_event(first), CaptureMode.FULL).is_first_contact(
        read_event(user("again", person="DANA"))
    )
    assert not SessionHistory(people={"dana": NO_BOND}).is_first_contact(read_event(first))


def test_the_agent_is_not_met_and_who_says_no_name_is_met_once():
    assert not SessionHistory().is_first_contact(read_event(agent("hi", person="Claude")))
    nameless = read_event(user("hi"))
    assert SessionHistory().is_first_contact(nameless)
    assert not SessionHistory().after(nameless, CaptureMode.FULL).is_first_contact(nameless)


def test_row_49_work_between_messages_is_done_with_the_person_who_spoke_last():
    """Row 49: the person's relationship counts for the tools that run for them."""
    dana = (Relationship.PRIMARY, None)
    history = SessionHistory(people={"dana": dana}).after(
        read_event(user("go", person="Dana")), CaptureMode.FULL
    )
    assert history.relationship_with(read_event(result())) == dana
    assert history.relationship_with(read_event(user("me too", person="Ravi"))) == NO_BOND


def test_only_full_captures_of_results_and_boundaries_are_spent_on():
    for event, mode, count in (
        (result(seconds=1), CaptureMode.FULL, 1),
        (boundary(1), CaptureMode.FULL, 1),
        (result(seconds=1), CaptureMode.TRACE_ONLY, 0),
        (user("hi", 1), CaptureMode.FULL, 0),
    ):
        assert len(fold(event, mode=mode).captures) == count
    assert fold(result(seconds=1), boundary(2), user("hi", 3)).captured == 1


def test_captures_are_kept_for_a_day_and_untimed_ones_as_a_sum():
    history = fold(result(seconds=0), result(seconds=60), result(seconds=86_400))
    assert [spending.at for spending in history.captures] == [at(60), at(86_400)]
    assert fold(result(output="x" * 400), result(output="x" * 400)).tokens_untimed == 204


def test_a_failure_waits_until_it_is_solved():
    failed = result("book", failed=True)
    assert len(fold(failed, result("pay")).failures) == 1
    assert fold(failed, result("pay"), result("book")).failures == ()


def test_the_agents_open_question_is_noticed_until_somebody_speaks():
    assert fold(agent("Shall I go on?")).asked
    assert fold(agent("Shall I go on?"), result()).asked
    assert not fold(agent("Shall I go on?"), user("Yes")).asked
    assert not fold(user("Shall we?")).asked


@given(SESSIONS, MODES)
def test_a_history_written_and_read_again_is_the_same(events, mode):
    history = SessionHistory(people={"ravi": (Relationship.COLLABORATOR, 0.3)})
    for event in events:
        history = history.after(read_event(event), mode)
    assert decode(SessionHistory, json.loads(json.dumps(encode(history)))) == history


@given(SESSIONS)
def test_a_history_holds_no_words_of_the_session(events):
    history = fold(*events)
    written = json.dumps(encode(history))
    assert not any(word in written for word in ("Where", "perfect", "/src", "a.example"))


def test_a_damaged_history_is_refused_by_name():
    with pytest.raises(InvalidInput, match="captures.0.tokens: Field required"):
        decode(SessionHistory, {"captures": [{"ts": "2026-03-01T10:00:00Z"}]})
    with pytest.raises(InvalidInput, match="SessionHistory: Input should be"):
        decode(SessionHistory, "damaged")
    with pytest.raises(InvalidInput, match="'friend' is not a date"):
        decode(SessionHistory, {"used": [{"actor": "dana", "ts": "friend"}]})


def test_spendings_are_written_with_their_time():
    assert encode(CaptureCost(at(0), 7)) == {"ts": "2026-03-01T10:00:00.000000Z", "tokens": 7}
