"""The pass of vectors: every experience's meaning, embedded once by the model in use.

What was captured while there was no embedder, or another one, is embedded when there is. Texts
that are known are not embedded again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..core.events import event_of, meaning_of
from ..core.ids import content_hash
from ..core.ports import Embedder
from ..core.types import Entry, EntryKind, Space
from ..graph import vectors
from ..graph.database import Connection
from ..graph.journal_file import JournalFile
from .embed import embed
from .work import Work, is_captured


class Vectorising:
    """Embeds what experiences say, and the questions that they anticipate."""

    version = 1

    def __init__(
        self,
        file: JournalFile,
        embedder: Callable[[], Embedder | None],
        chunk_words: int,
        batch: int,
    ) -> None:
        self.batch = batch
        self._file = file
        self._embedder = embedder
        self._chunk_words = chunk_words

    @property
    def name(self) -> str:
        """The projection that says how far the vectors of the model in use have come."""
        embedder = self._embedder()
        return f"vectors {embedder.model}" if embedder else "vectors"

    def until(self, space: Space) -> int:
        """Return the journal's end; without an embedder nothing can be done."""
        return 0 if self._embedder() is None else self._file.journal.head(space).seq

    def concerns(self, entry: Entry) -> bool:
        """Say whether an entry brings a text that is searched by meaning."""
        asks = entry.kind is EntryKind.QUESTIONS_ANTICIPATED and entry.payload is not None
        return asks or is_captured(entry)

    def work(self, space: Space, entries: Sequence[Entry]) -> Work:
        """Embed what is not embedded yet; `ModelMismatch` when the vectors are another model's."""
        embedder = self._embedder()
        if embedder is None:
            return Work()
        texts = {content_hash(text): text for entry in entries for text in _texts(entry)}
        number = self._file.journal.number(space)
        vectors.check_model(self._file.database, number, embedder.model)
        with self._file.database.reading() as connection:
            for text_hash in vectors.known(connection, number, embedder.model, list(texts)):
                del texts[text_hash]
        found = embed(list(texts.values()), embedder, self._chunk_words) if texts else []

        def write(connection: Connection, number: int) -> None:
            for text_hash, parts in zip(texts, found, strict=True):
                vectors.record(connection, number, embedder.model, text_hash, parts)

        return Work(write=write)


def _texts(entry: Entry) -> list[str]:
    if entry.kind is EntryKind.QUESTIONS_ANTICIPATED:
        return list((entry.payload or {})["questions"])
    return [meaning_of(event_of(entry))]
