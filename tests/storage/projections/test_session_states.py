"""What is remembered of a session, and which sessions are over and not told yet."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.experience import RegisterState
from meridia.core.ids import session_id
from meridia.storage.projections.session_states import READING, OpenSession
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


def save(
    file: Store,
    session: str = "s",
    seconds: int = 0,
    heard: int = 0,
    over: int = 0,
    *,
    closed: bool = False,
) -> None:
    state = OpenSession(START + seconds * SECOND, TODAY + heard * SECOND, over)
    numbered(file, SPACE).sessions.save_open(session, state, 7, closed=closed or not session)


#: What is remembered of a session that nobody saw.
NOTHING = (None, 0, None)


def load(file: Store, session: str = "s", space: int = SPACE) -> tuple[object, ...]:
    """Return the history, as of which event it is, and the register."""
    sessions = numbered(file, space).sessions
    return *sessions.load_history(session), sessions.load_register(session)


def due(file: Store, silence: float = 10**6, now: float = 0, space: int = SPACE) -> list[str]:
    """Return which sessions are over, `now` seconds after the first of them was heard of."""
    return numbered(file, space).sessions.due(silence * SECOND, TODAY + now * SECOND)


def test_of_a_session_nobody_saw_nothing_is_known(file):
    assert load(file) == NOTHING


@given(plain, st.builds(RegisterState, topic=st.none() | st.text("ab")))
def test_history_and_register_come_back_as_they_were_and_leave_each_other_alone(history, register):
    with private_journal() as file, file.writing():
        numbered(file, SPACE).sessions.save_history("s", history, 3)
        assert load(file) == (history, 3, None)
        numbered(file, SPACE).sessions.save_register("s", register)
        assert load(file) == (history, 3, register)
        numbered(file, SPACE).sessions.save_history("s", {"later": 1}, 9)
        assert load(file) == ({"later": 1}, 9, register)


def test_a_register_may_come_before_the_history(file):
    numbered(file, SPACE).sessions.save_register("s", RegisterState(topic="boat"))
    assert load(file) == (None, 0, RegisterState(topic="boat"))


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


def test_those_silent_longest_are_told_first(file):
    for session, seconds in (("a", 3), ("b", 1), ("c", 2)):
        save(file, session, seconds)
    assert due(file, 9, now=9) == ["b", "c", "a"]
    assert due(file, 0.5) == ["b", "c"]


def test_a_session_belongs_to_its_space(file):
    save(file)
    numbered(file, 2).sessions.end("s", 7)
    assert load(file, space=2) == NOTHING
    assert due(file, 1, now=100, space=2) == []
    numbered(file, 2).sessions.clear()
    assert due(file, 1, now=100) == ["s"]
    numbered(file, SPACE).sessions.clear()
    assert load(file) == NOTHING


def test_time_passes_in_each_space_by_itself(file):
    save(file)
    state = OpenSession(START + 100 * SECOND, TODAY)
    numbered(file, 2).sessions.save_open("s", state, 7, closed=False)
    assert due(file, 50) == due(file, 50, space=2) == []


def test_a_session_is_over_once_something_says_so(file):
    save(file, seconds=10)
    save(file, "t", seconds=0)
    numbered(file, SPACE).sessions.end("s", 7)
    assert due(file, 10**6) == ["s"]
    assert due(file, 9.5) == ["t", "s"]


def test_what_ends_later_than_was_read_stays_so(file):
    save(file, seconds=10)
    numbered(file, SPACE).sessions.end("s", 9)
    save(file, seconds=11)
    assert numbered(file, SPACE).sessions.open_sessions()["s"].over == 9
    numbered(file, SPACE).sessions.end("s", 6)
    save(file, seconds=12)
    assert numbered(file, SPACE).sessions.open_sessions()["s"].over == 0


def test_one_that_is_told_is_open_no_more_until_it_goes_on(file):
    save(file, closed=True)
    numbered(file, SPACE).sessions.save_register("s", RegisterState())
    assert due(file, 1, now=100) == []
    assert numbered(file, SPACE).sessions.open_sessions() == {}
    save(file, seconds=50, heard=50)
    assert list(numbered(file, SPACE).sessions.open_sessions()) == ["s"]
    assert due(file, 10, now=59) == []
    assert due(file, 10, now=60) == ["s"]


def test_what_was_captured_and_not_read_is_not_over(file):
    numbered(file, SPACE).sessions.save_history("s", {}, 7)
    numbered(file, SPACE).sessions.end("s", 7)
    assert due(file, 1, now=10**6) == []


def test_what_is_read_anew_is_over_when_all_of_it_was_read(file):
    save(file, "told", closed=True)
    save(file, "open", seconds=1)
    numbered(file, SPACE).sessions.reopen(40)
    assert due(file, 1, now=10**6) == []
    assert numbered(file, SPACE).sessions.open_sessions() == {}
    save(file, "told")
    save(file, "open", seconds=1)
    opened = numbered(file, SPACE).sessions.open_sessions()
    assert {name: state.over for name, state in opened.items()} == {"told": 40, "open": 0}


def test_what_belongs_to_no_session_is_known_after_sessions_were_dropped(file):
    save(file, "")
    save(file, "s", seconds=9)
    numbered(file, SPACE).sessions.clear()
    assert numbered(file, SPACE).sessions.newest() == START
    assert numbered(file, SPACE).sessions.open_sessions() == {}


def test_sessions_are_listed_again_as_far_as_they_were_read(private_file):
    private_file.clock.now += 60 * SECOND
    heard = private_file.clock.now
    for name, seconds in (("a", 5), ("a", 1), ("b", 2), (None, 9), ("c", 30)):
        event = HistoryEvent(session=name, at=START + seconds * SECOND)
        capture(private_file.journal, HOME, event)
    capture(private_file.journal, AWAY, HistoryEvent(session="c", at=START))
    a, b = session_id(HOME, "a"), session_id(HOME, "b")
    with private_file.writing():
        store = numbered(private_file, SPACE)
        store.cursors.move(READING, 3, 4)
        store.sessions.rebuild()
        assert sorted(store.sessions.open_sessions()) == sorted([a, b])
        assert store.sessions.newest() == START + 5 * SECOND
        assert store.sessions.due(2.5 * SECOND, heard) == [b]
        later = private_file.clock.now + 60 * SECOND
        assert store.sessions.due(60 * SECOND, later) == [b, a]
        assert load(private_file, a) == NOTHING
