"""A relationship in numbers: when and how often one met, how it felt, who else was there.

By rule; everything told names the memories that it rests on. Prints nothing, writes nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..core.errors import NotFound, Stranger, UnknownPerson
from ..core.people import Gazetteer, Person, near_names
from ..core.time import to_text
from ..core.types import Filters, MemoryRecord, Space
from ..storage.cutoff import NOW, Cutoff
from ..storage.projections.catalog import ActivitySummary
from ..storage.store import Store
from .emotion_trajectory import Trajectory, trajectory
from .experience_views import (
    AGENT,
    EXPERIENCES_MAX,
    ExperienceView,
    concerning,
    read_back,
    shared,
    text_with_uris,
)


@dataclass(frozen=True, slots=True)
class Companion:
    """Somebody else in what is shared: who spoke there, or was spoken of."""

    name: str
    spoke: int
    named: int
    memories: tuple[MemoryRecord, ...]


@dataclass(frozen=True, slots=True)
class RelationshipSummary:
    """A relationship as it stands: when and how often, how it felt, who else is there.

    `shared` is everything it was told from. What was said stands in packs, as quotes.
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
    """Return the sessions that were shared, oldest first, with what was felt in each, if any."""
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
    """Return the story of the relationship with the person called `name`, as of then.

    `NotFound` for a stranger, and for somebody who had not been met by then; it says who is known.
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
        raise NotFound(f"{person.name} had not been met by then: the first meeting is of {first}")
    together = shared(file, space, spoken, cutoff, 2 * EXPERIENCES_MAX)
    views = read_back(file, space, together, cutoff)
    return person, spoken, concerning(views, person.name, with_others=True)


def find_person(
    file: Store, space: Space, people: Gazetteer, name: str
) -> tuple[Person, ActivitySummary]:
    """Return who is called `name` and how often they spoke; `UnknownPerson` for a stranger."""
    spans = {span.id: span for span in file.catalog.speakers(space)}
    person = people.find(name)
    if person is None or person.id not in spans:
        names = [other.name for other in people.people if other.id in spans]
        raise UnknownPerson(Stranger(name, near_names(name, names)))
    return person, spans[person.id]


def _companions(shared: Sequence[ExperienceView], person: str) -> list[Companion]:
    """Return who else spoke or was named in what is shared, the most present first."""
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
