"""The tagger: parts of speech and names of words, by linear heads over the encoder's states.

Each word is described by hashed features of its letters and neighbours, and by the states of its
word pieces and of its neighbours' where the light encoder is in use; without it the letters alone
decide. The weights were learned by bench/train_heads.py; data/tagger.json has their figures.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

_DATA = Path(__file__).parent / "data"
#: Hashed features are counted in so many rows, and each word has so many.
BUCKETS = 1 << 15
STATE_DIMENSION = 384

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LinearHead:
    """One linear head: labels, weights of hashed features (buckets, labels) and of states."""

    labels: tuple[str, ...]
    by_feature: Floats
    by_state: Floats

    def scores(self, features: NDArray[np.int64], states: Floats | None) -> Floats:
        """Return one score a label for every word, shape (words, labels)."""
        result: Floats = self.by_feature[features].sum(axis=1)
        return result if states is None else result + states @ self.by_state


def tag(words: Sequence[str], states: Floats | None) -> tuple[list[str], list[str]]:
    """Return a part of speech (Penn Treebank) and a name's label (O, B-PER, …) for each word.

    `states` has shape (words, 2, 384): the first piece of each word and the mean of its pieces,
    None without the encoder.
    """
    if not words:
        return [], []
    features = word_features(words)
    context = None if states is None else context_states(states)
    return (
        [_heads()["tags"].labels[place] for place in _best("tags", features, context)],
        [_heads()["names"].labels[place] for place in _best("names", features, context)],
    )


def _best(head: str, features: NDArray[np.int64], context: Floats | None) -> list[int]:
    best: list[int] = _heads()[head].scores(features, context).argmax(axis=1).tolist()
    return best


def word_features(words: Sequence[str]) -> NDArray[np.int64]:
    """Return the hashed features of each word of a sentence, shape (words, features)."""
    folded = ["^", *(word.lower().replace("’", "'") for word in words), "$"]
    rows = []
    for place, word in enumerate(words):
        before, own, after = folded[place : place + 3]
        names = (
            f"w={own}",
            f"s3={own[-3:]}",
            f"s2={own[-2:]}",
            f"sh={_shape(word)}{'^' * (place == 0)}",
            f"p={before}",
            f"n={after}",
            f"pw={before} {own}",
            f"wn={own} {after}",
            f"ps={before[-2:]}{own[-2:]}",
            f"pp={folded[place - 1] if place else '^'}",
            f"ns={after[-2:]}{own[-2:]}",
        )
        rows.append([crc32(name.encode()) % BUCKETS for name in names])
    return np.array(rows, np.int64)


def _shape(word: str) -> str:
    return (
        ("X" if word[:1].isupper() else "x")
        + "U" * (len(word) > 1 and word.isupper())
        + "d" * any(letter.isdigit() for letter in word)
        + "-" * ("-" in word)
        + "'" * ("'" in word or "’" in word)
    )


def word_states(
    spans: Sequence[tuple[int, int]], pieces: Floats, piece_spans: Sequence[tuple[int, int]]
) -> Floats:
    """Return the states of words from those of word pieces, shape (words, 2, 384).

    The spans are (start, end) in characters of one text, in order. A word beyond the encoder's
    length has zeros.
    """
    states = np.zeros((len(spans), 2, STATE_DIMENSION), np.float32)
    place = 0
    for row, (start, end) in enumerate(spans):
        while place < len(piece_spans) and piece_spans[place][1] <= start:
            place += 1
        last = place
        while last < len(piece_spans) and _overlap(piece_spans[last], (start, end)):
            last += 1
        if last > place:
            states[row, 0] = pieces[place]
            states[row, 1] = pieces[place:last].mean(axis=0)
    return states


def _overlap(first: tuple[int, int], other: tuple[int, int]) -> bool:
    return first[0] < other[1] and other[0] < first[1]


def context_states(states: Floats) -> Floats:
    """Return what the heads see of states: a word's own and its neighbours', (words, 1536)."""
    mean = states[:, 1]
    edge = np.zeros((1, STATE_DIMENSION), np.float32)
    before, after = np.vstack([edge, mean[:-1]]), np.vstack([mean[1:], edge])
    return np.hstack([states[:, 0], mean, before, after])


@cache
def _heads() -> dict[str, LinearHead]:
    described = json.loads((_DATA / "tagger.json").read_text("utf-8"))
    with np.load(_DATA / "tagger.npz") as weights:
        return {
            name: LinearHead(
                tuple(described[name]["labels"]),
                weights[f"{name}_features"].astype(np.float32) * described[name]["scale"],
                weights[f"{name}_states"].astype(np.float32),
            )
            for name in ("tags", "names")
        }
