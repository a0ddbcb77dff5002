"""Stand-ins for what tests may not depend on: the time, chance, and a model of language."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meridia.core.settings import RecallSettings, Settings
from meridia.core.types import Space
from meridia.models.tokens import Encoded
from meridia.storage.space_caches import SpaceCache
from meridia.storage.space_scope import SpaceScope
from meridia.storage.store import SpaceStore, Store, open_store

START = datetime(2026, 3, 1, 10, tzinfo=UTC)


#: Answers wait for enrichment, so that tests of what is derived see it.
WAITING = Settings(recall=RecallSettings(wait_s=60))


def waiting(settings: Settings) -> Settings:
    """Return the same settings, with answers that wait for enrichment."""
    recall = settings.recall.model_copy(update={"wait_s": WAITING.recall.wait_s})
    return settings.model_copy(update={"recall": recall})


class TickingClock:
    """A clock that moves by one step whenever somebody looks at it."""

    def __init__(self, start: datetime = START, step: timedelta = timedelta(seconds=1)) -> None:
        self.now = start
        self.step = step

    def __call__(self) -> datetime:
        current, self.now = self.now, self.now + self.step
        return current


class SeededBytes:
    """Random bytes that are the same in every run."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def __call__(self, count: int) -> bytes:
        return self._random.randbytes(count)


class FakeEmbedder:
    """Hashes each word into one of 16 dimensions: texts that share words are near each other."""

    dimension = 16

    def __init__(self, model: str = "fake-bag-of-words:16:1") -> None:
        self.model = model
        #: Every text that was asked for, in order.
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.extend(texts)
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for word in text.casefold().split() or [""]:
                digest = hashlib.blake2b(word.encode("utf-8"), digest_size=8).digest()
                vectors[row, digest[0] % self.dimension] += 1 + digest[1] / 256
        rows: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return rows


class OneByOne:
    """The other methods of an encoder that has `encode` alone: a word piece is a word."""

    pieces_max = 256
    encode: Callable[[str], Encoded]

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        return [self.encode(text) for text in texts]

    def piece_starts(self, text: str) -> Sequence[int]:
        return [match.start() for match in re.finditer(r"\w+", text)]


@contextmanager
def private_journal() -> Iterator[Store]:
    """Open a journal that disappears again, for properties that need a new one for each example."""
    file = open_store(None, Settings(), TickingClock(), SeededBytes())
    try:
        yield file
    finally:
        file.close()


def numbered(file: Store, number: int = 1) -> SpaceStore:
    """Return the store of a space by its number, whether anything was written to it or not."""
    scope = SpaceScope(file.database, number)
    held = SpaceCache[Any](file.caches)
    return SpaceStore(Space(f"space {number}"), scope, file.analyser, file.clock, held, file.arrays)
