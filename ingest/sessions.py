"""The past of the sessions that one transaction of capture touches, read once and written once.

A session's history is kept as a projection; where it is missing, it is folded from the journal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from ..core.errors import NotFound
from ..core.events import event_of, meaning_of
from ..core.ids import content_hash, person_id, session_id
from ..core.types import Entry, EntryKind, Payload, Space
from ..graph import relationships, session_states
from ..graph.catalog import first_saying
from ..graph.database import Connection
from ..graph.journal import SqliteJournal
from .arrival import Arrival
from .commit import decision_of
from .history import Acquaintance, SessionHistory
from .reading import person_of
from .relationships import acquaintance

#: The session of events that name none.
_NONE = ""
#: Shorter texts ("ok, thanks") are said again and again and repeat nothing.
_REPEATED_CHARS_MIN = 12


class Pasts:
    """What the events of one transaction need to know of the past of one space."""

    def __init__(self, connection: Connection, journal: SqliteJournal, space: Space) -> None:
        self._connection = connection
        self._journal = journal
        self._space = space
        self._histories: dict[str, SessionHistory] = {}
        self._people: dict[str, Acquaintance | None] = {}
        self._touched: dict[str, datetime] = {}

    def before(self, arrival: Arrival) -> Arrival:
        """Return an arrival that knows its session's history, the people in it, and its double."""
        history = self._history(_session_of(arrival))
        names = {name for name in (person_of(arrival.event), history.interlocutor) if name}
        known = {name: who for name in names if (who := self._acquaintance(name)) is not None}
        return replace(
            arrival,
            history=replace(history, people=known),
            duplicate_of=self._double(arrival.event),
        )

    def after(self, arrival: Arrival, at: datetime) -> None:
        """Take an arrival that was committed, and happened at `at`, into its session's history."""
        later = arrival.history.after(arrival.event, arrival.decision)
        self._people |= later.people
        # Who is known belongs to the space, not to the session.
        session = _session_of(arrival)
        self._histories[session] = replace(later, people={})
        self._touched[session] = max(at, self._touched.get(session, at))

    def save(self) -> None:
        """Write the histories that changed, inside the transaction that appended the events."""
        for session, at in self._touched.items():
            number, history = self._journal.number(self._space), self._histories[session]
            session_states.save_history(self._connection, number, session, history.as_json(), at)

    def _history(self, session: str) -> SessionHistory:
        if session not in self._histories:
            self._histories[session] = self._load(session)
        return self._histories[session]

    def _load(self, session: str) -> SessionHistory:
        number = self._number()
        if number is None:
            return SessionHistory()
        stored, _ = session_states.load(self._connection, number, session)
        if stored is not None:
            return SessionHistory.from_json(stored)
        return fold(self._journal.stream(self._space, session) if session else ())

    def _acquaintance(self, name: str) -> Acquaintance | None:
        if name not in self._people:
            number, id = self._number(), person_id(self._space, name)
            found = None if number is None else relationships.of(self._connection, number, id)
            self._people[name] = None if found is None else acquaintance(found)
        return self._people[name]

    def _double(self, event: Payload) -> str | None:
        meaning, number = meaning_of(event), self._number()
        if number is None or len(meaning.strip()) < _REPEATED_CHARS_MIN:
            return None
        person = event.get("person")
        who = person_id(self._space, person) if person else None
        hashed = content_hash(meaning)
        return first_saying(self._connection, number, hashed, event["kind"], who)

    def _number(self) -> int | None:
        try:
            return self._journal.number(self._space)
        except NotFound:
            return None


def fold(entries: Iterable[Entry]) -> SessionHistory:
    """Return the history of a session from its entries in the journal, in order."""
    history = SessionHistory()
    for entry in entries:
        if entry.kind is EntryKind.EXPERIENCE_CAPTURED and entry.payload is not None:
            history = history.after(event_of(entry), decision_of(entry.payload))
    return replace(history, people={})


def _session_of(arrival: Arrival) -> str:
    session = arrival.event.get("session")
    return session_id(arrival.space, session["key"]) if session else _NONE
