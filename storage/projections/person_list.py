"""The people an agent has met: how often, since when, and their relationship (feature 48).

A projection that never lags: people and relationships are written in the transaction that appends
the entry; interactions are counted over the list of experiences. Tools and the agent itself are no
people. Who is whose other name is looked up in `identities`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.entries import ExperienceCaptured, RelationshipChanged
from ...core.events import EventKind, recorded_event, speaker_id
from ...core.people import YOU, PersonRelation
from ...core.time import from_text
from ...core.types import Entry, Payload
from ...core.vocabulary import Relationship
from ..database import Connection
from ..space_scope import SpaceScope
from ..statement_loader import sql
from . import identities

#: Kinds of events that are about a person and not of them: who only hears is not listed.
NOT_OWN_WORDS = frozenset({EventKind.ASSISTANT_MESSAGE, EventKind.TOOL_RESULT})


def projection(connection: Connection, space: int, entry: Entry) -> None:
    """Take up who spoke, and take over what somebody has become to the agent."""
    match entry.payload:
        case ExperienceCaptured() as captured:
            _meet(connection, space, entry, recorded_event(captured))
        case RelationshipChanged(person=person, type=type, threshold=threshold):
            row = {"space": space, "person": person, "type": type.value, "threshold": threshold}
            connection.execute(sql("relationships/change"), row)


def _meet(connection: Connection, space: int, entry: Entry, event: Payload) -> None:
    person = speaker_id(event, entry.space)
    if not person or event["kind"] in NOT_OWN_WORDS:
        return
    name = event.get("person") or YOU
    if connection.execute(sql("relationships/add"), (space, person, name)).rowcount:
        identities.met(connection, space, entry, name)


class PersonList:
    """The people of one space."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def find(self, person: str) -> PersonRelation | None:
        """Return what is known of one person the agent has met."""
        row = self._space.row("relationships/find", self._values(person))
        return None if row is None else _relation(row)

    def type_and_threshold(self, person: str) -> tuple[Relationship, float | None] | None:
        """Return what one person is to the agent and their own threshold; None for a stranger.

        What every capture asks, where `find` also counts all that the person ever said.
        """
        row = self._space.row("relationships/type_and_threshold", self._values(person))
        return None if row is None else (Relationship(row[0]), row[1])

    def counted_user(
        self, person: str, interactions: int, sessions: int
    ) -> tuple[str, float | None, int, int] | None:
        """Return who a user is, their own threshold, and how often they spoke in how many sessions.

        Counts to `interactions` and `sessions` at most; None for whoever is something else.
        """
        counts = {"interactions": interactions, "sessions": sessions}
        row = self._space.row("relationships/counted_user", self._values(person) | counts)
        return None if row is None else (row[0], row[1], row[2], row[3])

    def last_speaker(self, session: str, before: int, other_than: str | None) -> str | None:
        """Return who spoke last in a session before a sequence, besides one person."""
        values = {"session": session, "before": before, "other": other_than}
        row = self._space.row("people/last_speaker", values | {"space": self._space.number})
        return None if row is None else str(row[0])

    def list_all(self) -> list[PersonRelation]:
        """Return everybody the agent has met, most interactions first."""
        rows = self._space.rows("relationships/all", {"space": self._space.number})
        return [_relation(row) for row in rows]

    def _values(self, person: str) -> dict[str, Any]:
        return {"space": self._space.number, "person": person}


def clear(connection: Connection, space: int) -> None:
    """Drop a space's relationships before a rebuild."""
    connection.execute(sql("relationships/clear"), (space,))


def _relation(row: Sequence[Any]) -> PersonRelation:
    person, name, type, first, last, interactions, threshold = row
    times = from_text(first), from_text(last)
    return PersonRelation(person, name, Relationship(type), *times, interactions, threshold)
