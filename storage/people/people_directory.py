"""Reads who is who in one space, as `projections.identities` keeps it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from ...core.ids import owner_id
from ...core.people import Directory, Identity, NameState, PersonName
from ...core.types import Space
from ...core.vocabulary import NameSource
from ..space_scope import SpaceScope


@dataclass(frozen=True, slots=True)
class Identities:
    """Reads who is who in one space."""

    name: Space
    space: SpaceScope

    def directory(self) -> Directory:
        """Return everybody who spoke, with all their names."""
        number = self.space.number
        return Directory(
            owner_id(self.name),
            dict(self.space.rows("people/spoken", (number,))),
            identities_of(self.space.rows("people/identities", (number,))),
            names_in(self.space.rows("people/names", (number,))),
            self.name,
        )

    def merges(self) -> dict[str, str]:
        """Return who was taken for whom; somebody of their own again, for themselves."""
        return dict(self.space.rows("people/merges", (self.space.number,)))

    def members(self, name: str) -> str:
        """Return the people who are the one called `name`, as JSON for a statement's filter."""
        return json.dumps(self.directory().members(name))


def identities_of(rows: Iterable[tuple[str, str, str]]) -> dict[str, Identity]:
    """Return who is somebody else, or is shown by another name, of rows of the list."""
    return {person: Identity(canonical, shown) for person, canonical, shown in rows}


def names_in(rows: Iterable[tuple[str, str, str, str, str, int]]) -> list[PersonName]:
    """Return names of people of rows of the list."""
    return [
        PersonName(person, name, NameSource(how), NameState(state), since)
        for person, _, name, how, state, since in rows
    ]
