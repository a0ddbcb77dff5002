"""The people an agent has met: how often, since when, and their relationship (feature 48).

A projection that never lags: people and relationships are written in the transaction that appends
the entry; interactions are counted over the list of experiences. Tools and the agent itself are no
people.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.entries import ExperienceCaptured, RelationshipChanged
from ...core.events import EventKind, recorded_event
from ...core.ids import person_id
from ...core.people import PersonRelation
from ...core.time import from_text
from ...core.types import Entry, Payload
from ...core.vocabulary import Relationship
from ..database import Connection
from ..space_scope import SpaceScope
from ..statement_loader import sql


def projection(connection: Connection, space: int, entry: Entry) -> None:
    """Take up who spoke, and take over what somebody has become to the agent."""
    match entry.payload:
        case ExperienceCaptured() as captured:
            _meet(connection, space, entry, recorded_event(captured))
        case RelationshipChanged(person=person, type=type, threshold=threshold):
            row = {"space": space, "person": person, "type": type.value, "threshold": threshold}
            connection.execute(sql("relationships/change"), row)


def _meet(connection: Connection, space: int, entry: Entry, event: Payload) -> None:
    name = event.get("person")
    if not name or event["kind"] in (EventKind.ASSISTANT_MESSAGE, EventKind.TOOL_RESULT):
        return
    connection.execute(sql("relationships/add"), (space, person_id(entry.space, name), name))


class PersonList:
    """The people of one space."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def find(self, person: str) -> PersonRelation | None:
        """Return what is known of one person the agent has met."""
        row = self._space.row("relationships/find", (self._space.number, person))
        return None if row is None else _relation(row)

    def type_and_threshold(self, person: str) -> tuple[Relationship, float | None] | None:
        """Return what one person is to the agent and their own threshold; None for a stranger.

        What every capture asks, where `find` also counts all that the person ever said.
        """
        row = self._space.row("relationships/type_and_threshold", (self._space.number, person))
        return None if row is None else (Relationship(row[0]), row[1])

    def sessions_of(self, person: str) -> int:
        """Return in how many sessions a person spoke."""
        row = self._space.only_row("relationships/sessions", (self._space.number, person))
        return int(row[0])

    def list_all(self) -> list[PersonRelation]:
        """Return everybody the agent has met, most interactions first."""
        rows = self._space.rows("relationships/all", (self._space.number,))
        return [_relation(row) for row in rows]


def clear(connection: Connection, space: int) -> None:
    """Drop a space's relationships before a rebuild."""
    connection.execute(sql("relationships/clear"), (space,))


def _relation(row: Sequence[Any]) -> PersonRelation:
    person, name, type, first, last, interactions, threshold = row
    times = from_text(first), from_text(last)
    return PersonRelation(person, name, Relationship(type), *times, interactions, threshold)
