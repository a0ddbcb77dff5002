"""The five factors: each number of the source formula, with a reason a person can read."""

from __future__ import annotations

import pytest
from hypothesis import given

from meridia.core.vocabulary import CaptureMode
from meridia.ingest.capture.decide import (
    FACTORS,
    impact,
    novelty,
    relational,
    score,
    temporal,
    user_intent,
)
from meridia.ingest.capture.event_view import read_event
from meridia.ingest.capture.scoring import Scoring
from meridia.ingest.capture.session_history import SessionHistory
from tests.ingest.ingest_events import SESSIONS, agent, happening, result, user

NONE = SessionHistory()


def after(*events, mode=CaptureMode.FULL):
    history = SessionHistory()
    for event in events:
        history = history.after(read_event(event), mode)
    return history


def value_of(factor, event, history=NONE):
    return pytest.approx(factor(read_event(event), history)[0])


def test_row_8_nothing_captured_before_is_new():
    """Row 8, novelty: .8 without a prior capture, whatever was seen."""
    assert novelty(read_event(result()), NONE) == (
        0.8,
        "nothing captured before in this session",
    )
    history = after(result(), mode=CaptureMode.TRACE_ONLY)
    assert novelty(read_event(result()), history)[0] == 0.8
    assert novelty(read_event(user("hi")), after(result()))[0] == 0.8


def test_row_8_the_first_use_of_a_tool_is_rather_new():
    """Row 8, novelty: .75 for the first use of this tool."""
    of_tool = novelty(read_event(result("write")), after(result("read")))
    assert of_tool == (0.75, "first use of this tool in the session")
    of_speaker = novelty(read_event(user("hi", person="Ravi")), after(user("hi", person="Dana")))
    assert of_speaker == (0.75, "first words of this speaker in the session")


@pytest.mark.parametrize(
    ("same", "gap", "value"),
    [
        (5, 0, 0.3 * 0.3),
        (1, 0, 0.86 * 0.3),
        (1, 900, 0.86 * 0.65),
        (1, 1_800, 0.86),
        (1, 9_000, 0.86),
        (3, 1_800, 0.58),
    ],
)
def test_row_8_repetition_and_a_short_gap_make_a_tool_less_new(same, gap, value):
    """Row 8, novelty: (1 − .7·rep)·(.3 + .7·min(1, gap/30 min)), rep over the last five."""
    others = [result(f"t{n}", seconds=0) for n in range(5 - same)]
    mine = [result("bash", output=str(n), seconds=0) for n in range(same)]
    event = result("bash", output="new", seconds=gap)
    assert value_of(novelty, event, after(*others, *mine)) == value
    reason = novelty(read_event(event), after(*others, *mine))[1]
    assert reason == f"{same} of the last 5 results are this tool's, {gap} s after its last"


def test_an_unknown_gap_counts_as_half_a_long_one():
    before = after(*(result(f"t{n}") for n in range(4)), result("bash", output="a"))
    assert value_of(novelty, result("bash", output="b"), before) == 0.86 * 0.65


def test_the_same_words_again_repeat_wholly():
    before = after(*(result(f"t{n}", seconds=0) for n in range(4)), result("bash", seconds=0))
    again = novelty(read_event(result("bash", seconds=1_800)), before)
    assert again == (pytest.approx(0.3), "word for word as before, 1800 s after its last")
    history = after(user("ok", 0), user("and now?", 1_800))
    assert value_of(novelty, user("ok", 3_600), history) == 0.3
    assert value_of(novelty, user("new", 3_600), history) == 1.0


@pytest.mark.parametrize(
    ("event", "value", "reason"),
    [
        (user("hi"), 0.3, "nothing that changes much"),
        (result("frobnicate"), 0.3, "frobnicate is not a tool of known impact"),
        (result("Write"), 0.65, "write changes things"),
        (result("bash"), 0.65, "bash changes things"),
        (result("browser"), 0.45, "browser reaches outside"),
        (result("read"), 0.25, "read only looks"),
        (result("memory_query"), 0.25, "memory_query only looks"),
        (result("read", failed=True), 0.7, "a tool failed"),
        (result("frobnicate", output="x" * 10_001), 0.5, "a very large result"),
        (result("read", meta="deploying it"), 0.8, 'it speaks of "deploying"'),
        (result("frobnicate", args={"cmd": "drop table"}), 0.8, 'it speaks of "drop"'),
        (result("frobnicate", args={"cmd": "open the dropdown"}), 0.3, None),
        (user("We migrated on Monday."), 0.8, 'it speaks of "migrated"'),
    ],
)
def test_row_8_impact_follows_the_tool_failure_and_telling_words(event, value, reason):
    """Row 8, impact: base .3, high .65, medium .45, low ≤ .25, error .7, keyword .8."""
    factor = impact(read_event(event), NONE)
    assert factor[0] == value
    assert reason is None or factor[1] == reason


