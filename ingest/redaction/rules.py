"""The rules of redaction: word lists, patterns and rules of `data/`, read when first needed.

Every file says at its top what its fields mean. This module judges no value and knows no event.

Names of things that hold secrets: `password`, `dbPassword`, `X-Api-Key`, `AWS_SECRET_KEY`.

A name is judged by its words, and the last word decides: `token_count` counts, `access_token` opens
doors. This module reads names only; what stands beside a name is for others to judge.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
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
    reader: str = "value"

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern, compiled at its first use: most texts need none."""
        return re.compile(self.pattern)


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
    return RedactionRule(**{**fields, "anchors": split(fields.get("anchors", ""))})


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORD_WIDE = re.compile(r"[^\W_]+")
_NAME_CHARS_MAX = 80
#: Shorter texts hold no secret that could be told from a word.
TEXT_CHARS_MIN = 5
#: Shorter single words are no secrets in themselves.
_WORD_CHARS_MAX = 16


class Sensitivity(NamedTuple):
    """What a name says of its value: of which kind it is, and whether it always is a secret."""

    kind: str
    sure: bool = True


class SecretNames:
    """The names that hold secrets: those of the rules, and those of a policy."""

    def __init__(self, sensitive: Iterable[str] = (), allowed: Iterable[str] = ()) -> None:
        self._sensitive = frozenset(map(split_name, sensitive))
        self._allowed = frozenset(map(split_name, allowed))
        more = {max(name, key=len) for name in self._sensitive if name}
        #: Pieces of lower-case text without one of which `of` judges no name to be sensitive.
        self.stems = (*split(rule_file("names")["stems"]), *sorted(more))
        #: Those of them that the policy brings.
        self.own = sorted(more)
        #: Return what a name says of its value, or None for a name that is not sensitive.
        self.of: Callable[[str], Sensitivity | None] = lru_cache(maxsize=1024)(self._of)
        #: Say whether a name is a word that says nothing of its value, as most are.
        self.is_neutral: Callable[[str], bool] = lru_cache(maxsize=1024)(
            lambda name: is_word(name) and self.of(name) is None
        )

    @property
    def allows_some(self) -> bool:
        """Whether the policy says of some names that they hold no secret."""
        return bool(self._allowed)

    def allows(self, name: str) -> bool:
        """Return whether the policy says that a name holds no secret."""
        return split_name(name) in self._allowed

    def demands(self, name: str) -> bool:
        """Return whether the policy says that a name holds a secret."""
        return bool(self._sensitive) and split_name(name) in self._sensitive

    def stems_in(self, lowered: str) -> list[str]:
        """Return the stems that a text of small letters has: without one it names nothing."""
        return [stem for stem in self.stems if stem in lowered]

    def _of(self, name: str) -> Sensitivity | None:
        if len(name) > _NAME_CHARS_MAX or not self.stems_in(name.lower()):
            return None
        listed = split_name(name)
        if listed in self._allowed:
            return None
        if listed in self._sensitive:
            return Sensitivity("secret")
        kind = _kind_of(listed, environment=name.isupper())
        return Sensitivity(kind.removesuffix("?"), not kind.endswith("?")) if kind else None


def is_word(text: str) -> bool:
    """Return whether `text` is too short, or too simple, for a secret that has no name."""
    return len(text) < _WORD_CHARS_MAX and (
        (text.isascii() and text.isidentifier()) or len(text) < TEXT_CHARS_MIN
    )


@lru_cache(maxsize=1024)
def split_name(name: str) -> tuple[str, ...]:
    """Return the words of a name in small letters, `dbPassword` and `DB_PASSWORD` alike."""
    word = _WORD if name.isascii() else _WORD_WIDE
    return tuple(match.lower() for match in word.findall(name))


@lru_cache(maxsize=1024)
def _kind_of(name: tuple[str, ...], *, environment: bool) -> str | None:
    """Return the kind of secret that the words of a name say, with `?` where it is not sure."""
    if not name or name[0] in words("names", "labels"):
        return None
    special = kinds("names", "special").get(" ".join(name))
    if special:
        return special if special != "none" else None
    while len(name) > 1 and (name[-1] in words("names", "qualifiers") or name[-1].isdecimal()):
        name = name[:-1]
    head, before = name[-1], name[:-1]
    return _kind_of_head(head, before, environment=environment) or _kind_of_key(
        head, before, environment=environment
    )


def _kind_of_head(head: str, before: tuple[str, ...], *, environment: bool) -> str | None:
    labels = words("names", "token_labels")
    if head == "token" and not labels.isdisjoint(before):
        return None
    if head == "tokens":
        return None if words("names", "tokens").isdisjoint(before) else "token"
    ending = next((end for end in words("names", "pass_heads") if head.endswith(end)), None)
    if ending:
        of = head.removesuffix(ending) or "".join(before[-1:])
        unsure = "password?" if before and head == ending and environment else None
        kind = "password" if of in words("names", "pass") else unsure
        if kind or head == ending:
            return kind
    kind = kinds("names", "heads").get(head)
    if kind or (head.endswith("token") and head.removesuffix("token") in labels):
        return kind
    name = "".join((*before, head))
    return next(
        (
            kind
            for ending, kind in kinds("names", "endings").items()
            if head.endswith(ending) or (ending.endswith("key") and name.endswith(ending))
        ),
        None,
    )


def _kind_of_key(head: str, before: tuple[str, ...], *, environment: bool) -> str | None:
    if head not in words("names", "key_heads") or not before:
        return None
    # An environment variable such as STRIPE_KEY holds a key if its value looks like one.
    return kinds("names", "keys").get(before[-1], "secret_key?" if environment else None)
