"""Build spaces of synthetic memories of any size, through the real journal and enrichment.

Sessions of about twenty messages among ten people, about one topic each; words follow Zipf's law
over a vocabulary of 30,000. Only the sentence encoder is replaced: a text's vector is the sum of
its words' vectors, which cluster by topic. The texts mean nothing, so nothing here can tell how
good recall is, only how long it takes.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meridia.core.events import parse_event
from meridia.core.settings import EmbeddingSettings, JournalSettings, Settings
from meridia.core.types import Filters, Space
from meridia.graph.adjacency import Adjacency
from meridia.ingest.capture.service import CaptureService
from meridia.ingest.enrichment.worker import EnrichmentWorker
from meridia.storage.store import Store, open_store
from meridia.storage.vectors import VectorIndexes

SPACE = Space("synthetic")
PEOPLE = ("Dana", "Ravi", "Mina", "Oskar", "Leila", "Tomas", "Ines", "Yuki", "Amara", "Piet")
_VOCABULARY, _TOPICS = 30_000, 200
#: Zipf–Mandelbrot: the n-th word is as frequent as 1 / (n + offset).
_ZIPF_OFFSET = 10.0
#: Shares of a message's words that are stop words, and that belong to the session's topic.
_STOP_SHARE, _TOPIC_SHARE = 0.45, 0.2
_STOP_WORDS = ("the", "a", "to", "and", "of", "in", "it", "that", "was", "for", "my", "we", "but")
_BATCH = 1000
#: Shares of the energy of words' vectors in the first 32, 64, 96, 128 and all directions. Those of
#: texts have about as much in so many as the bundled encoder's: .51, .66, .75 and .82.
_ENERGY = (0.45, 0.54, 0.61, 0.68, 1.0)
#: Part of the names of cached files: raised when what is built changes.
_EDITION = 2


class Language:
    """A made-up language: pronounceable words, how often each comes, and its topic."""

    def __init__(self, seed: int = 0) -> None:
        draw = random.Random(seed)
        syllables = [c + v for c in "bdfgklmnprtvz" for v in ("a", "i", "o", "u", "ar", "on")]
        words: dict[str, None] = {}
        while len(words) < _VOCABULARY:
            words["".join(draw.choices(syllables, k=draw.randint(2, 4)))] = None
        self.words = list(words)
        self.topic_of = np.random.default_rng(seed).integers(0, _TOPICS, _VOCABULARY)
        self._index = {word: place for place, word in enumerate(self.words)}
        self._share = np.cumsum(1.0 / (np.arange(_VOCABULARY) + _ZIPF_OFFSET))
        self._of_topic = [np.flatnonzero(self.topic_of == topic) for topic in range(_TOPICS)]

    def message(self, draw: np.random.Generator, topic: int) -> str:
        """Write a message of 12 to 25 words."""
        count = int(draw.integers(12, 26))
        kind = draw.random(count)
        usual = np.searchsorted(self._share, draw.random(count) * self._share[-1])
        special = draw.choice(self._of_topic[topic], count)
        stop = draw.integers(0, len(_STOP_WORDS), count)
        chosen = [
            _STOP_WORDS[stop[i]]
            if kind[i] < _STOP_SHARE
            else self.words[special[i] if kind[i] > 1 - _TOPIC_SHARE else usual[i]]
            for i in range(count)
        ]
        return " ".join(chosen).capitalize() + ("?" if draw.random() < 0.2 else ".")

    def indices(self, text: str) -> list[int]:
        """Return the places in the vocabulary of the words of a text; others are left out."""
        bare = (word.strip("?.,").lower() for word in text.split())
        return [self._index[word] for word in bare if word in self._index]


class SyntheticEmbedder:
    """Stands for the sentence encoder: unit vectors, the same text always the same, quick.

    Their energy lies in as few directions as that of the encoder's.
    """

    dimension = 384
    model = "synthetic-bag-of-words:384"

    def __init__(self, language: Language) -> None:
        self._language = language

    @cached_property
    def _vectors(self) -> NDArray[np.float32]:
        draw = np.random.default_rng(1)
        topics = draw.standard_normal((_TOPICS, self.dimension), np.float32)
        own = draw.standard_normal((_VOCABULARY, self.dimension), np.float32)
        ends = np.array([0, 32, 64, 96, 128, self.dimension])
        each = np.diff(_ENERGY, prepend=0.0) / np.diff(ends)
        lengths = np.repeat(np.sqrt(each * self.dimension), np.diff(ends)).astype(np.float32)
        return (topics[self._language.topic_of] + own) * lengths

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, shape (len(texts), 384)."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            places = self._language.indices(text)
            vectors[row] = self._vectors[places].sum(axis=0)
        vectors[:, 0] += 1e-3
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


@dataclass(frozen=True, slots=True)
class SyntheticSpace:
    """An open synthetic space with the parts that recall needs."""

    file: Store
    adjacency: Adjacency
    indexes: VectorIndexes
    enrichment: EnrichmentWorker
    embedder: SyntheticEmbedder
    language: Language

    def questions(self, count: int, seed: int = 7) -> list[str]:
        """Make questions from the words of random memories; every other one names a person."""
        draw, last = random.Random(seed), self.file.journal.head(SPACE).seq
        texts: list[str] = []
        while len(texts) < count:
            page = self.file.catalog.page(SPACE, Filters(), draw.randrange(last), 1)
            text = " ".join(memory.text for memory in page.memories)
            places = list(dict.fromkeys(self.language.indices(text)))
            if len(places) < 3:
                continue
            picked = draw.sample(places, min(len(places), draw.randint(3, 6)))
            words = " ".join(self.language.words[place] for place in picked)
            asked = draw.choice(PEOPLE) if len(texts) % 2 else "we"
            texts.append(f"What did {asked} say about {words}?")
        return texts


def events(count: int, language: Language, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Yield events in the native form, session after session."""
    draw = np.random.default_rng(seed)
    at, made, session = datetime(2024, 1, 1, tzinfo=UTC), 0, 0
    while made < count:
        topic, (first, second) = int(draw.integers(_TOPICS)), draw.choice(PEOPLE, 2, replace=False)
        for turn in range(int(draw.integers(15, 26))):
            if made == count:
                return
            yield {
                "kind": "user_message",
                "id": f"s{session}-{turn}",
                "ts": at.isoformat(),
                "session": {"key": f"s{session}"},
                "person": str(second if turn % 2 else first),
                "payload": {"text": language.message(draw, topic)},
            }
            made, at = made + 1, at + timedelta(minutes=1)
        session, at = session + 1, at + timedelta(hours=3)


