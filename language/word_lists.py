"""Lists of words, each under its name in `data/words.toml`. Nothing is matched here."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_LISTS = tomllib.loads((Path(__file__).parent / "data" / "words.toml").read_text("utf-8"))


def word_list(name: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(_LISTS[name].split())


def phrase_list(name: str) -> list[str]:
    """Return the phrases of a list, which stand between commas and ends of lines."""
    return [phrase.strip() for phrase in re.split(r"[,\n]", _LISTS[name].strip())]


def word_rows(name: str) -> dict[str, tuple[str, ...]]:
    """Return the words under each heading of a table."""
    return {heading: tuple(words.split()) for heading, words in _LISTS[name].items()}


def word_table(name: str) -> dict[str, str]:
    """Return under which heading of a table each of its words stands."""
    return {word: heading for heading, words in word_rows(name).items() for word in words}
