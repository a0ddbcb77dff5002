"""Every error that Meridia raises on purpose, with its code, exit status and HTTP status.

One small tree: a class says what the caller can do about it, `code` says it to a program, and the
table at the end maps codes to exit statuses and HTTP statuses. Nothing here logs or prints.

    MeridiaError
    ├── InvalidInput   the caller's input is wrong; the message names it and says what to do
    ├── Conflict       the same id was given before with other content
    ├── NotFound       a named thing does not exist
    │   └── UnknownPerson   nobody of this name has spoken
    ├── Refused        the request is understood and not allowed
    ├── Unavailable    something Meridia depends on is down or busy
    │   └── NotInstalled    a library of an extra is missing (core/lazy.py)
    ├── StorageFull    nothing more can be written
    ├── Damaged        stored data is not what was written
    └── ModelMismatch  vectors of one model would be compared with those of another
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


class MeridiaError(Exception):
    """Base of all errors raised on purpose; its text is fit to be shown to a user."""

    code: ClassVar[str] = "failed"
    retryable: ClassVar[bool] = False


class InvalidInput(MeridiaError):
    """The input is wrong; the message says which input, what is wrong and what to do."""

    code = "invalid_input"


class Conflict(MeridiaError):
    """The same client id was given before in this space with other content."""

    code = "id_conflict"


class NotFound(MeridiaError):
    """A named space, memory, person, file or query does not exist."""

    code = "not_found"


@dataclass(frozen=True, slots=True)
class Stranger:
    """The answer about a person who has never spoken in the space; it is false as a condition.

    `near` are similar names of people who have. `notes` say what is not enriched yet.
    """

    name: str
    near: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return False

    @property
    def text(self) -> str:
        """The message for an agent."""
        if self.notes:
            return f"{self.name} is not known yet: {'; '.join(self.notes)}"
        meant = f": did you mean {' or '.join(self.near)}?" if self.near else "."
        return f"Nobody called {self.name} has spoken here{meant}"


class UnknownPerson(NotFound):
    """Nobody of this name has spoken in the space; `stranger` has the name and similar ones."""

    code = "unknown_person"

    def __init__(self, stranger: Stranger) -> None:
        """Use the message of the answer."""
        super().__init__(stranger.text)
        self.stranger = stranger


class Refused(MeridiaError):
    """The request is understood, but not allowed."""

    code = "refused"


def closed() -> Refused:
    """Return the error of a call on a closed memory."""
    return Refused("this memory is closed: open it again, with Memory.open")


def outdated(place: object, what: str, newest: int, known: int) -> Refused:
    """Return the error of a process that is older than what wrote a file or a database."""
    return Refused(
        f"{place} was written by a newer Meridia ({what} {newest}, this one knows {known}): "
        "upgrade this one, and start it again"
    )


class Unavailable(MeridiaError):
    """A dependency is down or busy: a database lock, Neo4j, Java, a model server."""

    code, retryable = "unavailable", True


class StorageFull(MeridiaError):
    """The disk, a quota or a file-size limit allows no further write; nothing was acknowledged."""

    code = "storage_full"


class Damaged(MeridiaError):
    """A stored row, hash or file is not what was written."""

    code = "damaged"


class ModelMismatch(MeridiaError):
    """Stored vectors come from another embedding model than the one in use."""

    code = "model_mismatch"


#: Error code → (exit status, HTTP status). Exit statuses: 1 failed, 2 usage, 3 a named thing does
#: not exist, 4 refused, 5 a dependency is down, 6 damage found.
STATUS: dict[str, tuple[int, int]] = {
    "failed": (1, 500),
    "invalid_input": (2, 422),
    "id_conflict": (1, 409),
    "not_found": (3, 404),
    "unknown_person": (3, 404),
    "refused": (4, 403),
    "unavailable": (5, 503),
    "storage_full": (1, 507),
    "damaged": (6, 500),
    "model_mismatch": (1, 409),
}


def exit_status(error: MeridiaError) -> int:
    """Return the exit status of the command line for `error` (1 to 6)."""
    return STATUS[error.code][0]
