"""Entities: what memories name besides people who speak, and how a text names them again.

A gazetteer of names that are known, in any script: the longest name wins, a part of a word is
nobody's. It guesses no new names. A name of one word is found as it is written, because "Target"
is a company and "target" is not; a name that two entities share as an alias names neither.
Merges are seen when names are looked up and change nothing in what a text was found to name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from .entity_merges import resolve
from .ids import derived, fold
from .text import stop_words


class EntityType(StrEnum):
    """What kind of thing is named (FACTS row 102)."""

    PERSON = "PERSON"
    ORG = "ORG"
    SYSTEM = "SYSTEM"
    PROJECT = "PROJECT"
    PLACE = "PLACE"
    SKILL = "SKILL"
    TOOL = "TOOL"
    FILE = "FILE"
    CONCEPT = "CONCEPT"


#: Scripts written without spaces (Thai to Khmer, Kana, Han): a name may stand inside a run of them.
_RUN = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
_IN_RUN = re.compile(f"[{_RUN}]")
#: Words, captured, so that a split keeps them; in a text without runs the simple form is the same.
_ANY = re.compile(rf"([{_RUN}]+|[^\W{_RUN}]+)")
_SPACED = re.compile(r"(\w+)")
_LETTER = re.compile(r"[^\W\d_]")
#: Before a name at the beginning of a sentence, of a line or of an item in a list.
_OPENING = re.compile(r"(?:^|[.!?:\n*•\"“(-])[\s\"“'(*]*$")
_BEFORE_CHARS = 8
#: First names and surnames that are words: written small, they are nobody's.
_ALSO_WORDS = frozenset(
    """
    angel april art august autumn baker banks bell bill bishop black blue brook brooks brown bush
    carol carter case chance charity chase chip christian clay cliff close cole cook cooper cross
    dale daisy dawn day dean destiny drew earl eve faith field fields fisher ford forest fox frank
    gene ginger glen grace grant gray green guy hall harmony hart haven hazel heath heather hill
    holly hope hunter ivy jade joy june justice king knight lake lane lily little long love major
    marina mark marks mason max may melody mercy miles miller miracle moon nick noble nova olive
    page paige park parks pat patience peace pearl penny pet poppy porter potter price prince queen
    rain ray reed rich river rob robin rock rocky rod rose ruby rusty sage sandy serenity shepherd
    short sky small smart smith sonny star stone storm sue summer sunny trinity violet wade walker
    ward warren west white will willow winter wolf wood woods worth young
    """.split()
)
#: Names of days and months are times.
CALENDAR = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri
    sat sun january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec today tomorrow yesterday tonight
    """.split()
)
_STOP = stop_words("english")
#: A word that is all capitals is compared as it stands up to this length ("US", "NASA").
_ACRONYM_CHARS_MAX = 5
#: Tools are called "read" and files "notes": in a text, that is not what these words mean.
_OF_MACHINES = frozenset({EntityType.TOOL, EntityType.FILE})
NAME_CHARS_MAX = 200


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """An entity that a space knows; `canonical` is the entity it was itself merged into."""

    id: str
    type: EntityType
    name: str
    aliases: tuple[str, ...] = ()
    canonical: str | None = None


class Span(NamedTuple):
    """Where a text names known entities, from `start` to before `end`; `own`: by their names."""

    start: int
    end: int
    entities: tuple[KnownEntity, ...]
    own: bool


class _Bearer(NamedTuple):
    entity: KnownEntity
    written: str
    own: bool


class _Name(NamedTuple):
    """One folded name: its words, the signs around them (".NET", "C++"), and who bears it."""

    key: str
    words: tuple[str, ...]
    head: int
    tail: int
    bearers: tuple[_Bearer, ...]


def norm_key(type: EntityType, name: str) -> str:
    """Return what makes two mentions the same entity: `TYPE:name`, the name folded."""
    return f"{type.value}:{fold(name)}"


def entity_id(space: str, type: EntityType, name: str) -> str:
    """Return the id of the entity of this type and name in `space`."""
    return derived("entity", space, type.value, norm_key(type, name))


