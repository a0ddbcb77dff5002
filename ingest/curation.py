"""Decisions of a person: which entities or people are the same, and what somebody is called or is.

Every decision is a journal entry, so that it is permanent and can be undone. What was said stays as
it was given: lists, packs and the graph look up who is who when they are read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..core.calls.arguments import checked
from ..core.codec import check_same_content
from ..core.entities.entity_gazetteer import EntityType, GazetteerEntity, check_merge, check_unmerge
from ..core.entries import (
    EntitiesMerged,
    EntitiesUnmerged,
    EntryPayload,
    PersonMet,
    RelationshipChanged,
)
from ..core.errors import InvalidInput, NotFound
from ..core.ids import fold, person_id
from ..core.people import (
    SELF_WORDS,
    YOU,
    Directory,
    Gazetteer,
    NameRefused,
    PeopleMerged,
    PeopleUnmerged,
    Person,
    PersonNamed,
    near_names,
)
from ..core.ports import Head
from ..core.text import shorten
from ..core.types import EntryDraft, EntryKind, Space
from ..core.vocabulary import NameSource, Relationship, word_of
from ..storage.projections.entry_indexes import EntityRow
from ..storage.space_caches import SpaceCache
from ..storage.store import Store
from .extraction.duplicates import MergeCandidate, duplicates


@checked
class CurationService:
    """Takes decisions about one space of one file."""

    def __init__(self, file: Store, space: Space) -> None:
        self._file = file
        self._space = space

    @property
    def people(self) -> PeopleCuration:
        """Decisions about people: `merge`, `unmerge`, `name`, `refuse`."""
        return PeopleCuration(self._file, self._space)

    def merge(
        self, entity: str, into: str, reason: str = "", *, id: str = ""
    ) -> tuple[EntityRow, EntityRow] | tuple[Person, Person]:
        """Merge one into another, by id or name; both stay, and `unmerge` separates them.

        `id` is the caller's own, here and below: the same id with the same content is one decision,
        with other content a `Conflict`.

        Two people who spoke are merged as people, all else as entities. Raises `NotFound` for a
        name that nothing has, `InvalidInput` where it is not clear which one is meant, and for a
        merge that would lead round in a circle.
        """
        people = self.people
        if people.has(entity) and people.has(into):
            return people.merge(entity, into, id=id)
        with self._file.writing():  # nobody else merges meanwhile
            listed = self._listed()
            source, target = _resolve_entity(listed, entity), _resolve_entity(listed, into)
            merged = EntitiesMerged(source.id, target.id, reason, by="user")
            if not self._was_taken(merged, id):
                check_merge(_merges(listed), source.id, target.id)
                self._append(merged, id)
        return source, target

    def unmerge(self, entity: str, *, id: str = "") -> EntityRow | Person:
        """Undo the merge of an entity or a person; others that were merged into it stay merged."""
        if self.people.has(entity) and not self._is_merged(entity):
            return self.people.unmerge(entity, id=id)
        with self._file.writing():
            listed = self._listed()
            entity_row = _resolve_entity(listed, entity)
            unmerged = EntitiesUnmerged(entity_row.id, by="user")
            if not self._was_taken(unmerged, id):
                check_unmerge(_merges(listed), entity_row.id)
                self._append(unmerged, id)
        return entity_row

    def duplicates(self) -> list[MergeCandidate]:
        """Return pairs of entities that may be one, likeliest first; nothing is merged."""
        return duplicates(
            [
                GazetteerEntity(e.id, EntityType(e.type), e.name, canonical=e.merged_into)
                for e in self._listed()
            ]
        )

    def set_relationship(
        self,
        name: str,
        type: Relationship | str,
        threshold: float | None = None,
        *,
        id: str = "",
    ) -> None:
        """Set the relationship of a person to the agent, and their threshold of a full capture.

        `type` is primary, collaborator, user or unknown; the threshold is 0 to 1. Raises `NotFound`
        for somebody never met.
        """
        if threshold is not None and not 0 <= threshold <= 1:
            raise InvalidInput(f"threshold {threshold:g} is out of range: give 0 to 1")
        relationship = word_of(Relationship, type, "type")
        person = self._file.space(self._space).identities.directory().speakers.find(name)
        if person is None:
            raise NotFound(f"no person called {name!r} is known: `meridia people` lists them")
        current = self._file.space(self._space).people.type_and_threshold(person.id)
        before = current and current[0]
        kind = EntryKind.RELATIONSHIP_CHANGED
        for entry in self._file.journal.by_keys(self._space, kind, [id] if id else []):
            if isinstance(entry.payload, RelationshipChanged):  # the same decision once more
                before = entry.payload.before
        self._append(RelationshipChanged(person.id, relationship, threshold, "user", before), id)

    def _is_merged(self, name: str) -> bool:
        """Return whether an entity of this name was itself merged."""
        return any(e.merged_into and fold(e.name) == fold(name) for e in self._listed())

    def _listed(self) -> list[EntityRow]:
        return self._file.space(self._space).entities.list_all()

    def _was_taken(self, payload: EntryPayload, id: str) -> bool:
        """Return whether the journal has a decision under the caller's id, even a replaced one."""
        entries = self._file.journal.by_keys(self._space, payload.kind, [id]) if id else []
        for entry in entries:
            if entry.payload is not None:
                check_same_content(id, entry.payload, payload, self._space)
        return bool(entries)

    def _append(self, payload: EntryPayload, id: str) -> None:
        draft = EntryDraft(id, payload, has_own_key=bool(id))
        self._file.journal.append(self._space, [draft])


