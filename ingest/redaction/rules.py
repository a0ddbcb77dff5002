"""A rule that matches secrets of one kind by a regular expression, and the spans of its matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeAlias

from .rule_files import rule_file, split
from .secret_values import CHECKS


class SecretSpan(NamedTuple):
    """Where a secret stands in a text, and of which kind it is."""

    start: int
    end: int
    kind: str


Spans: TypeAlias = Iterator[SecretSpan]


@dataclass(frozen=True, eq=False)
class RedactionRule:
    """One rule of a file in `data/`, whose head says what each field means."""

    pattern: str
    kind: str = ""
    anchors: tuple[str, ...] = ()
    accept: Callable[[str], bool] = bool
    starts: tuple[str, ...] = ()
    secret_names: tuple[str, ...] = ()
    unsure_names: tuple[str, ...] = ()
    spaced: bool = False
    within: bool = False
    reader: str = "value"
    strip: str = ""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern, compiled at its first use: most texts need none."""
        return re.compile(self.pattern)

    def find(self, text: str) -> Spans:
        """Yield what the rule matches in `text`: the first group, or else the whole match."""
        group = min(self.regex.groups, 1)
        for match in self.regex.finditer(text):
            if self.accept(match[group]):
                yield SecretSpan(*match.span(group), self.kind)

    def matches(self, lowered: str) -> Iterator[re.Match[str]]:
        """Yield the matches in `lowered` that begin with one of `starts`, or all if it has none."""
        if not self.starts:
            yield from self.regex.finditer(lowered)
        for start in self.starts:
            place = lowered.find(start)
            while place >= 0:
                if self.within or place == 0 or not lowered[place - 1].isalnum():
                    match = self.regex.match(lowered, place)
                    if match:
                        yield match
                place = lowered.find(start, place + 1)


@cache
def read_rules(file: str, section: str = "rules") -> tuple[RedactionRule, ...]:
    """Return the rules in a section of a file, in order."""
    return tuple(map(_rule, rule_file(file)[section]))


def _rule(entry: Mapping[str, Any]) -> RedactionRule:
    fields = dict(entry)
    if "prefixes" in fields:
        fields["anchors"] = fields.pop("prefixes")
        begin = "|".join(map(re.escape, split(fields["anchors"])))
        fields["pattern"] = f"(?:{begin}){entry['pattern']}"
    for name in fields.keys() & {"anchors", "starts", "secret_names", "unsure_names"}:
        fields[name] = split(fields[name])
    return RedactionRule(**{**fields, "accept": CHECKS[fields.get("accept", "any")]})
