"""The sink in PostgreSQL: the vectors of every memory, with what they are filtered by.

The vectors are those recorded beside the journal, so filling it again asks no model. A text that
redaction changed on its way out, or that is more than the message, has vectors of its own: made
once, and recorded too. No vector leaves that says what its text may not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ...core.entries import (
    ExperienceCaptured,
    ExperienceEnriched,
    ExperienceReevaluated,
    combined_by_experience,
    enrichment_keys,
)
from ...core.errors import Refused
from ...core.events import recorded_event
from ...core.experience import Phenomenology
from ...core.ids import content_hash
from ...core.settings import PostgresSettings
from ...core.types import Entry, EntryKind, Payload, Space
from ...graph.schema import Partition
from ...models.tokens import Embedder, embed
from ...storage.sinks.sink_state import Judged, RowOrigin, VectorRow, judged
from ...storage.store import Store
from ...storage.vectors import Matrix, VectorTable
from ..redaction.sanitise import Target
from .sink import Runs, SinkBatch, embedded_text, version_of

if TYPE_CHECKING:
    from ...storage.sinks.pgvector_table import PgVectorTable

#: Edition of what stands in a row; another one fills the table again.
_EDITION = 2


@dataclass(frozen=True, slots=True)
class SinkText:
    """The text of one memory as it leaves, and whose vectors stand for it in the file."""

    text: str
    text_hash: str
    model: str


class PostgresSink:
    """Writes vectors into the table of one server."""

    name = "postgres"
    target: Target = "vector"

    def __init__(
        self,
        file: Store,
        open_table: Callable[[], PgVectorTable],
        settings: PostgresSettings,
        embedder: Callable[[], Embedder | None],
        chunk_words: int,
        clean: Callable[[str], str],
    ) -> None:
        """Write into a table, opened on first use; `clean` redacts what is put together here."""
        self._file = file
        self._open_table = open_table
        self._is_kit = settings.text == "kit"
        #: Without user and password.
        self._place = settings.url.rpartition("@")[2]
        self._embedder = embedder
        self._chunk_words = chunk_words
        self._clean = clean

    @cached_property
    def _table(self) -> PgVectorTable:
        return self._open_table()

    @property
    def version(self) -> int:
        """Another model, another choice of text, or another database, is another version."""
        embedder = self._embedder()
        return version_of(_EDITION, self._is_kit, embedder and embedder.model, self._place)

    def deliver(self, batch: SinkBatch) -> None:
        """Write the vectors of the memories of a batch, and what became known of earlier ones."""
        embedder = self._embedder()
        if embedder is None:
            raise Refused("PostgreSQL needs vectors: turn embedding.enabled on")
        space = batch.partition.space
        captured = {e.id: e for e in batch.entries if isinstance(e.payload, ExperienceCaptured)}
        about = [
            entry.payload.experience
            for entry in batch.entries
            if isinstance(entry.payload, ExperienceEnriched | ExperienceReevaluated)
        ]
        judgements = judged(self._file.space(space), [*captured, *about])
        texts = self._texts(space, embedder.model, captured, judgements)
        vectors = self._vectors(space, embedder, texts)
        rows = [
            row
            for id, text in texts.items()
            for row in _rows(captured[id], judgements[id], text, vectors[id])
        ]
        later = [each for id, each in judgements.items() if id not in captured]
        of = RowOrigin(batch.partition.id, space, embedder.model)
        self._table.upsert(of, rows, later, (batch.after, batch.until))

    def forget(self, partition: Partition, erased: Runs) -> bool:
        """Remove the rows of erased entries, for good."""
        self._table.forget(partition.id, erased)
        return True

    def drop(self, partition: Partition) -> None:
        """Remove all rows of a space."""
        self._table.drop(partition.id)

    def count(self, partition: Partition) -> int:
        """Return how many memories of a space have rows."""
        return self._table.count(partition.id)

    def close(self) -> None:
        """Close the connection."""
        if "_table" in vars(self):
            self._table.close()

    def _texts(
        self,
        space: Space,
        model: str,
        captured: Mapping[str, Entry],
        judgements: Mapping[str, Judged],
    ) -> dict[str, SinkText]:
        """Return the texts that leave by memory; outlines have none."""
        felt = self._felt(space, list(captured)) if self._is_kit else {}
        texts = {}
        for id, entry in captured.items():
            if id not in judgements or not judgements[id].text_hash:
                continue
            event, text_hash = _event(entry), judgements[id].text_hash
            if self._is_kit:
                text = self._clean(embedded_text(event, felt.get(id)))
                whose = f"{model} kit {_EDITION}"
            else:
                text = embedded_text(event)
                whose = model if content_hash(text) == text_hash else f"{model} outward"
            texts[id] = SinkText(text, text_hash, whose)
        return texts

    def _felt(self, space: Space, ids: Sequence[str]) -> dict[str, Phenomenology | None]:
        """Return how some memories were lived."""
        kind = EntryKind.EXPERIENCE_ENRICHED
        entries = self._file.journal.by_keys(space, kind, enrichment_keys(ids))
        enrichments = combined_by_experience(entry.payload for entry in entries)
        return {id: enriched.phenomenology for id, enriched in enrichments.items()}

    def _vectors(
        self, space: Space, embedder: Embedder, texts: Mapping[str, SinkText]
    ) -> dict[str, Matrix]:
        """Return the vectors of texts by memory; those that are new are made and recorded."""
        store = self._file.space(space)
        table = VectorTable(store)
        recorded: dict[tuple[str, str], Matrix] = {}
        for model in {text.model for text in texts.values()}:
            hashes = [text.text_hash for text in texts.values() if text.model == model]
            stored = table.of_texts(model, hashes)
            recorded |= {(model, text_hash): rows for text_hash, rows in stored.items()}
        missing = {
            (text.model, text.text_hash): text.text
            for text in texts.values()
            if (text.model, text.text_hash) not in recorded
        }
        if not missing:
            return {id: recorded[text.model, text.text_hash] for id, text in texts.items()}
        made = embed(list(missing.values()), embedder, self._chunk_words)
        with self._file.writing(appends=False):
            for (model, text_hash), rows in zip(missing, made, strict=True):
                table.record(model, text_hash, rows)
        recorded |= dict(zip(missing, made, strict=True))
        return {id: recorded[text.model, text.text_hash] for id, text in texts.items()}


def _event(entry: Entry) -> Payload:
    assert isinstance(entry.payload, ExperienceCaptured)
    return recorded_event(entry.payload)


def _rows(entry: Entry, judgements: Judged, text: SinkText, vectors: Matrix) -> list[VectorRow]:
    event = _event(entry)
    return [
        VectorRow(
            seq=entry.seq,
            chunk=chunk,
            id=entry.id,
            kind=event["kind"],
            at=entry.at,
            person=event.get("person"),
            session=(event.get("session") or {}).get("key"),
            significance=judgements.significance,
            engagement=judgements.engagement,
            valence=judgements.valence,
            content=text.text.replace("\0", ""),
            embedding=vector,
        )
        for chunk, vector in enumerate(vectors)
    ]
