"""The tagger: parts of speech and names of words, by linear heads over the encoder's states.

Each word is described by hashed features of its letters and neighbours, and by the states of its
word pieces and of its neighbours' where the light encoder is in use; without it the letters alone
decide. The weights were learned by bench/train_tagger.py; data/tagger.json has their figures.
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

from .products import product

_DATA = Path(__file__).parent / "data"
#: Hashed features are counted in so many rows, and each word has so many.
BUCKETS = 1 << 15
STATE_DIMENSION = 384

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Heads:
    """Both heads side by side: labels, weights of hashed features (buckets, labels), of states."""

    tags: tuple[str, ...]
    names: tuple[str, ...]
    by_feature: Floats
    by_state: Floats


def tag(words: Sequence[str], states: Floats | None) -> tuple[list[str], list[str]]:
    """Return a part of speech (Penn Treebank) and a name's label (O, B-PER, …) for each word.

    `states` has shape (words, 2, 384): the first piece of each word and the mean of its pieces,
    None without the encoder.
    """
    if not words:
        return [], []
    heads = _heads()
    scores = heads.by_feature[word_features(words)].sum(axis=1)
    if states is not None:
        scores += product(context_states(states), heads.by_state)
    parts, names = np.hsplit(scores, [len(heads.tags)])
    return (
        [heads.tags[place] for place in parts.argmax(axis=1).tolist()],
        [heads.names[place] for place in names.argmax(axis=1).tolist()],
    )


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
            several = last > place + 1
            states[row, 1] = pieces[place:last].mean(axis=0) if several else pieces[place]
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
def _heads() -> _Heads:
    described = json.loads((_DATA / "tagger.json").read_text("utf-8"))
    heads = ("tags", "names")
    with np.load(_DATA / "tagger.npz") as weights:
        by_feature = [
            weights[f"{head}_features"].astype(np.float32) * described[head]["scale"]
            for head in heads
        ]
        by_state = [weights[f"{head}_states"].astype(np.float32) for head in heads]
    labels = [tuple(described[head]["labels"]) for head in heads]
    return _Heads(labels[0], labels[1], np.hstack(by_feature), np.hstack(by_state))
