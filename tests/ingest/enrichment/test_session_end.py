"""Ends of sessions: a second look, open threads, lessons, and the session told in short."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from meridia.core.ids import session_id
from meridia.core.types import EntryKind
from meridia.ingest.capture.scoring import Scoring
from meridia.ingest.enrichment.session_end import SessionCloser
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
    endings, turns = SessionCloser(world.file, Scoring()), iter([True, False])
    batch_state = world.enrichment._rule_pass.open_batch_state(HOME)
    assert not endings.catch_up(HOME, batch_state, lambda: next(turns))
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


def test_row_43_a_second_look_can_be_asked_for_while_the_session_goes_on(world):
    world.live(*hindsight(**S1))
    changed = world.enrichment.reevaluate_open_sessions(HOME)
    assert changed == len(judged(world)) > 0
    assert world.enrichment.reevaluate_open_sessions(HOME) == 0


def test_a_second_look_at_too_few_waits_for_more(world):
    world.live(*hindsight(**S1)[:3])
    assert world.enrichment.reevaluate_open_sessions(HOME) == 0


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


def test_an_event_that_comes_while_its_session_is_told_is_told_too(world, monkeypatch):
    world.take(*[user(f"Sentence {n} about the mast", n, **S1) for n in range(3)])
    world.catch_up()
    world.later(hours=5)
    tell = SessionCloser._reevaluation_drafts

    def interrupted(self: SessionCloser, experiences: Any, *, ended: bool) -> Any:
        monkeypatch.setattr(SessionCloser, "_reevaluation_drafts", tell)
        world.take(user("A late word about the sail", None, **S1))
        return tell(self, experiences, ended=ended)

    monkeypatch.setattr(SessionCloser, "_reevaluation_drafts", interrupted)
    world.catch_up()
    world.later(hours=5)
    world.catch_up()
    assert len(episodes(world)[-1]["sources"]) == 4
