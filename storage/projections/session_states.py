"""What is remembered of a session between two of its events: its history and its register.

A projection, kept so that one more event of a long session costs no more than one of a short one.
Where a row is missing, whoever needs it folds the session's entries again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from ...core.events import encode
from ...core.time import from_text, to_text
from ...core.types import Payload
from ..database import Connection
from ..statement_loader import sql


@dataclass(frozen=True, slots=True)
class SessionState:
    """What is remembered of a session: its history as of sequence `seq`, and its register."""

    history: Payload | None = None
    seq: int = 0
    register: Payload | None = None


@dataclass(frozen=True, slots=True)
class LastEvent:
    """The last event of a session: its sequence, when it happened, and when it was heard of."""

    seq: int
    at: datetime
    recorded_at: datetime


def load(connection: Connection, space: int, session: str) -> SessionState:
    """Return what is remembered of a session; parts that are not known are None."""
    row = connection.execute(sql("sessions/load"), (space, session)).fetchone()
    if row is None:
        return SessionState()
    history, seq, register = row
    return SessionState(_read(history), seq or 0, _read(register))


def save_history(
    connection: Connection, space: int, session: str, history: Payload, last: LastEvent
) -> None:
    """Keep a session's history as of its last event, in the transaction that appended that."""
    row = {
        "space": space,
        "session": session,
        "at": to_text(last.at),
        "heard": to_text(last.recorded_at),
        "seq": last.seq,
        "history": encode(history),
    }
    connection.execute(sql("sessions/save_history"), row)


def save_register(connection: Connection, space: int, session: str, register: Payload) -> None:
    """Keep a session's register, in the transaction that enriched its latest experience."""
    connection.execute(sql("sessions/save_register"), (space, session, encode(register)))


def end(connection: Connection, space: int, session: str) -> None:
    """Take a session for ended: a boundary says so."""
    connection.execute(sql("sessions/end"), (space, session))


def due(
    connection: Connection, space: int, silence: timedelta, now: datetime
) -> list[tuple[str, bool]]:
    """Return the sessions that may be over and are not told yet, and which a boundary ended.

    One is over when it has been silent while another one went on for so long, or when nothing of
    it was heard for so long.
    """
    days, before = silence / timedelta(days=1), to_text(now - silence)
    values = {"space": space, "heard_before": before, "silence_days": days}
    rows = connection.execute(sql("sessions/due"), values)
    return [(session, bool(over)) for session, over in rows]


def update_last_event(connection: Connection, space: int, session: str, last: LastEvent) -> None:
    """Remember that a session went on later than was known."""
    row = (to_text(last.at), to_text(last.recorded_at), space, session)
    connection.execute(sql("sessions/update_last_event"), row)


def newest(connection: Connection, space: int) -> datetime | None:
    """Return when the newest event of any session happened, as far as is remembered."""
    (at,) = connection.execute(sql("sessions/newest"), (space,)).fetchone()
    return None if at is None else from_text(at)


def open_sessions(connection: Connection, space: int) -> list[str]:
    """Return the sessions whose end was not told yet."""
    return [row[0] for row in connection.execute(sql("sessions/unprocessed"), (space,))]


def mark_processed(connection: Connection, space: int, session: str) -> None:
    """Mark a session's end as told; its next event opens it again."""
    connection.execute(sql("sessions/mark_processed"), (space, session))


def clear(connection: Connection, space: int) -> None:
    """Drop what is remembered of a space's sessions."""
    connection.execute(sql("sessions/clear"), (space,))


def rebuild_sessions(connection: Connection, space: int) -> None:
    """List a space's sessions from its experiences, after these were listed anew."""
    connection.execute(sql("sessions/rebuild"), (space,))


def _read(text: str | None) -> Payload | None:
    return None if text is None else json.loads(text)
