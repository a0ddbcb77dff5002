"""The stored state of a session between two of its events: its history and its register.

A projection, so that one more event of a long session costs no more than one of a short one. Where
a row is missing, the session's entries are folded again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from ...core.codec import decode_text, encode_text
from ...core.events import encode
from ...core.experience import RegisterState
from ...core.time import from_text, to_text
from ...core.types import Payload
from ..space_scope import SpaceScope


@dataclass(frozen=True, slots=True)
class SessionState:
    """What is remembered of a session: its history as of sequence `seq`, and its register."""

    history: Payload | None = None
    seq: int = 0
    register: RegisterState | None = None


@dataclass(frozen=True, slots=True)
class LastEvent:
    """The last event of a session: its sequence, when it happened, and when it was heard of."""

    seq: int
    at: datetime
    recorded_at: datetime


class SessionStates:
    """What is remembered of the sessions of one space."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def load(self, session: str) -> SessionState:
        """Return what is remembered of a session; parts that are not known are None."""
        row = self._space.row("sessions/load", (self._space.number, session))
        if row is None:
            return SessionState()
        history, seq, register = row
        return SessionState(
            None if history is None else json.loads(history),
            seq or 0,
            None if register is None else decode_text(RegisterState, register),
        )

    def save_history(self, session: str, history: Payload, last: LastEvent) -> None:
        """Keep a session's history as of its last event, in the transaction that appended that."""
        row = {
            "space": self._space.number,
            "session": session,
            "at": to_text(last.at),
            "heard": to_text(last.recorded_at),
            "seq": last.seq,
            "history": encode(history),
        }
        self._space.run("sessions/save_history", row)

    def save_register(self, session: str, register: RegisterState) -> None:
        """Keep a session's register, in the transaction that enriched its latest experience."""
        row = (self._space.number, session, encode_text(register))
        self._space.run("sessions/save_register", row)

    def end(self, session: str) -> None:
        """Take a session for ended: a boundary says so."""
        self._space.run("sessions/end", (self._space.number, session))

    def due(self, silence: timedelta, now: datetime) -> list[tuple[str, bool]]:
        """Return the sessions that may be over and have no episode yet, and which a boundary ended.

        One is over when it has been silent while another one went on for so long, or when nothing
        of it was heard for so long.
        """
        values = {
            "space": self._space.number,
            "heard_before": to_text(now - silence),
            "silence_days": silence / timedelta(days=1),
        }
        return [(session, bool(over)) for session, over in self._space.rows("sessions/due", values)]

    def update_last_event(self, session: str, last: LastEvent) -> None:
        """Remember that a session went on later than was known."""
        row = (to_text(last.at), to_text(last.recorded_at), self._space.number, session)
        self._space.run("sessions/update_last_event", row)

    def newest(self) -> datetime | None:
        """Return when the newest event of any session happened, as far as is remembered."""
        (at,) = self._space.only_row("sessions/newest", (self._space.number,))
        return None if at is None else from_text(at)

    def open_sessions(self) -> list[str]:
        """Return the sessions without an episode yet."""
        rows = self._space.rows("sessions/unprocessed", (self._space.number,))
        return [row[0] for row in rows]

    def mark_processed(self, session: str) -> None:
        """Mark a session's episode as written; its next event opens the session again."""
        self._space.run("sessions/mark_processed", (self._space.number, session))

    def reopen(self) -> None:
        """Have every ended session processed again, with a new episode."""
        self._space.run("sessions/reopen", (self._space.number,))

    def clear(self) -> None:
        """Drop what is remembered of the space's sessions."""
        self._space.run("sessions/clear", (self._space.number,))

    def rebuild(self) -> None:
        """List the space's sessions from its experiences, after the list of these was rebuilt."""
        self._space.run("sessions/rebuild", (self._space.number,))
