"""What is remembered of a session, and which sessions are over and not told yet."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.ids import session_id
from meridia.graph import session_states
from meridia.graph.database import Connection
from meridia.graph.session_states import SessionState
from tests.fakes import private_journal
from tests.graph.listed import AWAY, HOME
from tests.histories import START, Event, capture

SPACE = 1
SECOND = timedelta(seconds=1)
plain = st.dictionaries(st.text("abc", max_size=3), st.integers() | st.text("äé東", max_size=3))


@pytest.fixture
def connection(private_file) -> Iterator[Connection]:
    with private_file.database.writing() as connection:
        yield connection


def save(connection: Connection, session: str = "s", seconds: int = 0, seq: int = 7) -> None:
    at = START + seconds * SECOND
    session_states.save_history(connection, SPACE, session, {"n": seconds}, seq, at)


def load(connection: Connection, session: str = "s", space: int = SPACE) -> SessionState:
    return session_states.load(connection, space, session)


def due(connection: Connection, seconds: int = 0) -> list[str]:
    found = session_states.due(connection, SPACE, START + seconds * SECOND)
    return [session for session, _ in found]


def test_of_a_session_nobody_saw_nothing_is_known(connection):
    assert load(connection) == SessionState(None, 0, None)


@given(plain, plain)
def test_history_and_register_come_back_as_they_were_and_leave_each_other_alone(history, register):
    with private_journal() as file, file.database.writing() as connection:
        session_states.save_history(connection, SPACE, "s", history, 3, START)
        assert load(connection) == SessionState(history, 3, None)
        session_states.save_register(connection, SPACE, "s", register)
        assert load(connection) == SessionState(history, 3, register)
        session_states.save_history(connection, SPACE, "s", {"later": 1}, 9, START)
        assert load(connection) == SessionState({"later": 1}, 9, register)


def test_a_register_may_come_before_the_history(connection):
    session_states.save_register(connection, SPACE, "s", {"focus": "boat"})
    assert load(connection) == SessionState(None, 0, {"focus": "boat"})


def test_a_session_is_over_when_it_was_silent_long_enough(connection):
    save(connection, seconds=10)
    assert due(connection, 9) == []
    assert due(connection, 10) == ["s"]


def test_an_event_that_is_told_late_does_not_make_a_session_older(connection):
    for seconds in (10, 3):
        save(connection, seconds=seconds)
    assert due(connection, 9) == []
    assert due(connection, 10) == ["s"]


def test_a_boundary_ends_a_session_at_once(connection):
    save(connection, seconds=10)
    save(connection, "t", seconds=0)
    session_states.end(connection, SPACE, "s")
    found = session_states.due(connection, SPACE, START)
    assert found == [("t", False), ("s", True)]


def test_a_session_that_went_on_unnoticed_is_not_over_yet(connection):
    save(connection, seconds=0)
    session_states.went_on(connection, SPACE, "s", START + 10 * SECOND)
    session_states.went_on(connection, 2, "s", START)
    assert due(connection, 9) == []
    assert due(connection, 10) == ["s"]


def test_a_session_known_by_its_register_alone_is_not_silent(connection):
    session_states.save_register(connection, SPACE, "s", {})
    assert due(connection, 10**6) == []
    save(connection, seconds=5)
    assert due(connection, 5) == ["s"]


def test_the_end_of_a_session_is_told_once_and_its_next_event_opens_it_again(connection):
    save(connection)
    session_states.end(connection, SPACE, "s")
    assert session_states.still_open(connection, SPACE) == ["s"]
    session_states.tell(connection, SPACE, "s")
    assert due(connection, 100) == []
    assert session_states.still_open(connection, SPACE) == []
    save(connection, seconds=50)
    assert session_states.still_open(connection, SPACE) == ["s"]
    assert due(connection, 49) == []
    assert due(connection, 50) == ["s"]


def test_a_register_does_not_open_a_session_again(connection):
    save(connection)
    session_states.tell(connection, SPACE, "s")
    session_states.save_register(connection, SPACE, "s", {})
    assert due(connection, 100) == []


def test_those_silent_longest_are_told_first(connection):
    for session, seconds in (("a", 3), ("b", 1), ("c", 2)):
        save(connection, session, seconds)
    assert due(connection, 3) == ["b", "c", "a"]
    assert due(connection, 2) == ["b", "c"]


def test_what_belongs_to_no_session_never_ends(connection):
    save(connection, "")
    assert load(connection, "") == SessionState({"n": 0}, 7, None)
    assert due(connection, 100) == session_states.still_open(connection, SPACE) == []


def test_a_session_belongs_to_its_space(connection):
    save(connection)
    session_states.end(connection, 2, "s")
    assert load(connection, space=2) == SessionState()
    assert session_states.due(connection, 2, START + SECOND) == []
    session_states.clear(connection, 2)
    assert due(connection) == ["s"]
    session_states.clear(connection, SPACE)
    assert load(connection) == SessionState()


def test_sessions_are_listed_again_from_what_was_captured(private_file):
    for name, seconds in (("a", 5), ("a", 1), ("b", 2), (None, 9)):
        event = Event(session=name, at=START + seconds * SECOND)
        capture(private_file.journal, HOME, event)
    capture(private_file.journal, AWAY, Event(session="c", at=START))
    a, b = session_id(HOME, "a"), session_id(HOME, "b")
    with private_file.database.writing() as connection:
        session_states.list_again(connection, SPACE)
        assert session_states.still_open(connection, SPACE) == sorted([a, b])
        assert due(connection, 4) == [b]
        assert due(connection, 5) == [b, a]
        assert load(connection, a) == SessionState()


actions = st.lists(
    st.tuples(st.sampled_from(["save", "end", "tell"]), st.sampled_from("ab"), st.integers(0, 9)),
    max_size=20,
)


@given(actions, st.integers(0, 9))
def test_what_is_due_is_open_and_either_ended_or_silent(history, since):
    with private_journal() as file, file.database.writing() as connection:
        last: dict[str, int] = {}
        is_open: dict[str, bool] = {}
        ended: dict[str, bool] = {}
        for how, session, seconds in history:
            if how == "save":
                save(connection, session, seconds)
                last[session] = max(seconds, last.get(session, seconds))
                is_open[session] = True
            elif session in last:
                getattr(session_states, how)(connection, SPACE, session)
                ended[session] = how == "end"
                is_open[session] = is_open[session] and how != "tell"
        assert set(due(connection, since)) == {
            session
            for session, at in last.items()
            if is_open[session] and (ended.get(session) or at <= since)
        }
