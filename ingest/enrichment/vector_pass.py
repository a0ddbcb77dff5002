"""The vector pass: every experience is embedded once by the model in use.

Experiences captured without an embedder, or with another one, are embedded when there is one. Known
texts are not embedded again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...core.entries import QuestionsAnticipated
from ...core.events import captions_of, embedding_text_of, event_of, text_of
from ...core.ids import content_hash
from ...core.runs.tool_calls import Event
from ...core.types import Entry, EntryKind, Space
from ...models.encoder_ports import Embedder, TokenEmbedder
from ...models.encoding_cache import EncodingCache
from ...models.tokens import PIECES_MAX, Matrix, Small, compress, content_pieces
from ...storage.space_store import SpaceStore
from ...storage.store import Store
from ...storage.token_vectors import TokenVectors
from ...storage.vectors import VectorTable
from ..enrichment_state import vectors_of
from .passes import PassResult, is_captured
from .text_chunks import embed, split_chunks


class VectorPass:
    """Embeds what experiences say, whole and by the word, and the questions they anticipate."""

    def __init__(
        self,
        file: Store,
        embedder: Callable[[], Embedder | None],
        encodings: EncodingCache,
        chunk_words: int,
        batch: int,
    ) -> None:
        self.batch = batch
        self._file = file
        self._embedder = embedder
        self._encodings = encodings
        self._chunk_words = chunk_words
        self._other_model_allowed: set[Space] = set()

    def allow_other_model(self, space: Space) -> None:
        """Let vectors of the model in use be made beside those of another."""
        self._other_model_allowed.add(space)

    @property
    def name(self) -> str:
        """The projection that says how far the vectors of the model in use have come."""
        return vectors_of(self._embedder())[0]

    @property
    def version(self) -> int:
        """Which edition of the pass this is."""
        return vectors_of(None)[1]

    def until(self, space: Space) -> int:
        """Return the journal's end; without an embedder nothing can be done."""
        return 0 if self._embedder() is None else self._file.journal.head(space).seq

    def concerns(self, entry: Entry) -> bool:
        """Say whether an entry brings a text that is searched by meaning."""
        return isinstance(entry.payload, QuestionsAnticipated) or is_captured(entry)

    def work(self, space: Space, entries: Sequence[Entry]) -> PassResult:
        """Embed what is not embedded yet; `ModelMismatch` when the vectors are another model's."""
        embedder = self._embedder()
        if embedder is None:
            return PassResult()
        texts = {content_hash(text): text for entry in entries for text in _texts(entry)}
        recorded = VectorTable(self._file.space(space))
        if space not in self._other_model_allowed:
            recorded.check_model(embedder.model)
        for text_hash in recorded.embedded_hashes(embedder.model, list(texts)):
            del texts[text_hash]
        tokens: list[tuple[int, Small]] = []
        matrices: dict[str, Matrix] = {}
        if isinstance(embedder, TokenEmbedder):
            events = [
                (int(entry.seq), event_of(entry))
                for entry in entries
                if entry.kind is not EntryKind.QUESTIONS_ANTICIPATED
            ]
            tokens = self._token_rows(events, embedder)
            matrices = self._chunk_rows([event for _, event in events], texts, embedder)
        missing = {hashed: text for hashed, text in texts.items() if hashed not in matrices}
        embedded = embed(list(missing.values()), embedder, self._chunk_words) if missing else []
        matrices |= dict(zip(missing, embedded, strict=True))

        def write(space_store: SpaceStore) -> None:
            vectors, token_vectors = VectorTable(space_store), TokenVectors(space_store)
            for text_hash, chunk_rows in matrices.items():
                vectors.record(embedder.model, text_hash, chunk_rows)
            for seq, rows in tokens:
                token_vectors.record(embedder.model, seq, rows)

        return PassResult(write=write)

    def _token_rows(
        self, events: Sequence[tuple[int, Event]], encoder: TokenEmbedder
    ) -> list[tuple[int, Small]]:
        """Return the token vectors of events, by sequence.

        Captions have token vectors of their own; of a long text, those of its first part are kept.
        """
        texts_of_events = []
        for seq, event in events:
            first = split_chunks(embedding_text_of(event), self._chunk_words, encoder)[0]
            texts_of_events.append((seq, [first, *(captions_of(event) if text_of(event) else ())]))
        self._encodings.prepare(text for _, texts in texts_of_events for text in texts)
        tokens = []
        for seq, texts in texts_of_events:
            rows = [
                encoding.pieces[
                    [p for p, _ in content_pieces(text, encoding.spans, self._file.analyser)]
                ]
                for text, encoding in zip(texts, self._encodings.encode_all(texts), strict=True)
            ]
            tokens.append((seq, compress(np.concatenate(rows)[:PIECES_MAX])))
        return tokens

    def _chunk_rows(
        self, events: Sequence[Event], wanted: Mapping[str, str], encoder: TokenEmbedder
    ) -> dict[str, Matrix]:
        """Return the vectors of events by the hash of their text, of those that are wanted.

        The first part of each is encoded already; of the others nothing but the vector is held.
        """
        texts = {content_hash(text): text for text in map(embedding_text_of, events)}
        chunks = {
            hashed: split_chunks(text, self._chunk_words, encoder)
            for hashed, text in texts.items()
            if hashed in wanted
        }
        rest = dict.fromkeys(chunk for mine in chunks.values() for chunk in mine[1:])
        vectors = dict(zip(rest, self._encodings.vectors(list(rest)), strict=True))
        return {
            hashed: np.stack(
                [self._encodings.encode_all(mine[:1])[0].vector, *(vectors[p] for p in mine[1:])]
            )
            for hashed, mine in chunks.items()
        }


def _texts(entry: Entry) -> list[str]:
    if isinstance(entry.payload, QuestionsAnticipated):
        return list(entry.payload.questions)
    return [embedding_text_of(event_of(entry))]
