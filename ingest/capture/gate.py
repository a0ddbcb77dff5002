"""Stage gate: may this event be captured in full now? Gates limit spending, never remembering.

They count by event time within a session, in whatever order events arrive. Only tool results and
session boundaries can be denied; a denied event is still scored, traced and stored as a skeleton.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from ...core.events import EventKind
from ...core.settings import GatesSettings
from ...core.vocabulary import LimitReason
from .event_view import EventView
from .session_history import CaptureCost, SessionHistory

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True)
class GateResult:
    """Whether a full capture is allowed; if not, which gate denied it and why, for people."""

    allowed: bool
    reason: LimitReason | None = None
    detail: str = ""


ALLOWED = GateResult(allowed=True)


def check_gates(event: EventView, history: SessionHistory, gates: GatesSettings) -> GateResult:
    """Return whether `event` may be captured in full: by interval, then by hour, then by budget.

    An event without a time is never denied by interval or hour. An event that comes
    late counts among the captures around its own time, on both sides, so that no order of arrival
    gets more than the limits into any one hour.
    """
    boundary = event.kind == EventKind.SESSION_BOUNDARY
    if not boundary and not event.is_result:
        return ALLOWED
    at = event.at
    return (
        (None if at is None or boundary else _interval(at, history, gates))
        or (None if at is None else _hourly(at, history, gates, boundary=boundary))
        or _budget(event, history, gates)
        or ALLOWED
    )


def _interval(at: datetime, history: SessionHistory, gates: GatesSettings) -> GateResult | None:
    min_interval = timedelta(milliseconds=gates.min_interval_ms)
    nearest = min((abs(at - cost.at) for cost in history.captures), default=None)
    if nearest is None or nearest >= min_interval:
        return None
    return GateResult(
        allowed=False,
        reason=LimitReason.MIN_INTERVAL,
        detail=f"the nearest full capture is {nearest.total_seconds():.0f} s away, "
        f"and {min_interval.total_seconds():g} s must lie between two",
    )


def _hourly(
    at: datetime, history: SessionHistory, gates: GatesSettings, *, boundary: bool
) -> GateResult | None:
    allowed_max = gates.max_per_hour + (gates.boundary_captures if boundary else 0)
    count = len(_within(_HOUR, at, history))
    if count < allowed_max:
        return None
    return GateResult(
        allowed=False,
        reason=LimitReason.MAX_PER_HOUR,
        detail=f"{count} full captures within an hour, and {allowed_max} are allowed",
    )


def _budget(event: EventView, history: SessionHistory, gates: GatesSettings) -> GateResult | None:
    if gates.tokens_per_day_max is None:
        return None
    boundary = event.kind == EventKind.SESSION_BOUNDARY
    allowed_max = gates.tokens_per_day_max + (gates.boundary_tokens if boundary else 0)
    timed = history.captures if event.at is None else _within(_DAY, event.at, history)
    spent = history.tokens_untimed + sum(cost.tokens for cost in timed)
    if spent + event.tokens <= allowed_max:
        return None
    return GateResult(
        allowed=False,
        reason=LimitReason.BUDGET,
        detail=f"{spent} tokens spent within a day; {event.tokens} more would pass {allowed_max}",
    )


def _within(span: timedelta, at: datetime, history: SessionHistory) -> list[CaptureCost]:
    return [cost for cost in history.captures if abs(at - cost.at) < span]
