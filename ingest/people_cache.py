"""The people that each space knows; reading them loads neither rules nor an encoder."""

from __future__ import annotations

from ..core.entries import PersonMet
from ..core.people import Gazetteer, Person
from ..core.ports import Head
from ..core.types import EntryKind, Space
from ..storage.space_caches import SpaceCache
from ..storage.store import Store

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
