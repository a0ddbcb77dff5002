"""Re-evaluation: what hindsight adds to a score and takes away, and how far it may go."""

from __future__ import annotations

import random
from dataclasses import replace
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.entries import DecisionRecord
from meridia.core.settings import GatesSettings
from meridia.core.vocabulary import CaptureMode, RecordStatus, Trigger
from meridia.ingest.capture.decide import check_gates, decide
from meridia.ingest.capture.event_view import read_event
from meridia.ingest.capture.scoring import PROFILES, Scoring
from meridia.ingest.capture.session_history import SessionHistory
from meridia.ingest.capture.stages import trigger_of
from meridia.ingest.enrichment.reevaluate import (
    RULES,
    Neighbour,
    WindowRules,
    neighbour_of,
    reevaluate,
)
from meridia.language.runs.tool_intent import ToolIntent
from tests.ingest.ingest_events import SESSIONS, at, boundary, decided, result, user

SCORING = Scoring()
SKELETON, NOISE, UPGRADED = RecordStatus.SKELETON, RecordStatus.NOISE, RecordStatus.UPGRADED


def step(seq, tool="read", significance=0.35, status=SKELETON, **fields):
    """Return the record of a tool's result; a hash of its own unless one is given."""
    values = {"hash": f"h{seq}", "id": f"e{seq}", "kind": "tool_result", **fields}
    return Neighbour(seq=seq, tool=tool, significance=significance, status=status, **values)


def message_at(seq, kind="user_message", significance=0.3, **fields):
    """Return the record of a message."""
    values = {"status": RecordStatus.EVALUATED, "hash": f"h{seq}", **fields}
    return Neighbour(id=f"e{seq}", seq=seq, kind=kind, significance=significance, **values)


def routine(first, last, **fields):
    """Return skeletons of as many tools as there are places."""
    return [step(seq, tool=f"tool{seq}", **fields) for seq in range(first, last)]


def verdict_on(id, run, **options):
    return next(v for v in reevaluate(run, SCORING, **options) if v.id == id)


def lines(verdict):
    return {line.name: line.contribution for line in verdict.factors}


