"""Re-evaluation: skeletons are judged again by what happened around them.

A skeleton is upgraded, stays or becomes noise (features 42 and 43), and every step of the
arithmetic is a factor with a reason. No model is asked, nothing is stored, and no reason quotes
content. Upgrades are limited: in any window only so many skeletons are upgraded, however often this
runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import fsum

from ...core.entries import DecisionRecord
from ...core.events import EventKind
from ...core.experience import Factor
from ...core.vocabulary import CaptureMode, RecordStatus, Trigger
from ...language.runs.tool_calls import Event
from ...language.runs.tool_intent import ToolIntent, solves, tool_intent_of
from ..capture.event_view import read_event
from ..capture.scoring import Scoring

_PLACES = 6
_NO_TIME = datetime.min.replace(tzinfo=UTC)
_FEEDBACK = {
    Trigger.CORRECTIVE_FEEDBACK: "what was done before was corrected",
    Trigger.POSITIVE_FEEDBACK: "what was done before was praised",
}
#: A factor's value, 0 to 1, and why; None where the neighbourhood says nothing of the kind.
_FactorValue = tuple[float, str] | None


@dataclass(frozen=True, slots=True)
class WindowRules:
    """What the neighbourhood adds and takes away, and how far it reaches, in records.

    A window holds a skeleton, up to `before` records before it and up to the rest after it; at
    either end of a session it reaches further to the other side. Weights beyond .15 lift an
    ordinary look (.35) over the standard threshold (.5) by themselves; the others only together.
    """

    window_max: int = 10
    before: int = 4
    upgrades_max: int = 2
    solved: float = 0.25
    unsolved: float = 0.15
    feedback: float = 0.20
    important: float = 0.15
    captured: float = 0.10
    boundary: float = 0.05
    #: Taken away from what is said again word for word, or is one of many calls of one tool.
    repetition: float = 0.20
    #: Calls of one tool in a window, from which on they are many.
    many: int = 4


RULES = WindowRules()


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One record of a session as its neighbours see it: what is left when the payload is erased.

    `threshold` is the one the record was decided by; None means the profile's. `intent` is what a
    tool call was out for, where its arguments are still known; without them, calls of the same
    tool count as the same.
    """

    id: str
    seq: int
    kind: str
    status: RecordStatus
    significance: float
    tool: str = ""
    at: datetime | None = None
    hash: str = ""
    captured: bool = False
    error: bool = False
    trigger: Trigger = Trigger.NONE
    threshold: float | None = None
    intent: ToolIntent | None = None

    @property
    def is_step(self) -> bool:
        """Whether this is something done: a tool's result."""
        return self.kind == EventKind.TOOL_RESULT


@dataclass(frozen=True, slots=True)
class Reevaluation:
    """What becomes of one skeleton; the contributions of `factors` add up to `significance`."""

    id: str
    status: RecordStatus
    significance: float
    threshold: float
    factors: tuple[Factor, ...]
    neighbourhood: tuple[str, ...]
    reason: str

    @property
    def changed(self) -> bool:
        """Whether the record is a skeleton no longer."""
        return self.status is not RecordStatus.SKELETON


def neighbour_of(
    id: str,
    seq: int,
    event: Event,
    decision: DecisionRecord,
    trigger: Trigger = Trigger.NONE,
) -> Neighbour:
    """Return the record of an event as it was decided on."""
    event_view = read_event(event)
    intent = tool_intent_of(event, event_view.is_error) if event_view.is_result else None
    return Neighbour(
        id=id,
        seq=seq,
        kind=event_view.kind,
        status=decision.status,
        significance=decision.significance,
        tool=event_view.tool,
        at=event_view.at,
        hash=event_view.hash,
        captured=decision.mode is CaptureMode.FULL,
        error=intent is not None and intent.failed,
        trigger=trigger,
        threshold=decision.threshold,
        intent=intent,
    )


