"""The history shared with a person: when and how often they met, and how it felt over time.

Only emotions that enrichment recorded are used; nothing is smoothed or filled in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise
from statistics import fmean
from typing import Any

from ..core.errors import NotFound, Stranger, UnknownPerson
from ..core.experience import EmotionalSignature, Transition
from ..core.people import Gazetteer, Person, near_names
from ..core.time import to_text
from ..core.types import Filters, Json, MemoryRecord, Space
from ..storage.cutoff import NOW, Cutoff
from ..storage.projections.catalog import ActivitySummary
from ..storage.store import Store
from .experience_views import (
    AGENT,
    EXPERIENCES_MAX,
    ExperienceView,
    concerning,
    read_back,
    shared,
    text_with_uris,
)

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
    """The feelings of one session: the strongest named emotion, and the mean valence.

    `first` is the first memory of the session with an emotion, `memory` the one of `words`.
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
        """The person with these feelings; None without a name."""
        return self.after.who

    @property
    def memories(self) -> tuple[MemoryRecord, MemoryRecord]:
        """The memories at both of its ends."""
        return self.before.memory, self.after.memory


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The emotional trajectory from the first experience to the last; empty without emotions."""

    points: Sequence[EmotionPoint] = ()
    moods: Sequence[Mood] = ()
    turns: Sequence[EmotionTurn] = ()


def points_of(
    experiences: Iterable[ExperienceView], person: str | None = None
) -> list[EmotionPoint]:
    """Return the emotions in order, without those of tools; of a `person`, only stated ones."""
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


@dataclass(frozen=True, slots=True)
class Companion:
    """Another person in the shared sessions, who spoke or was named there."""

    name: str
    spoke: int
    named: int
    memories: tuple[MemoryRecord, ...]


@dataclass(frozen=True, slots=True)
class RelationshipSummary:
    """The state of a relationship: meetings, emotions over time, and other people.

    `shared` are the experiences it was computed from. Packs quote what was said.
    """

    person: Person
    first_met: datetime
    last_met: datetime
    sessions: int
    messages: int
    shared: Sequence[ExperienceView]
    trajectory: Trajectory
    companions: Sequence[Companion]

    def as_json(self) -> dict[str, Any]:
        """Return the story as plain JSON values; memories are named by their addresses."""
        return {
            "person": self.person.name,
            "first_met": to_text(self.first_met),
            "last_met": to_text(self.last_met),
            "sessions": self.sessions,
            "messages": self.messages,
            "meetings": _meetings(self.shared, self.trajectory),
            "points": [point.as_json() for point in self.trajectory.points],
            "turns": [text_with_uris(item.words, item.memories) for item in self.trajectory.turns],
            "companions": [text_with_uris(item.name, item.memories) for item in self.companions],
        }


def _meetings(shared: Sequence[ExperienceView], trajectory: Trajectory) -> list[dict[str, Any]]:
    """Return the shared sessions, oldest first, each with its emotions, if any."""
    moods = {mood.session: mood for mood in trajectory.moods}
    counts = Counter(view.memory.session for view in shared)
    first = {view.memory.session: view.memory for view in reversed(shared)}
    return [
        {
            "session": session,
            "at": to_text(first[session].at),
            "uri": first[session].uri,
            "messages": count,
            "words": moods[session].words if session in moods else None,
            "valence": moods[session].valence if session in moods else None,
        }
        for session, count in counts.items()
    ]


def summarise_relationship(
    file: Store, space: Space, people: Gazetteer, name: str, cutoff: Cutoff = NOW
) -> RelationshipSummary:
    """Return the history of the relationship with the person called `name`, as of a moment.

    `UnknownPerson` with similar names for a stranger; `NotFound` for a person not yet met then.
    """
    person, spoken, experiences = experiences_shared_with(file, space, people, name, cutoff)
    own = concerning(experiences, person.name)
    return RelationshipSummary(
        person=person,
        first_met=spoken[-1].at,
        last_met=experiences[-1].memory.at,
        sessions=len({memory.session for memory in spoken}),
        messages=len(spoken),
        shared=experiences,
        trajectory=trajectory(own, person.name),
        companions=_companions(experiences, person.name),
    )


def experiences_shared_with(
    file: Store, space: Space, people: Gazetteer, name: str, cutoff: Cutoff = NOW
) -> tuple[Person, Sequence[MemoryRecord], list[ExperienceView]]:
    """Return the person called `name`, what they said, newest first, and all that is shared.

    Shared is all of every session in which the person spoke, oldest first. `NotFound` as in
    `summarise_relationship`.
    """
    person, span = find_person(file, space, people, name)
    spoken = file.catalog.newest(space, cutoff.bound(Filters(person=person.name)), EXPERIENCES_MAX)
    if not spoken:
        first = f"{span.first:%Y-%m-%d %H:%M}"
        raise NotFound(f"{person.name} had not been met by then: the first meeting was on {first}")
    together = shared(file, space, spoken, cutoff, 2 * EXPERIENCES_MAX)
    views = read_back(file, space, together, cutoff)
    return person, spoken, concerning(views, person.name, with_others=True)


def find_person(
    file: Store, space: Space, people: Gazetteer, name: str
) -> tuple[Person, ActivitySummary]:
    """Return the person called `name` and how often they spoke; `UnknownPerson` for a stranger."""
    spans = {span.id: span for span in file.catalog.speakers(space)}
    person = people.find(name)
    if person is None or person.id not in spans:
        names = [other.name for other in people.people if other.id in spans]
        raise UnknownPerson(Stranger(name, near_names(name, names)))
    return person, spans[person.id]


def _companions(shared: Sequence[ExperienceView], person: str) -> list[Companion]:
    """Return the other people who spoke or were named in shared sessions, most frequent first."""
    spoke: Counter[str] = Counter()
    named: Counter[str] = Counter()
    memories: dict[str, list[MemoryRecord]] = defaultdict(list)
    for view in shared:
        names = set(view.people) - {person}
        named.update(names)
        if view.speaker not in (None, AGENT, person):
            spoke[str(view.speaker)] += 1
            names.add(str(view.speaker))
        for name in names:
            memories[name].append(view.memory)
    order = sorted(memories, key=lambda name: (-len(memories[name]), name))
    return [Companion(n, spoke[n], named[n], tuple(memories[n])) for n in order]