def _merges(listed: Sequence[EntityRow]) -> dict[str, str]:
    return {e.id: e.merged_into for e in listed if e.merged_into is not None}


def _resolve_entity(listed: Sequence[EntityRow], name: str) -> EntityRow:
    """Return the entity of this id, name, or `TYPE:name`."""
    kind, _, rest = name.partition(":")
    typed = rest and kind.upper() in set(EntityType)
    matches = [
        e
        for e in listed
        if e.id == name
        or fold(e.name) == fold(name)
        or (typed and e.type == kind.upper() and fold(e.name) == fold(rest))
    ]
    if not matches:
        raise NotFound(
            f"there is no entity {name!r}: `meridia entities` lists them, with the label "
            "Entity; merge people who spoke with `meridia people merge`; concepts cannot be merged"
        )
    if len(matches) > 1:
        which = ", ".join(f"{e.type}:{e.name}" for e in matches)
        raise InvalidInput(f"{name!r} is the name of several entities: choose from {which}")
    return matches[0]


#: About what a person with a few names takes.
_PERSON_BYTES = 2_000


class PeopleCache:
    """The gazetteers of a file's people by space."""

    def __init__(self, file: Store) -> None:
        self._file = file
        self._read: SpaceCache[tuple[Head, Gazetteer]] = SpaceCache(
            file.caches, lambda read: _PERSON_BYTES * (1 + len(read[1].people))
        )

    def of(self, space: Space) -> Gazetteer:
        """Return the people a space knows; read again when its journal has grown."""
        head = self._file.journal.head(space)
        cached = self._read.get(space)
        if cached is None or cached[0] != head:
            cached = head, gazetteer(self._file, space)
            self._read.put(space, cached)
        return cached[1]


def gazetteer(file: Store, space: Space) -> Gazetteer:
    """Return the people a space knows, by all their names, as its journal says now."""
    return file.space(space).identities.directory().gazetteer(met_people(file, space))


def met_people(file: Store, space: Space) -> list[Person]:
    """Return everybody who was met, by the name that was given then; whoever they are by now."""
    return [
        Person(entry.payload.person, entry.payload.name)
        for entry in file.journal.of_kind(space, EntryKind.PERSON_MET)
        if isinstance(entry.payload, PersonMet)
    ]


