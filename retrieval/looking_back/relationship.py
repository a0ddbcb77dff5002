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

from ...core.errors import NotFound
from ...core.people import Gazetteer, Person
from ...core.time import to_text
from ...core.types import EntryKind, Filters, Memory, Space
from ...core.vocabulary import Trigger
from ...graph.catalog import Span
from ...graph.journal_file import JournalFile
from .feelings import TELLING, Trajectory, trajectory
from .past import AGENT, LOOKED_AT, NOW, Lived, Then, facts_known, lived, read_back, shared
from .themes import Theme, themes_of
from .threads import Thread, threads_of

#: Memories told by significance, and changes and cautions told, at most.
HISTORY_MAX, CHANGES_MAX, CAUTIONS_MAX = 20, 20, 10
#: Verdicts of feedback that speak against a memory.
_DISPUTES = frozenset({"wrong", "stale"})
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
    memories: tuple[Memory, ...]


class CautionKind(StrEnum):
    """Why something is to be avoided."""

    CORRECTION = "correction"
    DISPUTED = "disputed"
    SORE_TOPIC = "sore topic"


@dataclass(frozen=True, slots=True)
class Caution:
    """Something to avoid: what was set right, what feedback disputes, a theme that went badly."""

    kind: CautionKind
    text: str
    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class Companion:
    """Somebody else in what is shared: who spoke there, or was spoken of."""

    name: str
    spoke: int
    named: int
    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """A relationship as it stands; lists are complete unless a limit of this module says else.

    `history` is by significance, most first; `themes` the weightiest first; `threads` in the order
    of opening, open and closed; `changes` newest first; `shared` is everything it was told from.
    """

    person: Person
    first_met: datetime
    last_met: datetime
    sessions: int
    messages: int
    shared: Sequence[Lived]
    history: Sequence[Lived]
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
                {"significance": one.significance, "uri": one.memory.uri} for one in self.history
            ],
            "themes": [_told(one.name, one.memories) for one in self.themes],
            "turns": [_told(one.words, one.memories) for one in self.trajectory.turns],
            "threads": [
                _told(one.text, one.memories, kind=one.kind.value, by=one.by, open=one.is_open)
                for one in self.threads
            ],
            "changes": [_told(c.text, c.memories, kind=c.kind.value) for c in self.changes],
            "cautions": [_told(c.text, c.memories, kind=c.kind.value) for c in self.cautions],
            "companions": [_told(one.name, one.memories) for one in self.companions],
        }


def story_of(
    file: JournalFile, space: Space, people: Gazetteer, name: str, then: Then = NOW
) -> Story:
    """Return the story of the relationship with the person called `name`, as of then.

    `NotFound` for a stranger, and for somebody who had not been met by then; it says who is known.
    """
    person, spoken, experiences = shared_with(file, space, people, name, then)
    themes, last_met = themes_of(experiences), experiences[-1].memory.at
    return Story(
        person=person,
        first_met=spoken[-1].at,
        last_met=last_met,
        sessions=len({memory.session for memory in spoken}),
        messages=len(spoken),
        shared=experiences,
        history=_by_significance(experiences),
        themes=themes,
        trajectory=trajectory(experiences, person.name),
        threads=threads_of(experiences, file.analyser),
        changes=_changes(file, space, person, last_met, then),
        cautions=[
            *_corrections(experiences, person.name),
            *_disputed(file, space, experiences, then),
            *_sore(themes),
        ][:CAUTIONS_MAX],
        companions=_companions(experiences, person.name),
    )


def shared_with(
    file: JournalFile, space: Space, people: Gazetteer, name: str, then: Then = NOW
) -> tuple[Person, Sequence[Memory], list[Lived]]:
    """Return the person called `name`, what they said, newest first, and all that is shared.

    Shared is all of every session in which the person spoke, oldest first. `NotFound` as in
    `story_of`.
    """
    person, span = acquaintance(file, space, people, name)
    spoken = file.catalog.newest(space, then.bound(Filters(person=person.name)), LOOKED_AT)
    if not spoken:
        first = f"{span.first:%Y-%m-%d %H:%M}"
        raise NotFound(f"{person.name} had not been met by then: the first meeting is of {first}")
    together = shared(file, space, spoken, then, 2 * LOOKED_AT)
    return person, spoken, read_back(file, space, together, then)


def acquaintance(
    file: JournalFile, space: Space, people: Gazetteer, name: str
) -> tuple[Person, Span]:
    """Return who is called `name` and how often they spoke; `NotFound` for a stranger."""
    spans = {span.id: span for span in file.catalog.speakers(space)}
    person = people.find(name)
    if person is None or person.id not in spans:
        known = ", ".join(p.name for p in people.people) or "nobody yet"
        raise NotFound(f"{name!r} is a stranger in space {space!r}; known: {known}")
    return person, spans[person.id]


def _by_significance(shared: Sequence[Lived]) -> list[Lived]:
    def weight(one: Lived) -> tuple[float, int]:
        intensity = one.signature.intensity if one.signature else 0.0
        return one.significance + _INTENSITY_WEIGHT * intensity, one.memory.seq

    return sorted(shared, key=weight, reverse=True)[:HISTORY_MAX]