@pytest.mark.parametrize(
    ("event", "value", "reason"),
    [
        (agent("hi"), 0.2, "tied to nothing named"),
        (user("hi"), 0.4, "it names a person"),
        (agent("hi", metadata={"tags": ["a"]}), 0.4, "1 tags"),
        (agent("hi", metadata={"tags": ["a"] * 9}), 0.7, "9 tags"),
        (agent("the team and its servers"), 0.5, "it names team, servers"),
        (user("hi", person="Dana"), 0.4, "it names a person"),
        (
            agent("user team project repo branch api database server"),
            0.8,
            "it names user, team, project, repo",
        ),
        (result("frobnicate", args={"path": "/etc/hosts"}), 0.35, "a path"),
        (result("frobnicate", args={"at": "https://example.org"}), 0.4, "a link"),
    ],
)
def test_row_8_relational_grows_with_what_is_named(event, value, reason):
    """Row 8, relational: tags .3+.1n to .7, keywords .3+.1n to .8, path .35, link .4."""
    assert relational(read_event(event), NONE) == (pytest.approx(value), reason)


@pytest.mark.parametrize(
    ("hour", "value"), [(0, 0.55), (7, 0.55), (8, 0.5), (12, 0.5), (22, 0.5), (23, 0.55)]
)
def test_row_8_an_unusual_hour_counts_a_little_more(hour, value):
    """Row 8, temporal: .5 from 8 to 22 h, else .55, by the event's own clock."""
    event = happening("user_message", {"text": "hi"}, None, ts=f"2026-03-01T{hour:02}:30:00+09:00")
    assert temporal(read_event(event), NONE)[0] == value


@pytest.mark.parametrize(
    ("times", "value"),
    [
        ((0, 14, 29), 0.25),
        ((-900, 0, 14, 29), 0.25),
        ((0, 15, 30), 0.5),
        ((0, 100, 300), 0.5),
        ((0, 100, 301), 0.6),
    ],
)
def test_row_8_a_burst_counts_less_and_a_calm_pace_more(times, value):
    """Row 8, temporal: three within 30 s −.25, over more than 5 min +.1."""
    *before, last = (result(seconds=second) for second in times)
    assert value_of(temporal, last, after(*before)) == value


def test_without_a_time_the_moment_says_nothing():
    assert temporal(read_event(result()), NONE) == (0.5, "no time is given")
    assert value_of(temporal, result(seconds=5), after(result(), result())) == 0.5


@pytest.mark.parametrize(
    ("event", "value", "reason"),
    [
        (user("hi", metadata={"important": True}), 1.0, "marked as important"),
        (user("hi", metadata={"userMarkedImportant": True}), 1.0, "marked as important"),
        (happening("manual_capture", {"text": "note"}, None), 0.95, "captured by hand"),
        (result("experience_capture"), 0.95, "captured by hand"),
        (user("Please remember that."), 0.8, "it asks to be remembered"),
        (result(meta="important fix"), 0.8, "it asks to be remembered"),
        (user("I remember that."), 0.2, "nobody asked for it to be kept"),
        (user("We decided on Rust."), 0.7, "it speaks of a decision"),
        (result(metadata={"significance": 0.7}), 0.5, "the caller holds it significant"),
        (result(metadata={"significance": 0.6}), 0.2, "nobody asked for it to be kept"),
        (result(metadata={"important": "no"}), 0.2, "nobody asked for it to be kept"),
    ],
)
def test_row_8_intent_is_what_somebody_asked_for(event, value, reason):
    """Row 8, user intent: marked 1, manual .95, remember .8, decision .7, implicit .5, else .2."""
    assert user_intent(read_event(event), NONE) == (value, reason)


@given(SESSIONS)
def test_every_factor_is_between_0_and_1_and_says_why_without_quoting(events):
    history = NONE
    for event in events:
        for name, factor in FACTORS.items():
            value, reason = factor(read_event(event), history)
            assert 0 <= value <= 1, name
            assert reason
            assert not any(word in reason for word in ("/src", "Dana", "Where", "a.example"))
        history = history.after(read_event(event), CaptureMode.FULL)


def test_what_the_agent_says_is_judged_like_what_anybody_says():
    assert impact(read_event(agent("Deployed.")), NONE)[0] == 0.8


def test_row_20_the_significance_of_a_capture_by_hand_is_kept_as_given():
    for own in (0.15, 0.8):
        note = {"kind": "manual_capture", "payload": {"text": "It clicked.", "significance": own}}
        by_tool = result("experience_capture", args={"topic": "a", "significance": own})
        for event in (note, by_tool):
            factors = score(read_event(event), SessionHistory(), Scoring())
            assert sum(factor.contribution for factor in factors) == pytest.approx(own)
