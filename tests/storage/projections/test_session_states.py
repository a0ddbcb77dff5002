"""What is remembered of a session, and which sessions are over and not told yet."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.ids import session_id
from meridia.storage.database import Connection
from meridia.storage.projections import session_states
from meridia.storage.projections.session_states import LastEvent, SessionState
from tests.fakes import private_journal
from tests.graph.listed import AWAY, HOME
from tests.histories import START, HistoryEvent, capture

SPACE = 1
SECOND = timedelta(seconds=1)
#: What happened long ago is heard of today.
TODAY = START + timedelta(days=300)
plain = st.dictionaries(st.text("abc", max_size=3), st.integers() | st.text("äé東", max_size=3))


@pytest.fixture
def connection(private_file) -> Iterator[Connection]:
    with private_file.database.writing() as connection:
        yield connection


def last(seconds: int = 0, seq: int = 7, heard: int = 0) -> LastEvent:
    return LastEvent(seq, START + seconds * SECOND, TODAY + heard * SECOND)


def save(connection: Connection, session: str = "s", seconds: int = 0, heard: int = 0) -> None:
    at = last(seconds, heard=heard)
    session_states.save_history(connection, SPACE, session, {"n": seconds}, at)


def load(connection: Connection, session: str = "s", space: int = SPACE) -> SessionState:
    return session_states.load(connection, space, session)


def due(
    connection: Connection, silence: float = 10**6, now: float = 0, space: int = SPACE
) -> list[str]:
    """Return which sessions are over, `now` seconds after the first of them was heard of."""
    found = session_states.due(connection, space, silence * SECOND, TODAY + now * SECOND)
    return [session for session, _ in found]


def test_of_a_session_nobody_saw_nothing_is_known(connection):
    assert load(connection) == SessionState(None, 0, None)


@given(plain, plain)
def test_history_and_register_come_back_as_they_were_and_leave_each_other_alone(history, register):
    with private_journal() as file, file.database.writing() as connection:
        session_states.save_history(connection, SPACE, "s", history, last(seq=3))
        assert load(connection) == SessionState(history, 3, None)
        session_states.save_register(connection, SPACE, "s", register)
        assert load(connection) == SessionState(history, 3, register)
        session_states.save_history(connection, SPACE, "s", {"later": 1}, last(seq=9))
        assert load(connection) == SessionState({"later": 1}, 9, register)


def test_a_register_may_come_before_the_history(connection):
    session_states.save_register(connection, SPACE, "s", {"focus": "boat"})
    assert load(connection) == SessionState(None, 0, {"focus": "boat"})


def test_a_session_is_over_when_nothing_of_it_was_heard_for_long_enough(connection):
    save(connection, seconds=10, heard=3)
    assert due(connection, 9, now=11) == []
    assert due(connection, 9, now=12) == ["s"]


def test_a_session_is_over_when_it_was_silent_while_another_went_on(connection):
    save(connection, seconds=10)
    save(connection, "t", seconds=30)
    assert due(connection, 20.5) == []
    assert due(connection, 19.5) == ["s"]


def test_what_happened_long_ago_is_not_over_for_that(connection):
    save(connection)
    assert due(connection, 60, now=59) == []


def test_what_belongs_to_no_session_lets_time_pass_for_those_that_do(connection):
    save(connection)
    save(connection, "", seconds=30)
    assert due(connection, 29.5) == ["s"]


def test_time_passes_in_each_space_by_itself(connection):
    save(connection)
    session_states.save_history(connection, 2, "s", {}, last(100))
    assert due(connection, 50) == due(connection, 50, space=2) == []


def test_an_event_that_is_told_late_does_not_make_a_session_older(connection):
    for seconds in (20, 3):
        save(connection, seconds=seconds)
    save(connection, "t", seconds=30)
    assert due(connection, 10.5) == []
    assert due(connection, 9.5) == ["s"]


def test_an_event_that_is_told_late_is_heard_all_the_same(connection):
    save(connection, seconds=20)
    save(connection, seconds=3, heard=8)
    assert due(connection, 10, now=17) == []
    assert due(connection, 10, now=18) == ["s"]


def test_a_boundary_ends_a_session_at_once(connection):
    save(connection, seconds=10)
    save(connection, "t", seconds=0)
    session_states.end(connection, SPACE, "s")
    found = session_states.due(connection, SPACE, 9.5 * SECOND, TODAY)
    assert found == [("t", False), ("s", True)]


def test_a_session_that_went_on_unnoticed_is_not_over_yet(connection):
    save(connection, seconds=0)
    session_states.update_last_event(connection, SPACE, "s", last(10, heard=5))
    session_states.update_last_event(connection, 2, "s", last(0))
    assert due(connection, 9, now=13) == []
    assert due(connection, 9, now=14) == ["s"]
    save(connection, "t", seconds=15)
    assert due(connection, 5.5) == []
    assert due(connection, 4.5) == ["s"]


def test_the_newest_event_is_that_of_any_session(connection):
    assert session_states.newest(connection, SPACE) is None
    session_states.save_register(connection, SPACE, "r", {})
    assert session_states.newest(connection, SPACE) is None
    for session, seconds in (("s", 5), ("", 9), ("t", 7)):
        save(connection, session, seconds)
    assert session_states.newest(connection, SPACE) == START + 9 * SECOND
    assert session_states.newest(connection, 2) is None


def test_a_session_known_by_its_register_alone_is_not_silent(connection):
    session_states.save_register(connection, SPACE, "s", {})
    assert due(connection, 1, now=10**6) == []
    save(connection, heard=5)
    assert due(connection, 1, now=6) == ["s"]


def test_the_end_of_a_session_is_told_once_and_its_next_event_opens_it_again(connection):
    save(connection)
    session_states.end(connection, SPACE, "s")
    assert session_states.open_sessions(connection, SPACE) == ["s"]
    session_states.mark_processed(connection, SPACE, "s")
    assert due(connection, 1, now=100) == []
    assert session_states.open_sessions(connection, SPACE) == []
    save(connection, seconds=50, heard=50)
    assert session_states.open_sessions(connection, SPACE) == ["s"]
    assert due(connection, 10, now=59) == []
    assert due(connection, 10, now=60) == ["s"]


def test_a_register_does_not_open_a_session_again(connection):
    save(connection)
    session_states.mark_processed(connection, SPACE, "s")
    session_states.save_register(connection, SPACE, "s", {})
    assert due(connection, 1, now=100) == []


def test_those_silent_longest_are_told_first(connection):
    for session, seconds in (("a", 3), ("b", 1), ("c", 2)):
        save(connection, session, seconds)
    assert due(connection, 9, now=9) == ["b", "c", "a"]
    assert due(connection, 0.5) == ["b", "c"]


def test_what_belongs_to_no_session_never_ends(connection):
    save(connection, "")
    assert load(connection, "") == SessionState({"n": 0}, 7, None)
    assert due(connection, 1, now=100) == session_states.open_sessions(connection, SPACE) == []


def test_a_session_belongs_to_its_space(connection):
    save(connection)
    session_states.end(connection, 2, "s")
    assert load(connection, space=2) == SessionState()
    assert due(connection, 1, now=100, space=2) == []
    session_states.clear(connection, 2)
    assert due(connection, 1, now=100) == ["s"]
    session_states.clear(connection, SPACE)
    assert load(connection) == SessionState()


def test_what_belongs_to_no_session_is_still_known_after_sessions_were_dropped(connection):
    save(connection, "")
    save(connection, "s", seconds=9)
    session_states.clear(connection, SPACE)
    assert load(connection, "") == SessionState({"n": 0}, 7, None)
    assert session_states.newest(connection, SPACE) == START


def test_sessions_are_listed_again_from_what_was_captured(private_file):
    heard = private_file.clock.now
    for name, seconds in (("a", 5), ("a", 1), ("b", 2), (None, 9)):
        event = HistoryEvent(session=name, at=START + seconds * SECOND)
        capture(private_file.journal, HOME, event)
    capture(private_file.journal, AWAY, HistoryEvent(session="c", at=START))
    a, b = session_id(HOME, "a"), session_id(HOME, "b")
    with private_file.database.writing() as connection:
        session_states.rebuild_sessions(connection, SPACE)
        assert session_states.open_sessions(connection, SPACE) == sorted([a, b])
        assert session_states.newest(connection, SPACE) == START + 5 * SECOND
        by_events = session_states.due(connection, SPACE, 2.5 * SECOND, heard)
        assert by_events == [(b, False)]
        later = private_file.clock.now + 60 * SECOND
        by_hearing = session_states.due(connection, SPACE, 60 * SECOND, later)
        assert by_hearing == [(b, False), (a, False)]
        assert load(connection, a) == SessionState()


actions = st.lists(
    st.tuples(
        st.sampled_from(["save", "end", "mark_processed"]),
        st.sampled_from(["a", "b", ""]),
        st.integers(0, 9),
        st.integers(0, 9),
    ),
    max_size=20,
)


@given(actions, st.integers(0, 9), st.integers(-9, 20))
def test_what_is_due_is_open_and_either_ended_or_silent_or_unheard_of(history, silence, now):
    with private_journal() as file, file.database.writing() as connection:
        at: dict[str, int] = {}
        heard: dict[str, int] = {}
        is_open: dict[str, bool] = {}
        ended: dict[str, bool] = {}
        for how, session, seconds, when in history:
            if how == "save":
                save(connection, session, seconds, when)
                at[session] = max(seconds, at.get(session, seconds))
                heard[session] = when
                is_open[session], ended[session] = True, False
            elif session in at:
                getattr(session_states, how)(connection, SPACE, session)
                ended[session] = how == "end"
                is_open[session] = is_open[session] and how != "mark_processed"
        newest = max(at.values(), default=0)
        # Half a second apart, so that no silence is exactly as long as what is asked for.
        assert set(due(connection, silence + 0.5, now)) == {
            session
            for session in at
            if session
            and is_open[session]
            and (ended[session] or newest - at[session] > silence or now - heard[session] > silence)
        }