#: Longest name, characters; and what no name has.
_NAME_CHARS_MAX = 256
_NO_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@checked
class PeopleCuration:
    """Takes decisions about the people of one space of one file."""

    def __init__(self, file: Store, space: Space) -> None:
        self._file = file
        self._space = space

    def merge(self, person: str, into: str, *, id: str = "") -> tuple[Person, Person]:
        """Merge a person into another; both stay, and `unmerge` separates them again.

        `id` is the caller's own, here and below: the same id with the same content is one decision,
        with other content a `Conflict`.
        Returns the two as they were. Raises `NotFound` for a name that nobody has, `InvalidInput`
        for two names of one person.
        """
        with self._file.writing():  # nobody else merges meanwhile
            directory = self._directory()
            source, target = self._find(directory, person), self._find(directory, into)
            merged = PeopleMerged(self._spoken(directory, person).id, target.id, by="user")
            if not self._was_taken(merged, id):
                if source.id == target.id:
                    raise InvalidInput(f"{person!r} and {into!r} are already one person")
                self._append(replace(merged, person=source.id), id)
        return source, target

    def unmerge(self, person: str, *, id: str = "") -> Person:
        """Undo the merge of the person who spoke under a name.

        People who were merged into that person stay merged.
        """
        with self._file.writing():
            directory = self._directory()
            own = self._spoken(directory, person)
            unmerged = PeopleUnmerged(own.id, by="user")
            if self._was_taken(unmerged, id):
                return own
            if directory.canonical(own.id) == own.id:
                others = [directory.spoken.get(i, i) for i in directory.members_of(own.id)[1:]]
                hint = f": {', '.join(sorted(others))} can be parted from them" if others else ""
                raise InvalidInput(f"{own.name} was not merged into anybody{hint}")
            self._append(unmerged, id)
        return own

    def name(
        self,
        name: str,
        person: str | None = None,
        how: NameSource = NameSource.USER,
        *,
        id: str = "",
    ) -> Person:
        """Set the name of a person, by default the owner of the space; return that person.

        A name that was learned is confirmed by it. `InvalidInput` for a name under which somebody
        else speaks: the two can be merged.
        """
        name = " ".join(name.split())
        if not name or len(name) > _NAME_CHARS_MAX or _NO_NAME.search(name):
            raise InvalidInput(
                f"{shorten(name, 80)!r} is not a name: "
                f"give one line of 1 to {_NAME_CHARS_MAX} characters"
            )
        if fold(name) in SELF_WORDS:
            raise InvalidInput(f"{name!r} means whoever is speaking, not one person: give a name")
        with self._file.writing():
            directory = self._directory()
            who = self._find(directory, person) if person is not None else self._owner(directory)
            other = directory.bearer(name)
            if other is not None and other.id != who.id:
                raise InvalidInput(
                    f"{other.name} speaks here under that name: if they are the same person, "
                    f'`meridia people merge "{who.name}" "{other.name}"` joins them'
                )
            self._append_once(PersonNamed(who.id, name, how, by=_BY.get(how, "user")), id)
        return Person(who.id, name)

    def introduce(self, name: str) -> bool:
        """Use a name for the owner if there is none yet and nobody else has it; return whether."""
        with self._file.writing():
            directory = self._directory()
            named = any(directory.canonical(n.person) == directory.owner for n in directory.names)
            own = directory.identities.get(directory.owner)
            free = directory.bearer(name) is None and fold(name) not in SELF_WORDS
            if named or not free or (own is not None and own.shown != YOU):
                return False
            self.name(name, how=NameSource.CALLER)
        return True

    def refuse(self, name: str, person: str | None = None, *, id: str = "") -> Person:
        """Refuse a name of a person, by default the owner, even if it was learned."""
        with self._file.writing():
            directory = self._directory()
            who = self._find(directory, person) if person is not None else self._owner(directory)
            given = directory.spoken.get(person_id(self._space, name))
            if given is not None and directory.bearer(name) == who:
                raise InvalidInput(
                    f"this person spoke as {given}: `meridia people unmerge` separates the two"
                )
            self._append_once(NameRefused(who.id, name, by="user"), id)
        return Person(who.id, self._directory().shown(who.id))

    def has(self, name: str) -> bool:
        """Return whether somebody who spoke has this name."""
        return self._directory().speakers.find(name) is not None

    def _directory(self) -> Directory:
        return self._file.space(self._space).identities.directory()

    def _owner(self, directory: Directory) -> Person:
        return directory.who(Person(directory.owner, YOU))

    def _find(self, directory: Directory, name: str) -> Person:
        person = directory.speakers.find(name)
        if person is not None:
            return person
        names = [other.name for other in directory.speakers.people]
        near = near_names(name, names)
        hint = f": did you mean {' or '.join(near)}?" if near else ""
        raise NotFound(
            f"nobody called {name!r} has spoken here{hint or ': `meridia people` lists them'}"
        )

    def _spoken(self, directory: Directory, name: str) -> Person:
        """Return who spoke under a name, whoever they are now."""
        own = person_id(self._space, name)
        if own in directory.spoken:
            return Person(own, directory.spoken[own])
        if fold(name) in SELF_WORDS and directory.owner in directory.spoken:
            return Person(directory.owner, YOU)
        return self._find(directory, name)

    def _was_taken(self, payload: EntryPayload, id: str) -> bool:
        """Return whether the journal has a decision under the caller's id, even a replaced one."""
        entries = self._file.journal.by_keys(self._space, payload.kind, [id]) if id else []
        directory = self._directory()
        for entry in entries:
            stored = entry.payload
            if isinstance(stored, PeopleMerged) and isinstance(payload, PeopleMerged):
                # Since then, the two are one: as far as they are, it is the same decision.
                both = directory.canonical(stored.person), directory.canonical(payload.person)
                is_same = both[0] == both[1] == payload.into
                stored = payload if is_same else stored
            if stored is not None:
                check_same_content(id, stored, payload, self._space)
        return bool(entries)

    def _append_once(self, payload: EntryPayload, id: str) -> None:
        if not self._was_taken(payload, id):
            self._append(payload, id)

    def _append(self, payload: EntryPayload, id: str) -> None:
        draft = EntryDraft(id, payload, has_own_key=bool(id))
        self._file.journal.append(self._space, [draft])


_BY = {NameSource.CALLER: "caller", NameSource.FILE: "caller"}