def _changes(
    file: JournalFile, space: Space, person: Person, since: datetime, then: Then
) -> list[Change]:
    """Return what is otherwise than at `since`: newest first, what is about the person before."""
    after = {
        one.memory.id: one.memory
        for one in lived(file, space, Filters(since=since), then)
        if one.memory.at > since
    }
    if not after:
        return []
    found = [
        *_new_facts(file, space, after, then),
        *_new_people(file, space, since, after),
        *_new_entities(file, space, since, after, then),
    ]
    found.sort(key=lambda change: change.at, reverse=True)
    found.sort(key=lambda change: person.name not in change.text)
    return found[:CHANGES_MAX]


def _new_facts(
    file: JournalFile, space: Space, after: dict[str, Memory], then: Then
) -> list[Change]:
    """Return facts that later memories state, and what each of them replaced."""
    facts = facts_known(file, space, then)
    changes = []
    replaced = {fact.superseded_by: fact for fact in facts.values() if fact.superseded_by}
    for fact in facts.values():
        stated = after.get(fact.experience)
        if stated is None or fact.records_end:
            continue
        before, text, kind = replaced.get(fact.id), fact.text, ChangeKind.LEARNED
        memories: tuple[Memory, ...] = (stated,)
        if before is not None:
            text, kind = f"{fact.text} (before: {before.text})", ChangeKind.SUPERSEDED
            memories = (stated, file.catalog.find(space, before.experience))
        changes.append(Change(kind, text, stated.at, memories))
    return changes


def _new_people(
    file: JournalFile, space: Space, since: datetime, after: dict[str, Memory]
) -> list[Change]:
    first: dict[str, Memory] = {}
    for memory in after.values():
        if memory.person is not None:
            first.setdefault(memory.person, memory)
    by_then = Then(since)
    return [
        Change(ChangeKind.PERSON, f"{name} was met", memory.at, (memory,))
        for name, memory in first.items()
        if not file.catalog.newest(space, by_then.bound(Filters(person=name)), 1)
    ]


def _new_entities(
    file: JournalFile, space: Space, since: datetime, after: dict[str, Memory], then: Then
) -> list[Change]:
    names: dict[str, str] = {}
    mentions: dict[str, list[Memory]] = defaultdict(list)
    known: set[str] = set()
    mentioned = file.journal.of_kind(space, EntryKind.ENTITIES_MENTIONED)
    for entry in filter(then.tells, mentioned):
        payload = entry.payload or {}
        memory = after.get(payload.get("experience", ""))
        for entity in payload.get("entities", ()):
            if memory is not None:
                names.setdefault(entity["id"], entity["name"])
                mentions[entity["id"]].append(memory)
            elif entry.at <= since:
                known.add(entity["id"])
    return [
        Change(ChangeKind.ENTITY, f"{names[id]} came up", found[0].at, tuple(found))
        for id, found in mentions.items()
        if id not in known
    ]


def _corrections(shared: Sequence[Lived], person: str) -> list[Caution]:
    """Return what the person set right, newest first."""
    return [
        Caution(CautionKind.CORRECTION, one.memory.text, (one.memory,))
        for one in reversed(shared)
        if one.trigger is Trigger.CORRECTIVE_FEEDBACK and one.speaker == person
    ]


def _disputed(
    file: JournalFile, space: Space, shared: Sequence[Lived], then: Then
) -> list[Caution]:
    """Return what somebody called wrong or stale by then, and did not take back."""
    memories = {one.memory.id: one.memory for one in shared}
    standing: dict[str, tuple[str, str]] = {}
    for entry in file.journal.of_kind(space, EntryKind.FEEDBACK_GIVEN):
        late = then.moment is not None and entry.at > then.moment
        if entry.payload is None or late or (then.seq is not None and entry.seq > then.seq):
            continue
        standing.pop(entry.payload.get("undoes", ""), None)
        verdict = entry.payload.get("verdict")
        if verdict in _DISPUTES and entry.payload.get("reconstitution") is None:
            for id in entry.payload.get("effects", {}):
                standing[entry.id] = (id, verdict)
    return [
        Caution(CautionKind.DISPUTED, f"{verdict}: {memories[id].text}", (memories[id],))
        for id, verdict in dict.fromkeys(reversed(standing.values()))
        if id in memories
    ]


def _sore(themes: Sequence[Theme]) -> list[Caution]:
    """Return themes that felt bad on the whole."""
    return [
        Caution(CautionKind.SORE_TOPIC, theme.name, tuple(theme.memories))
        for theme in themes
        if theme.valence is not None and theme.felt > 1 and theme.valence <= -TELLING
    ]


def _companions(shared: Sequence[Lived], person: str) -> list[Companion]:
    """Return who else spoke or was named in what is shared, the most present first."""
    spoke: Counter[str] = Counter()
    named: Counter[str] = Counter()
    memories: dict[str, list[Memory]] = defaultdict(list)
    for one in shared:
        present = set(one.people) - {person}
        named.update(present)
        if one.speaker not in (None, AGENT, person):
            spoke[str(one.speaker)] += 1
            present.add(str(one.speaker))
        for name in present:
            memories[name].append(one.memory)
    order = sorted(memories, key=lambda name: (-len(memories[name]), name))
    return [Companion(n, spoke[n], named[n], tuple(memories[n])) for n in order]


def _told(text: str, memories: Sequence[Memory], **more: object) -> dict[str, Any]:
    return {"text": text, **more, "uris": [memory.uri for memory in memories]}
