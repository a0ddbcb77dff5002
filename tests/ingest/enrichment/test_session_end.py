"""Ends of sessions: a second look, open threads, lessons, and the session told in short."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from meridia.core.ids import session_id
from meridia.core.types import Entry, EntryKind, Seq
from meridia.ingest.enrichment.session_end import OpenSessions, SessionCloser
from tests.fakes import START
from tests.ingest.ingest_events import agent, boundary, hindsight, result, user
from tests.ingest.ingest_world import HOME, WEEK, World, a_world

S1 = {"session": {"key": "s1"}}
END = {**boundary(3600), **S1}
IMPORTANT = {"metadata": {"important": True}}


def episodes(world: World) -> list[dict[str, Any]]:
    return world.payloads_of(EntryKind.EPISODE_SYNTHESISED)


def look(number: int, output: str = "oak", seconds: float | None = None, **more: Any) -> dict:
    at = number * 60 if seconds is None else seconds
    return result("read", {"path": f"/src/{number}.py"}, output, at, **{**S1, **more})


# Row 32: episodes


@pytest.mark.parametrize(("count", "episodes_wanted"), [(1, 0), (2, 1), (5, 1)])
def test_row_32_three_experiences_or_more_make_one_episode_of_a_session(
    world, count, episodes_wanted
):
    messages = [user(f"Sentence {n} about the mast and the sail", n, **S1) for n in range(count)]
    answers = world.live(*messages, END)
    payloads = episodes(world)
    assert len(payloads) == episodes_wanted
    for payload in payloads:
        assert payload["sources"] == [answer.id for answer in answers]
        assert payload["session"] == session_id(HOME, "s1")
        assert len(payload["anchors"]) <= 10
        assert max(len(payload["emotions"]), len(payload["consequences"])) <= 5
        assert payload["by"] == "rule"


def test_a_session_that_is_long_silent_is_over_without_a_boundary(world):
    world.live(*[user(f"Sentence {n} about the mast", n, **S1) for n in range(3)])
    assert episodes(world) == []
    world.later(hours=3, minutes=59)
    world.catch_up()
    assert episodes(world) == []
    world.later(minutes=2)
    world.catch_up()
    assert len(episodes(world)) == 1


def mast(session: str, seconds: float) -> list[dict[str, Any]]:
    """Return three messages of a session, a second apart."""
    return [
        user(f"Sentence {n} about the mast", seconds + n, session={"key": session})
        for n in range(3)
    ]


def over(world: World) -> list[str]:
    """Return the sessions whose ends were told, in that order."""
    return [payload["session"] for payload in episodes(world)]


def test_a_session_is_over_when_another_went_on_for_hours_of_its_own_time(world):
    # Heard within seconds, lived over a day, and all of it in the past.
    world.later(days=2)
    world.take(*mast("s1", 0), *mast("s2", 12 * 3600), *mast("s3", 15 * 3600))
    world.catch_up()
    assert over(world) == [session_id(HOME, "s1")]
    world.take(*mast("s4", 17 * 3600))
    world.catch_up()
    assert over(world) == [session_id(HOME, name) for name in ("s1", "s2")]


def test_what_was_heard_just_now_of_long_ago_is_not_over_for_that(world):
    world.clock.now += timedelta(days=900)
    world.live(*mast("s1", 0))
    assert over(world) == []
    world.later(hours=5)
    world.catch_up()
    assert over(world) == [session_id(HOME, "s1")]


def test_a_session_of_which_more_is_heard_is_not_over_however_old_that_is(world):
    world.clock.now += timedelta(days=900)
    world.live(*mast("s1", 0))
    world.later(hours=3)
    world.live(user("One more about the sail", 30, **S1))
    world.later(hours=3)
    world.catch_up()
    assert over(world) == []


def test_a_session_that_went_on_unsaved_is_told_with_all_of_it(world):
    world.later(days=2)
    messages = [user(f"Sentence {n} about the mast and the sail", n, **S1) for n in range(200)]
    later = [user(f"Later {n} about the sail", 5 * 3600 + n, **S1) for n in range(3)]
    world.take(*messages, *later, *mast("s2", 6 * 3600))
    world.catch_up()
    assert over(world) == [], "its last sentence was an hour before"
    world.live(*mast("s2", 10 * 3600))
    (payload,) = episodes(world)
    assert payload["session"] == session_id(HOME, "s1")


def test_a_session_is_told_once_and_again_only_when_it_went_on(world):
    world.live(*[user(f"Sentence {n} about the mast", n, **S1) for n in range(3)], END)
    before = world.file.journal.head(HOME)
    world.later(days=1)
    world.catch_up()
    assert world.file.journal.head(HOME) == before
    world.live(user("One more about the sail", 90_000, **S1), {**END, "ts": "2026-03-03T10:00:00Z"})
    first, second = episodes(world)
    assert first["episode"] == second["episode"], "one node, told anew"
    assert len(second["sources"]) == len(first["sources"]) + 2


def test_every_session_of_a_space_is_told_and_none_twice(world):
    events = [
        user(f"Sentence {n} about the mast", n, session={"key": f"s{n % 3}"}) for n in range(12)
    ]
    world.take(*events, user("No session at all", 20))
    world.later(hours=5)
    world.catch_up()
    assert len({payload["session"] for payload in episodes(world)}) == 3
    assert len(episodes(world)) == 3


def test_it_stops_between_sessions_when_told(world):
    for key in ("a", "b"):
        world.take(*[user(f"Sentence {n}", n, session={"key": key}) for n in range(3)])
    world.catch_up()
    world.later(hours=5)
    turns = iter([True, False])
    assert not world.enrichment._rule_pass.end_sessions(HOME, lambda: next(turns))
    assert len(episodes(world)) == 1
    world.catch_up()
    assert len(episodes(world)) == 2


# Rows 42 and 43: the second look


def judged(world: World) -> list[dict[str, Any]]:
    return world.payloads_of(EntryKind.EXPERIENCE_REEVALUATED)


def test_rows_42_and_43_at_its_end_a_session_upgrades_what_hindsight_shows(world):
    answers = world.live(*hindsight(**S1), END)
    upgraded = [p for p in judged(world) if p["status"] == "upgraded"]
    assert answers[1].id in [payload["experience"] for payload in upgraded]
    assert len(upgraded) <= 2, "in any neighbourhood two at most"
    for payload in upgraded:
        assert "event" not in payload, "it is whole in the journal already"
        assert 5 <= len(payload["neighbourhood"]) <= 10
        assert payload["significance"] >= 0.5, "the threshold counts in hindsight too"
        assert payload["reason"].startswith("upgraded: ")
        assert "of the 0.5 needed" in payload["reason"]
        assert world.file.catalog.find(HOME, payload["experience"]).status == "upgraded"
    assert {p["status"] for p in judged(world)} <= {"upgraded", "noise"}


def test_row_42_dull_looks_become_no_more_than_they_are(world):
    world.live(*[look(n) for n in range(6)], user("And so on", 380, **S1), END)
    assert [p for p in judged(world) if p["status"] == "upgraded"] == []


def test_an_upgraded_skeleton_is_understood_as_if_it_had_been_whole(world):
    world.live(*hindsight(**S1), END)
    upgraded = {p["experience"] for p in judged(world) if p["status"] == "upgraded"}
    enriched = {p["experience"] for p in world.payloads_of(EntryKind.EXPERIENCE_ENRICHED)}
    assert upgraded
    assert upgraded <= enriched


def test_what_is_no_longer_held_cannot_be_upgraded():
    with a_world(rules=WEEK) as world:
        world.take(*hindsight(**S1))
        with world.file.database.writing() as connection:
            connection.execute("DELETE FROM provisional")
        world.live(END)
        assert [p for p in judged(world) if p["status"] == "upgraded"] == []


# Open threads and lessons


def test_d5_a_question_left_unanswered_is_an_open_uncertainty(world):
    world.live(
        user("Where does the keel come from?", 0, **S1),
        agent("From the shed at the harbour.", 5, **S1),
        user("And who made the mast?", 9, id="open", **S1),
        END,
    )
    opened = [
        change
        for change in world.payloads_of(EntryKind.STATE_TRANSITIONED)
        if change["field"] == "uncertainty"
    ]
    assert [change["to"] for change in opened] == ["And who made the mast?"]
    assert (opened[0]["from"], opened[0]["trigger"]) == (None, "open")


def test_d10_a_failure_that_nothing_solved_is_a_lesson(world):
    failed = result(
        "bash", {"cmd": "make boat"}, "error: no keel", 0, failed=True, **S1, **IMPORTANT
    )
    world.live(failed, user("Leave it then, for now", 60, **S1), END)
    (asked,) = world.payloads_of(EntryKind.QUESTIONS_ANTICIPATED)
    assert asked["trigger"] == "learning-failure"
    assert 1 <= len(asked["questions"]) <= 2


def test_a_failure_that_was_solved_is_no_lesson(world):
    world.live(
        result("bash", {"cmd": "make boat"}, "error: no keel", 0, failed=True, **S1, **IMPORTANT),
        result("bash", {"cmd": "make boat"}, "a boat", 900, **S1, **IMPORTANT),
        END,
    )
    asked = world.payloads_of(EntryKind.QUESTIONS_ANTICIPATED)
    assert [payload.get("trigger") for payload in asked] == [None]


def test_an_event_that_comes_while_its_session_is_told_belongs_to_the_next_episode(
    world, monkeypatch
):
    world.take(*[user(f"Sentence {n} about the mast", n, **S1) for n in range(3)])
    world.catch_up()
    world.later(hours=5)
    close = SessionCloser.close

    def interrupted(self: SessionCloser, *given: Any) -> Any:
        monkeypatch.setattr(SessionCloser, "close", close)
        world.take(user("A late word about the sail", None, **S1))
        return close(self, *given)

    monkeypatch.setattr(SessionCloser, "close", interrupted)
    world.catch_up()
    world.later(hours=5)
    world.catch_up()
    assert [len(payload["sources"]) for payload in episodes(world)] == [3, 4]


# Which sessions are over


HOUR = timedelta(hours=1)


def said(session: str | None, at: float, heard: float | None = None, seq: int = 1) -> Entry:
    """Return an experience that happened, and was heard of, after so many hours."""
    times = START + at * HOUR, START + (at if heard is None else heard) * HOUR
    kind = EntryKind.EXPERIENCE_CAPTURED
    return Entry(Seq(seq), HOME, kind, "x", "x", session, None, *times, None, b"")


@pytest.fixture
def sessions(world) -> OpenSessions:
    world.take(user("Some words", 0))
    return OpenSessions(world.file.space(HOME).sessions)


def test_a_session_is_over_with_an_event_that_says_so(sessions):
    sessions.take(said("a", 0, seq=1), ends=True)
    assert sessions.over(1) == ["a"]
    sessions.close("a")
    assert sessions.over(1) == []
    sessions.take(said("a", 1, seq=2), ends=False)
    assert sessions.over(2) == [], "it goes on"


def test_a_session_is_over_when_others_went_on_for_hours_of_their_own_time(sessions):
    sessions.take(said("a", 0, 30), ends=False)
    sessions.take(said("b", 3.9, 30), ends=False)
    assert sessions.over(1) == []
    sessions.take(said(None, 4, 30), ends=False)
    assert sessions.over(1) == ["a"], "what names no session lets time pass"
    sessions.take(said("b", 1, 30), ends=False)
    sessions.take(said("a", 7.8, 30), ends=False)
    assert sessions.over(1) == [], "what is told late makes nobody older"


def test_what_is_dated_in_the_future_counts_as_heard(sessions):
    sessions.take(said("a", 0, 1), ends=False)
    sessions.take(said("b", 1000, 1), ends=False)
    assert sessions.over(1) == []


def test_a_session_is_over_when_nothing_of_it_was_heard_for_hours(sessions):
    sessions.take(said("a", 0, 30), ends=False)
    sessions.take(said("b", 0, 29), ends=False)
    assert sessions.silent(START + 32.9 * HOUR) == []
    assert sessions.silent(START + 33 * HOUR) == ["b"]
    assert sessions.silent(START + 34 * HOUR) == ["b", "a"], "the longest silent first"
    sessions.close("b")
    sessions.take(said("a", 0, 34), ends=False)
    assert sessions.silent(START + 37 * HOUR) == []


def test_what_is_saved_is_what_another_reader_goes_on_with(world, sessions):
    sessions.take(said("a", 5, 30, seq=4), ends=True)
    sessions.take(said("b", 5, 30, seq=5), ends=False)
    sessions.take(said("c", 5, 30, seq=6), ends=False)
    sessions.close("c")
    with world.file.writing():
        sessions.save(6)
    states = world.file.space(HOME).sessions
    states.end("b", 9)
    other = OpenSessions(states)
    assert (other.over(6), other.over(9)) == (["a"], ["a", "b"])
    assert other.silent(START + 34 * HOUR) == ["a", "b"]
