"""The vector pass: every experience is embedded once by the model in use.

Experiences captured without an embedder, or with another one, are embedded when there is one. Known
texts are not embedded again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from ...core.entries import QuestionsAnticipated
from ...core.errors import Unavailable
from ...core.events import captions_of, embedding_text_of, event_of, text_of
from ...core.ids import content_hash
from ...core.runs.tool_calls import Event
from ...core.types import Entry, EntryKind, Space
from ...models.encoder_ports import Embedder, TokenEmbedder
from ...models.encoding_cache import EncodingCache
from ...models.tokens import PIECES_MAX, Encoded, Matrix, Small, compress, content_pieces
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
            for entry in entries:
                if entry.kind is not EntryKind.QUESTIONS_ANTICIPATED:
                    wanted = texts.keys() - matrices.keys()
                    chunk_rows, token_rows = self._encoded(event_of(entry), wanted)
                    matrices |= chunk_rows
                    tokens.append((int(entry.seq), token_rows))
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

    def _encoded(self, event: Event, wanted: AbstractSet[str]) -> tuple[dict[str, Matrix], Small]:
        """Return an event's vectors by the hash of its text, if that is wanted, and its tokens'.

        One run of the model a part gives both. Captions have token vectors of their own; of a long
        text, those of its first part are kept.
        """
        text = embedding_text_of(event)
        text_hash, chunks = content_hash(text), split_chunks(text, self._chunk_words)
        # Of a text whose vectors are known, the first part alone is looked at again.
        wanted_chunks = chunks if text_hash in wanted else chunks[:1]
        encoded = [self._encode(chunk) for chunk in wanted_chunks]
        pieces = [(chunks[0], encoded[0])]
        if text_of(event):
            pieces += [(caption, self._encode(caption)) for caption in captions_of(event)]
        analyser = self._file.analyser
        token_rows = [
            encoding.pieces[
                [place for place, _ in content_pieces(piece_text, encoding.spans, analyser)]
            ]
            for piece_text, encoding in pieces
        ]
        rows = np.concatenate(token_rows)[:PIECES_MAX]
        vectors_by_hash = {text_hash: np.stack([encoding.vector for encoding in encoded])}
        return (vectors_by_hash if text_hash in wanted else {}), compress(rows)

    def _encode(self, text: str) -> Encoded:
        encoded = self._encodings.encode(text)
        if encoded is None:
            raise Unavailable("the sentence encoder was turned off while it was in use")
        return encoded


def _texts(entry: Entry) -> list[str]:
    if isinstance(entry.payload, QuestionsAnticipated):
        return list(entry.payload.questions)
    return [embedding_text_of(event_of(entry))]
