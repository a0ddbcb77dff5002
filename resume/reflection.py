"""Reflection: a summary of a period (features 37 and 54).

Emotions and engagement over time, trends with their quotes, recurring uncertainties, and recalled
memories. Every conclusion is a number over memories that it names. Packs of the mode `reflection`
quote what was said then and now. Reads only.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from statistics import fmean
from typing import Any

from ..core.ids import fold
from ..core.people import Gazetteer
from ..core.time import to_text
from ..core.types import Filters, MemoryRecord, Space
from ..language.analyser import Analyser
from ..storage.store import Store
from .experience_views import ExperienceView, read_experiences, text_with_uris
from .relationship_summary import Trajectory, experiences_shared_with, trajectory
from .trends import Trend, trends_of

#: A stretch as long as this is told by weeks, a shorter one by sessions.
_BY_WEEK_FROM = timedelta(days=14)
#: Two uncertainties with so much of the shorter one's words in common are the same.
_SAME_MIN = 0.6
_RECALLED_MAX, _RECURRING_MIN = 10, 2


@dataclass(frozen=True, slots=True)
class ReflectionPeriod:
    """A week or a session: how often each feeling and each engagement was there.

    `valence` is the mean over what people told that they felt, None where nobody did; `strongest`
    is the memory that was felt the most.
    """

    name: str
    first: datetime
    last: datetime
    experiences: int
    emotions: Mapping[str, int]
    engagement: Mapping[str, int]
    valence: float | None
    strongest: MemoryRecord | None


@dataclass(frozen=True, slots=True)
class RecurringUncertainty:
    """An uncertainty that came up more than once, as it was first put."""

    text: str
    memories: Sequence[MemoryRecord]


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory that recalls brought back, how often, and the anchors it has (perhaps none)."""

    memory: MemoryRecord
    times: int
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reflection:
    """A stretch of life from a distance. Everything is in order of time but where a rank is said.

    `felt` are the memories of each feeling's word, the commonest first; `periods_by` is `week` or
    `session`; `recalled` the most often first.
    """

    first: datetime | None
    last: datetime | None
    experiences: int
    sessions: int
    periods_by: str
    periods: Sequence[ReflectionPeriod]
    memories_by_emotion: Mapping[str, Sequence[MemoryRecord]]
    engagement: Mapping[str, int]
    trajectory: Trajectory
    trends: Sequence[Trend]
    recurring: Sequence[RecurringUncertainty]
    recalled: Sequence[RecalledMemory]

    @property
    def emotions(self) -> dict[str, int]:
        """The number of times each emotion occurred, the most frequent first."""
        return {word: len(memories) for word, memories in self.memories_by_emotion.items()}

    def as_json(self) -> dict[str, Any]:
        """Return the documented shape of `reflect --json`; memories are named by addresses."""
        return {
            "first": self.first and to_text(self.first),
            "last": self.last and to_text(self.last),
            "experiences": self.experiences,
            "sessions": self.sessions,
            "emotions": self.emotions,
            "engagement": dict(self.engagement),
            "periods_by": self.periods_by,
            "periods": [_period_json(period) for period in self.periods],
            "turns": [
                {**text_with_uris(turn.words, turn.memories), "who": turn.who}
                for turn in self.trajectory.turns
            ],
            "trends": [trend.as_json() for trend in self.trends],
            "recurring_uncertainties": [text_with_uris(r.text, r.memories) for r in self.recurring],
            "recalled": [
                {"uri": r.memory.uri, "times": r.times, "anchors": list(r.anchors)}
                for r in self.recalled
            ],
        }


def reflect(
    file: Store,
    space: Space,
    people: Gazetteer,
    period: tuple[datetime | None, datetime | None],
    person: str | None,
) -> Reflection:
    """Return the reflection on a period, whole or in the sessions shared with a person."""
    since, until = period
    if person is None:
        experiences = read_experiences(file, space, Filters(since=since, until=until))
    else:
        *_, shared = experiences_shared_with(file, space, people, person)
        experiences = [
            view
            for view in shared
            if (since is None or view.memory.at >= since)
            and (until is None or view.memory.at < until)
        ]
    return reflect_on(experiences, file.trace.recalled(space), file.analyser)