@contextmanager
def opened(path: Path, language: Language) -> Iterator[SyntheticSpace]:
    """Open the parts of a synthetic space's file."""
    # Building is not what is measured: it need not survive a power loss.
    settings = Settings(
        journal=JournalSettings(synchronous="normal"), embedding=EmbeddingSettings(batch=_BATCH)
    )
    file = open_store(path, settings)
    embedder = SyntheticEmbedder(language)
    indexes = VectorIndexes(file)
    enrichment = EnrichmentWorker(file, lambda: embedder, indexes, settings)
    adjacency = Adjacency(file)
    try:
        yield SyntheticSpace(file, adjacency, indexes, enrichment, embedder, language)
    finally:
        file.close()


def built(count: int, folder: Path, language: Language) -> Path:
    """Return the file of a space of `count` memories in `folder`, building it if need be."""
    path = folder / f"synthetic-{count}-{_EDITION}.db"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="building-") as place:
        pending = Path(place) / path.name
        with opened(pending, language) as space:
            capture = CaptureService(space.file)
            remaining = events(count, language)
            while batch := [parse_event(event) for event in islice(remaining, _BATCH)]:
                capture.capture_atomically(SPACE, batch)
                space.enrichment.catch_up(SPACE)
            space.adjacency.catch_up(SPACE)
        # Closing the last connection folded the write-ahead log into the file.
        pending.replace(path)
    return path


def main() -> None:
    """Build a space and say how long that took."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--size", type=int, default=10_000, help="how many memories")
    parser.add_argument("--work", type=Path, required=True, help="the folder to keep it in")
    arguments = parser.parse_args()
    started = time.perf_counter()
    path = built(arguments.size, arguments.work, Language())
    print(f"{path}: {path.stat().st_size / 1e6:.0f} MB, {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
