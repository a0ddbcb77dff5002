"""Stage decide, pass 1: what is done with an event, by rule, before it is acknowledged.

Five weighted factors, then named floors and caps, add up to a significance that a person can
follow line by line; the threshold, the gate and a few rules make of it an outcome. No model is
asked: where the score lies near the threshold, the decision says so. Nothing is stored, and no
reason quotes what was said, so that a trace can outlive what it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import fsum

from ..core.events import EventKind
from ..core.experience import Decision, Factor, Limit
from ..core.types import Outcome
from ..core.vocabulary import CaptureMode, RecordStatus, Relationship
from .factors import FACTORS
from .gate import GateResult, Gates, check
from .history import SessionHistory
from .reading import Event, Reading, read
from .scoring import Scoring, fits

#: Decimal places of a contribution: enough to add up, few enough to compare with a threshold.
_PLACES = 6

_OUTCOMES = {
    CaptureMode.FULL: Outcome.CAPTURED,
    CaptureMode.LIGHT: Outcome.LIGHT,
    CaptureMode.TRACE_ONLY: Outcome.SKELETON,
}

#: A named change of the running score, and why.
_Rule = tuple[str, Callable[[float], float], str]


@dataclass(frozen=True, slots=True)
class _Bar:
    """The score that earns a full capture, and the one from which a model is asked."""

    capture: float
    model: float


@dataclass(frozen=True, slots=True)
class _Verdict:
    """How an event is kept and why.

    `limit` is the gate that denied more; `open` says that nothing but the score decided.
    """

    mode: CaptureMode
    reason: str
    limit: Limit | None = None
    open: bool = False


def decide(event: Reading, history: SessionHistory, gate: GateResult, scoring: Scoring) -> Decision:
    """Return what is done with `event`: captured, light or skeleton, with the arithmetic.

    A tool result is captured when it reaches the threshold and the gate allows it, and a skeleton
    otherwise (noise up to the skeleton floor). What is said and a session's boundary are light
    unless they deserve more. What is captured by hand, and the first meeting with a person, are
    captured whatever the score (FACTS row 50).
    """
    factors = score(event, history, scoring)
    significance = round(fsum([factor.contribution for factor in factors]), _PLACES)
    bar = _bar(event, history, scoring)
    verdict = _ruled(event, history) or _weighed(event, significance, bar.capture, gate)
    noise = significance <= scoring.skeleton_floor
    status = RecordStatus.EVALUATED
    if verdict.mode is CaptureMode.TRACE_ONLY:
        status = RecordStatus.NOISE if noise else RecordStatus.SKELETON
    return Decision(
        significance=significance,
        threshold=bar.capture,
        mode=verdict.mode,
        outcome=_OUTCOMES[verdict.mode],
        status=status,
        reason=verdict.reason,
        near=verdict.open and bar.model <= significance < bar.capture + scoring.band,
        limited=verdict.limit,
        factors=factors,
    )


def score(event: Reading, history: SessionHistory, scoring: Scoring) -> tuple[Factor, ...]:
    """Return the lines whose contributions add up to the significance of `event`, 0 to 1.

    First the five factors by weight; then what rules add or take away, a line each: rules of the
    tool, the floor of a failure, the boost of a large result, the floor of what is marked.
    """
    lines: list[Factor] = []
    for name, weight in scoring.weights.normalised().items():
        judged, reason = FACTORS[name](event, history, scoring)
        value = round(judged, _PLACES)
        lines.append(Factor(name, value, weight, round(value * weight, _PLACES), reason))
    for name, change, reason in _rules(event, scoring):
        before = fsum([line.contribution for line in lines])
        difference = round(min(1.0, change(before)) - before, _PLACES)
        if difference:
            lines.append(Factor(name, difference, 1.0, difference, reason))
    return tuple(lines)


def replay(
    events: Iterable[Event], history: SessionHistory, gates: Gates, scoring: Scoring
) -> Iterator[tuple[Decision, SessionHistory]]:
    """Yield each event's decision and the history after it: a session is a fold."""
    for event in map(read, events):
        decision = decide(event, history, check(event, history, gates), scoring)
        history = history.after(event, decision)
        yield decision, history


def _rules(event: Reading, scoring: Scoring) -> Iterator[_Rule]:
    if event.is_result:
        for rule in scoring.tools:
            if fits(event.tool, rule.tools):
                yield _between(event.tool, rule.floor, rule.cap)
    if event.is_error:
        floor = scoring.error_floor
        yield "failure", lambda s: max(s, floor), f"a failure counts at least {floor:g}"
    if event.is_result and event.chars >= scoring.large_result_chars:
        boost = scoring.large_result_boost
        yield "large_result", lambda s: s + boost, f"a result of {event.chars:,} characters"
    if event.is_marked:
        marked = scoring.marked_floor
        yield "marked", lambda s: max(s, marked), f"marked as important: at least {marked:g}"


def _between(tool: str, floor: float, cap: float) -> _Rule:
    bounds = [f"at least {floor:g}"] if floor > 0 else []
    bounds += [f"at most {cap:g}"] if cap < 1 else []
    reason = f"results of {tool} count {' and '.join(bounds) or 'as they are'}"
    return "tool_rule", lambda s: min(max(s, floor), cap), reason


def _bar(event: Reading, history: SessionHistory, scoring: Scoring) -> _Bar:
    """Return the bar for this event, lowered where the person is known (FACTS row 49)."""
    known, profile = history.acquaintance(event), scoring.profile
    lowered = 0.0
    if known.relationship is Relationship.COLLABORATOR:
        lowered = scoring.collaborator
    elif known.relationship is Relationship.PRIMARY:
        lowered = scoring.primary
    threshold = profile.capture - lowered if known.threshold is None else known.threshold
    shift = threshold - profile.capture
    base = profile.high_value if _is_said(event) else profile.capture
    return _Bar(_unit(base + shift), _unit(profile.model + shift))


def _ruled(event: Reading, history: SessionHistory) -> _Verdict | None:
    """Return the verdict where a rule decides and not the score."""
    if event.kind == EventKind.MANUAL_CAPTURE:
        return _Verdict(CaptureMode.FULL, "captured by hand")
    if history.meets(event):
        return _Verdict(CaptureMode.FULL, "first meeting with this person")
    return None


def _weighed(event: Reading, significance: float, threshold: float, gate: GateResult) -> _Verdict:
    """Return the verdict of score, threshold and gate."""
    compared = f"{significance:.3g} of the {threshold:.3g} that a full capture needs"
    said = _is_said(event)
    if significance >= threshold and gate.allowed:
        return _Verdict(CaptureMode.FULL, compared, open=not said)
    less = CaptureMode.TRACE_ONLY if event.is_result else CaptureMode.LIGHT
    if significance < threshold or gate.reason is None:
        return _Verdict(less, compared, open=not said)
    limit = Limit(gate.reason, gate.detail)
    return _Verdict(less, f"{compared}, but {gate.detail}", limit)


def _is_said(event: Reading) -> bool:
    return not event.is_result and event.kind != EventKind.SESSION_BOUNDARY


def _unit(value: float) -> float:
    return round(min(max(value, 0.0), 1.0), _PLACES)
