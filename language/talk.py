"""What a conversation tells of each of its sentences: rarity, echo, news, place.

Counts the words of a talk, in order. Everything is a function of what was said.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from .analyser import Analyser
from .sentences import COMMON_TALK

#: Marks of orders, which say nothing of what would be mentioned.
_UNRANKED = frozenset(
    {"please", "body", "may", "order", "no more", "says you", "must", "always", "rather", "any"}
    | {"wants you", "exclamation", "congratulates", "once", "so order", "reports", "condition"}
    | {"not but", "to others", "own act", "single", "recurs", "last time", "lets off"}
)
_ORDERS = frozenset({"instruction", "withdrawal", "asked"})
#: A word weighs as much as it is rarer than this share of the rarest.
_COMMON = 0.35


@dataclass(frozen=True, slots=True)
class TurnSentence:
    """One sentence of a talk: its marks, what it does, its content words as stems, in order."""

    marks: tuple[str, ...]
    kinds: Mapping[str, float]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a talk: who speaks, in which session, and its sentences."""

    speaker: str
    session: str | None
    sentences: Sequence[TurnSentence]

    @property
    def words(self) -> frozenset[str]:
        """The content words of all its sentences."""
        return frozenset(word for sentence in self.sentences for word in sentence.words)


class Rarity:
    """How rare words are in a talk, 0 (in most turns) to 1 (in one turn)."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._count = max(len(turns), 2)
        self._often = Counter(word for turn in turns for word in turn.words)

    def __call__(self, word: str) -> float:
        """Return how rare a word is."""
        often = self._often.get(word, 1)
        return math.log(1 + (self._count - often + 0.5) / (often + 0.5)) / math.log(
            1 + (self._count - 0.5) / 1.5
        )

    def mass(self, word: str) -> float:
        """Return what a word weighs when words are compared; nothing where it is common."""
        return 0.0 if word in common_stems() else max(0.0, self(word) - _COMMON)


@cache
def common_stems() -> frozenset[str]:
    """Return the stems of the English words that talk is made of, whatever it is about."""
    return COMMON_TALK | frozenset(Analyser("english").terms(" ".join(COMMON_TALK)))


def features_of(turns: Sequence[Turn]) -> list[list[dict[str, float]]]:
    """Return for each sentence of each turn what the ranker weighs, by name."""
    rarity = Rarity(turns)
    by_session: dict[str | None, list[int]] = defaultdict(list)
    for place, turn in enumerate(turns):
        by_session[turn.session].append(place)
    earlier: set[str] = set()
    rows: list[list[dict[str, float]]] = [[] for _ in turns]
    for places in by_session.values():
        here: set[str] = set()
        firsts: Counter[str] = Counter()
        for at, place in enumerate(places):
            turn = turns[place]
            before = turns[places[at - 1]].words if at else frozenset()
            after = turns[places[at + 1]] if at + 1 < len(places) else None
            firsts[turn.speaker] += 1
            for number, sentence in enumerate(turn.sentences):
                rows[place].append(
                    _features(sentence, rarity, before, after, earlier, here)
                    | {
                        "place in session": at / max(len(places) - 1, 1),
                        "first turn": float(firsts[turn.speaker] == 1),
                        "second turn": float(firsts[turn.speaker] == 2),
                        "sentences": min(1.0, len(turn.sentences) / 6),
                        "first sentence": float(number == 0),
                    }
                )
            here |= turn.words
        earlier |= here
    return rows


def _features(
    sentence: TurnSentence,
    rarity: Rarity,
    before: frozenset[str],
    after: Turn | None,
    earlier: set[str],
    here: set[str],
) -> dict[str, float]:
    words = dict.fromkeys(sentence.words)
    masses = {word: rarity.mass(word) for word in words}
    rare = {word for word, mass in masses.items() if mass > 0}
    echoed = rare & after.words if after else set()
    features = {mark: 1.0 for mark in sentence.marks if mark not in _UNRANKED}
    features |= {f"is {kind}": by for kind, by in sentence.kinds.items() if kind not in _ORDERS}
    features["rarest"] = max(masses.values(), default=0.0)
    features["rare mass"] = min(1.5, sum(masses.values()) / 3)
    features["words"] = min(1.5, len(words) / 8)
    features["echoed"] = min(3, len(echoed)) / 3
    features["known"] = min(3, len(rare & earlier)) / 3
    features["new here"] = min(4, len(rare - here - earlier)) / 4
    features["shared before"] = min(3, len(words.keys() & before)) / 3
    if after and any("congratulates" in each.marks for each in after.sentences[:2]):
        features["congratulated"] = 1.0
    return features
