"""Selects what goes with some memories and erases it everywhere in the SQLite file.

Payloads, lists, full text, vectors, kept answers, the trace and edges go in one transaction, which
also appends the `Forgotten` entry: a crash leaves all or nothing. What others say too is told again
without them. Free pages and the graph are cleaned afterwards, or by whoever opens the file next.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ...core.codec import decode_entry, decode_text, stored_event
from ...core.entries import (
    ExperienceCaptured,
    Forgotten,
    QuestionsAnticipated,
    TrackedFeedback,
    UserFeedback,
)
from ...core.events import captured_of, event_hash, recorded_event
from ...core.ids import content_hash, fold, session_id
from ...core.people import YOU
from ...core.time import from_text, to_text
from ...core.types import EntryDraft, EntryKind, Filters, Json, Payload, Seq, Space
from .. import mapped_arrays, people
from ..journal import fingerprints
from ..people import NOT_OWN_WORDS, Identities
from ..projections import entry_indexes
from ..space_scope import Row, SpaceScope
from ..store import Store


@dataclass(frozen=True, slots=True)
class ForgettingRequest:
    """A request to forget. Fields that are None do not narrow it; with none, the whole space goes.

    `ids` are Meridia's or the caller's, or addresses, as `Catalog.find` takes them; `person` is a
    name as it was written, and `before` a time: what happened earlier goes. `answers` are what the
    agent and its tools said to the person: they go like the person's own words.
    """

    person: str | None = None
    session: str | None = None
    seqs: Sequence[int] | None = None
    where: Mapping[str, Json] | None = None
    kind: str | None = None
    before: datetime | None = None
    answers: Sequence[int] = ()

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
    chosen: dict[str, Any] = {
        "people": request.person and Identities(space, scope).members(request.person),
        "session": request.session and session_id(space, request.session),
        "seqs": request.seqs,
        "before": request.before,
        "kind": request.kind,
        "conditions": Filters(where=request.where).conditions(),
    }
    rows = scope.rows("forgetting/chosen", **chosen)
    if request.answers:
        answers = set(request.answers).intersection(request.seqs or request.answers)
        narrowed = chosen | {"people": None, "seqs": sorted(answers)}
        rows += scope.rows("forgetting/chosen", **narrowed)
    seqs = _numbers(rows)
    versions, repeated = "forgetting/versions", "forgetting/repeated"
    for how in [versions] if request.seqs is None else [versions, repeated, versions]:
        seqs = _numbers(scope.rows(how, seqs=seqs))
    return _with_derived(scope, seqs, everything=request.scope == "space")


def _with_derived(scope: SpaceScope, seqs: Sequence[int], *, everything: bool) -> Selection:
    memories = _memories(scope, seqs)
    named = sorted({memory.person for memory in memories if memory.person})
    silenced = scope.rows("forgetting/silenced", seqs=seqs, people=named)
    people = [row[0] for row in silenced]
    sessions = sorted({memory.session for memory in memories if memory.session})
    values: dict[str, Any] = {
        "seqs": seqs,
        "ids": [memory.id for memory in memories],
        "people": people,
        "sessions": sessions,
        "everything": everything,
    }
    first_words = _first_words(scope, values, memories)
    values["first_words"] = first_words
    relationships = scope.rows("forgetting/relationships", **values) if first_words else []
    feedback = [] if everything else scope.rows("forgetting/feedback", **values)
    entries = scope.rows("forgetting/entries", **values)
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


def _memories(scope: SpaceScope, seqs: Sequence[int]) -> list[IndexedMemory]:
    rows = scope.rows("forgetting/memories", seqs=seqs)
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
    return dict(scope.rows("forgetting/first_words", **values, gone=list(gone.items())))


def _following(scope: SpaceScope, values: Mapping[str, Any], entries: Sequence[Row]) -> list[Row]:
    """Return the entries about facts and entities that go with some entries."""
    facts = list(_named(entries, EntryKind.FACT_ASSERTED, "fact"))
    entities = list(_named(entries, EntryKind.ENTITIES_MENTIONED, "entities"))
    gone = {**values, "seqs": [row[0] for row in entries], "facts": facts, "entities": entities}
    return [
        *(scope.rows("forgetting/supersessions", **gone) if facts else ()),
        *(scope.rows("forgetting/merges", **gone) if entities else ()),
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


#: Place → statement that erases there, in this order: lists before what asks whether they need it.
_PLACES = {
    "full text": "forgetting/erase_full_text",
    "held events": "forgetting/erase_held",
    "list of memories": "forgetting/erase_listed",
    "facts": "forgetting/erase_facts",
    "people": "forgetting/erase_people",
    "feedback": "forgetting/erase_feedback",
    "effects of feedback": "forgetting/erase_effects",
    "vectors": "forgetting/erase_vectors",
    "rest of the vectors": "forgetting/erase_every_vector",
    "token vectors": "forgetting/erase_tokens",
    "kept recalls": "forgetting/erase_recalls",
    "kept packs": "forgetting/erase_packs",
    "trace": "forgetting/erase_trace",
    "rest of the trace": "forgetting/erase_whole_trace",
    "tasks": "forgetting/erase_tasks",
    "what is about them": "forgetting/erase_references",
    "sessions": "forgetting/erase_sessions",
    "sessions told again": "forgetting/reopen_sessions",
}
_SALT_BYTES = 16
#: What the list of entities is made of.
_NAMING = {"EntitiesMentioned", "EntitiesMerged", "EntitiesUnmerged"}


#: Reads what is to be erased, and returns what then makes the entries that take its place.
Derive = Callable[[Selection], Callable[[], Sequence[EntryDraft]]]


@dataclass(frozen=True, slots=True)
class Erased:
    """The result of an erasure or a rehearsal: memories, entries by kind, rows by place.

    `seq` and `hash` are those of the `Forgotten` entry; None and empty for a rehearsal.
    """

    selection: Selection
    places: Mapping[str, int]
    seq: Seq | None = None
    hash: bytes = b""
    at: datetime | None = None


class _Rehearsed(Exception):
    """Everything was done to see what it does, and is undone."""


def erase(
    store: Store,
    space: Space,
    request: ForgettingRequest,
    derive: Derive,
    *,
    rehearse: bool = False,
) -> Erased:
    """Erase what is asked for and return what went; with `rehearse`, all of it is undone."""
    scope = store.space(space).space_scope
    done: Erased | None = None
    try:
        with store.database.erasing(shared=True):
            selection = select(scope, space, request)
            derive_again = derive(selection)
            hashes = {} if rehearse else _event_hashes(store, space, selection)
            done = Erased(selection, _erase(store, space, selection))
            if rehearse or not selection.entries:
                raise _Rehearsed
            events = fingerprints(hashes, store.journal.head(space).hash[:_SALT_BYTES])
            memories = len(selection.memories)
            tombstone = Forgotten(request.scope, selection.runs, memories, "user", events)
            (answer,) = store.journal.append(space, [EntryDraft("", tombstone)])
            at, hash = store.clock(), store.journal.head(space).hash
            done = replace(done, seq=answer.seq, hash=hash, at=at)
            scope.run("forgetting/begun", seq=answer.seq)
            _identify_people(store, space, answer.seq)
            _tell_again(store, space, selection)
            store.journal.append(space, derive_again())
    except _Rehearsed:
        pass
    assert done is not None
    return done


def erase_again(store: Store, space: Space, seq: int, forgotten: Forgotten) -> bool:
    """Erase here what the forgetting at `seq` erased elsewhere; return whether any of it was here.

    Inside of a `writing`. Lists are to be rebuilt afterwards, and the graph is to be cleaned.
    """
    scope = store.space(space).space_scope
    entries = scope.rows("forgetting/in_runs", runs=[list(run) for run in forgotten.erased])
    scope.run("forgetting/begun", seq=seq)
    if not entries:
        scope.run("forgetting/finished", seq=seq)
        return False
    memories = [s for s, kind, _ in entries if kind == EntryKind.EXPERIENCE_CAPTURED.value]
    selection = replace(
        _with_derived(scope, memories, everything=forgotten.scope == "space"),
        entries=[row[0] for row in entries],
        entry_ids=[row[2] for row in entries],
        kinds=Counter(row[1] for row in entries),
    )
    _erase(store, space, selection)
    return True


def _erase(store: Store, space: Space, selection: Selection) -> dict[str, int]:
    scope = store.space(space).space_scope
    answers = _answers(scope, selection)
    values = {
        "everything": selection.everything,
        "seqs": selection.seqs,
        "entries": selection.entries,
        "speechless": [p for p, left in selection.first_words.items() if left is None],
        "sessions": selection.sessions,
        "hashes": _unused_hashes(store, space, selection),
        "answers": answers,
        "subjects": [*selection.entry_ids, *answers],
    }
    mapped_arrays.drop(scope)
    scope.run("forgetting/note_changes", **values)
    mentions = scope.rows("forgetting/mentions_gone", **values)
    places = {"journal payloads": scope.run("forgetting/erase_payloads", **values)}
    for place, statement in _PLACES.items():
        places[place] = scope.run(statement, **values)
    if selection.entries:
        if _NAMING & selection.kinds.keys():
            _recount_entities(store, space, selection, mentions)
        _rename_people(store, space, selection)
    return {place: count for place, count in places.items() if count}


def _event_hashes(store: Store, space: Space, selection: Selection) -> dict[int, str]:
    """Return the hashes of the events that have ids of their caller, by sequence."""
    entries = store.journal.by_ids(space, selection.ids)
    return {
        int(entry.seq): event_hash(entry.payload)
        for entry in entries
        if entry.key != entry.id and isinstance(entry.payload, ExperienceCaptured)
    }


def _unused_hashes(store: Store, space: Space, selection: Selection) -> Sequence[str]:
    """Return the hashes of the texts that go, without those that an anticipated question has."""
    kind, erased = EntryKind.QUESTIONS_ANTICIPATED, set(selection.entries)
    if kind.value not in selection.kinds:
        return selection.hashes
    stay = {
        content_hash(question)
        for entry in store.journal.of_kind(space, kind)
        if entry.seq not in erased and isinstance(entry.payload, QuestionsAnticipated)
        for question in entry.payload.questions
    }
    return [each for each in selection.hashes if each not in stay]


def _answers(scope: SpaceScope, selection: Selection) -> list[str]:
    """Return the ids of kept recalls and packs that quote what goes, or name who goes.

    A recall that found nothing may have been asked for nobody else; it goes with a person.
    """
    seqs, ids = set(selection.seqs), {*selection.ids, *(f"@{seq}" for seq in selection.seqs)}
    names = _names(selection)
    answers = []
    for kind, id, body in scope.rows("forgetting/kept_answers"):
        record = json.loads(body)
        if kind == "pack":
            shown = set(record["cited"]) | {uri.rpartition("/")[2] for uri in record["ids"]}
            about = json.dumps(record.get("ask"), ensure_ascii=False)
            quotes = bool(shown & (ids | {m.event_id for m in selection.memories}))
        else:
            hits, about = record.get("hits", ()), record.get("question", "")
            shown = {hit["id"] if isinstance(hit, dict) else hit for hit in hits}
            quotes = bool(shown & (seqs | ids)) or (bool(names) and not shown)
        folded = fold(about)
        if selection.everything or quotes or any(name in folded for name in names):
            answers.append(id)
    return answers


def _names(selection: Selection) -> set[str]:
    """Return the folded names of the people of whom nothing is left."""
    people = set(selection.people)
    return {
        fold(memory.event["person"])
        for memory in selection.memories
        if memory.person in people and memory.event is not None and memory.event.get("person")
    }


def _recount_entities(
    store: Store, space: Space, selection: Selection, mentions: Sequence[Row]
) -> None:
    """Take `mentions` away that went; where that does not tell all, count what is left of them.

    It does not where entities were merged, or where messages were read again in the meantime.
    """
    opened = store.space(space)
    scope = opened.space_scope
    merges = _NAMING & selection.kinds.keys() - {"EntitiesMentioned"}
    if not merges and not opened.readings.newest() and all(known for *_, known in mentions):
        for id, times, is_first, _ in mentions:
            scope.run("entities/fewer", id=id, times=times)
            following = scope.row("forgetting/next_mention", id=id) if is_first else None
            if following:
                seq, kind, name = following
                scope.run("entities/first_named", id=id, seq=seq, kind=kind, name=name)
            scope.run("entities/unmentioned", id=id)
        return
    entries = [e for kind in _NAMING for e in store.journal.of_kind(space, EntryKind(kind))]
    scope.run("entities/clear")
    for entry in sorted(entries, key=lambda entry: entry.seq):
        entry_indexes.project_entities(scope, entry)


def _rename_people(store: Store, space: Space, selection: Selection) -> None:
    """List people by the first name that is left of those they were given."""
    scope = store.space(space).space_scope
    for person, seq in selection.first_words.items():
        for entry in [] if seq is None else store.journal.read(space, seq - 1, 1):
            name = recorded_event(captured_of(entry)).get("person") or YOU
            scope.run("forgetting/rename_person", person=person, name=name)


def _identify_people(store: Store, space: Space, seq: int) -> None:
    """Work out again who is who: names and merges may have gone, with the entry of a sequence."""
    named = [entry for kind in people.KINDS for entry in store.journal.of_kind(space, kind)]
    named.sort(key=lambda entry: entry.seq)
    people.rebuild_identities(store.space(space).space_scope, space, named, seq)


def _tell_again(store: Store, space: Space, selection: Selection) -> None:
    """Repeat what was said of what goes and of what stays, without what goes, and no quote.

    Feedback, and what people who were met earlier than is known now had become to the agent.
    """
    gone = set(selection.ids)
    drafts = [
        EntryDraft("", decode_entry(EntryKind(kind), body), from_text(at))
        for _, kind, _, body, at, holds in selection.relationships
        if holds
    ]
    for _, kind, _, body, at, taken_back in selection.feedback:
        payload: Any = decode_entry(EntryKind(kind), body)
        effects = {id: effect for id, effect in payload.effects.items() if id not in gone}
        if taken_back is not None or not effects:
            continue
        shown = tuple(id for id in payload.shown if id not in gone)
        rest = replace(payload, shown=shown, effects=effects, note=None)
        if isinstance(rest, TrackedFeedback):
            referenced = tuple(id for id in rest.referenced if id not in gone)
            rest = replace(rest, referenced=referenced, anchors=())
        assert isinstance(rest, UserFeedback | TrackedFeedback)
        drafts.append(EntryDraft("", rest, from_text(at)))
    store.journal.append(space, drafts)
