"""How an event is ranked, by rule, before it is acknowledged: the gates, and the decision (pass 1).

Gates limit spending, never remembering. They count full captures by event time within a session, in
whatever order events arrive. Only tool results and session boundaries can be denied; a denied event
is still scored, traced and stored as a skeleton.

Five weighted factors, then named floors and caps, add up to a significance that can be followed
line by line; from it, the threshold, the gate and a few rules give an outcome. No model is asked:
where the score is near the threshold, the decision says so. Nothing is stored, and no reason quotes
the event, so that a trace can outlive the content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from math import fsum
from types import MappingProxyType

from ...core.events import EventKind
from ...core.experience import CaptureDecision, Factor, GateDenial
from ...core.settings import GatesSettings
from ...core.types import Outcome
from ...core.vocabulary import CaptureMode, LimitReason, RecordStatus, Relationship
from ...language.glance import asks_to_remember, speaks_of_decision
from ...language.lazy_pattern import LazyPattern
from .event_view import EventView, given_significance
from .scoring import (
    CHANGING_TOOLS,
    ERROR_FLOOR,
    IMPACT_WORDS,
    LARGE_RESULT_BOOST,
    LARGE_RESULT_CHARS,
    LOOKING_TOOLS,
    MARKED_FLOOR,
    REACHING_TOOLS,
    RELATIONAL_WORDS,
    TOOL_RULES,
    Scoring,
    tool_matches,
)
from .session_history import CaptureCost, SessionEvent, SessionHistory

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


def check_gates(
    event: EventView, history: SessionHistory, gates: GatesSettings
) -> GateDenial | None:
    """Return why `event` may not be captured in full: by interval, then by hour, then by budget.

    None where it may. An event without a time is never denied by interval or hour. An event that
    comes late counts among the captures around its own time, on both sides, so that no order of
    arrival gets more than the limits into any one hour.
    """
    boundary = event.kind == EventKind.SESSION_BOUNDARY
    if not boundary and not event.is_result:
        return None
    at = event.at
    return (
        (None if at is None or boundary else _interval(at, history, gates))
        or (None if at is None else _hourly(at, history, gates, boundary=boundary))
        or _budget(event, history, gates)
    )


def _interval(at: datetime, history: SessionHistory, gates: GatesSettings) -> GateDenial | None:
    min_interval = timedelta(milliseconds=gates.min_interval_ms)
    nearest = min((abs(at - cost.at) for cost in history.captures), default=None)
    if nearest is None or nearest >= min_interval:
        return None
    return GateDenial(
        LimitReason.MIN_INTERVAL,
        f"the nearest full capture is {nearest.total_seconds():.0f} s away, "
        f"and {min_interval.total_seconds():g} s must lie between two",
    )


def _hourly(
    at: datetime, history: SessionHistory, gates: GatesSettings, *, boundary: bool
) -> GateDenial | None:
    allowed_max = gates.max_per_hour + (gates.boundary_captures if boundary else 0)
    count = len(_within(_HOUR, at, history))
    if count < allowed_max:
        return None
    detail = f"{count} full captures within an hour, and {allowed_max} are allowed"
    return GateDenial(LimitReason.MAX_PER_HOUR, detail)


def _budget(event: EventView, history: SessionHistory, gates: GatesSettings) -> GateDenial | None:
    if gates.tokens_per_day_max is None:
        return None
    boundary = event.kind == EventKind.SESSION_BOUNDARY
    allowed_max = gates.tokens_per_day_max + (gates.boundary_tokens if boundary else 0)
    timed = history.captures if event.at is None else _within(_DAY, event.at, history)
    spent = history.tokens_untimed + sum(cost.tokens for cost in timed)
    if spent + event.tokens <= allowed_max:
        return None
    detail = f"{spent} tokens spent within a day; {event.tokens} more would pass {allowed_max}"
    return GateDenial(LimitReason.BUDGET, detail)


def _within(span: timedelta, at: datetime, history: SessionHistory) -> list[CaptureCost]:
    return [cost for cost in history.captures if abs(at - cost.at) < span]


#: A factor's value, 0 to 1, and why it has it.
FactorValue = tuple[float, str]

_LONG_GAP, _BURST, _DELIBERATE = (
    timedelta(minutes=30),
    timedelta(seconds=30),
    timedelta(minutes=5),
)
#: What is taken for a gap nobody knows the length of, as a share of a long one.
_UNKNOWN_GAP = 0.5
_LARGE_RESULT_CHARS, _POINTERS_CHARS = 10_000, 2_000
_PATH = re.compile(r"(?:^|[\s'\"=(:])(?:~|\.{1,2})?/[\w.@-]+")
_URL = re.compile(r"\bhttps?://\S")
_INFLECTION = r"(?:e?s|e?d|ing|ments?)?"


def novelty(event: EventView, history: SessionHistory) -> FactorValue:
    """Judge how new an event is in its session: 1 − .7·repetition, scaled by the time since.

    Repetition is the share of the last five events of its class by the same tool or with the same
    words; the gap since the actor's last event counts up to half an hour.
    """
    before, actor = history.recent_events(event), event.actor
    untouched = history.captured == 0 if event.is_result else not before
    if untouched:
        return 0.8, "nothing captured before in this session"
    if actor not in history.used:
        what = "use of this tool" if event.is_result else "words of this speaker"
        return 0.75, f"first {what} in the session"
    repetition, again = _repetition(event, actor, before)
    gap, since = _gap(history.used[actor], event.at)
    value = (1 - 0.7 * repetition) * (0.3 + 0.7 * gap)
    return value, f"{again}, {since}"


def impact(event: EventView, _history: SessionHistory) -> FactorValue:
    """Judge how much an event changes: by the tool, by failure, by words such as "deploy"."""
    value, reason = 0.3, "nothing that changes much"
    if event.is_result:
        value, reason = _tool_impact(event.tool)
        if event.chars > _LARGE_RESULT_CHARS and value < 0.5:
            value, reason = 0.5, "a very large result"
        if event.is_error and value < 0.7:
            value, reason = 0.7, "a tool failed"
    match = _pattern(IMPACT_WORDS).search(event.gist)
    word = match.group().lower() if match else None
    return (0.8, f'it speaks of "{word}"') if word else (value, reason)


def relational(event: EventView, _history: SessionHistory) -> FactorValue:
    """Judge how much an event is tied to: tags, people, projects, paths, links."""
    candidates: list[FactorValue] = [(0.2, "tied to nothing named")]
    tags = event.metadata.get("tags")
    if isinstance(tags, list) and tags:
        candidates.append((0.3 + min(0.4, 0.1 * len(tags)), f"{len(tags)} tags"))
    named = _words(RELATIONAL_WORDS, event.gist)
    ties = ["a person", *named] if event.person else named
    if ties:
        value = 0.3 + min(0.5, 0.1 * len(ties))
        candidates.append((value, "it names " + ", ".join(ties[:4])))
    pointers = "\n".join(event.args)[:_POINTERS_CHARS] if event.is_result else event.gist
    if "/" in pointers and _PATH.search(pointers):
        candidates.append((0.35, "a path"))
    if "://" in pointers and _URL.search(pointers):
        candidates.append((0.4, "a link"))
    return max(candidates)


def temporal(event: EventView, history: SessionHistory) -> FactorValue:
    """Judge the moment: unusual hours count a little more, bursts less, a calm pace more."""
    at = event.at
    if at is None:
        return 0.5, "no time is given"
    usual = 8 <= at.hour <= 22
    value, reason = (0.5, "at a usual hour") if usual else (0.55, "at an unusual hour")
    times = [moment.at for moment in history.recent_events(event)[-2:] if moment.at is not None]
    if len(times) < 2:
        return value, reason
    span = max(at, *times) - min(at, *times)
    if span < _BURST:
        return value - 0.25, f"{reason}, in a burst of events"
    if span > _DELIBERATE:
        return value + 0.1, f"{reason}, at a calm pace"
    return value, reason


def user_intent(event: EventView, _history: SessionHistory) -> FactorValue:
    """Judge whether somebody meant this to be kept."""
    if event.is_marked:
        return 1.0, "marked as important"
    if event.is_by_hand or event.kind == EventKind.MANUAL_INGEST:
        return 0.95, "captured by hand"
    if asks_to_remember(event.gist):
        return 0.8, "it asks to be remembered"
    if speaks_of_decision(event.gist):
        return 0.7, "it speaks of a decision"
    hint = event.metadata.get("significance")
    if isinstance(hint, (int, float)) and not isinstance(hint, bool) and hint >= 0.7:
        return 0.5, "the caller holds it significant"
    return 0.2, "nobody asked for it to be kept"


FACTORS: Mapping[str, Callable[[EventView, SessionHistory], FactorValue]] = MappingProxyType(
    {
        "novelty": novelty,
        "impact": impact,
        "relational": relational,
        "temporal": temporal,
        "user_intent": user_intent,
    }
)


def _repetition(event: EventView, actor: str, before: tuple[SessionEvent, ...]) -> FactorValue:
    if event.hash in [moment.hash for moment in before]:
        return 1.0, "word for word as before"
    if not event.is_result:
        return 0.0, "not said before"
    same = sum(moment.actor == actor for moment in before)
    return same / max(1, len(before)), f"{same} of the last {len(before)} results are this tool's"


def _gap(last: datetime | None, at: datetime | None) -> FactorValue:
    if last is None or at is None:
        return _UNKNOWN_GAP, "at an unknown distance"
    gap = abs(at - last)
    return min(1.0, gap / _LONG_GAP), f"{gap.total_seconds():.0f} s after its last"


def _tool_impact(tool: str) -> FactorValue:
    if tool_matches(tool, CHANGING_TOOLS):
        return 0.65, f"{tool} changes things"
    if tool_matches(tool, REACHING_TOOLS):
        return 0.45, f"{tool} reaches outside"
    if tool_matches(tool, LOOKING_TOOLS):
        return 0.25, f"{tool} only looks"
    return 0.3, f"{tool} is not a tool of known impact"


def _words(words: tuple[str, ...], text: str) -> list[str]:
    return list(dict.fromkeys(match[0].lower() for match in _pattern(words).finditer(text)))


@lru_cache(maxsize=16)
def _pattern(words: tuple[str, ...]) -> LazyPattern:
    if not words:
        return LazyPattern(r"(?!)")
    forms = [*words, *(f"{word[:-1]}ing" for word in words if word.endswith("e"))]
    stems = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    pieces = {form.lower().removesuffix("e") for form in words}
    # Where a text has a piece, it has whatever stands in that: the least ones say as much.
    least = [piece for piece in pieces if not any(p in piece for p in pieces - {piece})]
    return LazyPattern(rf"\b(?:{stems}){_INFLECTION}\b", re.IGNORECASE, sorted(least))


#: Decimal places of a contribution: enough to add up, few enough to compare with a threshold.
_PLACES = 6

_OUTCOMES = {
    CaptureMode.FULL: Outcome.CAPTURED,
    CaptureMode.LIGHT: Outcome.TEXT_ONLY,
    CaptureMode.TRACE_ONLY: Outcome.OUTLINE,
}

#: A named change of the running score, and why.
_Rule = tuple[str, Callable[[float], float], str]


def decide(
    event: EventView, history: SessionHistory, gate: GateDenial | None, scoring: Scoring
) -> CaptureDecision:
    """Return what is done with `event`: captured, light or skeleton, with the arithmetic.

    A tool result is captured when it reaches the threshold and the gate allows it, and a skeleton
    otherwise (noise up to the skeleton floor). What is said and a session's boundary are light
    unless they deserve more. What is captured by hand, and the first meeting with a person, are
    captured whatever the score (feature 50).
    """
    factors = score(event, history, scoring)
    significance = round(fsum([factor.contribution for factor in factors]), _PLACES)
    threshold, ask_model = _thresholds_of(event, history, scoring)
    rule, limit = _rule_of(event, history), None
    mode, reason = CaptureMode.FULL, rule or _compared(significance, threshold)
    if not rule and (significance < threshold or gate):
        mode = CaptureMode.TRACE_ONLY if event.is_result else CaptureMode.LIGHT
        if significance >= threshold and gate:
            limit, reason = gate, f"{reason}, but {gate.detail}"
    is_open = not rule and limit is None and not _is_utterance(event)
    status = RecordStatus.EVALUATED
    if mode is CaptureMode.TRACE_ONLY:
        noise = significance <= scoring.settings.skeleton_floor
        status = RecordStatus.NOISE if noise else RecordStatus.SKELETON
    return CaptureDecision(
        significance=significance,
        threshold=threshold,
        mode=mode,
        outcome=_OUTCOMES[mode],
        status=status,
        reason=reason,
        near=is_open and ask_model <= significance < threshold + scoring.settings.band,
        limited=limit,
        factors=factors,
    )


def score(event: EventView, history: SessionHistory, scoring: Scoring) -> tuple[Factor, ...]:
    """Return the lines whose contributions add up to the significance of `event`, 0 to 1.

    First the five factors by weight; then what rules add or take away, a line each: rules of the
    tool, the floor of a failure, the boost of a large result, the floor of what is marked.
    """
    lines: list[Factor] = []
    for name, weight in scoring.weights.items():
        factor_value, reason = FACTORS[name](event, history)
        value = round(factor_value, _PLACES)
        lines.append(Factor(name, value, weight, round(value * weight, _PLACES), reason))
    for name, change, reason in _rules(event):
        before = fsum([line.contribution for line in lines])
        difference = round(min(1.0, change(before)) - before, _PLACES)
        if difference:
            lines.append(Factor(name, difference, 1.0, difference, reason))
    return tuple(lines)


def _rules(event: EventView) -> Iterator[_Rule]:
    if event.is_result and not event.is_by_hand:
        for rule in TOOL_RULES:
            if tool_matches(event.tool, rule.tools):
                yield _between(event.tool, rule.floor, rule.cap)
    if event.is_error:
        reason = f"a failure counts at least {ERROR_FLOOR:g}"
        yield "failure", lambda s: max(s, ERROR_FLOOR), reason
    if event.is_result and event.chars >= LARGE_RESULT_CHARS:
        reason = f"a result of {event.chars:,} characters"
        yield "large_result", lambda s: s + LARGE_RESULT_BOOST, reason
    if event.is_marked:
        reason = f"marked as important: at least {MARKED_FLOOR:g}"
        yield "marked", lambda s: max(s, MARKED_FLOOR), reason
    own = given_significance(event.fields) if event.is_by_hand else None
    if own is not None:
        yield "caller", lambda _: own, "the caller's own word"


def _between(tool: str, floor: float, cap: float) -> _Rule:
    bounds = [f"at least {floor:g}"] if floor > 0 else []
    bounds += [f"at most {cap:g}"] if cap < 1 else []
    reason = f"results of {tool} count {' and '.join(bounds) or 'as they are'}"
    return "tool_rule", lambda s: min(max(s, floor), cap), reason


def _thresholds_of(
    event: EventView, history: SessionHistory, scoring: Scoring
) -> tuple[float, float]:
    """Return the score that earns a full capture, and the one from which a model is asked.

    Both are lowered where the person is known (feature 49).
    """
    (relationship, own), profile = history.relationship_with(event), scoring.profile
    lowered = 0.0
    if relationship is Relationship.COLLABORATOR:
        lowered = scoring.settings.collaborator
    elif relationship is Relationship.PRIMARY:
        lowered = scoring.settings.primary
    threshold = profile.capture - lowered if own is None else own
    shift = threshold - profile.capture
    base = profile.high_value if _is_utterance(event) else profile.capture
    return _clamped(base + shift), _clamped(profile.model + shift)


def _rule_of(event: EventView, history: SessionHistory) -> str | None:
    """Return the rule that has an event captured in full whatever its score; None without one."""
    if event.is_by_hand:
        return "captured by hand"
    return "first meeting with this person" if history.is_first_contact(event) else None


def _compared(significance: float, threshold: float) -> str:
    return f"{significance:.3g} of the {threshold:.3g} that a full capture needs"


def _is_utterance(event: EventView) -> bool:
    return not event.is_result and event.kind != EventKind.SESSION_BOUNDARY


def _clamped(value: float) -> float:
    return round(min(max(value, 0.0), 1.0), _PLACES)
