"""Facts and transitions as memories: what was derived, each with the memory that it comes from.

In the order in which they were recorded. An entry that only records an end is none of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..core.entries import FactAsserted
from ..core.errors import InvalidInput
from ..core.facts import fold_facts, with_shown_names
from ..core.ids import fold
from ..core.types import Entry, EntryKind, Filters, Json, MemoryRecord, Page, Space
from ..core.vocabulary import TransitionField
from ..storage.store import Store

FACT, TRANSITION = "fact", "transition"
#: Kinds that `Memory.list` has besides those of events: what was derived.
DERIVED_KINDS = frozenset({FACT, TRANSITION})
#: Entries read beside as many as a page has: some are only of an end.
_MORE = 5


def derived_page(file: Store, space: Space, filters: Filters, after: int, limit: int) -> Page:
    """Return a page of the facts or transitions (`filters.kind`) that a space has.

    `event_id` and `session` of each are those of the memory that it comes from. A fact's `person`
    is its subject, its `at` since when it holds, and its status `holds`, `superseded` or `over`.
    Raises `InvalidInput` for filters that only experiences have.
    """
    if filters.where or filters.emotion or filters.engagement:
        raise InvalidInput(f"a {filters.kind} has no metadata and no feeling to filter by")
    if filters.person is not None:
        person = file.space(space).identities.directory().speakers.find(filters.person)
        filters = replace(filters, person=person.name) if person else filters
    kind, records_of = _KINDS[str(filters.kind)]
    wanted: list[MemoryRecord] = []
    size = limit + _MORE
    while len(wanted) <= limit and (entries := file.journal.of_kind(space, kind, after, size)):
        records = records_of(file, space, entries)
        wanted += [record for record in records if _passes(record, filters)]
        after, size = entries[-1].seq, 2 * size
    page = wanted[:limit]
    return Page(page, page[-1].seq if len(wanted) > limit else None)


def _facts(file: Store, space: Space, asserted: Sequence[Entry]) -> Iterator[MemoryRecord]:
    store = file.space(space)
    stated = [entry.payload for entry in asserted if isinstance(entry.payload, FactAsserted)]
    about = fold_facts(store.facts.related([fact.fact for fact in stated]))
    facts = with_shown_names(about, store.identities.directory())
    for entry, payload, source in _with_sources(file, space, asserted):
        fact = facts.get(payload.fact)
        if fact is not None and not fact.is_end_record:
            status = "over" if fact.t_invalid else "holds"
            yield replace(
                source,
                seq=entry.seq,
                id=fact.id,
                kind=FACT,
                text=fact.text,
                at=fact.t_valid,
                person=fact.subject,
                artifacts=(),
                metadata=fact.record(),
                status="superseded" if fact.superseded_by else status,
            )


def _transitions(file: Store, space: Space, changes: Sequence[Entry]) -> Iterator[MemoryRecord]:
    directory = file.space(space).identities.directory()
    for entry, payload, source in _with_sources(file, space, changes):
        if payload.keeps_its_words:
            continue
        field = _FIELDS.get(payload.field, payload.field.value)
        yield replace(
            source,
            seq=entry.seq,
            id=payload.transition,
            kind=TRANSITION,
            text=f"{field}: {_words(payload.before)} → {_words(payload.after)}",
            at=entry.at,
            person=directory.shown(who) if (who := payload.person) in directory.spoken else None,
            artifacts=(),
            metadata={
                "experience": payload.experience,
                "field": payload.field.value,
                "from": payload.before,
                "to": payload.after,
            },
            status="recorded",
        )


def _with_sources(
    file: Store, space: Space, entries: Sequence[Entry]
) -> Iterator[tuple[Entry, Any, MemoryRecord]]:
    """Yield entries with their payloads and the memories they come from, as far as there are."""
    whole: list[tuple[Entry, Any]] = [
        (entry, entry.payload) for entry in entries if entry.payload is not None
    ]
    ids = {payload.experience for _, payload in whole}
    seqs = [source.seq for source in file.journal.by_ids(space, sorted(ids))]
    sources = {memory.id: memory for memory in file.catalog.fetch(space, seqs).values()}
    for entry, payload in whole:
        if payload.experience in sources:
            yield entry, payload, sources[payload.experience]


def _passes(record: MemoryRecord, filters: Filters) -> bool:
    return (
        (filters.person is None or fold(filters.person) == fold(record.person or ""))
        and filters.session in (None, record.session)
        and (filters.since is None or filters.since <= record.at)
        and (filters.until is None or record.at < filters.until)
    )


def _words(value: Json) -> str:
    """Return one end of a transition in words."""
    if isinstance(value, Mapping):
        return ", ".join(map(str, value.get("primary") or ())) or "no word for it"
    return "–" if value is None else str(value)


_FIELDS = {TransitionField.EMOTIONAL_SIGNATURE: "feeling"}
_KINDS = {
    FACT: (EntryKind.FACT_ASSERTED, _facts),
    TRANSITION: (EntryKind.STATE_TRANSITIONED, _transitions),
}