RECORDS = st.builds(
    lambda tool, significance, status, captured, error, trigger, hash_, message: (
        {
            "tool": "" if message else tool,
            "significance": round(significance, 6),
            "status": RecordStatus.EVALUATED if message or captured else status,
            "captured": captured,
            "error": error and not message,
            "trigger": trigger,
            "hash": hash_,
            "kind": "user_message" if message else "tool_result",
        }
    ),
    st.sampled_from(["read", "write", "bash"]),
    st.floats(0, 1),
    st.sampled_from([SKELETON, SKELETON, SKELETON, UPGRADED, NOISE]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(Trigger),
    st.sampled_from(["a", "b", "c", "d", "e", "f"]),
    st.sampled_from([False, False, True]),
)
RUNS = st.lists(RECORDS, max_size=30).map(
    lambda rows: [Neighbour(id=f"e{n}", seq=n, **row) for n, row in enumerate(rows)]
)


@given(RUNS, st.sampled_from([*PROFILES.values()]))
def test_row_43_the_arithmetic_adds_up_and_decides(run, profile):
    """Row 43, as a property: factors add up, and status follows from sum, threshold and floor."""
    scoring = Scoring(profile=profile)
    for verdict in reevaluate(run, scoring):
        total = fsum(line.contribution for line in verdict.factors)
        assert total == pytest.approx(verdict.significance, abs=1e-6)
        assert 0 <= verdict.significance <= 1
        for line in verdict.factors:
            assert line.contribution == pytest.approx(line.value * line.weight, abs=1e-6)
            assert line.reason
        if verdict.status is UPGRADED:
            assert verdict.significance >= profile.capture
        if verdict.status is NOISE:
            assert verdict.significance <= scoring.settings.skeleton_floor


@given(RUNS)
def test_row_43_a_neighbourhood_has_five_to_ten_records(run):
    """Row 43: fewer only where a session has no more."""
    verdicts = reevaluate(run, SCORING)
    skeletons = [record.id for record in run if record.status is SKELETON]
    assert [verdict.id for verdict in verdicts] == skeletons
    for verdict in verdicts:
        assert len(verdict.neighbourhood) == min(10, len(run))
        assert verdict.id in verdict.neighbourhood


@given(RUNS, st.randoms(use_true_random=False))
def test_the_order_in_which_records_are_handed_in_does_not_matter(run, shuffle):
    mixed = list(run)
    shuffle.shuffle(mixed)
    assert reevaluate(mixed, SCORING) == reevaluate(run, SCORING)


@given(RUNS, st.integers(1, 4))
def test_no_ten_consecutive_records_are_upgraded_wholesale(run, most):
    fresh = [
        replace(record, status=SKELETON) if record.status is UPGRADED else record for record in run
    ]
    verdicts = reevaluate(fresh, SCORING, rules=WindowRules(upgrades_max=most))
    upgraded = {verdict.id for verdict in verdicts if verdict.status is UPGRADED}
    for start in range(len(fresh)):
        assert sum(record.id in upgraded for record in fresh[start : start + 10]) <= most


@given(RUNS)
def test_a_second_run_over_its_own_outcome_changes_nothing(run):
    first = {verdict.id: verdict for verdict in reevaluate(run, SCORING)}
    later = [
        replace(record, status=first[record.id].status) if record.id in first else record
        for record in run
    ]
    assert not [v for v in reevaluate(later, SCORING) if v.changed]


@given(SESSIONS)
def test_a_replayed_session_can_be_judged_again(events):
    run, history, gates = [], SessionHistory(), GatesSettings()
    for seq, event in enumerate(events):
        event_view = read_event(event)
        trigger = trigger_of(event_view, history)
        limits = check_gates(event_view, history, gates)
        decision = decide(event_view, history, limits, SCORING)
        history = history.after(event_view, decision.mode)
        kept = DecisionRecord(
            decision.significance, decision.status, decision.mode, decision.threshold
        )
        run.append(neighbour_of(f"e{seq}", seq, event, kept, trigger))
    judged = {verdict.id for verdict in reevaluate(run, SCORING)}
    assert judged == {record.id for record in run if record.status is SKELETON}


def test_a_failure_later_solved_and_the_step_that_solved_it_both_gain():
    run = [
        *routine(0, 3),
        step(3, "make", error=True),
        message_at(4),
        step(5, "make"),
        *routine(6, 12),
        step(12, "make"),
    ]
    failure, solution = verdict_on("e3", run), verdict_on("e5", run)
    assert lines(failure)["solved"] == lines(solution)["solved"] == 0.25
    assert failure.status is solution.status is UPGRADED
    assert "a failure, solved 2 records later" in failure.reason
    assert "it solved the failure 2 records earlier" in solution.reason
    assert "solved" not in lines(verdict_on("e12", run))


def test_a_step_on_another_errand_solves_nothing():
    fix, failed = ToolIntent("bash", ("make",)), ToolIntent("bash", ("git push",), failed=True)
    run = [step(0, "bash", error=True, intent=failed), step(1, "bash", intent=fix), *routine(2, 7)]
    assert "solved" not in lines(verdict_on("e0", run))
    solved = [run[0], replace(run[1], intent=replace(failed, failed=False)), *run[2:]]
    assert lines(verdict_on("e0", solved))["solved"] == 0.25


def test_a_failure_left_when_the_session_ended_gains():
    run = [*routine(0, 5), step(5, "make", error=True), message_at(6)]
    assert lines(verdict_on("e5", run))["unsolved"] == 0.15
    assert "unsolved" not in lines(verdict_on("e5", [*run, step(7, "make")]))


def test_feedback_counts_most_for_the_step_right_before_it():
    run = [*routine(0, 5), message_at(5, trigger=Trigger.CORRECTIVE_FEEDBACK), *routine(6, 9)]
    assert lines(verdict_on("e4", run))["feedback"] == 0.2
    assert lines(verdict_on("e3", run))["feedback"] == 0.1
    assert "feedback" not in lines(verdict_on("e6", run))
    praised = [*run[:5], replace(run[5], trigger=Trigger.POSITIVE_FEEDBACK), *run[6:]]
    assert "was praised" in verdict_on("e4", praised).reason


def test_what_is_important_or_captured_counts_by_how_near_it_is():
    for neighbour, name, whole in (
        (message_at(2, significance=0.9), "important", 0.15),
        (step(2, status=RecordStatus.EVALUATED, captured=True), "captured", 0.10),
    ):
        run = [*routine(0, 2), neighbour, *routine(3, 8)]
        assert lines(verdict_on("e1", run))[name] == lines(verdict_on("e3", run))[name] == whole
        assert lines(verdict_on("e4", run))[name] == pytest.approx(whole / 2)
        assert name not in lines(verdict_on("e1", [*routine(0, 2), message_at(2), *routine(3, 8)]))


def test_an_upgrade_does_not_draw_in_the_next_one():
    run = [*routine(0, 2), step(2, status=UPGRADED, captured=True), *routine(3, 8)]
    assert "captured" not in lines(verdict_on("e1", run))


def test_the_first_and_the_last_step_before_a_boundary_gain():
    run = [message_at(0), *routine(1, 4), message_at(4, kind="session_boundary"), *routine(5, 8)]
    gained = {verdict.id for verdict in reevaluate(run, SCORING) if "boundary" in lines(verdict)}
    assert gained == {"e1", "e3", "e5", "e7"}


def test_what_repeats_loses_and_becomes_noise():
    run = [step(seq, "poll", 0.3, hash="same") for seq in range(10)]
    verdicts = reevaluate(run, SCORING)
    middle = verdicts[5]
    assert middle.status is NOISE
    assert lines(middle)["repetition"] == -0.2
    assert middle.significance == 0.1
    assert "word for word as before" in middle.reason


def test_many_calls_of_one_tool_lose_a_few_do_not():
    run = [*(step(seq, "read") for seq in range(4)), *routine(4, 10)]
    assert lines(verdict_on("e3", run))["repetition"] == pytest.approx(-0.2 * 4 / 10)
    assert "repetition" not in lines(verdict_on("e2", [*run[1:4], *routine(4, 10)]))


def test_a_score_that_a_gate_denied_is_upgraded_only_when_its_neighbourhood_speaks_for_it():
    run = [message_at(0), *routine(1, 4), step(4, "write", 0.8), *routine(5, 12)]
    assert verdict_on("e4", run).status is SKELETON
    praised = [*run[:5], message_at(5, trigger=Trigger.POSITIVE_FEEDBACK), *run[6:]]
    assert verdict_on("e4", praised).status is UPGRADED


def test_earlier_upgrades_count_and_the_most_significant_go_first():
    run = [message_at(0, significance=0.9), *routine(1, 10, significance=0.5)]
    upgraded = [v for v in reevaluate(run, SCORING) if v.status is UPGRADED]
    assert [verdict.id for verdict in upgraded] == ["e1", "e2"]
    assert "upgrades enough" in verdict_on("e3", run).reason
    earlier = [replace(run[9], status=UPGRADED), *run[:9]]
    again = [v.id for v in reevaluate(earlier, SCORING) if v.status is UPGRADED]
    assert again == ["e1"]


def test_a_records_own_threshold_counts():
    run = [message_at(0, significance=0.9), *routine(1, 6)]
    assert verdict_on("e1", run).status is UPGRADED
    strict = [run[0], replace(run[1], threshold=0.9), *run[2:]]
    assert verdict_on("e1", strict).status is SKELETON


def test_records_are_taken_by_time_where_all_have_one():
    late = step(99, "make", error=True, at=at(25))
    timed = [replace(record, at=at(10 * record.seq)) for record in routine(0, 5)]
    assert verdict_on("e99", [*timed, late]).neighbourhood[3] == "e99"
    untimed = [*timed, replace(late, at=None)]
    assert verdict_on("e99", untimed).neighbourhood[5] == "e99"


def test_a_neighbour_is_read_off_an_event_and_its_decision():
    event = result("make", failed=True, seconds=5)
    record = neighbour_of("x", 7, event, decided(0.4, CaptureMode.TRACE_ONLY))
    assert (record.tool, record.error, record.at, record.is_step) == ("make", True, at(5), True)
    assert record.intent is not None
    assert record.intent.failed
    message = neighbour_of("y", 8, user("hi"), decided(), Trigger.POSITIVE_FEEDBACK)
    assert (message.intent, message.captured) == (None, True)
    assert not neighbour_of("z", 9, boundary(), decided()).is_step


def test_a_verdict_quotes_nothing():
    secret = "the words of a result"
    events = [result(f"tool{n}", output=secret, seconds=n) for n in range(6)]
    run = [
        replace(neighbour_of(f"e{n}", n, event, decided(0.3)), status=SKELETON)
        for n, event in enumerate(events)
    ]
    assert secret not in str(reevaluate(run, SCORING)[0])


def test_a_thousand_records_are_judged_at_once():
    order = random.Random(7)
    tools = ["read", "write", "bash", "grep"]
    run = [step(seq, order.choice(tools), order.random()) for seq in range(1_000)]
    assert len(reevaluate(run, SCORING, rules=RULES)) == 1_000
