"""What is remembered of a session, and which sessions are over and not told yet."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.experience import RegisterState
from meridia.core.ids import session_id
from meridia.storage.projections.session_states import LastEvent, SessionState
from meridia.storage.store import Store
from tests.fakes import numbered, private_journal
from tests.graph.listed import AWAY, HOME
from tests.histories import START, HistoryEvent, capture

SPACE = 1
SECOND = timedelta(seconds=1)
#: What happened long ago is heard of today.
TODAY = START + timedelta(days=300)
plain = st.dictionaries(st.text("abc", max_size=3), st.integers() | st.text("äé東", max_size=3))


@pytest.fixture
def file(private_file) -> Iterator[Store]:
    with private_file.writing():
        yield private_file


def last(seconds: int = 0, seq: int = 7, heard: int = 0) -> LastEvent:
    return LastEvent(seq, START + seconds * SECOND, TODAY + heard * SECOND)


def save(file: Store, session: str = "s", seconds: int = 0, heard: int = 0) -> None:
    at = last(seconds, heard=heard)
    numbered(file, SPACE).sessions.save_history(session, {"n": seconds}, at)


def load(file: Store, session: str = "s", space: int = SPACE) -> SessionState:
    return numbered(file, space).sessions.load(session)


def due(file: Store, silence: float = 10**6, now: float = 0, space: int = SPACE) -> list[str]:
    """Return which sessions are over, `now` seconds after the first of them was heard of."""
    found = numbered(file, space).sessions.due(silence * SECOND, TODAY + now * SECOND)
    return [session for session, _ in found]


def test_of_a_session_nobody_saw_nothing_is_known(file):
    assert load(file) == SessionState(None, 0, None)


@given(plain, st.builds(RegisterState, topic=st.none() | st.text("ab")))
def test_history_and_register_come_back_as_they_were_and_leave_each_other_alone(history, register):
    with private_journal() as file, file.writing():
        numbered(file, SPACE).sessions.save_history("s", history, last(seq=3))
        assert load(file) == SessionState(history, 3, None)
        numbered(file, SPACE).sessions.save_register("s", register)
        assert load(file) == SessionState(history, 3, register)
        numbered(file, SPACE).sessions.save_history("s", {"later": 1}, last(seq=9))
        assert load(file) == SessionState({"later": 1}, 9, register)


def test_a_register_may_come_before_the_history(file):
    numbered(file, SPACE).sessions.save_register("s", RegisterState(topic="boat"))
    assert load(file) == SessionState(None, 0, RegisterState(topic="boat"))


def test_a_session_is_over_when_nothing_of_it_was_heard_for_long_enough(file):
    save(file, seconds=10, heard=3)
    assert due(file, 9, now=11) == []
    assert due(file, 9, now=12) == ["s"]


def test_a_session_is_over_when_it_was_silent_while_another_went_on(file):
    save(file, seconds=10)
    save(file, "t", seconds=30)
    assert due(file, 20.5) == []
    assert due(file, 19.5) == ["s"]


def test_what_happened_long_ago_is_not_over_for_that(file):
    save(file)
    assert due(file, 60, now=59) == []


def test_what_belongs_to_no_session_lets_time_pass_for_those_that_do(file):
    save(file)
    save(file, "", seconds=30)
    assert due(file, 29.5) == ["s"]


def test_time_passes_in_each_space_by_itself(file):
    save(file)
    numbered(file, 2).sessions.save_history("s", {}, last(100))
    assert due(file, 50) == due(file, 50, space=2) == []


def test_an_event_that_is_told_late_does_not_make_a_session_older(file):
    for seconds in (20, 3):
        save(file, seconds=seconds)
    save(file, "t", seconds=30)
    assert due(file, 10.5) == []
    assert due(file, 9.5) == ["s"]


def test_an_event_that_is_told_late_is_heard_all_the_same(file):
    save(file, seconds=20)
    save(file, seconds=3, heard=8)
    assert due(file, 10, now=17) == []
    assert due(file, 10, now=18) == ["s"]


def test_a_boundary_ends_a_session_at_once(file):
    save(file, seconds=10)
    save(file, "t", seconds=0)
    numbered(file, SPACE).sessions.end("s")
    found = numbered(file, SPACE).sessions.due(9.5 * SECOND, TODAY)
    assert found == [("t", False), ("s", True)]


def test_a_session_that_went_on_unnoticed_is_not_over_yet(file):
    save(file, seconds=0)
    numbered(file, SPACE).sessions.update_last_event("s", last(10, heard=5))
    numbered(file, 2).sessions.update_last_event("s", last(0))
    assert due(file, 9, now=13) == []
    assert due(file, 9, now=14) == ["s"]
    save(file, "t", seconds=15)
    assert due(file, 5.5) == []
    assert due(file, 4.5) == ["s"]


def test_the_newest_event_is_that_of_any_session(file):
    assert numbered(file, SPACE).sessions.newest() is None
    numbered(file, SPACE).sessions.save_register("r", RegisterState())
    assert numbered(file, SPACE).sessions.newest() is None
    for session, seconds in (("s", 5), ("", 9), ("t", 7)):
        save(file, session, seconds)
    assert numbered(file, SPACE).sessions.newest() == START + 9 * SECOND
    assert numbered(file, 2).sessions.newest() is None


def test_a_session_known_by_its_register_alone_is_not_silent(file):
    numbered(file, SPACE).sessions.save_register("s", RegisterState())
    assert due(file, 1, now=10**6) == []
    save(file, heard=5)
    assert due(file, 1, now=6) == ["s"]


def test_the_end_of_a_session_is_told_once_and_its_next_event_opens_it_again(file):
    save(file)
    numbered(file, SPACE).sessions.end("s")
    assert numbered(file, SPACE).sessions.open_sessions() == ["s"]
    numbered(file, SPACE).sessions.mark_processed("s")
    assert due(file, 1, now=100) == []
    assert numbered(file, SPACE).sessions.open_sessions() == []
    save(file, seconds=50, heard=50)
    assert numbered(file, SPACE).sessions.open_sessions() == ["s"]
    assert due(file, 10, now=59) == []
    assert due(file, 10, now=60) == ["s"]


def test_a_register_does_not_open_a_session_again(file):
    save(file)
    numbered(file, SPACE).sessions.mark_processed("s")
    numbered(file, SPACE).sessions.save_register("s", RegisterState())
    assert due(file, 1, now=100) == []


def test_those_silent_longest_are_told_first(file):
    for session, seconds in (("a", 3), ("b", 1), ("c", 2)):
        save(file, session, seconds)
    assert due(file, 9, now=9) == ["b", "c", "a"]
    assert due(file, 0.5) == ["b", "c"]


def test_what_belongs_to_no_session_never_ends(file):
    save(file, "")
    assert load(file, "") == SessionState({"n": 0}, 7, None)
    assert due(file, 1, now=100) == numbered(file, SPACE).sessions.open_sessions() == []


def test_a_session_belongs_to_its_space(file):
    save(file)
    numbered(file, 2).sessions.end("s")
    assert load(file, space=2) == SessionState()
    assert due(file, 1, now=100, space=2) == []
    numbered(file, 2).sessions.clear()
    assert due(file, 1, now=100) == ["s"]
    numbered(file, SPACE).sessions.clear()
    assert load(file) == SessionState()


def test_what_belongs_to_no_session_is_still_known_after_sessions_were_dropped(file):
    save(file, "")
    save(file, "s", seconds=9)
    numbered(file, SPACE).sessions.clear()
    assert load(file, "") == SessionState({"n": 0}, 7, None)
    assert numbered(file, SPACE).sessions.newest() == START


def test_sessions_are_listed_again_from_what_was_captured(private_file):
    heard = private_file.clock.now
    for name, seconds in (("a", 5), ("a", 1), ("b", 2), (None, 9)):
        event = HistoryEvent(session=name, at=START + seconds * SECOND)
        capture(private_file.journal, HOME, event)
    capture(private_file.journal, AWAY, HistoryEvent(session="c", at=START))
    a, b = session_id(HOME, "a"), session_id(HOME, "b")
    with private_file.writing():
        numbered(private_file, SPACE).sessions.rebuild()
        assert numbered(private_file, SPACE).sessions.open_sessions() == sorted([a, b])
        assert numbered(private_file, SPACE).sessions.newest() == START + 5 * SECOND
        by_events = numbered(private_file, SPACE).sessions.due(2.5 * SECOND, heard)
        assert by_events == [(b, False)]
        later = private_file.clock.now + 60 * SECOND
        by_hearing = numbered(private_file, SPACE).sessions.due(60 * SECOND, later)
        assert by_hearing == [(b, False), (a, False)]
        assert load(private_file, a) == SessionState()


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
    with private_journal() as file, file.writing():
        at: dict[str, int] = {}
        heard: dict[str, int] = {}
        is_open: dict[str, bool] = {}
        ended: dict[str, bool] = {}
        for how, session, seconds, when in history:
            if how == "save":
                save(file, session, seconds, when)
                at[session] = max(seconds, at.get(session, seconds))
                heard[session] = when
                is_open[session], ended[session] = True, False
            elif session in at:
                getattr(numbered(file, SPACE).sessions, how)(session)
                ended[session] = how == "end"
                is_open[session] = is_open[session] and how != "mark_processed"
        newest = max(at.values(), default=0)
        # Half a second apart, so that no silence is exactly as long as what is asked for.
        assert set(due(file, silence + 0.5, now)) == {
            session
            for session in at
            if session
            and is_open[session]
            and (ended[session] or newest - at[session] > silence or now - heard[session] > silence)
        }