def reflect_on(
    experiences: Sequence[ExperienceView], recalled: Mapping[str, int], analyser: Analyser
) -> Reflection:
    """Return what experiences, in order of time, look like from a distance.

    `recalled` counts by id how often each was recalled. Where nothing was felt, recalled or
    repeated the parts are empty; without experiences all of it is.
    """
    by, periods = _periods(experiences)
    return Reflection(
        first=experiences[0].memory.at if experiences else None,
        last=experiences[-1].memory.at if experiences else None,
        experiences=len(experiences),
        sessions=len({view.memory.session for view in experiences}),
        periods_by=by,
        periods=periods,
        memories_by_emotion=_by_word(experiences),
        engagement=_ranked(_engaged(experiences)),
        trajectory=trajectory(experiences),
        trends=trends_of(experiences),
        recurring=_recurring(experiences, analyser),
        recalled=_recalled(experiences, recalled),
    )


def _periods(experiences: Sequence[ExperienceView]) -> tuple[str, list[ReflectionPeriod]]:
    if not experiences:
        return "session", []
    span = experiences[-1].memory.at - experiences[0].memory.at
    if span >= _BY_WEEK_FROM:
        weeks = groupby(experiences, key=_week)
        return "week", [_period(name, list(of_it)) for name, of_it in weeks]
    sessions: dict[str, list[ExperienceView]] = defaultdict(list)
    for view in experiences:
        sessions[view.memory.session or "(no session)"].append(view)
    return "session", [_period(name, of_it) for name, of_it in sessions.items()]


def _week(view: ExperienceView) -> str:
    year, week, _ = view.memory.at.isocalendar()
    return f"{year}-W{week:02}"


def _period(name: str, views: Sequence[ExperienceView]) -> ReflectionPeriod:
    emotional = [view for view in views if view.own_feeling]
    strong = max(emotional, key=_intensity, default=None)
    return ReflectionPeriod(
        name=name,
        first=views[0].memory.at,
        last=views[-1].memory.at,
        experiences=len(views),
        emotions=_ranked(word for view in views for word in _words(view)),
        engagement=_ranked(_engaged(views)),
        valence=fmean(view.valence for view in emotional) if emotional else None,
        strongest=strong.memory if strong else None,
    )


def _recurring(
    experiences: Sequence[ExperienceView], analyser: Analyser
) -> list[RecurringUncertainty]:
    """Return uncertainties that came up in several memories, the most often first."""
    groups: list[tuple[str, frozenset[str], list[MemoryRecord]]] = []
    for item in experiences:
        for text in item.phenomenology.uncertainties:
            stems = frozenset(analyser.terms(text)) or frozenset([fold(text)])
            home = next((g for g in groups if _alike(g[1], stems)), None)
            if home is None:
                groups.append((text, stems, [item.memory]))
            elif item.memory not in home[2]:
                home[2].append(item.memory)
    again = [
        RecurringUncertainty(text, memories)
        for text, _, memories in groups
        if len(memories) >= _RECURRING_MIN
    ]
    return sorted(again, key=lambda item: -len(item.memories))


def _alike(first: frozenset[str], second: frozenset[str]) -> bool:
    return len(first & second) >= _SAME_MIN * min(len(first), len(second))


def _recalled(
    experiences: Sequence[ExperienceView], times: Mapping[str, int]
) -> list[RecalledMemory]:
    recalled_memories = [
        RecalledMemory(
            item.memory,
            times[item.memory.id],
            tuple(anchor.phrase for anchor in item.phenomenology.anchors),
        )
        for item in experiences
        if item.memory.id in times
    ]
    return sorted(recalled_memories, key=lambda item: (not item.anchors, -item.times))[
        :_RECALLED_MAX
    ]


def _by_word(experiences: Sequence[ExperienceView]) -> dict[str, list[MemoryRecord]]:
    by_word: dict[str, list[MemoryRecord]] = defaultdict(list)
    for view in experiences:
        for word in _words(view):
            by_word[word].append(view.memory)
    return dict(sorted(by_word.items(), key=lambda item: -len(item[1])))


def _words(view: ExperienceView) -> list[str]:
    felt = view.own_feeling
    return [word.value for word in felt.primary] if felt else []


def _engaged(experiences: Sequence[ExperienceView]) -> list[str]:
    return [
        view.phenomenology.engagement.value
        for view in experiences
        if view.phenomenology.engagement is not None
    ]


def _ranked(words: Iterable[str]) -> dict[str, int]:
    return dict(Counter(words).most_common())


def _intensity(view: ExperienceView) -> float:
    return view.signature.intensity if view.signature else 0.0


def _period_json(period: ReflectionPeriod) -> dict[str, Any]:
    return {
        "name": period.name,
        "first": to_text(period.first),
        "last": to_text(period.last),
        "experiences": period.experiences,
        "emotions": dict(period.emotions),
        "engagement": dict(period.engagement),
        "valence": period.valence,
        "uri": period.strongest and period.strongest.uri,
    }