def reevaluate(
    run: Sequence[Neighbour], scoring: Scoring, rules: WindowRules = RULES
) -> list[Reevaluation]:
    """Return a verdict on every skeleton of `run`, the records of a session that ended, in order.

    The order in which the records are handed in does not matter: they are taken by time where all
    have one, else as they arrived. Upgraded are those that reach their threshold with the help of
    their neighbourhood, the most significant first, up to `rules.upgrades_max` in any
    `rules.window_max` consecutive records, earlier upgrades included.
    """
    timed = all(record.at is not None for record in run)
    records = sorted(run, key=lambda record: record.seq)
    if timed:
        records.sort(key=lambda record: record.at or _NO_TIME)
    views = [
        _Window(records, place, scoring, rules)
        for place, record in enumerate(records)
        if record.status is RecordStatus.SKELETON
    ]
    scored = {view.place: view.factors() for view in views}
    upgrades = _select_upgrades(records, views, scored, rules)
    return [_result(view, scored[view.place], view.place in upgrades) for view in views]


@dataclass(frozen=True, slots=True)
class _Window:
    """A skeleton and what can be seen from it."""

    records: Sequence[Neighbour]
    place: int
    scoring: Scoring
    rules: WindowRules

    @property
    def record(self) -> Neighbour:
        return self.records[self.place]

    @property
    def threshold(self) -> float:
        own = self.record.threshold
        return self.scoring.profile.capture if own is None else own

    def window(self) -> range:
        size = min(self.rules.window_max, len(self.records))
        start = min(max(self.place - self.rules.before, 0), len(self.records) - size)
        return range(start, start + size)

    def others(self) -> Iterator[tuple[int, Neighbour]]:
        """Yield the distance of each neighbour (negative: before) and the neighbour."""
        places = (place for place in self.window() if place != self.place)
        yield from ((place - self.place, self.records[place]) for place in places)

    def factors(self) -> tuple[Factor, ...]:
        """Return the score at capture, and a line for each thing that the neighbourhood says."""
        base = self.record.significance
        lines = [Factor("at_capture", base, 1.0, base, "the score when it was captured")]
        for name, factor_of in _FACTORS:
            weight = -self.rules.repetition if name == "repetition" else getattr(self.rules, name)
            if (factor := factor_of(self)) is not None and weight:
                value = round(factor[0], _PLACES)
                contribution = round(value * weight, _PLACES)
                lines.append(Factor(name, value, weight, contribution, factor[1]))
        total = fsum(line.contribution for line in lines)
        if excess := round(min(max(total, 0.0), 1.0) - total, _PLACES):
            lines.append(Factor("bounds", excess, 1.0, excess, "a score lies between 0 and 1"))
        return tuple(lines)


def _solved(view: _Window) -> _FactorValue:
    """Judge whether a failure was solved here first, or this failure was solved."""
    here = view.record
    for distance, other in view.others():
        if distance > 0 and _solves(other, here):
            return 1.0, f"a failure, solved {_distance(distance)}"
        between = view.records[view.place + distance + 1 : view.place]
        first = not any(_solves(step, other) for step in between)
        if distance < 0 and first and _solves(here, other):
            return 1.0, f"it solved the failure {_distance(distance)}"
    return None


def _unsolved(view: _Window) -> _FactorValue:
    here = view.record
    later = view.records[view.place + 1 :]
    if not here.error or any(_solves(step, here) for step in later):
        return None
    return 1.0, "a failure that nothing solved until the session ended"


def _feedback(view: _Window) -> _FactorValue:
    """Judge by the first feedback that follows; the step right before it counts most."""
    if not view.record.is_step:
        return None
    steps = 1
    for distance, other in view.others():
        if distance > 0 and other.trigger in _FEEDBACK:
            return 1 / steps, f"{_distance(distance)}, {_FEEDBACK[other.trigger]}"
        steps += distance > 0 and other.is_step
    return None


def _important(view: _Window) -> _FactorValue:
    bar = view.scoring.profile.high_value
    return _nearest(view, lambda o: not o.is_step and o.significance >= bar, "something important")


def _captured(view: _Window) -> _FactorValue:
    """Judge by full captures near; upgrades do not count, or one would draw in the next."""
    full = RecordStatus.EVALUATED
    return _nearest(view, lambda o: o.is_step and o.captured and o.status is full, "a full capture")


def _boundary(view: _Window) -> _FactorValue:
    """Judge whether this is the first or the last thing done before a session's boundary."""
    before, after = view.records[: view.place], view.records[view.place + 1 :]
    if not view.record.is_step:
        return None
    if not any(other.is_step for other in _until_boundary(reversed(before))):
        return 1.0, "the first step of the session"
    if any(other.is_step for other in _until_boundary(iter(after))):
        return None
    return 1.0, "the last step before the session ended"


