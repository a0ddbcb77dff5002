"""The data of redaction: word lists and patterns of `data/`, read when they are first needed.

Every file says at its top what its fields mean. This module judges no value and knows no event.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_DATA = Path(__file__).parent / "data"
_REFERENCE = re.compile(r"\(\?&(\w+)\)")


@cache
def rule_file(name: str) -> Mapping[str, Any]:
    """Return `data/{name}.toml`."""
    return tomllib.loads((_DATA / f"{name}.toml").read_text("utf-8"))


def split(group: str | list[str]) -> tuple[str, ...]:
    """Return words that are written as one text, or as a list where they hold spaces."""
    return tuple(group.split() if isinstance(group, str) else group)


@cache
def words(file: str, key: str) -> frozenset[str]:
    """Return a word list of a file."""
    return frozenset(split(rule_file(file)[key]))


@cache
def kinds(file: str, section: str) -> Mapping[str, str]:
    """Return the kind of secret by word, from a section that lists words by kind."""
    listed = rule_file(file)[section].items()
    return {word: kind for kind, group in listed for word in split(group)}


@cache
def pattern(file: str, key: str) -> re.Pattern[str]:
    """Return a pattern of a file, compiled; `(?&name)` in it is the file's pattern of that name."""
    table = rule_file(file)
    text = table[key]
    while _REFERENCE.search(text):
        text = _REFERENCE.sub(lambda name: f"(?:{table[name[1]]})", text)
    return re.compile(text)
