"""Entities: things with names that are no people, how they are recognised, and merges of them.

The gazetteer knows names in any script. The longest name wins; a part of a word matches nothing,
and no new name is guessed. A name of one word matches only as it is written ("Target" is a company,
"target" is not); an alias that two entities share matches neither.

A merge is recorded at the entity that becomes part of another; undoing it undoes only that merge.
Merges are applied when names are looked up: they do not change what was recorded, and chains are
never stored.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ..errors import Conflict, InvalidInput, NotFound
from ..ids import derived, fold
from .common_words import is_common_word, is_common_word_name


def check_merge(own: Mapping[str, str], entity: str, into: str) -> None:
    """Refuse a merge that means nothing, before it is written; `own` are the merges there are.

    Raises `InvalidInput` for an entity with itself or in a circle, `Conflict` for an entity that
    is merged already.
    """
    if entity == into:
        raise InvalidInput(f"entity {entity} is given twice: name two entities")
    if entity in own:
        raise Conflict(f"entity {entity} is merged into {own[entity]}: unmerge it first")
    if _leads_to(own, into, entity):
        raise InvalidInput(
            f"entity {into} was merged into {entity} before: unmerge it first, or merge the "
            "other way round"
        )


def check_unmerge(own: Mapping[str, str], entity: str) -> None:
    """Refuse to take back a merge that there is not: `NotFound`."""
    if entity not in own:
        raise NotFound(f"entity {entity} is not merged: entities merged into it stay as they are")


def resolve(own: Mapping[str, str]) -> dict[str, str]:
    """Follow every chain of merges to its end; `InvalidInput` where there is a circle."""
    ends: dict[str, str] = {}
    for first in own:
        chain = dict[str, None]()
        at = first
        while at in own and at not in ends:
            if at in chain:
                raise InvalidInput(
                    f"entity {at} is merged into itself by way of others: unmerge one of {[*chain]}"
                )
            chain[at] = None
            at = own[at]
        end = ends.get(at, at)
        ends.update(dict.fromkeys(chain, end))
    return ends


def _leads_to(own: Mapping[str, str], start: str, goal: str) -> bool:
    """Say whether following merges from `start` passes `goal`; `own` has no circle."""
    at: str | None = start
    while at is not None and at != goal:
        at = own.get(at)
    return at == goal


class EntityType(StrEnum):
    """What kind of thing is named: the nine of feature 102, and four of ours.

    Ours are what people name when they talk: pets, works (books, films, songs), products, events.
    """

    PERSON = "PERSON"
    ORG = "ORG"
    SYSTEM = "SYSTEM"
    PROJECT = "PROJECT"
    PLACE = "PLACE"
    SKILL = "SKILL"
    TOOL = "TOOL"
    FILE = "FILE"
    CONCEPT = "CONCEPT"
    PET = "PET"
    WORK = "WORK"
    PRODUCT = "PRODUCT"
    EVENT = "EVENT"


#: Scripts written without spaces (Thai to Khmer, Kana, Han): a name may stand inside a run of them.
_RUN = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
_IN_RUN = re.compile(f"[{_RUN}]")
#: Words, captured, so that a split keeps them; in a text without runs the simple form is the same.
_WORD_OR_RUN = re.compile(rf"([{_RUN}]+|[^\W{_RUN}]+)")
_SPACED = re.compile(r"(\w+)")
_LETTER = re.compile(r"[^\W\d_]")
#: Before a name at the beginning of a sentence, of a line or of an item in a list.
_OPENING = re.compile(r"(?:^|[.!?:\n*•\"“(-])[\s\"“'(*]*$")
_BEFORE_CHARS = 8
#: A word that is all capitals is compared as it stands up to this length ("US", "NASA").
_ACRONYM_CHARS_MAX = 5
#: Tools are called "read" and files "notes": in a text, that is not what these words mean.
_TOOL_TYPES = frozenset({EntityType.TOOL, EntityType.FILE})
NAME_CHARS_MAX = 200


@dataclass(frozen=True, slots=True)
class GazetteerEntity:
    """An entity that a space knows; `canonical` is the entity it was itself merged into."""

    id: str
    type: EntityType
    name: str
    aliases: tuple[str, ...] = ()
    canonical: str | None = None


class EntitySpan(NamedTuple):
    """Where a text names known entities, from `start` to before `end`; `own`: by their names."""

    start: int
    end: int
    entities: tuple[GazetteerEntity, ...]
    own: bool


class _Bearer(NamedTuple):
    entity: GazetteerEntity
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


class FoldedText:
    """A text in Unicode form NFKC, and its words, folded; split once for several gazetteers."""

    def __init__(self, text: str) -> None:
        if text.isascii():
            self.text = text
            self._parts = _SPACED.split(text.lower())
            self.folded = self._parts[1::2]
        else:
            self.text = unicodedata.normalize("NFKC", text)
            self._parts = (_WORD_OR_RUN if _IN_RUN.search(self.text) else _SPACED).split(self.text)
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
    """Finds known entities in texts; only `add` changes it.

    Of two entities with one id the later one counts. `InvalidInput` for merges in a circle.
    """

    def __init__(self, entities: Iterable[GazetteerEntity] = ()) -> None:
        self.entities: dict[str, GazetteerEntity] = {entity.id: entity for entity in entities}
        self._canonical_ids = resolve(
            {e.id: e.canonical for e in self.entities.values() if e.canonical not in (None, e.id)}
        )
        self._bearers_by_name = _bearers_by_name(self.entities.values(), self._canonical_ids)
        self._by_word: dict[str, list[_Name]] = {}
        self._by_character: dict[str, list[_Name]] = {}
        for name in sorted(_search_names(self._bearers_by_name), key=_longest_first):
            self._place(name).append(name)

    def add(self, entity: GazetteerEntity) -> None:
        """Add an entity by its name; of several with one name the least id comes first."""
        self.entities[entity.id] = entity
        normalised = _normalised(entity.name)
        key, added = fold(normalised), _Bearer(entity, normalised, own=True)
        own = [bearer for bearer in self._bearers_by_name.get(key, ()) if bearer.own]
        self._bearers_by_name[key] = sorted([*own, added], key=lambda bearer: bearer.entity.id)
        for name in _search_names({key: self._bearers_by_name[key]}):
            place = self._place(name)
            place[:] = [other for other in place if other.key != key]
            insort(place, name, key=_longest_first)

    def _place(self, name: _Name) -> list[_Name]:
        """Return the names among which a name is looked for, the longest first."""
        if _IN_RUN.search(name.key):
            return self._by_character.setdefault(name.key[0], [])
        return self._by_word.setdefault(name.words[0], [])

    def canonical_of(self, id: str) -> str:
        """Return the id of the entity that stands for this one, itself where nothing does."""
        return self._canonical_ids.get(id, id)

    def find(self, name: str) -> Sequence[GazetteerEntity]:
        """Return the entities that this very name or alias names, whatever its case; unmerged."""
        return tuple(bearer.entity for bearer in self._bearers_by_name.get(fold(name), ()))

    def named_in(self, text: str) -> list[GazetteerEntity]:
        """Return the entities that `text` names, merges followed, in order of first mention."""
        named: dict[str, GazetteerEntity] = {}
        for span in self.spans_in(FoldedText(text)):
            for entity in span.entities:
                end = self.canonical_of(entity.id)
                named.setdefault(end, self.entities.get(end, entity))
        return list(named.values())

    def spans_in(self, words: FoldedText) -> list[EntitySpan]:
        """Return where `words.text` names entities, not merged, in order; spans do not overlap."""
        spans: list[EntitySpan] = []
        if not self._by_word.keys().isdisjoint(words.folded):
            spans.extend(self._spaced(words))
        if self._by_character and not words.text.isascii():
            spans.extend(self._unspaced(words.text))
            spans.sort(key=lambda span: (span.start, -span.end))
        accepted, last_end = list[EntitySpan](), 0
        for span in spans:
            if span.start >= last_end:
                accepted.append(span)
                last_end = span.end
        return accepted

    def _spaced(self, words: FoldedText) -> Iterator[EntitySpan]:
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

    def _unspaced(self, text: str) -> Iterator[EntitySpan]:
        folded = "".join(
            low if len(low := character.casefold()) == 1 else character for character in text
        )
        for start, character in enumerate(folded):
            for name in self._by_character.get(character, ()):
                if folded.startswith(name.key, start) and (
                    span := _span(text, start, start + len(name.key), name)
                ):
                    yield span
                    break


def unspaced_characters(text: str) -> list[str]:
    """Return the characters of a text that are of a script written without spaces."""
    return _IN_RUN.findall(text)


def starts_sentence(text: str, start: int) -> bool:
    """Say whether what begins at `start` begins a sentence, a line or an item of a list."""
    return _OPENING.search(text[max(start - _BEFORE_CHARS, 0) : start]) is not None


def _bearers_by_name(
    entities: Iterable[GazetteerEntity], ends: Mapping[str, str]
) -> dict[str, list[_Bearer]]:
    """Return folded name → who is called so; no name is there that nobody bears."""
    bearers: dict[str, list[_Bearer]] = {}
    for entity in entities:
        for index, written in enumerate((entity.name, *entity.aliases)):
            normalised = _normalised(written)
            bearers.setdefault(fold(normalised), []).append(
                _Bearer(entity, normalised, own=index == 0)
            )
    return {
        key: entitled
        for key, all_ in bearers.items()
        if (entitled := _entitled_bearers(all_, ends))
    }


def _normalised(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).split())


def _longest_first(name: _Name) -> int:
    return -len(name.key)


def _entitled_bearers(bearers: list[_Bearer], ends: Mapping[str, str]) -> list[_Bearer]:
    """Leave a name to those it is the name of; an alias of different entities is nobody's."""
    if own := [bearer for bearer in bearers if bearer.own]:
        return own
    canonical_ids = {ends.get(bearer.entity.id, bearer.entity.id) for bearer in bearers}
    return bearers[:1] if len(canonical_ids) == 1 else []


