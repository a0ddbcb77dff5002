"""The rules of redaction: word lists, patterns and rules of `data/`, read when first needed.

Every file says at its top what its fields mean. This module judges no value and knows no event.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

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
    return re.compile(_whole(file, rule_file(file)[key]))


def _whole(file: str, text: str) -> str:
    table = rule_file(file)
    while _REFERENCE.search(text):
        text = _REFERENCE.sub(lambda name: f"(?:{table[name[1]].strip()})", text)
    return text


class SecretSpan(NamedTuple):
    """Where a secret stands in a text, and of which kind it is."""

    start: int
    end: int
    kind: str


Spans: TypeAlias = Iterator[SecretSpan]


class Ruled(NamedTuple):
    """What a rule found: where, of which kind, and what sort of rule it was."""

    start: int
    end: int
    kind: str
    sort: str


@dataclass(frozen=True, eq=False)
class RedactionRule:
    """One rule of a file in `data/`, whose head says what each field means."""

    pattern: str
    kind: str = ""
    anchors: tuple[str, ...] = ()
    accept: str = "any"
    starts: tuple[str, ...] = ()
    secret_names: tuple[str, ...] = ()
    unsure_names: tuple[str, ...] = ()
    spaced: bool = False
    apart: bool = False
    within: bool = False
    reader: str = "value"
    strip: str = ""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern, compiled at its first use: most texts need none."""
        return re.compile(self.pattern)

    def matches(self, lowered: str) -> Iterator[re.Match[str]]:
        """Yield the matches in `lowered` that begin with one of `starts`, or all if it has none."""
        if not self.starts:
            yield from self.regex.finditer(lowered)
        for start in self.starts:
            place = lowered.find(start)
            within = self.within or not start[0].isalnum()
            while place >= 0:
                if within or place == 0 or not lowered[place - 1].isalnum():
                    match = self.regex.match(lowered, place)
                    if match:
                        yield match
                place = lowered.find(start, place + 1)


@cache
def read_rules(file: str, section: str = "rules") -> tuple[RedactionRule, ...]:
    """Return the rules in a section of a file, in order."""
    return tuple(_rule(file, entry) for entry in rule_file(file)[section])


def _rule(file: str, entry: Mapping[str, Any]) -> RedactionRule:
    fields = {**entry, "pattern": _whole(file, entry["pattern"])}
    if "prefixes" in fields:
        fields["anchors"] = fields.pop("prefixes")
        begin = "|".join(map(re.escape, split(fields["anchors"])))
        fields["pattern"] = f"(?:{begin}){entry['pattern']}"
    for name in fields.keys() & {"anchors", "starts", "secret_names", "unsure_names"}:
        group = fields[name]
        listed = _REFERENCE.fullmatch(group) if isinstance(group, str) else None
        fields[name] = split(rule_file(file)[listed[1]] if listed else group)
    return RedactionRule(**fields)
