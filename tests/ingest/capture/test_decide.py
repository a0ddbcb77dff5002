"""Decisions: arithmetic that adds up, and outcomes that follow from it."""

from __future__ import annotations

from dataclasses import replace
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.codec import encode
from meridia.core.experience import GateDenial
from meridia.core.settings import GatesSettings, ScoringSettings
from meridia.core.types import Outcome
from meridia.core.vocabulary import CaptureMode, LimitReason, RecordStatus, Relationship
from meridia.ingest.capture.decide import FACTORS, check_gates, decide, score
from meridia.ingest.capture.event_view import OWNER_KEY, read_event
from meridia.ingest.capture.scoring import PROFILES, Scoring, ScoringProfile, scoring_of, shares_of
from meridia.ingest.capture.session_history import NO_BOND, SessionHistory
from tests.ingest.ingest_events import (
    EVENTS,
    SESSIONS,
    agent,
    boundary,
    happening,
    result,
    user,
)

OPEN = None
SHUT = GateDenial(LimitReason.MIN_INTERVAL, "31 s")
STANDARD = Scoring()
NEW = SessionHistory()
SCORINGS = st.builds(
    Scoring,
    profile=st.sampled_from([*PROFILES.values()]),
    weights=st.fixed_dictionaries(dict.fromkeys(FACTORS, st.floats(0.01, 5))).map(
        lambda weights: shares_of(ScoringSettings(**weights))
    ),
)


def history_with(relationship, threshold=None):
    return SessionHistory(people={"dana": (relationship, threshold)}, interlocutor="dana")


@given(EVENTS, SESSIONS, SCORINGS)
def test_row_8_the_contributions_add_up_to_the_significance(event, past, scoring):
    """Row 8, as a property: five factors and named rules, nothing else, make the score."""
    history = NEW
    for earlier in past:
        history = history.after(read_event(earlier), CaptureMode.FULL)
    decision = decide(read_event(event), history, OPEN, scoring)
    assert fsum(f.contribution for f in decision.factors) == pytest.approx(
        decision.significance, abs=1e-9
    )
    for factor in decision.factors:
        assert factor.contribution == pytest.approx(factor.value * factor.weight, abs=1e-6)
        assert factor.reason
    assert 0 <= decision.significance <= 1
    first = [factor.name for factor in decision.factors[:5]]
    assert first == ["novelty", "impact", "relational", "temporal", "user_intent"]


def test_row_8_a_decision_shows_its_arithmetic():
    """Row 8: .8·.25 + .65·.30 + .35·.15 + .5·.10 + .2·.20 = .5375."""
    event = result("write", args={"path": "/src/a.py"}, seconds=0)
    decision = decide(read_event(event), NEW, OPEN, STANDARD)
    assert [(f.name, f.value, round(f.weight, 2), f.contribution) for f in decision.factors] == [
        ("novelty", 0.8, 0.25, 0.2),
        ("impact", 0.65, 0.3, 0.195),
        ("relational", 0.35, 0.15, 0.0525),
        ("temporal", 0.5, 0.1, 0.05),
        ("user_intent", 0.2, 0.2, 0.04),
    ]
    assert decision.significance == 0.5375
    assert decision.reason == "0.537 of the 0.5 that a full capture needs"


@pytest.mark.parametrize(
    ("event", "name", "significance", "reason"),
    [
        (result("message"), "tool_rule", 0.6, "results of message count at least 0.6"),
        (result("sessions_send"), "tool_rule", 0.6, "results of sessions_send count at least 0.6"),
        (result("apply_patch"), "tool_rule", 0.515, None),
        (result("read", meta="deploy"), "tool_rule", 0.4, "results of read count at most 0.4"),
        (result("memory_query"), "tool_rule", 0.15, "results of memory_query count at most 0.15"),
        (result("experience_search"), "tool_rule", 0.15, None),
        (result("memory_query", failed=True), "failure", 0.55, "a failure counts at least 0.55"),
        (result("nmap", output="x" * 5_000), "large_result", 0.51, "a result of 5,000 characters"),
        (result("nmap", output="x" * 4_999), None, 0.41, None),
        (
            result("memory_query", metadata={"important": True}),
            "marked",
            0.9,
            "marked as important: at least 0.9",
        ),
    ],
)
def test_row_8_rules_are_lines_of_their_own(event, name, significance, reason):
    """Row 8: tool rules ≥ .6, ≥ .5, ≤ .4, ≤ .15; error ≥ .55; ≥ 5000 chars +.1; marked ≥ .9."""
    lines = score(read_event(event), NEW, STANDARD)
    assert round(fsum(line.contribution for line in lines), 6) == significance
    if reason:
        assert {line.name: line.reason for line in lines}[name] == reason
    if name is None:
        assert len(lines) == 5


