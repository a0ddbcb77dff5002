"""What closes commitments: done, given up, set for another time; and what does not."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.experience import Commitment
from meridia.core.runs.fixes import attempt_of
from meridia.core.text import Analyser
from meridia.core.vocabulary import CommitmentKind
from meridia.retrieval.history.deed_closings import (
    UNDERTAKINGS,
    DeedIndex,
    Telling,
    ThreadState,
    author_of,
)
from tests.retrieval.history.experience_builders import MET, agent, experience

ENGLISH = Analyser()
KIND = CommitmentKind


def deed(kind, verb="", *objects, due=None):
    return (Commitment(kind, 0, 1, verb, objects, due),)


def closing(*experiences):
    """Return what became of the first commitment, and by which experience."""
    first = experiences[0]
    telling = Telling(0, author_of(first), first.memory.session, first.commitments[0])
    closed = DeedIndex(experiences, ENGLISH).closing(telling)
    return None if closed is None else (closed[0].value, closed[1].memory.id)


def says(seq, *told, person="Nora", session="s1"):
    return experience(seq, "x", person, session, commitments=deed(*told))


PROMISE = says(1, KIND.PROMISE, "send", "address", "teacher")


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        (says(2, KIND.DONE, "send", "address"), "kept"),
        (says(2, KIND.DONE, "send", "address", session="s2"), "kept"),
        (says(2, KIND.DONE, "mail", "address", "teacher"), "kept"),
        (says(2, KIND.DONE, "", "address", "teacher"), "kept"),
        (says(2, KIND.RECEIVED, "", "address", "teacher", person="Ilse"), "kept"),
        (says(2, KIND.DONE, "cancel", "address", "teacher"), "cancelled"),
        (says(2, KIND.CANCEL, "send", "address"), "cancelled"),
        (says(2, KIND.CANCEL, person="Ilse"), "cancelled"),
    ],
)
def test_the_same_deed_done_or_given_up_closes_it(later, expected):
    assert closing(PROMISE, later) == (expected, "m2")


@pytest.mark.parametrize(
    "later",
    [
        says(2, KIND.DONE, "send", "parcel"),
        says(2, KIND.DONE, "paint", "address"),
        says(2, KIND.DONE, "send", "address", person="Ilse"),
        says(2, KIND.RECEIVED, "", "address", "teacher"),
        says(2, KIND.CANCEL, "send", "parcel"),
        says(2, KIND.CANCEL, session="s2"),
        says(2, KIND.PROMISE, "send", "address"),
        experience(2, "x", None, kind="tool_result", tool="send_address"),
    ],
)
def test_another_deed_another_person_or_another_session_closes_nothing(later):
    assert closing(PROMISE, later) is None


def test_never_mind_takes_back_only_what_was_last_undertaken():
    last = says(2, KIND.PROMISE, "paint", "door")
    assert closing(PROMISE, last, says(3, KIND.CANCEL)) is None
    assert closing(last, says(3, KIND.CANCEL)) == ("cancelled", "m3")


def test_the_same_deed_with_a_later_time_replaces_it():
    soon, later = MET + timedelta(days=3), MET + timedelta(days=9)
    first = experience(1, "x", commitments=deed(KIND.PLAN, "sail", "lake", due=soon))
    moved = experience(2, "x", commitments=deed(KIND.PLAN, "sail", "lake", due=later))
    assert closing(first, moved) == ("superseded", "m2")
    assert closing(moved, first) is None


def test_what_comes_long_after_it_was_due_is_another_time():
    due = MET + timedelta(days=1)
    plan = experience(1, "x", commitments=deed(KIND.PLAN, "sail", "lake", due=due))
    assert closing(plan, says(24 * 20, KIND.DONE, "sail", "lake")) is not None
    assert closing(plan, says(24 * 60, KIND.DONE, "sail", "lake")) is None


def tool(seq, name, *, error=False):
    event = {
        "id": str(seq),
        "kind": "tool_result",
        "ts": "2026-04-02T10:00:00Z",
        "tool": {"name": name, "args": {}, "isError": error},
        "payload": {"text": "x"},
    }
    attempt = attempt_of(event)
    return experience(seq, "x", None, kind="tool_result", tool=name, attempt=attempt)


def promise_of_the_agent(verb="look", *objects):
    view = agent(1, "x")
    return experience(
        1,
        "x",
        None,
        view.memory.session,
        "assistant_message",
        commitments=deed(KIND.PROMISE, verb, *objects),
    )


def test_an_agents_promise_is_kept_by_the_very_next_result_of_a_tool_that_works():
    opened = promise_of_the_agent("look", "reserv")
    assert closing(opened, tool(2, "get_user")) == ("kept", "m2")
    assert closing(opened, tool(2, "get_user", error=True)) is None
    assert closing(opened, tool(2, "get_user", error=True), tool(3, "get_user")) == ("kept", "m3")


def test_once_somebody_spoke_only_a_tool_called_like_the_deed_keeps_it():
    opened, yes = promise_of_the_agent("proceed", "book"), experience(2, "Yes.")
    assert closing(opened, yes, tool(3, "get_user")) is None
    assert closing(opened, yes, tool(3, "book_reservation")) == ("kept", "m3")


def test_a_tool_called_by_a_verb_of_the_same_family_must_do_it_to_the_same_thing():
    opened, yes = promise_of_the_agent("upgrad", "flight"), experience(2, "Yes.")
    assert closing(opened, yes, tool(3, "update_profile")) is None
    assert closing(opened, yes, tool(3, "cancel_flight")) is None
    assert closing(opened, yes, tool(3, "update_flights")) == ("kept", "m3")


def test_it_is_found_when_it_was_looked_for_and_handed_over_when_it_is_there():
    asked = says(1, KIND.PROMISE, "check", "email")
    assert closing(asked, says(2, KIND.DONE, "find")) == ("kept", "m2")
    assert closing(asked, says(2, KIND.DONE, "find", session="s2")) is None
    looked = says(1, KIND.PROMISE, "search", "flight", "option")
    assert closing(looked, says(2, KIND.DONE, "", "flight")) == ("kept", "m2")


STEMS = st.sampled_from(["send", "look", "address", "door", "lake", "cancel"])
COMMITMENTS = st.builds(
    Commitment,
    st.sampled_from(list(CommitmentKind)),
    st.just(0),
    st.just(1),
    STEMS | st.just(""),
    st.lists(STEMS, max_size=3, unique=True).map(tuple),
    st.none() | st.integers(1, 90).map(lambda days: MET + timedelta(days=days)),
)


@given(
    st.lists(
        st.tuples(COMMITMENTS, st.sampled_from(["Nora", "Ilse"]), st.sampled_from(["s1", "s2"])),
        max_size=12,
    )
)
def test_whatever_closes_comes_later_and_says_why(told):
    views = [
        experience(seq, "x", person, session, commitments=(commitment,))
        for seq, (commitment, person, session) in enumerate(told)
    ]
    deeds = DeedIndex(views, ENGLISH)
    for place, view in enumerate(views):
        telling = Telling(place, author_of(view), view.memory.session, view.commitments[0])
        if (closed := deeds.closing(telling)) is None:
            continue
        state, by = closed
        assert by.memory.seq > view.memory.seq
        kind = by.commitments[0].kind
        assert (state is ThreadState.SUPERSEDED) == (kind in UNDERTAKINGS)
        assert kind is not KIND.CANCEL or state is ThreadState.CANCELLED
        assert kind is not KIND.DONE or by.speaker == view.speaker or state is ThreadState.KEPT
