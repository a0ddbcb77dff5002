"""How it felt over time: points for a curve, the mood of every session, and the turns.

Only feelings that enrichment recorded are used; nothing is smoothed and nothing is filled in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise
from statistics import fmean

from ..core.experience import EmotionalSignature, Transition
from ..core.time import to_text
from ..core.types import Json, MemoryRecord
from .experience_views import AGENT, ExperienceView

#: A valence this far from zero is a good or a bad one (docs/ingest.md takes the same for a change).
VALENCE_MIN = 0.3
#: Turns told at most: the greatest, in the order in which they happened.
_TURNS_MAX = 8


@dataclass(frozen=True, slots=True)
class EmotionPoint:
    """One felt experience and who felt it; `changes` are those of the register that came along."""

    at: datetime
    signature: EmotionalSignature
    changes: tuple[Transition, ...]
    memory: MemoryRecord
    who: str | None = None

    @property
    def valence(self) -> float:
        """From −1 to 1; 0 where none was recorded."""
        return self.signature.valence or 0.0

    @property
    def words(self) -> str:
        """The feeling in words, or its tone where no word names it."""
        if self.signature.primary:
            return " and ".join(self.signature.primary)
        good, bad = self.valence >= VALENCE_MIN, self.valence <= -VALENCE_MIN
        return "a good tone" if good else "a bad tone" if bad else "an even tone"

    def as_json(self) -> dict[str, Json]:
        """Return it as plain JSON values."""
        return {
            "at": to_text(self.at),
            "session": self.memory.session,
            "words": self.words,
            "valence": self.valence,
            "intensity": self.signature.intensity,
            "uri": self.memory.uri,
        }


@dataclass(frozen=True, slots=True)
class Mood:
    """How one session felt: its strongest named feeling, where it was named, its mean valence.

    `first` is the first memory of the session that was felt, `memory` the one that `words` name.
    """

    session: str | None
    at: datetime
    words: str
    valence: float
    first: MemoryRecord
    memory: MemoryRecord


@dataclass(frozen=True, slots=True)
class EmotionTurn:
    """A named feeling of somebody that gave way to another one of the other sign."""

    before: EmotionPoint
    after: EmotionPoint

    @property
    def words(self) -> str:
        """Such as `frustrated → relieved`."""
        return f"{self.before.words} → {self.after.words}"

    @property
    def who(self) -> str | None:
        """Who felt so; None where they have no name."""
        return self.after.who

    @property
    def memories(self) -> tuple[MemoryRecord, MemoryRecord]:
        """The memories at both of its ends."""
        return self.before.memory, self.after.memory


@dataclass(frozen=True, slots=True)
class Trajectory:
    """How it felt from the first experience to the last; empty where nothing was felt."""

    points: Sequence[EmotionPoint] = ()
    moods: Sequence[Mood] = ()
    turns: Sequence[EmotionTurn] = ()


def points_of(
    experiences: Iterable[ExperienceView], person: str | None = None
) -> list[EmotionPoint]:
    """Return what was felt, in order, by nobody's tools; of a `person` only what they told."""
    return [
        EmotionPoint(view.memory.at, view.signature, view.changes, view.memory, view.speaker)
        for view in experiences
        if view.signature is not None
        and (view.tool is None or view.own_feeling)
        and person in (None, view.speaker)
    ]


def trajectory(experiences: Sequence[ExperienceView], person: str | None = None) -> Trajectory:
    """Return how it felt over time, from experiences in order; see `points_of`."""
    points = points_of(experiences, person)
    return Trajectory(points, _moods(points), _turns(points))


def _moods(points: Sequence[EmotionPoint]) -> list[Mood]:
    """Return the mood of each session, in the order in which sessions began."""
    order = {key: place for place, key in enumerate(dict.fromkeys(_session(p) for p in points))}
    moods = []
    by_session = sorted(points, key=lambda point: order[_session(point)])
    for key, group in groupby(by_session, key=_session):
        of_it = list(group)
        strongest = max(of_it, key=lambda point: (bool(point.signature.primary), _strength(point)))
        mean = fmean(point.valence for point in of_it)
        moods.append(
            Mood(key, of_it[0].at, strongest.words, mean, of_it[0].memory, strongest.memory)
        )
    return moods


def _turns(points: Sequence[EmotionPoint]) -> list[EmotionTurn]:
    """Return the turns of each by themselves: what one felt is not what another felt before."""
    named: dict[str | None, list[EmotionPoint]] = defaultdict(list)
    for point in points:
        is_named = point.signature.primary and point.who != AGENT
        if is_named and abs(point.valence) >= VALENCE_MIN:
            named[point.who].append(point)
    turns = [
        EmotionTurn(a, b)
        for felt in named.values()
        for a, b in pairwise(felt)
        if (a.valence > 0) != (b.valence > 0) and a.words != b.words
    ]
    greatest = sorted(turns, key=lambda turn: -abs(turn.after.valence - turn.before.valence))
    return sorted(greatest[:_TURNS_MAX], key=lambda turn: turn.after.at)


def _session(point: EmotionPoint) -> str | None:
    return point.memory.session


def _strength(point: EmotionPoint) -> float:
    return point.signature.intensity * (1 + abs(point.valence))
