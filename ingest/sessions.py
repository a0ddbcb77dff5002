"""The past of a space's sessions, as capture needs it to decide.

A session's history is kept in memory and, now and then, as a projection; what is missing of it is
folded from the journal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..core.events import event_of
from ..core.ids import content_hash, person_id, session_id
from ..core.types import Entry, EntryKind, Space
from ..graph import relationships, session_states
from ..graph.catalog import first_saying
from ..graph.database import Connection
from ..graph.journal import SqliteJournal
from ..graph.session_states import Last
from .arrival import Arrival
from .commit import decision_of
from .history import Acquaintance, SessionHistory
from .reading import read

#: So many events of a session may have to be folded again.
_SAVED_EVERY = 16
#: The end of a session this short leaves no trace in the journal; its next event reopens it.
_SHORT = 4
#: The session of events that name none.
_NONE = ""
#: Shorter texts ("ok, thanks") are said again and again and repeat nothing.
_REPEATED_CHARS_MIN = 12


class Pasts:
    """What the events of one space need to know of the past, while nobody else appends.

    `next_seq` is the sequence that the next entry of the file has as far as this knows: once
    somebody else has appended, it knows too little and has to be made anew.
    """

    def __init__(self, journal: SqliteJournal, space: Space) -> None:
        self.next_seq = 0
        self._journal = journal
        self._space = space
        self._sessions: dict[str, _Session] = {}
        #: Keys of the sessions that have gone on since they were last looked at for saving.
        self._went_on: set[str] = set()
        self._people: dict[str, Acquaintance | None] = {}

    def before(self, connection: Connection, number: int, arrival: Arrival) -> None:
        """Tell an arrival its session's history, the people in it, and its double."""
        key = _session_of(arrival)
        if key not in self._sessions:
            self._sessions[key] = self._load(connection, number, key)
        history = self._sessions[key].history
        names = {name for name in (arrival.reading.person, history.interlocutor) if name}
        met = {name: self._acquaintance(connection, number, name) for name in names}
        known = {name: who for name, who in met.items() if who is not None}
        arrival.history = history if history.people == known else replace(history, people=known)
        arrival.duplicate_of = _double(connection, number, arrival)

    def after(self, arrival: Arrival, last: Last) -> None:
        """Take an arrival that was committed into its session's history."""
        later = arrival.history.after(arrival.reading, arrival.decision)
        self.next_seq = last.seq + 1
        key = _session_of(arrival)
        self._went_on.add(key)
        session = self._sessions[key]
        self._people |= later.people
        session.history = later
        if session.last is not None and session.last.at > last.at:
            last = replace(last, at=session.last.at)
        session.last, session.unsaved = last, session.unsaved + 1

    def save(self, connection: Connection, number: int) -> None:
        """Write histories, inside the transaction that appended the events.

        A session's first event here is written at once, later ones now and then: what is missing
        is folded from the journal.
        """
        for key in self._went_on:
            session = self._sessions[key]
            short = len(session.history.results) + len(session.history.messages) < _SHORT
            if session.last is not None and (short or session.unsaved >= session.patience):
                # Who is known belongs to the space, not to the session.
                history = replace(session.history, people={}).as_json()
                session_states.save_history(connection, number, key, history, session.last)
                # Events without a session are no stream: nothing of them can be folded again.
                session.unsaved = 0
                session.patience = _SAVED_EVERY if key != _NONE else 1
        self._went_on.clear()

    def _load(self, connection: Connection, number: int, key: str) -> _Session:
        state = session_states.load(connection, number, key)
        history = (
            SessionHistory() if state.history is None else SessionHistory.from_json(state.history)
        )
        seq = 0 if state.history is None else state.seq
        later = self._journal.stream(self._space, key, seq) if key != _NONE else []
        return _Session(fold(later, history))

    def _acquaintance(self, connection: Connection, number: int, name: str) -> Acquaintance | None:
        if name not in self._people:
            found = relationships.standing(connection, number, person_id(self._space, name))
            self._people[name] = None if found is None else Acquaintance(*found)
        return self._people[name]


@dataclass(slots=True)
class _Session:
    """A session's history; what of it is not written yet, and how much of that is borne."""

    history: SessionHistory
    last: Last | None = None
    unsaved: int = 0
    patience: int = 1


def _double(connection: Connection, number: int, arrival: Arrival) -> str | None:
    """Return the first memory of the same words by the same speaker or tool."""
    meaning = arrival.reading.meaning
    if len(meaning.strip()) < _REPEATED_CHARS_MIN:
        return None
    person = arrival.event.get("person")
    who = person_id(arrival.space, person) if person else None
    return first_saying(connection, number, content_hash(meaning), arrival.event["kind"], who)


def fold(entries: Iterable[Entry], history: SessionHistory | None = None) -> SessionHistory:
    """Return the history of a session after some of its entries in the journal, in order."""
    history = history or SessionHistory()
    for entry in entries:
        if entry.kind is EntryKind.EXPERIENCE_CAPTURED and entry.payload is not None:
            history = history.after(read(event_of(entry)), decision_of(entry.payload))
    return replace(history, people={})


def _session_of(arrival: Arrival) -> str:
    session = arrival.event.get("session")
    return session_id(arrival.space, session["key"]) if session else _NONE