def _search_names(bearers_by_name: Mapping[str, Sequence[_Bearer]]) -> Iterator[_Name]:
    """Yield the names for which texts are searched."""
    for key, all_bearers in bearers_by_name.items():
        bearers = tuple(bearer for bearer in all_bearers if _is_searchable(key, bearer))
        if bearers:
            written = bearers[0].written
            parts = _WORD_OR_RUN.split(written)
            words = tuple(map(fold, parts[1::2]))
            yield _Name(key, words, len(parts[0]), len(parts[-1]), bearers)


def _is_searchable(key: str, bearer: _Bearer) -> bool:
    """Say whether texts are searched for a name: not for a sign, a number, a path or a word."""
    if not 2 <= len(key) <= NAME_CHARS_MAX or not _LETTER.search(key):
        return False
    is_lowercase_word = bearer.written == key and key.isalpha()
    if bearer.entity.type in _TOOL_TYPES and key.isascii() and (is_lowercase_word or "/" in key):
        return False
    return not (is_lowercase_word and is_common_word(key))


def _span(text: str, start: int, end: int, name: _Name) -> EntitySpan | None:
    surface = text[start:end]
    if fold(surface) != name.key or not _stands_alone(text, start, end):
        return None
    named = [bearer for bearer in name.bearers if _is_used_as_name(surface, bearer, text, start)]
    if not named:
        return None
    return EntitySpan(start, end, tuple(bearer.entity for bearer in named), named[0].own)