def test_an_edit_that_is_worth_less_is_lifted_to_its_floor():
    """Row 8: write, edit and apply_patch count at least .5."""
    history = NEW
    for second in range(5):
        history = history.after(read_event(result("edit", seconds=second)), CaptureMode.FULL)
    lines = score(read_event(result("edit", seconds=6)), history, STANDARD)
    assert lines[-1].name == "tool_rule"
    assert fsum(line.contribution for line in lines) == pytest.approx(0.5)


def test_no_score_passes_1():
    marked = {"metadata": {"important": True, "tags": ["a"] * 9}}
    event = result("write", output="x" * 11_000, meta="deploy", failed=True, **marked)
    none = dict.fromkeys(("novelty", "impact", "relational", "temporal"), 0)
    heavy = scoring_of(ScoringSettings(**none, user_intent=1))
    assert decide(read_event(event), NEW, OPEN, heavy).significance == 1.0


def test_a_result_that_reaches_the_threshold_is_captured_when_the_gate_allows_it():
    """Row 8: captured in full when score ≥ threshold and the gates agree."""
    decision = decide(read_event(result("message")), NEW, OPEN, STANDARD)
    assert decision.mode is CaptureMode.FULL
    assert decision.outcome is Outcome.CAPTURED
    assert decision.status is RecordStatus.EVALUATED
    assert decision.limited is None


def test_d1_a_denied_result_is_scored_and_kept_as_a_skeleton_that_says_why():
    """D1: a gate's denial still scores; the event is a skeleton, and the limit is named."""
    decision = decide(read_event(result("message")), NEW, SHUT, STANDARD)
    assert decision.mode is CaptureMode.TRACE_ONLY
    assert decision.outcome is Outcome.OUTLINE
    assert decision.status is RecordStatus.SKELETON
    assert decision.significance == 0.6
    assert decision.limited
    assert encode(decision.limited) == {"reason": "min_interval", "detail": "31 s"}
    assert decision.reason == "0.6 of the 0.5 that a full capture needs, but 31 s"
    assert not decision.near


def test_a_gate_is_no_limit_where_the_score_is_too_low_anyway():
    decision = decide(read_event(result("read")), NEW, SHUT, STANDARD)
    assert decision.outcome is Outcome.OUTLINE
    assert decision.limited is None


@pytest.mark.parametrize(
    ("cap", "status"),
    [(0.19, RecordStatus.NOISE), (0.2, RecordStatus.NOISE), (0.21, RecordStatus.SKELETON)],
)
def test_row_41_above_the_floor_of_2_a_result_is_a_skeleton_and_below_it_noise(cap, status):
    """Row 41: a skeleton for every event with a score > .2; row 42: noise for the rest."""
    read = read_event(result("read"))
    floor = decide(read, NEW, OPEN, STANDARD).significance - cap + STANDARD.settings.skeleton_floor
    settings = STANDARD.settings.model_copy(update={"skeleton_floor": round(floor, 6)})
    decision = decide(read, NEW, OPEN, replace(STANDARD, settings=settings))
    assert (decision.outcome, decision.status) == (Outcome.OUTLINE, status)


@given(EVENTS)
def test_d1_what_is_said_is_never_less_than_light(event):
    """Row 10 and D1: messages are light experiences; nothing said becomes a skeleton."""
    decision = decide(read_event(event), NEW, SHUT, STANDARD)
    if event["kind"] == "tool_result":
        assert decision.outcome in (Outcome.CAPTURED, Outcome.OUTLINE)
    else:
        assert decision.outcome in (Outcome.CAPTURED, Outcome.TEXT_ONLY)
        assert decision.status is RecordStatus.EVALUATED


def test_row_10_a_message_is_light_unless_it_is_of_high_value():
    """Row 10: light means no model; D2: high value from .8 in the standard profile."""
    known = replace(NEW, people={OWNER_KEY: NO_BOND})
    decision = decide(read_event(user("Let's go on.")), known, OPEN, STANDARD)
    assert (decision.mode, decision.outcome) == (CaptureMode.LIGHT, Outcome.TEXT_ONLY)
    assert decision.threshold == 0.8
    marked = decide(read_event(user("hi", metadata={"important": True})), NEW, OPEN, STANDARD)
    assert (marked.mode, marked.outcome) == (CaptureMode.FULL, Outcome.CAPTURED)


def test_a_boundary_is_light_and_in_full_only_with_score_and_gate():
    marked = {**boundary(), "metadata": {"important": True}}
    assert decide(read_event(boundary()), NEW, OPEN, STANDARD).outcome is Outcome.TEXT_ONLY
    assert decide(read_event(marked), NEW, OPEN, STANDARD).outcome is Outcome.CAPTURED
    denied = decide(read_event(marked), NEW, SHUT, STANDARD)
    assert (denied.outcome, denied.limited is None) == (Outcome.TEXT_ONLY, False)


def test_what_is_captured_by_hand_is_captured():
    event = happening("manual_capture", {"text": "note"}, None)
    decision = decide(read_event(event), NEW, OPEN, Scoring(profile=PROFILES["minimal"]))
    assert decision.significance < decision.threshold
    assert (decision.outcome, decision.reason) == (Outcome.CAPTURED, "captured by hand")


