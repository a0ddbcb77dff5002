"""The names that a space knows while it is read: of its entities, and of its people.

A name is known from the message on that introduces it: names are read from the entries of the
journal in their order, and what a message adds is known to the next one, whatever batch, process or
hour that is read in. Merges, and what users call somebody, are looked up when a memory is read:
they play no part here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator

from ...core.entities.entity_gazetteer import (
    EntityGazetteer,
    EntityType,
    GazetteerEntity,
    unspaced_characters,
)
from ...core.entries import EntitiesMentioned, EntryPayload, PersonMet
from ...core.events import OWNER_NAME
from ...core.ids import fold, owner_id
from ...core.people import Gazetteer, Person, PersonNamed, name_words
from ...core.types import EntryKind, Json, Space
from ...language.runs.tool_calls import Event
from ...storage.space_caches import SpaceCache
from ...storage.store import Store
from ...storage.upkeep import READINGS, newest_forgetting
from ..extraction.entities import EntityRecogniser, NameRecogniser

_KINDS = (EntryKind.ENTITIES_MENTIONED, EntryKind.PERSON_MET, EntryKind.PERSON_NAMED)
_WITHIN = re.compile(r"['’-]")
#: Gazetteers of the people whom a message may name, kept for the next that names the same.
_GAZETTEERS_MAX = 64
#: About what one name takes.
_NAME_BYTES = 1_500


class SpaceNames:
    """The names that one space knows, as of the last entry that was taken up."""

    def __init__(self, file: Store, space: Space) -> None:
        """Read what the journal knows now."""
        self._file, self._space, self._owner = file, space, owner_id(space)
        self._made = self._made_of()
        self._seq = int(file.journal.head(space).seq)
        listed = sorted(file.space(space).entities.list_all(), key=lambda entity: entity.id)
        self.entities = EntityGazetteer(
            GazetteerEntity(e.id, EntityType(e.type), e.name) for e in listed
        )
        #: Everybody who was met, by the name that was given then.
        self.met: dict[str, Person] = {}
        self._places: dict[str, int] = {}
        self._by_word: dict[str, list[str]] = defaultdict(list)
        self._owner_names: list[Person] = []
        #: What people were heard to be called, not what users say.
        self._heard: set[tuple[str, str]] = set()
        self._gazetteers: dict[tuple[Person, ...], Gazetteer] = {}
        #: What was taken up before it was written.
        self._unwritten: set[Hashable] = set()
        for kind in (EntryKind.PERSON_MET, EntryKind.PERSON_NAMED):
            for entry in file.journal.of_kind(space, kind):
                self._take(entry.payload)

    def bytes(self) -> int:
        """About what they take in memory."""
        return _NAME_BYTES * (len(self.entities.entities) + len(self.met) + len(self._heard))

    def catch_up(self) -> bool:
        """Take up what was written since; return whether this still is what the journal knows."""
        journal, head = self._file.journal, int(self._file.journal.head(self._space).seq)
        for kind in _KINDS if head > self._seq else ():
            for entry in journal.of_kind(self._space, kind, self._seq):
                self._take(entry.payload)
                self._unwritten -= set(_introduced(entry.payload))
        self._seq = head
        return not self._unwritten and self._made_of() == self._made

    def _made_of(self) -> tuple[int, int]:
        """Return what takes names away: the newest reading anew, and the newest forgetting."""
        readings = self._file.space(self._space).cursors.position(*READINGS)
        return int(readings), newest_forgetting(self._file, self._space)

    def take(self, payload: EntryPayload) -> bool:
        """Take up an entry that will be written; say whether it introduces somebody or something.

        A process that does not come to write it begins anew with what the journal knows.
        """
        new = self._take(payload)
        self._unwritten |= new
        return bool(new)

    def has_name(self, person: str, name: str) -> bool:
        """Return whether a name was given to, or heard of, a person."""
        given = self.met.get(person)
        return (person, fold(name)) in self._heard or (
            given is not None and fold(given.name) == fold(name)
        )

    def people_in(self, event: Event) -> Gazetteer:
        """Return the people of whom any word of a name stands in an event, and the owner.

        In the event it finds what a gazetteer of all people would.
        """
        words = {key for text in _texts(event) for key in _keys(text)}
        ids = {id for word in words if word in self._by_word for id in self._by_word[word]}
        people = tuple(self.met[id] for id in sorted(ids, key=self._places.__getitem__))
        if people not in self._gazetteers:
            while len(self._gazetteers) >= _GAZETTEERS_MAX:
                del self._gazetteers[next(iter(self._gazetteers))]
            owner = Person(self._owner, OWNER_NAME)
            self._gazetteers[people] = Gazetteer(people, self._owner_names, owner)
        return self._gazetteers[people]

    def _take(self, payload: EntryPayload | None) -> set[Hashable]:
        """Take up an entry; return what it introduces."""
        new = {name for name in _introduced(payload) if not self._has(name)}
        match payload if new else None:
            case EntitiesMentioned(entities=mentions):
                for each in mentions:
                    if each.id in new:
                        type = EntityType(each.type)
                        self.entities.add(GazetteerEntity(each.id, type, each.name))
            case PersonMet(person=id, name=name):
                self._places[id] = len(self.met)
                self.met[id] = Person(id, name)
                if id != self._owner:
                    for key in set(_keys(name)):
                        self._by_word[key].append(id)
            case PersonNamed(person=id, name=name):
                self._heard.add((id, fold(name)))
                if id == self._owner:
                    self._owner_names.append(Person(id, name))
                    self._gazetteers.clear()
        return new

    def _has(self, name: Hashable) -> bool:
        return name in self.entities.entities or name in self.met or name in self._heard


class NamesCache:
    """The names of a file's spaces; `recogniser` is a library's finder, where one is set up."""

    def __init__(self, file: Store, pipeline: str = "") -> None:
        self.recogniser: NameRecogniser | None = EntityRecogniser(pipeline) if pipeline else None
        self._file = file
        self._names: SpaceCache[SpaceNames] = SpaceCache(file.caches, SpaceNames.bytes)

    def of(self, space: Space) -> SpaceNames:
        """Return what a space knows as its journal says now; only what is new is read."""
        names = self._names.get(space)
        if names is None or not names.catch_up():
            names = SpaceNames(self._file, space)
        self._names.put(space, names)
        return names


def _texts(value: Json) -> Iterator[str]:
    """Yield all texts of an event."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)


def _keys(text: str) -> Iterator[str]:
    """Yield by what a name in a text is looked up: words, their parts, signs without spaces."""
    for word in name_words(text):
        yield word
        if not word.isalpha():
            yield from _WITHIN.split(word)
    if not text.isascii():
        yield from unspaced_characters(text)


def _introduced(payload: EntryPayload | None) -> Iterator[Hashable]:
    """Yield what an entry introduces: ids of entities and people, and heard names."""
    match payload:
        case EntitiesMentioned(entities=mentions):
            yield from (mention.id for mention in mentions)
        case PersonMet(person=id):
            yield id
        case PersonNamed(person=id, name=name, experience=str()):
            yield id, fold(name)