def _is_used_as_name(surface: str, bearer: _Bearer, text: str, start: int) -> bool:
    """Say whether one word, as it is written here, is the name and not the word."""
    written = bearer.written
    if " " in written:
        return True
    word = fold(surface)
    if surface == surface.lower():
        small = written == written.lower() or bearer.entity.type is EntityType.PERSON
        return small and not (bearer.entity.type is EntityType.PERSON and is_common_word_name(word))
    if is_common_word(word) and starts_sentence(text, start):
        return False
    acronym = written.isupper() and len(written) <= _ACRONYM_CHARS_MAX
    return surface == written or not acronym


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Say whether neither side goes on with a word, an address or a vowel sign."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if (
        _is_word_character(before)
        and _is_word_character(text[start])
        and _are_spaced(before, text[start])
    ):
        return False
    if _is_combining_mark(after) or (
        _is_word_character(after)
        and _is_word_character(text[end - 1])
        and _are_spaced(after, text[end - 1])
    ):
        return False
    joined_before = before in {".", "@"} and text[start - 2 : start - 1].isalnum()
    joined_after = after in {".", "@"} and text[end + 1 : end + 2].isalnum()
    return not (joined_before or joined_after)


def _are_spaced(a: str, b: str) -> bool:
    """Say whether two neighbours are of scripts that keep words apart with spaces."""
    return not (_IN_RUN.match(a) or _IN_RUN.match(b))


def _is_word_character(character: str) -> bool:
    return character.isalnum() or character == "_" or _is_combining_mark(character)


def _is_combining_mark(character: str) -> bool:
    """Say whether a sign is a vowel sign or an accent of the letter before it."""
    return character != "" and not character.isascii() and unicodedata.category(character)[0] == "M"
