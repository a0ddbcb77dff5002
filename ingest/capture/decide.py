"""Stage decide, pass 1: how an event is ranked, by rule, before it is acknowledged.

Five weighted factors, then named floors and caps, add up to a significance that can be followed
line by line; from it, the threshold, the gate and a few rules give an outcome. No model is asked:
where the score is near the threshold, the decision says so. Nothing is stored, and no reason quotes
the event, so that a trace can outlive the content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import fsum

from ...core.events import EventKind
from ...core.experience import CaptureDecision, Factor, GateDenial
from ...core.types import Outcome
from ...core.vocabulary import CaptureMode, RecordStatus, Relationship
from .event_view import EventView
from .factors import FACTORS
from .gate import GateResult
from .scoring import Scoring, tool_matches
from .session_history import SessionHistory

#: Decimal places of a contribution: enough to add up, few enough to compare with a threshold.
_PLACES = 6

_OUTCOMES = {
    CaptureMode.FULL: Outcome.CAPTURED,
    CaptureMode.LIGHT: Outcome.TEXT_ONLY,
    CaptureMode.TRACE_ONLY: Outcome.OUTLINE,
}

#: A named change of the running score, and why.
_Rule = tuple[str, Callable[[float], float], str]


@dataclass(frozen=True, slots=True)
class _Thresholds:
    """The score that earns a full capture, and the one from which a model is asked."""

    capture: float
    model: float


@dataclass(frozen=True, slots=True)
class _ModeChoice:
    """How an event is kept and why.

    `limit` is the gate that denied more; `open` says that nothing but the score decided.
    """

    mode: CaptureMode
    reason: str
    limit: GateDenial | None = None
    open: bool = False


def decide(
    event: EventView, history: SessionHistory, gate: GateResult, scoring: Scoring
) -> CaptureDecision:
    """Return what is done with `event`: captured, light or skeleton, with the arithmetic.

    A tool result is captured when it reaches the threshold and the gate allows it, and a skeleton
    otherwise (noise up to the skeleton floor). What is said and a session's boundary are light
    unless they deserve more. What is captured by hand, and the first meeting with a person, are
    captured whatever the score (feature 50).
    """
    factors = score(event, history, scoring)
    significance = round(fsum([factor.contribution for factor in factors]), _PLACES)
    thresholds = _thresholds_of(event, history, scoring)
    choice = _mode_by_rule(event, history) or _mode_by_score(
        event, significance, thresholds.capture, gate
    )
    noise = significance <= scoring.skeleton_floor
    status = RecordStatus.EVALUATED
    if choice.mode is CaptureMode.TRACE_ONLY:
        status = RecordStatus.NOISE if noise else RecordStatus.SKELETON
    return CaptureDecision(
        significance=significance,
        threshold=thresholds.capture,
        mode=choice.mode,
        outcome=_OUTCOMES[choice.mode],
        status=status,
        reason=choice.reason,
        near=choice.open and thresholds.model <= significance < thresholds.capture + scoring.band,
        limited=choice.limit,
        factors=factors,
    )


def score(event: EventView, history: SessionHistory, scoring: Scoring) -> tuple[Factor, ...]:
    """Return the lines whose contributions add up to the significance of `event`, 0 to 1.

    First the five factors by weight; then what rules add or take away, a line each: rules of the
    tool, the floor of a failure, the boost of a large result, the floor of what is marked.
    """
    lines: list[Factor] = []
    for name, weight in scoring.weights.normalised().items():
        factor_value, reason = FACTORS[name](event, history, scoring)
        value = round(factor_value, _PLACES)
        lines.append(Factor(name, value, weight, round(value * weight, _PLACES), reason))
    for name, change, reason in _rules(event, scoring):
        before = fsum([line.contribution for line in lines])
        difference = round(min(1.0, change(before)) - before, _PLACES)
        if difference:
            lines.append(Factor(name, difference, 1.0, difference, reason))
    return tuple(lines)


def _rules(event: EventView, scoring: Scoring) -> Iterator[_Rule]:
    if event.is_result and not event.is_by_hand:
        for rule in scoring.tools:
            if tool_matches(event.tool, rule.tools):
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


def _thresholds_of(event: EventView, history: SessionHistory, scoring: Scoring) -> _Thresholds:
    """Return the bar for this event, lowered where the person is known (feature 49)."""
    person, profile = history.relationship_with(event), scoring.profile
    lowered = 0.0
    if person.relationship is Relationship.COLLABORATOR:
        lowered = scoring.collaborator
    elif person.relationship is Relationship.PRIMARY:
        lowered = scoring.primary
    threshold = profile.capture - lowered if person.threshold is None else person.threshold
    shift = threshold - profile.capture
    base = profile.high_value if _is_utterance(event) else profile.capture
    return _Thresholds(_clamped(base + shift), _clamped(profile.model + shift))


def _mode_by_rule(event: EventView, history: SessionHistory) -> _ModeChoice | None:
    """Return the verdict where a rule decides and not the score."""
    if event.is_by_hand:
        return _ModeChoice(CaptureMode.FULL, "captured by hand")
    if history.is_first_contact(event):
        return _ModeChoice(CaptureMode.FULL, "first meeting with this person")
    return None


def _mode_by_score(
    event: EventView, significance: float, threshold: float, gate: GateResult
) -> _ModeChoice:
    """Return the verdict of score, threshold and gate."""
    compared = f"{significance:.3g} of the {threshold:.3g} that a full capture needs"
    utterance = _is_utterance(event)
    if significance >= threshold and gate.allowed:
        return _ModeChoice(CaptureMode.FULL, compared, open=not utterance)
    less = CaptureMode.TRACE_ONLY if event.is_result else CaptureMode.LIGHT
    if significance < threshold or gate.reason is None:
        return _ModeChoice(less, compared, open=not utterance)
    limit = GateDenial(gate.reason, gate.detail)
    return _ModeChoice(less, f"{compared}, but {gate.detail}", limit)


def _is_utterance(event: EventView) -> bool:
    return not event.is_result and event.kind != EventKind.SESSION_BOUNDARY


def _clamped(value: float) -> float:
    return round(min(max(value, 0.0), 1.0), _PLACES)