@pytest.mark.parametrize(
    ("relationship", "threshold"),
    [
        (Relationship.PRIMARY, 0.35),
        (Relationship.COLLABORATOR, 0.4),
        (Relationship.USER, 0.5),
        (Relationship.UNKNOWN, 0.5),
    ],
)
def test_row_49_a_known_person_lowers_the_threshold(relationship, threshold):
    """Row 49 and D8: −.15 for primary, −.10 for collaborator, 0 for user and unknown."""
    decision = decide(read_event(result()), history_with(relationship), OPEN, STANDARD)
    assert decision.threshold == threshold


def test_row_49_an_override_wins_over_the_relationship():
    """Row 48: capture_threshold_override; row 49: NULL means the default."""
    history = history_with(Relationship.PRIMARY, 0.9)
    assert decide(read_event(result("message")), history, OPEN, STANDARD).threshold == 0.9
    said = read_event(agent("hi"))
    assert decide(said, history_with(Relationship.USER, 0.2), OPEN, STANDARD).threshold == 0.5


def test_row_49_more_is_captured_with_somebody_known():
    """Row 49: a score of .41 is a skeleton with a stranger and captured with a primary."""
    event = result("nmap")
    assert decide(read_event(event), NEW, OPEN, STANDARD).outcome is Outcome.OUTLINE
    assert (
        decide(read_event(event), history_with(Relationship.PRIMARY), OPEN, STANDARD).outcome
        is Outcome.CAPTURED
    )


def test_row_50_the_first_meeting_is_captured_though_the_score_is_low():
    """Row 50: a novel person is captured whatever the score and the gate; only once."""
    hello = user("ok", person="Dana")
    first = decide(read_event(hello), NEW, SHUT, STANDARD)
    assert first.significance < first.threshold
    assert (first.outcome, first.reason) == (Outcome.CAPTURED, "first meeting with this person")
    assert not first.near
    second = decide(read_event(hello), NEW.after(read_event(hello), first.mode), OPEN, STANDARD)
    assert second.outcome is Outcome.TEXT_ONLY


READ = result("read")


def standing_at(score: float) -> Scoring:
    """Return the standard thresholds, moved so that what `READ` scores stands to them so."""
    moved = decide(read_event(READ), NEW, OPEN, STANDARD).significance - score
    standard = STANDARD.profile
    levels = (standard.capture, standard.model, standard.high_value)
    return replace(STANDARD, profile=ScoringProfile(*(round(each + moved, 6) for each in levels)))


@pytest.mark.parametrize(
    ("cap", "near"), [(0.349, False), (0.35, True), (0.5, True), (0.649, True), (0.65, False)]
)
def test_d29_a_score_near_the_threshold_is_marked_for_a_model(cap, near):
    """D29: the band is model ≤ s < capture + .15, that is .35 to .65."""
    decision = decide(read_event(READ), NEW, OPEN, standing_at(cap))
    assert decision.near is near


@pytest.mark.parametrize(("cap", "outcome"), [(0.499, Outcome.OUTLINE), (0.5, Outcome.CAPTURED)])
def test_a_score_at_the_threshold_reaches_it(cap, outcome):
    assert decide(read_event(READ), NEW, OPEN, standing_at(cap)).outcome is outcome


def test_d29_the_band_moves_with_the_threshold():
    lifted = history_with(Relationship.USER, 0.9)
    assert not decide(read_event(result("message")), lifted, OPEN, STANDARD).near
    assert decide(
        read_event(result("message")), history_with(Relationship.USER, 0.7), OPEN, STANDARD
    ).near


@given(st.sampled_from([user("Remember the team's API."), boundary(), user("ok", person="Dana")]))
def test_row_10_no_model_is_asked_about_what_is_said(event):
    """Row 10: light is heuristic only."""
    wide = Scoring(profile=ScoringProfile(capture=0.5, model=0.0, high_value=0.8))
    decision = decide(read_event(event), NEW, OPEN, wide)
    assert decision.near is (event["kind"] == "session_boundary")


def test_row_3_a_long_session_of_busy_work_keeps_to_the_gates():
    """Row 3: a result every ten seconds for two hours; at most 10 an hour in full, none lost."""
    events = [result("message", output=str(n), seconds=10 * n) for n in range(720)]
    decisions, history = [], NEW
    for event in map(read_event, events):
        gates = check_gates(event, history, GatesSettings())
        decisions.append(decide(event, history, gates, STANDARD))
        history = history.after(event, decisions[-1].mode)
    outcomes = [decision.outcome for decision in decisions]
    assert outcomes.count(Outcome.CAPTURED) == 20
    assert outcomes.count(Outcome.OUTLINE) == 700
    limits = {decision.limited.reason for decision in decisions if decision.limited}
    assert limits == {LimitReason.MIN_INTERVAL, LimitReason.MAX_PER_HOUR}