def _repetition(view: _Window) -> _FactorValue:
    here = view.record
    if _solved(view) is not None:  # what was tried until it worked is no routine
        return None
    if here.hash and any(d < 0 and other.hash == here.hash for d, other in view.others()):
        return 1.0, "word for word as before"
    steps = [view.record, *(other for _, other in view.others() if other.is_step)]
    same = sum(other.tool == here.tool for other in steps)
    if not here.is_step or same < view.rules.many:
        return None
    return same / len(steps), f"{same} of {len(steps)} steps around are of the same tool"


_FACTORS: Sequence[tuple[str, Callable[[_Window], _FactorValue]]] = (
    ("solved", _solved),
    ("unsolved", _unsolved),
    ("feedback", _feedback),
    ("important", _important),
    ("captured", _captured),
    ("boundary", _boundary),
    ("repetition", _repetition),
)


def _select_upgrades(
    records: Sequence[Neighbour],
    views: Sequence[_Window],
    scored: dict[int, tuple[Factor, ...]],
    rules: WindowRules,
) -> set[int]:
    """Return the places to upgrade: the most significant first, as far as windows allow."""
    upgraded = {p for p, record in enumerate(records) if record.status is RecordStatus.UPGRADED}
    earlier = set(upgraded)
    qualified = [view for view in views if _qualifies(view, scored[view.place])]
    for view in sorted(qualified, key=lambda v: (-_total(scored[v.place]), v.place)):
        if _has_room(view.place, upgraded, rules):
            upgraded.add(view.place)
    return upgraded - earlier


def _qualifies(view: _Window, factors: Sequence[Factor]) -> bool:
    """Return whether a score reaches the threshold and the neighbourhood speaks for it.

    A score that reached it alone was denied by a gate, which stands unless hindsight differs.
    """
    gained = any(line.contribution > 0 for line in factors[1:])
    return gained and _total(factors) >= view.threshold


def _has_room(place: int, upgraded: set[int], rules: WindowRules) -> bool:
    size = rules.window_max
    return all(
        sum(start <= other < start + size for other in upgraded) < rules.upgrades_max
        for start in range(place - size + 1, place + 1)
    )


def _result(view: _Window, factors: tuple[Factor, ...], chosen: bool) -> Reevaluation:
    score = _total(factors)
    reasons = "; ".join(line.reason for line in factors[1:]) or "nothing around it tells"
    status, outcome = RecordStatus.SKELETON, "stays a skeleton"
    if chosen:
        status, outcome = RecordStatus.UPGRADED, "upgraded"
    elif score <= view.scoring.settings.skeleton_floor:
        status, outcome = RecordStatus.NOISE, "noise"
    elif _qualifies(view, factors):
        outcome = "stays a skeleton, as its neighbourhood has upgrades enough"
    return Reevaluation(
        id=view.record.id,
        status=status,
        significance=score,
        threshold=view.threshold,
        factors=factors,
        neighbourhood=tuple(view.records[place].id for place in view.window()),
        reason=f"{outcome}: {score:.3g} of the {view.threshold:.3g} needed; {reasons}",
    )


def _total(factors: Sequence[Factor]) -> float:
    return round(fsum(line.contribution for line in factors), _PLACES)


def _solves(step: Neighbour, failure: Neighbour) -> bool:
    if step.error or not step.is_step or not failure.error:
        return False
    if step.intent is None or failure.intent is None:
        return bool(step.tool) and step.tool == failure.tool
    return solves(step.intent, failure.intent)


def _nearest(view: _Window, wanted: Callable[[Neighbour], bool], what: str) -> _FactorValue:
    """Judge by the nearest neighbour wanted: 1 beside it, 1/n at n records away."""
    distances = [distance for distance, other in view.others() if wanted(other)]
    if not distances:
        return None
    nearest = min(distances, key=lambda distance: (abs(distance), -distance))
    return 1 / abs(nearest), f"{what} {_distance(nearest)}"


def _until_boundary(records: Iterator[Neighbour]) -> Iterator[Neighbour]:
    for record in records:
        if record.kind == EventKind.SESSION_BOUNDARY:
            return
        yield record


def _distance(distance: int) -> str:
    count = abs(distance)
    unit = "record" if count == 1 else "records"
    return f"{count} {unit} {'later' if distance > 0 else 'earlier'}"
