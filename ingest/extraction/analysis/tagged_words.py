"""A word of a sentence as the tagger sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A word: its text and place in the message, its part of speech and its part of a name.

    `tag` is of the Penn Treebank; `name` is O, or B or I with PER, LOC, ORG or OTHER.
    `lower` is the word in small letters, with a straight apostrophe.
    """

    text: str
    start: int
    end: int
    tag: str
    name: str
    lower: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", self.text.lower().replace("’", "'"))


def join(tokens: Sequence[TaggedWord]) -> str:
    """Return words as they were written, with the spaces that stood between them."""
    text, end = "", None
    for token in tokens:
        text += " " * (end is not None and token.start > end) + token.text
        end = token.end
    return text
