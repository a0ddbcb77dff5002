"""The enrichment worker: what follows the acknowledgement, batch by batch behind a cursor.

Each batch is worked out first (embedding is slow) and then written in one transaction with its
cursor: people met, concepts, mentions, vectors. A crash repeats at most one batch; a second
worker that finds the cursor moved throws its copy away. No model is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.events import captions_of, meaning_of, text_of
from ..core.ids import content_hash, person_id
from ..core.people import Gazetteer, Person
from ..core.ports import Embedder
from ..core.text import Analyser
from ..core.types import Draft, Entry, EntryKind, Space
from ..graph import cursors, vectors
from ..graph.database import Connection, Database
from ..graph.journal import SqliteJournal
from .concepts import concepts_of
from .embed import embed

PROJECTION, VERSION = "enrichment", 1
#: Entries read at once; most of them may need no work.
_READ = 1000

Progress = Callable[[int, int], None]
#: The hash of each text and the vectors of its parts.
Embedded = Sequence[tuple[str, NDArray[np.float32]]]


@dataclass(frozen=True, slots=True)
class Work:
    """What one batch of entries led to, before it is written."""

    first: int
    last: int
    drafts: Sequence[Draft]
    embedded: Embedded


class Enrichment:
    """Enriches captured experiences of any space in one file."""

    def __init__(
        self,
        database: Database,
        journal: SqliteJournal,
        analyser: Analyser,
        embedder: Callable[[], Embedder | None],
        chunk_words: int,
        batch: int,
    ) -> None:
        self._database = database
        self._journal = journal
        self._analyser = analyser
        self._embedder = embedder
        self._chunk_words = chunk_words
        self._batch = batch

    def cursor(self, space: Space) -> int:
        """Return the last journal sequence that is enriched."""
        with self._database.reading() as connection:
            number = self._journal.number(space)
            return cursors.position(connection, number, PROJECTION, VERSION)

    def catch_up(
        self,
        space: Space,
        go_on: Callable[[], bool] = lambda: True,
        progress: Progress = lambda done, total: None,
    ) -> bool:
        """Enrich what is missing while `go_on()`; return whether nothing is left."""
        if not self._embed_backlog(space, go_on):
            return False
        head = self._journal.head(space).seq
        start = done = self.cursor(space)
        while done < head:
            progress(done - start, head - start)
            if not go_on():
                return False
            entries = self._next(space, done)
            self._write(space, self._work(space, done, entries))
            done = self.cursor(space)
            # What this batch appended itself needs no work, but the cursor has to pass it.
            head = self._journal.head(space).seq
        progress(head - start, head - start)
        return True

    def _embed_backlog(self, space: Space, go_on: Callable[[], bool]) -> bool:
        """Embed what was enriched while there was no embedder, or another one."""
        embedder, number = self._embedder(), self._journal.number(space)
        if embedder is None:
            return True
        projection = _vectors_of(embedder)
        while (done := self._position(number, projection)) < self.cursor(space):
            if not go_on():
                return False
            entries = self._next(space, done)
            embedded = self._embed(space, _captured(entries))
            with self._database.writing() as connection:
                _record(connection, number, embedder, embedded)
                cursors.move(connection, number, projection, VERSION, entries[-1].seq)
        return True

    def _position(self, number: int, projection: str) -> int:
        with self._database.reading() as connection:
            return cursors.position(connection, number, projection, VERSION)

    def _next(self, space: Space, after: int) -> Sequence[Entry]:
        """Return the next entries, up to and including as many captured ones as a batch has."""
        entries = self._journal.read(space, after, _READ)
        captured = [
            place
            for place, entry in enumerate(entries)
            if entry.kind is EntryKind.EXPERIENCE_CAPTURED
        ]
        end = captured[self._batch - 1] + 1 if len(captured) >= self._batch else len(entries)
        return entries[:end]

    def gazetteer(self, space: Space) -> Gazetteer:
        """Return the people the space knows."""
        met = self._journal.of_kind(space, EntryKind.PERSON_MET)
        return Gazetteer(
            Person(entry.payload["person"], entry.payload["name"]) for entry in met if entry.payload
        )

    def _work(self, space: Space, first: int, entries: Sequence[Entry]) -> Work:
        captured = _captured(entries)
        known = self.gazetteer(space)
        met = _people_met(space, captured, known)
        people = Gazetteer([*known.people, *(Person(d.key, d.payload["name"]) for d in met)])
        drafts = [*met, *(self._enriched(entry, people) for entry in captured)]
        return Work(first, entries[-1].seq, drafts, self._embed(space, captured))

    def _enriched(self, entry: Entry, people: Gazetteer) -> Draft:
        event = (entry.payload or {})["event"]
        text = text_of(event)
        speaker = event.get("person")
        concepts = concepts_of(" ".join([text, *captions_of(event)]), self._analyser, people.words)
        return Draft(
            kind=EntryKind.EXPERIENCE_ENRICHED,
            key=entry.id,
            payload={
                "experience": entry.id,
                "concepts": concepts,
                "people": [
                    {"id": person.id, "name": person.name}
                    for person in people.named_in(text)
                    if not speaker or person.id != person_id(entry.space, speaker)
                ],
            },
            at=entry.at,
        )

    def _embed(
        self, space: Space, captured: Sequence[Entry]
    ) -> list[tuple[str, NDArray[np.float32]]]:
        embedder = self._embedder() if captured else None
        if embedder is None:
            return []
        texts = {
            content_hash(text): text
            for text in (meaning_of((entry.payload or {})["event"]) for entry in captured)
        }
        number = self._journal.number(space)
        vectors.check_model(self._database, number, embedder.model)
        with self._database.reading() as connection:
            for text_hash in vectors.known(connection, number, embedder.model, list(texts)):
                del texts[text_hash]
        found = embed(list(texts.values()), embedder, self._chunk_words) if texts else []
        return list(zip(texts, found, strict=True))

    def _write(self, space: Space, work: Work) -> None:
        number, embedder = self._journal.number(space), self._embedder()
        with self._database.writing() as connection:
            if cursors.position(connection, number, PROJECTION, VERSION) != work.first:
                return
            if embedder is not None:
                _record(connection, number, embedder, work.embedded)
                cursors.move(connection, number, _vectors_of(embedder), VERSION, work.last)
            if work.drafts:
                self._journal.append(space, work.drafts)
            cursors.move(connection, number, PROJECTION, VERSION, work.last)


def _captured(entries: Sequence[Entry]) -> list[Entry]:
    """Return the captured experiences that were not erased."""
    return [e for e in entries if e.kind is EntryKind.EXPERIENCE_CAPTURED and e.payload]


def _vectors_of(embedder: Embedder) -> str:
    """Name the projection that says how far a model's vectors have come."""
    return f"vectors {embedder.model}"


def _record(connection: Connection, space: int, embedder: Embedder, found: Embedded) -> None:
    for text_hash, parts in found:
        vectors.record(connection, space, embedder.model, text_hash, parts)


def _people_met(space: Space, captured: Sequence[Entry], known: Gazetteer) -> list[Draft]:
    ids = {person.id for person in known.people}
    met: dict[str, Draft] = {}
    for entry in captured:
        name = (entry.payload or {})["event"].get("person")
        if not name:
            continue
        id = person_id(space, name)
        if id not in ids and id not in met:
            payload = {"person": id, "name": name, "aliases": []}
            met[id] = Draft(EntryKind.PERSON_MET, id, payload, entry.at)
    return list(met.values())
