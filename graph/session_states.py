"""What is remembered of a session between two of its events: its history and its register.

A projection, kept so that one more event of a long session costs no more than one of a short one.
Where a row is missing, whoever needs it folds the session's entries again.
"""

from __future__ import annotations

import json
from datetime import datetime

from ..core.events import encode
from ..core.time import to_text
from ..core.types import Payload
from .database import Connection
from .statements import sql


def load(connection: Connection, space: int, session: str) -> tuple[Payload | None, Payload | None]:
    """Return the history and the register of a session, each None where it is not known."""
    row = connection.execute(sql("sessions/load"), (space, session)).fetchone()
    if row is None:
        return None, None
    history, register = (None if text is None else json.loads(text) for text in row)
    return history, register


def save_history(
    connection: Connection, space: int, session: str, history: Payload, at: datetime | None
) -> None:
    """Keep a session's history, in the transaction that appended its latest event."""
    row = {"space": space, "session": session, "history": encode(history)}
    connection.execute(sql("sessions/save_history"), row | {"at": at and to_text(at)})


def save_register(connection: Connection, space: int, session: str, register: Payload) -> None:
    """Keep a session's register, in the transaction that enriched its latest experience."""
    connection.execute(sql("sessions/save_register"), (space, session, encode(register)))


def end(connection: Connection, space: int, session: str) -> None:
    """Take a session for ended: a boundary says so."""
    connection.execute(sql("sessions/end"), (space, session))


def due(connection: Connection, space: int, silent_since: datetime) -> list[str]:
    """Return the sessions that are over and whose end was not told yet."""
    values = {"space": space, "silent_since": to_text(silent_since)}
    return [row[0] for row in connection.execute(sql("sessions/due"), values)]


def still_open(connection: Connection, space: int) -> list[str]:
    """Return the sessions whose end was not told yet."""
    return [row[0] for row in connection.execute(sql("sessions/open"), (space,))]


def tell(connection: Connection, space: int, session: str) -> None:
    """Mark a session's end as told; its next event opens it again."""
    connection.execute(sql("sessions/tell"), (space, session))


def clear(connection: Connection, space: int) -> None:
    """Drop what is remembered of a space's sessions."""
    connection.execute(sql("sessions/clear"), (space,))


def list_again(connection: Connection, space: int) -> None:
    """List a space's sessions from its experiences, after these were listed anew."""
    connection.execute(sql("sessions/list_again"), (space,))