class Words:
    """A text in Unicode form NFKC, and its words, folded; split once for several gazetteers."""

    def __init__(self, text: str) -> None:
        if text.isascii():
            self.text = text
            self._parts = _SPACED.split(text.lower())
            self.folded = self._parts[1::2]
        else:
            self.text = unicodedata.normalize("NFKC", text)
            self._parts = (_ANY if _IN_RUN.search(self.text) else _SPACED).split(self.text)
            self.folded = [
                word.lower() if word.isascii() else fold(word) for word in self._parts[1::2]
            ]

    @cached_property
    def starts(self) -> list[int]:
        """Where each word begins in the text."""
        return [*accumulate(map(len, self._parts))][:-1:2]

    def end_of(self, index: int) -> int:
        """Return where a word ends in the text."""
        return self.starts[index] + len(self._parts[2 * index + 1])


class EntityGazetteer:
    """Finds known entities in texts. Immutable once built.

    Of two entities with one id the later one counts. `InvalidInput` for merges in a circle.
    """

    def __init__(self, entities: Iterable[KnownEntity] = ()) -> None:
        self.entities: Mapping[str, KnownEntity] = {entity.id: entity for entity in entities}
        self._ends = resolve(
            {e.id: e.canonical for e in self.entities.values() if e.canonical not in (None, e.id)}
        )
        self._called = _called(self.entities.values(), self._ends)
        self._by_word: dict[str, list[_Name]] = {}
        self._by_sign: dict[str, list[_Name]] = {}
        for name in sorted(_sought(self._called), key=lambda name: -len(name.key)):
            if _IN_RUN.search(name.key):
                self._by_sign.setdefault(name.key[0], []).append(name)
            else:
                self._by_word.setdefault(name.words[0], []).append(name)

    def canonical_of(self, id: str) -> str:
        """Return the id of the entity that stands for this one, itself where nothing does."""
        return self._ends.get(id, id)

    def find(self, name: str) -> Sequence[KnownEntity]:
        """Return the entities that this very name or alias names, whatever its case; unmerged."""
        return tuple(bearer.entity for bearer in self._called.get(fold(name), ()))

    def named_in(self, text: str) -> list[KnownEntity]:
        """Return the entities that `text` names, merges followed, in order of first mention."""
        found: dict[str, KnownEntity] = {}
        for span in self.spans_in(Words(text)):
            for entity in span.entities:
                end = self.canonical_of(entity.id)
                found.setdefault(end, self.entities.get(end, entity))
        return list(found.values())

    def spans_in(self, words: Words) -> list[Span]:
        """Return where `words.text` names entities, not merged, in order; spans do not overlap."""
        spans: list[Span] = []
        if not self._by_word.keys().isdisjoint(words.folded):
            spans.extend(self._spaced(words))
        if self._by_sign and not words.text.isascii():
            spans.extend(self._unspaced(words.text))
            spans.sort(key=lambda span: (span.start, -span.end))
        kept, reached = list[Span](), 0
        for span in spans:
            if span.start >= reached:
                kept.append(span)
                reached = span.end
        return kept

    def _spaced(self, words: Words) -> Iterator[Span]:
        by_word, folded = self._by_word, words.folded
        for index in [index for index, word in enumerate(folded) if word in by_word]:
            for name in by_word[folded[index]]:
                count = len(name.words)
                if count > 1 and tuple(folded[index : index + count]) != name.words:
                    continue
                start = words.starts[index] - name.head
                end = words.end_of(index + count - 1) + name.tail
                if start >= 0 and (span := _span(words.text, start, end, name)):
                    yield span
                    break

    def _unspaced(self, text: str) -> Iterator[Span]:
        folded = "".join(low if len(low := sign.casefold()) == 1 else sign for sign in text)
        for start, sign in enumerate(folded):
            for name in self._by_sign.get(sign, ()):
                if folded.startswith(name.key, start) and (
                    span := _span(text, start, start + len(name.key), name)
                ):
                    yield span
                    break


def opens_sentence(text: str, start: int) -> bool:
    """Say whether what begins at `start` begins a sentence, a line or an item of a list."""
    return _OPENING.search(text[max(start - _BEFORE_CHARS, 0) : start]) is not None


def is_ordinary(word: str) -> bool:
    """Say whether a folded word is a function word, a day or a month: alone it names nothing."""
    return word in _STOP or word in CALENDAR


