"""The story of a relationship: what an agent and a person share, and where it stands.

History by significance and by theme, how it felt, promises on both sides, what changed since the
last meeting, what to avoid and who else is there. By rule; everything told names the memories that
it rests on. Prints nothing, writes nothing and chooses no words: whoever tells it does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from ...core.entries import EntitiesMentioned
from ...core.errors import NotFound, Stranger, UnknownPerson
from ...core.people import Gazetteer, Person, near_names
from ...core.time import to_text
from ...core.types import EntryKind, Filters, MemoryRecord, Space
from ...storage.projections.catalog import ActivitySummary
from ...storage.store import Store
from .cautions import Caution, cautions_of
from .emotion_trajectory import Trajectory, trajectory
from .experience_views import (
    AGENT,
    EXPERIENCES_MAX,
    NOW,
    Cutoff,
    ExperienceView,
    concerning,
    facts_as_of,
    read_back,
    read_experiences,
    shared,
    text_with_uris,
)
from .open_threads import Thread, threads_of
from .themes import Theme, themes_of

#: Memories told by significance, and changes told, at most.
HISTORY_MAX, CHANGES_MAX = 20, 20
#: What a full intensity adds to significance when history is put in order.
_INTENSITY_WEIGHT = 0.25


class ChangeKind(StrEnum):
    """What changed since the last meeting."""

    SUPERSEDED = "superseded"
    LEARNED = "learned"
    PERSON = "new person"
    ENTITY = "new entity"


@dataclass(frozen=True, slots=True)
class Change:
    """Something that is otherwise than at the last meeting, in words; `memories` say it."""

    kind: ChangeKind
    text: str
    at: datetime
    memories: tuple[MemoryRecord, ...]


@dataclass(frozen=True, slots=True)
class Companion:
    """Somebody else in what is shared: who spoke there, or was spoken of."""

    name: str
    spoke: int
    named: int
    memories: tuple[MemoryRecord, ...]


@dataclass(frozen=True, slots=True)
class RelationshipSummary:
    """A relationship as it stands; lists are complete unless a limit of this module says else.

    `history` is by significance, most first; `themes` the weightiest first; `threads` in the order
    of opening, open and closed; `changes` newest first; `shared` is everything it was told from.
    """

    person: Person
    first_met: datetime
    last_met: datetime
    sessions: int
    messages: int
    shared: Sequence[ExperienceView]
    history: Sequence[ExperienceView]
    themes: Sequence[Theme]
    trajectory: Trajectory
    threads: Sequence[Thread]
    changes: Sequence[Change]
    cautions: Sequence[Caution]
    companions: Sequence[Companion]

    @property
    def open_threads(self) -> list[Thread]:
        """What nothing closed, newest first."""
        return [thread for thread in reversed(self.threads) if thread.is_open]

    def as_json(self) -> dict[str, Any]:
        """Return the story as plain JSON values; memories are named by their addresses."""
        return {
            "person": self.person.name,
            "first_met": to_text(self.first_met),
            "last_met": to_text(self.last_met),
            "sessions": self.sessions,
            "messages": self.messages,
            "history": [
                {"significance": item.significance, "uri": item.memory.uri} for item in self.history
            ],
            "themes": [text_with_uris(item.name, item.memories) for item in self.themes],
            "meetings": _meetings(self.shared, self.trajectory),
            "points": [point.as_json() for point in self.trajectory.points],
            "turns": [text_with_uris(item.words, item.memories) for item in self.trajectory.turns],
            "threads": [
                text_with_uris(
                    item.text,
                    item.memories,
                    kind=item.kind.value,
                    by=item.by,
                    open=item.is_open,
                    state=item.state.value,
                    due=item.due and to_text(item.due),
                )
                for item in self.threads
            ],
            "changes": [
                text_with_uris(c.text, c.memories, kind=c.kind.value) for c in self.changes
            ],
            "cautions": [
                text_with_uris(c.text, c.memories, kind=c.kind.value) for c in self.cautions
            ],
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
    themes, last_met = themes_of(own), experiences[-1].memory.at
    companions = _companions(experiences, person.name)
    return RelationshipSummary(
        person=person,
        first_met=spoken[-1].at,
        last_met=last_met,
        sessions=len({memory.session for memory in spoken}),
        messages=len(spoken),
        shared=experiences,
        history=_by_significance(own),
        themes=themes,
        trajectory=trajectory(own, person.name),
        threads=threads_of(own, file.analyser, cutoff.moment or file.clock()),
        changes=_changes(
            file, space, [person.name, *(other.name for other in companions)], last_met, cutoff
        ),
        cautions=cautions_of(file, space, person.name, own, themes, cutoff),
        companions=companions,
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


def _by_significance(shared: Sequence[ExperienceView]) -> list[ExperienceView]:
    def weight(view: ExperienceView) -> tuple[float, int]:
        intensity = view.signature.intensity if view.signature else 0.0
        return view.significance + _INTENSITY_WEIGHT * intensity, view.memory.seq

    return sorted(shared, key=weight, reverse=True)[:HISTORY_MAX]


def _changes(
    file: Store, space: Space, circle: Sequence[str], since: datetime, cutoff: Cutoff
) -> list[Change]:
    """Return what is otherwise than at `since`, newest first, in what concerns a `circle` alone.

    A circle is a person, first, and who spoke or was named with them. It is concerned where one of
    them spoke in the session, or is named: what the agent does for others is no news to a person.
    """
    views = read_experiences(file, space, Filters(since=since), cutoff)
    later = [view for view in concerning(views, circle[0]) if view.memory.at > since]
    sessions = {view.memory.session for view in later if view.memory.person in circle} - {None}
    after = {
        view.memory.id: view.memory
        for view in later
        if view.memory.session in sessions
        or any(name in circle for name in (view.memory.person, *view.people))
    }
    if not after:
        return []
    changes = [
        *_new_facts(file, space, after, cutoff),
        *_new_people(file, space, since, after),
        *_new_entities(file, space, since, after, cutoff),
    ]
    return sorted(changes, key=lambda change: change.at, reverse=True)[:CHANGES_MAX]


def _new_facts(
    file: Store, space: Space, after: dict[str, MemoryRecord], cutoff: Cutoff
) -> list[Change]:
    """Return facts that later memories state, and what each of them replaced."""
    facts = facts_as_of(file, space, cutoff)
    changes = []
    replaced = {fact.superseded_by: fact for fact in facts.values() if fact.superseded_by}
    for fact in facts.values():
        stated = after.get(fact.experience)
        if stated is None or fact.is_end_record:
            continue
        before, text, kind = replaced.get(fact.id), fact.text, ChangeKind.LEARNED
        memories: tuple[MemoryRecord, ...] = (stated,)
        if before is not None:
            text, kind = f"{fact.text} (before: {before.text})", ChangeKind.SUPERSEDED
            memories = (stated, file.catalog.find(space, before.experience))
        changes.append(Change(kind, text, stated.at, memories))
    return changes


def _new_people(
    file: Store, space: Space, since: datetime, after: dict[str, MemoryRecord]
) -> list[Change]:
    first: dict[str, MemoryRecord] = {}
    for memory in after.values():
        if memory.person is not None:
            first.setdefault(memory.person, memory)
    by_then = Cutoff(since)
    return [
        Change(ChangeKind.PERSON, f"{name} was met", memory.at, (memory,))
        for name, memory in first.items()
        if not file.catalog.newest(space, by_then.bound(Filters(person=name)), 1)
    ]


def _new_entities(
    file: Store, space: Space, since: datetime, after: dict[str, MemoryRecord], cutoff: Cutoff
) -> list[Change]:
    names: dict[str, str] = {}
    mentions: dict[str, list[MemoryRecord]] = defaultdict(list)
    earlier: set[str] = set()
    mentioned = file.journal.of_kind(space, EntryKind.ENTITIES_MENTIONED)
    for entry in filter(cutoff.includes, mentioned):
        if not isinstance(entry.payload, EntitiesMentioned):
            continue
        memory = after.get(entry.payload.experience)
        for entity in entry.payload.entities:
            if memory is not None:
                names.setdefault(entity.id, entity.name)
                mentions[entity.id].append(memory)
            elif entry.at <= since:
                earlier.add(entity.id)
    return [
        Change(ChangeKind.ENTITY, f"{names[id]} came up", memories[0].at, tuple(memories))
        for id, memories in mentions.items()
        if id not in earlier
    ]


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
