"""Which memories are asked for, and what hangs on them: entries, people, sessions, facts.

Reads only. What hangs on a memory alone goes with it; what others say too is told again without.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ...core.codec import decode_text, stored_event
from ...core.entries import QuestionsAnticipated
from ...core.ids import content_hash, session_id
from ...core.time import to_text
from ...core.types import EntryKind, Filters, Json, Payload, Space
from ..people.people_directory import Identities
from ..projections.person_list import NOT_OWN_WORDS
from ..space_scope import Row, SpaceScope


@dataclass(frozen=True, slots=True)
class ForgettingRequest:
    """What is to be forgotten; what is None does not narrow it, and nothing at all is the space.

    `ids` are Meridia's or the caller's, or addresses, as `Catalog.find` takes them; `person` is a
    name as it was written, and `before` a time: what happened earlier goes.
    """

    person: str | None = None
    session: str | None = None
    seqs: Sequence[int] | None = None
    where: Mapping[str, Json] | None = None
    kind: str | None = None
    before: datetime | None = None

    @property
    def scope(self) -> str:
        """What is asked for, in one word, without any name."""
        given = {
            "person": self.person,
            "session": self.session,
            "ids": self.seqs,
            "where": self.where or None,
            "kind": self.kind,
            "before": self.before,
        }
        return next((name for name, value in given.items() if value is not None), "space")

    def as_json(self) -> dict[str, Json]:
        """Return what was asked for as plain JSON values; a receipt repeats it."""
        asked: dict[str, Json] = {"scope": self.scope}
        for name in ("person", "session", "kind"):
            if (value := getattr(self, name)) is not None:
                asked[name] = value
        if self.seqs is not None:
            asked["sequences"] = [int(seq) for seq in self.seqs]
        if self.where:
            asked["where"] = dict(self.where)
        if self.before is not None:
            asked["before"] = to_text(self.before)
        return asked


@dataclass(frozen=True, slots=True)
class IndexedMemory:
    """One memory as its places know it."""

    seq: int
    id: str
    event_id: str
    kind: str
    person: str | None
    session: str | None
    text_hash: str
    event: Payload | None


@dataclass(frozen=True, slots=True)
class Selection:
    """All that goes with some memories. `entries` are the sequences whose payloads are erased.

    `people` are those of whom no memory is left, `sessions` those that lose any, `hashes` those of
    the texts that were embedded; `feedback` is what was given on them, among others. `first_words`
    has people the first of whose words go: the sequence of the first that stay, None where none do.
    `relationships` is what these had become to the agent before that.
    """

    everything: bool
    memories: Sequence[IndexedMemory]
    entries: Sequence[int]
    entry_ids: Sequence[str]
    kinds: Mapping[str, int]
    people: Sequence[str]
    sessions: Sequence[str]
    hashes: Sequence[str]
    facts: Sequence[str]
    feedback: Sequence[Row]
    first_words: Mapping[str, int | None]
    relationships: Sequence[Row]

    @property
    def seqs(self) -> list[int]:
        """The journal sequences of the memories."""
        return [memory.seq for memory in self.memories]

    @property
    def ids(self) -> list[str]:
        """The ids of the memories."""
        return [memory.id for memory in self.memories]

    @property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """The erased sequences as runs, first and last of each."""
        runs: list[tuple[int, int]] = []
        for seq in sorted(self.entries):
            if runs and runs[-1][1] == seq - 1:
                runs[-1] = runs[-1][0], seq
            else:
                runs.append((seq, seq))
        return tuple(runs)


def select(scope: SpaceScope, space: Space, request: ForgettingRequest) -> Selection:
    """Return what goes with the memories that a request names, with all their versions.

    One that was asked for by its id takes along those that say the same words again.
    """
    values: dict[str, Any] = {"space": scope.number}
    chosen = values | {
        "people": request.person and Identities(space, scope).members(request.person),
        "session": request.session and session_id(space, request.session),
        "seqs": None if request.seqs is None else json.dumps([int(seq) for seq in request.seqs]),
        "before": request.before and to_text(request.before),
        "kind": request.kind,
        "conditions": Filters(where=request.where).conditions(),
    }
    seqs = _numbers(scope.rows("forgetting/chosen", chosen))
    versions, repeated = "forgetting/versions", "forgetting/repeated"
    for how in [versions] if request.seqs is None else [versions, repeated, versions]:
        seqs = _numbers(scope.rows(how, values | {"seqs": json.dumps(seqs)}))
    return _with_derived(scope, seqs, everything=request.scope == "space")


def _with_derived(scope: SpaceScope, seqs: Sequence[int], *, everything: bool) -> Selection:
    values: dict[str, Any] = {"space": scope.number, "seqs": json.dumps(seqs)}
    memories = _memories(scope, values)
    named = sorted({memory.person for memory in memories if memory.person})
    silenced = scope.rows("forgetting/silenced", values | {"people": json.dumps(named)})
    people = [row[0] for row in silenced]
    sessions = sorted({memory.session for memory in memories if memory.session})
    values |= {
        "ids": json.dumps([memory.id for memory in memories]),
        "people": json.dumps(people),
        "sessions": json.dumps(sessions),
        "everything": everything,
    }
    first_words = _first_words(scope, values, memories)
    values["first_words"] = json.dumps(first_words)
    relationships = scope.rows("forgetting/relationships", values) if first_words else []
    feedback = [] if everything else scope.rows("forgetting/feedback", values)
    entries = scope.rows("forgetting/entries", values)
    if not everything:
        entries += _following(scope, values, entries)
        entries += [row[:4] for row in (*feedback, *relationships)]
    by_seq = {row[0]: row for row in entries}
    asked = [row for row in entries if row[1] == EntryKind.QUESTIONS_ANTICIPATED.value]
    hashes = {memory.text_hash for memory in memories if memory.text_hash}
    return Selection(
        everything=everything,
        memories=memories,
        entries=sorted(by_seq),
        entry_ids=[row[2] for row in by_seq.values()],
        kinds=Counter(row[1] for row in by_seq.values()),
        people=people,
        sessions=sessions,
        hashes=sorted(hashes | _question_hashes(row[3] for row in asked)),
        facts=list(_named(entries, EntryKind.FACT_ASSERTED, "fact")),
        feedback=feedback,
        first_words=first_words,
        relationships=relationships,
    )


def _memories(scope: SpaceScope, values: Mapping[str, Any]) -> list[IndexedMemory]:
    rows = scope.rows("forgetting/memories", values)
    read = [(*row[:-1], row[-1] and stored_event(row[-1])) for row in rows]
    return [IndexedMemory(*row) for row in read]


def _first_words(
    scope: SpaceScope, values: Mapping[str, Any], memories: Sequence[IndexedMemory]
) -> dict[str, int | None]:
    """Return the people who lose the first of their words, and the first that stay."""
    gone: dict[str, int] = {}
    for memory in memories:
        if memory.person and memory.kind not in NOT_OWN_WORDS:
            gone.setdefault(memory.person, memory.seq)
    return dict(
        scope.rows("forgetting/first_words", {**values, "gone": json.dumps(list(gone.items()))})
    )


def _following(scope: SpaceScope, values: Mapping[str, Any], entries: Sequence[Row]) -> list[Row]:
    """Return the entries about facts and entities that go with some entries."""
    facts = list(_named(entries, EntryKind.FACT_ASSERTED, "fact"))
    entities = list(_named(entries, EntryKind.ENTITIES_MENTIONED, "entities"))
    gone = {**values, "seqs": json.dumps([row[0] for row in entries])}
    gone |= {"facts": json.dumps(facts), "entities": json.dumps(entities)}
    return [
        *(scope.rows("forgetting/supersessions", gone) if facts else ()),
        *(scope.rows("forgetting/merges", gone) if entities else ()),
    ]


def _numbers(rows: Iterable[Row]) -> list[int]:
    return sorted(row[0] for row in rows)


def _named(entries: Iterable[Row], kind: EntryKind, field: str) -> Iterable[str]:
    """Yield the fact that an entry asserts, or the entities that it mentions, by id."""
    for _, entry_kind, _, body in entries:
        if entry_kind == kind.value:
            value = json.loads(body)[field]
            yield from [value] if isinstance(value, str) else [each["id"] for each in value]


def _question_hashes(bodies: Iterable[str]) -> set[str]:
    return {
        content_hash(question)
        for body in bodies
        for question in decode_text(QuestionsAnticipated, body).questions
    }