def is_also_word(name: str) -> bool:
    """Say whether a folded name of one word, such as "grace" or "will", is a word too."""
    return name in _ALSO_WORDS or is_ordinary(name)


def _called(entities: Iterable[KnownEntity], ends: Mapping[str, str]) -> dict[str, list[_Bearer]]:
    """Return folded name → who is called so; no name is there that nobody bears."""
    borne: dict[str, list[_Bearer]] = {}
    for entity in entities:
        for index, written in enumerate((entity.name, *entity.aliases)):
            plain = " ".join(unicodedata.normalize("NFKC", written).split())
            borne.setdefault(fold(plain), []).append(_Bearer(entity, plain, own=index == 0))
    return {key: kept for key, all_ in borne.items() if (kept := _rightful(all_, ends))}


def _rightful(borne: list[_Bearer], ends: Mapping[str, str]) -> list[_Bearer]:
    """Leave a name to those it is the name of; an alias of different entities is nobody's."""
    if own := [bearer for bearer in borne if bearer.own]:
        return own
    meant = {ends.get(bearer.entity.id, bearer.entity.id) for bearer in borne}
    return borne[:1] if len(meant) == 1 else []


def _sought(called: Mapping[str, Sequence[_Bearer]]) -> Iterator[_Name]:
    """Yield the names for which texts are searched."""
    for key, borne in called.items():
        bearers = tuple(bearer for bearer in borne if _may_be_sought(key, bearer))
        if bearers:
            written = bearers[0].written
            parts = _ANY.split(written)
            words = tuple(map(fold, parts[1::2]))
            yield _Name(key, words, len(parts[0]), len(parts[-1]), bearers)


def _may_be_sought(key: str, bearer: _Bearer) -> bool:
    """Say whether texts are searched for a name: not for a sign, a number, a path or a word."""
    if not 2 <= len(key) <= NAME_CHARS_MAX or not _LETTER.search(key):
        return False
    plain = bearer.written == key and key.isalpha()
    if bearer.entity.type in _OF_MACHINES and key.isascii() and (plain or "/" in key):
        return False
    return not (plain and is_ordinary(key))


def _span(text: str, start: int, end: int, name: _Name) -> Span | None:
    surface = text[start:end]
    if fold(surface) != name.key or not _stands_alone(text, start, end):
        return None
    borne = [bearer for bearer in name.bearers if _is_meant(surface, bearer, text, start)]
    if not borne:
        return None
    return Span(start, end, tuple(bearer.entity for bearer in borne), borne[0].own)


def _is_meant(surface: str, bearer: _Bearer, text: str, start: int) -> bool:
    """Say whether one word, as it is written here, is the name and not the word."""
    written = bearer.written
    if " " in written:
        return True
    word = fold(surface)
    if surface == surface.lower():
        small = written == written.lower() or bearer.entity.type is EntityType.PERSON
        return small and not (bearer.entity.type is EntityType.PERSON and is_also_word(word))
    if is_ordinary(word) and opens_sentence(text, start):
        return False
    acronym = written.isupper() and len(written) <= _ACRONYM_CHARS_MAX
    return surface == written or not acronym


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Say whether neither side goes on with a word, an address or a vowel sign."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if _is_sign_of_word(before) and _is_sign_of_word(text[start]) and _bound(before, text[start]):
        return False
    if _is_mark(after) or (
        _is_sign_of_word(after) and _is_sign_of_word(text[end - 1]) and _bound(after, text[end - 1])
    ):
        return False
    joined_before = before in {".", "@"} and text[start - 2 : start - 1].isalnum()
    joined_after = after in {".", "@"} and text[end + 1 : end + 2].isalnum()
    return not (joined_before or joined_after)


def _bound(a: str, b: str) -> bool:
    """Say whether two neighbours are of scripts that keep words apart with spaces."""
    return not (_IN_RUN.match(a) or _IN_RUN.match(b))


def _is_sign_of_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_" or _is_mark(sign)


def _is_mark(sign: str) -> bool:
    """Say whether a sign is a vowel sign or an accent of the letter before it."""
    return sign != "" and not sign.isascii() and unicodedata.category(sign)[0] == "M"
