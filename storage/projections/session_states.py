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
from ...core.time import from_text
from ...core.types import Payload
from ..space_scope import OfSpace

#: The pass that reads experiences: ends of sessions are those of what it has read.
READING = "enrichment"


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session that goes on: when it last did, when that was heard of, and where it is over.

    `over` is the sequence with which it ends; 0 where nothing says so.
    """

    last_at: datetime
    heard_at: datetime
    over: int = 0


class SessionStates(OfSpace):
    """What is remembered of the sessions of one space."""

    def load_history(self, session: str) -> tuple[Payload | None, int]:
        """Return a session's history and as of which event; None and 0 where there is none."""
        history, seq = self._space.row("sessions/load_history", session) or (None, 0)
        return (None, 0) if history is None else (json.loads(history), seq)

    def load_register(self, session: str) -> RegisterState | None:
        """Return a session's register, if it has one."""
        (register,) = self._space.row("sessions/load_register", session) or (None,)
        return None if register is None else decode_text(RegisterState, register)

    def save_history(self, session: str, history: Payload, seq: int) -> None:
        """Keep a session's history as of an event, in the transaction that appended that."""
        text = encode(history)
        self._space.run("sessions/save_history", session=session, seq=seq, history=text)

    def save_register(self, session: str, register: RegisterState) -> None:
        """Keep a session's register, in the transaction that enriched its latest experience."""
        self._space.run("sessions/save_register", session, encode_text(register))

    def end(self, session: str, seq: int) -> None:
        """Take a session for over once all of it up to a sequence is read."""
        self._space.run("sessions/end", session=session, seq=seq)

    def due(self, silence: timedelta, now: datetime) -> list[str]:
        """Return the sessions that are over, as far as they were read, and not told yet.

        One is over when it has been silent while another one went on for so long, or when nothing
        of it was heard for so long.
        """
        return [
            session
            for (session,) in self._space.rows(
                "sessions/due", heard_before=now - silence, silence_days=silence / timedelta(days=1)
            )
        ]

    def open_sessions(self) -> dict[str, OpenSession]:
        """Return the sessions that are not told yet, as far as they were read."""
        return {
            session: OpenSession(from_text(last_at), from_text(heard_at), over)
            for session, last_at, heard_at, over in self._space.rows("sessions/open")
        }

    def save_open(self, session: str, state: OpenSession, until: int, *, closed: bool) -> None:
        """Keep when a session went on last, as of the sequence `until`, and whether it is told."""
        self._space.run(
            "sessions/save_open",
            session=session,
            last_at=state.last_at,
            heard_at=state.heard_at,
            over=state.over,
            until=until,
            told=closed,
        )

    def newest(self) -> datetime | None:
        """Return when the newest event of any session happened, as far as was read."""
        (at,) = self._space.only_row("sessions/newest")
        return None if at is None else from_text(at)

    def read_anew(self, after: int) -> None:
        """Read again from the journal the sessions that entries after a sequence are about."""
        sessions = [row[0] for row in self._space.rows("sessions/touched", after=after)]
        self._space.run("sessions/drop", sessions=sessions)
        self._space.run("sessions/rebuild_some", sessions=sessions, reading=READING)

    def reopen(self, head: int) -> None:
        """Mark every session to be read again, up to the end of the journal."""
        self._space.run("sessions/reopen", head=head)

    def clear(self) -> None:
        """Drop what is remembered of the space's sessions."""
        self._space.run("sessions/clear")

    def rebuild(self) -> None:
        """List the space's sessions from its experiences, as far as these were read."""
        self._space.run("sessions/rebuild", reading=READING)
