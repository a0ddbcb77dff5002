"""Erases memories from every place in the SQLite file, in one transaction, and notes that it did.

Payloads, lists, full text, vectors, what was kept of answers, the trace, and the edges; the
`Forgotten` entry is appended in the same transaction, so that a crash leaves all or nothing. What
lies outside of a transaction (free pages, the graph) is finished afterwards, or by who opens the
file next.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ...core.codec import decode_entry
from ...core.entries import ExperienceCaptured, Forgotten, QuestionsAnticipated
from ...core.events import captured_of, event_hash, recorded_event
from ...core.feedback_entries import TrackedFeedback, UserFeedback
from ...core.ids import content_hash, fold
from ...core.people import YOU
from ...core.time import from_text
from ...core.types import EntryDraft, EntryKind, Seq, Space
from ..database import Connection
from ..fingerprints import fingerprints
from ..projections import entity_list, identities
from ..space_scope import Row, SpaceScope
from ..store import Store
from .selection import ForgettingRequest, Selection, select

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
    """What went, or would go: memories, entries by kind, and rows by place.

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
        with store.database.erasing() as connection:
            selection = select(scope, space, request)
            derive_again = derive(selection)
            hashes = {} if rehearse else _event_hashes(store, space, selection)
            done = Erased(selection, _erase(connection, store, space, selection))
            if rehearse or not selection.entries:
                raise _Rehearsed
            events = fingerprints(hashes, store.journal.head(space).hash[:_SALT_BYTES])
            memories = len(selection.memories)
            tombstone = Forgotten(request.scope, selection.runs, memories, "user", events)
            (answer,) = store.journal.append(space, [EntryDraft("", tombstone)])
            at, hash = store.clock(), store.journal.head(space).hash
            done = replace(done, seq=answer.seq, hash=hash, at=at)
            scope.run("forgetting/begun", {"space": scope.number, "seq": answer.seq})
            _identify_people(connection, store, space, answer.seq)
            _tell_again(store, space, selection)
            store.journal.append(space, derive_again())
    except _Rehearsed:
        pass
    assert done is not None
    return done


def _erase(
    connection: Connection, store: Store, space: Space, selection: Selection
) -> dict[str, int]:
    scope = store.space(space).space_scope
    answers = _answers(scope, selection)
    values = {
        "space": scope.number,
        "everything": selection.everything,
        "seqs": json.dumps(selection.seqs),
        "entries": json.dumps(selection.entries),
        "speechless": json.dumps([p for p, left in selection.first_words.items() if left is None]),
        "sessions": json.dumps(selection.sessions),
        "hashes": json.dumps(_unused_hashes(store, space, selection)),
        "answers": json.dumps(answers),
        "subjects": json.dumps([*selection.entry_ids, *answers]),
    }
    scope.run("forgetting/note_changes", values)
    mentions = scope.rows("forgetting/mentions_gone", values)
    places = {"journal payloads": scope.run("forgetting/erase_payloads", values)}
    for place, statement in _PLACES.items():
        places[place] = scope.run(statement, values)
    if selection.entries:
        if _NAMING & selection.kinds.keys():
            _recount_entities(connection, store, space, selection, mentions)
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
    for kind, id, body in scope.rows("forgetting/kept_answers", {"space": scope.number}):
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
    connection: Connection,
    store: Store,
    space: Space,
    selection: Selection,
    mentions: Sequence[Row],
) -> None:
    """Take `mentions` away that went; where that does not tell all, count what is left of them.

    It does not where entities were merged, or where messages were read again in the meantime.
    """
    opened = store.space(space)
    scope = opened.space_scope
    merges = _NAMING & selection.kinds.keys() - {"EntitiesMentioned"}
    if not merges and not opened.readings.newest() and all(known for *_, known in mentions):
        for id, times, is_first, _ in mentions:
            values: dict[str, Any] = {"space": scope.number, "id": id, "times": times}
            scope.run("entities/fewer", values)
            following = scope.row("forgetting/next_mention", values) if is_first else None
            if following:
                names = dict(zip(("seq", "kind", "name"), following, strict=True))
                scope.run("entities/first_named", values | names)
            scope.run("entities/unmentioned", values)
        return
    entries = [e for kind in _NAMING for e in store.journal.of_kind(space, EntryKind(kind))]
    entity_list.clear(connection, scope.number)
    for entry in sorted(entries, key=lambda entry: entry.seq):
        entity_list.projection(connection, scope.number, entry)


def _rename_people(store: Store, space: Space, selection: Selection) -> None:
    """List people by the first name that is left of those they were given."""
    scope = store.space(space).space_scope
    for person, seq in selection.first_words.items():
        for entry in [] if seq is None else store.journal.read(space, seq - 1, 1):
            name = recorded_event(captured_of(entry)).get("person") or YOU
            values = {"space": scope.number, "person": person, "name": name}
            scope.run("forgetting/rename_person", values)


def _identify_people(connection: Connection, store: Store, space: Space, seq: int) -> None:
    """Work out again who is who: names and merges may have gone, with the entry of a sequence."""
    named = [entry for kind in identities.KINDS for entry in store.journal.of_kind(space, kind)]
    named.sort(key=lambda entry: entry.seq)
    identities.rebuild(connection, store.number(space), space, named, seq)


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
