"""The history of a space's sessions, as capture needs it for decisions.

A session's history is cached in memory and, from time to time, as a projection; what is missing is
folded from the journal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from ...core.codec import decode, encode
from ...core.entries import ExperienceCaptured
from ...core.events import EventKind, event_of, speaker_id
from ...core.ids import content_hash, owner_id, person_id, session_id
from ...core.ports import Appender, Journal
from ...core.types import Entry, EntryDraft, Outcome
from ...storage.store import SpaceStore
from .capture_context import CaptureContext
from .commit import decision_of
from .event_view import OWNER_KEY, read_event
from .relationship_rules import relationship_by_rule, speaks
from .session_history import Bond, SessionHistory

#: So many events of a session may have to be folded again.
_SAVE_EVERY = 16
#: The end of a session this short leaves no trace in the journal; its next event reopens it.
_SHORT_SESSION = 4
#: The session of events that name none.
_NO_SESSION = ""
#: So many sessions and people are held; what of another was not written is folded again.
_SESSIONS_MAX, _PEOPLE_MAX = 256, 4096
#: About what a session's history takes.
_SESSION_BYTES = 4_000
#: Shorter texts ("ok, thanks") are said again and again and repeat nothing.
_REPEATED_CHARS_MIN = 12


class SessionCache:
    """What the events of one space need to know of the past, while nobody else appends.

    `next_seq` is the sequence that the next entry of the file has as far as this knows: once
    somebody else has appended, it is stale and has to be built again.
    """

    def __init__(self, journal: Journal, space: SpaceStore) -> None:
        self.next_seq = 0
        self._journal = journal
        self._space = space
        self._sessions: dict[str, SessionHistory] = {}
        #: Sessions that have gone on since they were last looked at for saving: their newest event.
        self._changed: dict[str, int] = {}
        #: After how many more events each is written.
        self._unwritten: dict[str, int] = {}
        self._people: dict[str, Bond | None] = {}
        #: People and sessions in which no further message makes them anything else.
        self._settled: set[tuple[str | None, str]] = set()

    def bytes(self) -> int:
        """About what it takes."""
        return _SESSION_BYTES * len(self._sessions)

    def load_history(self, context: CaptureContext) -> None:
        """Tell an arrival its session's history, the people in it, and its double."""
        key = _session_key(context)
        history = self._sessions.pop(key, None) or self._load(key)
        self._sessions[key] = history  # the one that went on last stands at the end
        names = {name for name in (context.event_view.person, history.interlocutor) if name}
        met = {name: self._relationship(name) for name in names}
        people = {name: who for name, who in met.items() if who is not None}
        context.history = history if history.people == people else replace(history, people=people)
        context.duplicate_of = _duplicate_id(self._space, context)

    def record_event(self, context: CaptureContext, seq: int) -> None:
        """Take an arrival that was committed into its session's history."""
        later = context.history.after(context.event_view, context.decision)
        self.next_seq = seq + 1
        key = _session_key(context)
        self._people |= later.people
        self._sessions[key] = later
        self._changed[key] = seq
        self._unwritten[key] = self._unwritten.get(key, 1) - 1

    def grow_relationship(
        self, appender: Appender, context: CaptureContext, at: datetime | None
    ) -> None:
        """Append what the speaker of an arrival that was committed has become with it."""
        person = speaks(context.event, context.space)
        place = person, _session_key(context)
        if person is None or place in self._settled:
            return
        changed, is_settled = relationship_by_rule(self._space.people, person)
        if is_settled:
            self._settled.add(place)
        if changed is None:
            return
        draft = EntryDraft(f"{changed.person}#{changed.type.value}", changed, at)
        answer = appender.append(draft)
        if answer.outcome is not Outcome.REDELIVERED:
            self.next_seq = answer.seq + 1
            self._people.clear()

    def save(self) -> None:
        """Write histories, inside the transaction that appended the events.

        A session's first event here is written at once, later ones now and then: what is missing
        is folded from the journal.
        """
        for key, seq in self._changed.items():
            history = self._sessions[key]
            short = len(history.results) + len(history.messages) < _SHORT_SESSION
            if short or self._unwritten[key] <= 0:
                # Who is known belongs to the space, not to the session.
                self._space.sessions.save_history(key, encode(replace(history, people={})), seq)
                # Events without a session are no stream: nothing of them can be folded again.
                self._unwritten[key] = _SAVE_EVERY if key != _NO_SESSION else 1
        self._changed.clear()
        for key in list(self._sessions)[: max(0, len(self._sessions) - _SESSIONS_MAX)]:
            del self._sessions[key]
            self._unwritten.pop(key, None)
        if len(self._people) > _PEOPLE_MAX:
            self._people.clear()

    def _load(self, key: str) -> SessionHistory:
        stored, seq = self._space.sessions.load_history(key)
        history = None if stored is None else decode(SessionHistory, stored)
        later = self._journal.stream(self._space.name, key, seq) if key != _NO_SESSION else []
        return fold(later, history)

    def _relationship(self, name: str) -> Bond | None:
        if name not in self._people:
            space = self._space.name
            person = owner_id(space) if name == OWNER_KEY else person_id(space, name)
            row = self._space.people.type_and_threshold(person)
            self._people[name] = row
        return self._people[name]


def _duplicate_id(space: SpaceStore, context: CaptureContext) -> str | None:
    """Return the first memory of the same words by the same speaker or tool.

    A note under the caller's own id is a record: another that says the same is not said again, and
    stays when one of them is forgotten.
    """
    if context.event["kind"] == EventKind.MANUAL_CAPTURE and context.event.get("id"):
        return None
    meaning = context.event_view.meaning
    if len(meaning.strip()) < _REPEATED_CHARS_MIN:
        return None
    who = speaker_id(context.event, context.space)
    return space.first_with_text(content_hash(meaning), context.event["kind"], who)


def fold(entries: Iterable[Entry], history: SessionHistory | None = None) -> SessionHistory:
    """Return the history of a session after some of its entries in the journal, in order."""
    history = history or SessionHistory()
    for entry in entries:
        if isinstance(entry.payload, ExperienceCaptured):
            history = history.after(read_event(event_of(entry)), decision_of(entry.payload))
    return replace(history, people={})


def _session_key(context: CaptureContext) -> str:
    session = context.event.get("session")
    return session_id(context.space, session["key"]) if session else _NO_SESSION
