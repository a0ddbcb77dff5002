"""The vector pass: every experience is embedded once by the model in use.

Experiences captured without an embedder, or with another one, are embedded when there is one. Known
texts are not embedded again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

import numpy as np

from ...core.entries import QuestionsAnticipated
from ...core.events import captions_of, embedding_text_of, event_of, text_of
from ...core.ids import content_hash
from ...core.types import Entry, EntryKind, Space
from ...language.analyser import content_pieces
from ...language.runs.tool_calls import Event
from ...models.embedder import EncodingCache
from ...models.tokens import (
    Embedder,
    Encoded,
    Matrix,
    Small,
    TokenEmbedder,
    compress,
    embed,
    joined,
    split_chunks,
)
from ...storage.store import SpaceStore, Store
from ...storage.vectors import TokenVectors, VectorTable
from ..enrichment_state import vectors_of
from .passes import NOTHING, PassResult, is_captured


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
        """Return whether an entry brings a text that is searched by meaning."""
        return isinstance(entry.payload, QuestionsAnticipated) or is_captured(entry)

    def work(self, space: Space, entries: Sequence[Entry]) -> PassResult:
        """Embed what is not embedded yet; `ModelMismatch` when the vectors are another model's."""
        embedder = self._embedder()
        if embedder is None:
            return NOTHING
        texts = {content_hash(text): text for entry in entries for text in _texts(entry)}
        recorded = VectorTable(self._file.space(space))
        if space not in self._other_model_allowed:
            recorded.check_model(embedder.model)
        for text_hash in recorded.embedded_hashes(embedder.model, list(texts)):
            del texts[text_hash]
        tokens: dict[int, Small] = {}
        matrices: dict[str, Matrix] = {}
        if isinstance(embedder, TokenEmbedder):
            events = {
                int(entry.seq): event_of(entry)
                for entry in entries
                if entry.kind is not EntryKind.QUESTIONS_ANTICIPATED
            }
            matrices, tokens = self._by_passage(events, embedder)
            matrices = {hashed: rows for hashed, rows in matrices.items() if hashed in texts}
        missing = {hashed: text for hashed, text in texts.items() if hashed not in matrices}
        embedded = embed(list(missing.values()), embedder, self._chunk_words) if missing else []
        matrices |= dict(zip(missing, embedded, strict=True))

        def write(space_store: SpaceStore) -> None:
            vectors, token_vectors = VectorTable(space_store), TokenVectors(space_store)
            for text_hash, chunk_rows in matrices.items():
                vectors.record(embedder.model, text_hash, chunk_rows)
            for seq, rows in tokens.items():
                token_vectors.record(embedder.model, seq, rows)

        return (), write

    def _by_passage(
        self, events: Mapping[int, Event], encoder: TokenEmbedder
    ) -> tuple[dict[str, Matrix], dict[int, Small]]:
        """Return the vectors of the passages of events, by the hash of their text, and token rows.

        Token rows are by sequence, those of a passage behind a row of zeros; captions have some of
        their own, beside the first passage. First passages are held for other stages.
        """
        texts = {seq: embedding_text_of(event) for seq, event in events.items()}
        passages = {text: split_chunks(text, self._chunk_words, encoder) for text in texts.values()}
        captions = {
            seq: list(captions_of(event)) if text_of(event) else [] for seq, event in events.items()
        }
        firsts = [mine[0] for mine in passages.values()]
        firsts += chain.from_iterable(captions.values())
        self._encodings.prepare(firsts)
        made = dict(
            zip(
                firsts,
                map(self._compressed, firsts, self._encodings.encode_all(firsts)),
                strict=True,
            )
        )
        rest = dict.fromkeys(passage for mine in passages.values() for passage in mine[1:])
        for text, encoded in self._encodings.passing(list(rest)):
            made[text] = self._compressed(text, encoded)
        tokens = {}
        for seq, text in texts.items():
            first, *others = passages[text]
            groups = [np.concatenate([made[t][1] for t in (first, *captions[seq])])]
            tokens[seq] = joined([*groups, *(made[passage][1] for passage in others)])
        vectors = {
            content_hash(text): np.stack([made[passage][0] for passage in mine])
            for text, mine in passages.items()
        }
        return vectors, tokens

    def _compressed(self, text: str, encoded: Encoded) -> tuple[Matrix, Small]:
        """Return the vector of a text, and the rows of its content words."""
        places = [place for place, _ in content_pieces(text, encoded.spans, self._file.analyser)]
        return encoded.vector, compress(encoded.pieces[places])


def _texts(entry: Entry) -> list[str]:
    if isinstance(entry.payload, QuestionsAnticipated):
        return list(entry.payload.questions)
    return [embedding_text_of(event_of(entry))]
