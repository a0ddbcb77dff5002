"""How far each sink has come in a space, and the rows that a vector sink gets.

Two cursors say what was delivered and which forgettings have reached the sink. A sink that fails is
one task, which is never given up: what it lacks is in the journal.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ...core.types import Seq
from ..store import SpaceStore
from ..work import Cursors, Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: A task of the whole space, not of one of its entries.
_WHOLE = 0
_PREFIX, _FORGOTTEN, _VERSION = "sink ", " forgotten", 1
#: The version of no sink.
_RESTARTED = 0


@dataclass(frozen=True, slots=True)
class SinkStatus:
    """Where a sink stands: journal sequences it has, and lacks, and what went wrong last.

    `forgettings` counts those that have not reached it. `is_configured` is false for a sink that
    was filled before and that the settings name no more.
    """

    name: str
    seq: int
    lag: int
    forgettings: int = 0
    failures: int = 0
    error: str = ""
    retry_at: datetime | None = None
    is_configured: bool = True


class SinkState:
    """The position of one sink in one space."""

    def __init__(self, space: SpaceStore, name: str) -> None:
        self._cursors, self._tasks = space.cursors, space.tasks
        self._name = name
        self._key, self._forgotten = _PREFIX + name, _PREFIX + name + _FORGOTTEN
        self._begun = f"begun {self._key}"

    def position(self, version: int) -> Seq:
        """Return the last journal sequence delivered by this version of the sink."""
        return self._cursors.position(self._key, version, counted=False)

    def move(self, version: int, seq: int) -> None:
        """Note that all up to a sequence was delivered."""
        self._cursors.move(self._key, version, seq)

    @property
    def begun(self) -> Seq:
        """Where the journal ended when the sink was begun anew."""
        return self._cursors.position(self._begun, _VERSION)

    @begun.setter
    def begun(self, seq: int) -> None:
        self._cursors.move(self._begun, _VERSION, seq)

    def restart(self) -> None:
        """Start again from the beginning, for an empty sink."""
        self._cursors.move(self._key, _RESTARTED, 0)

    @property
    def forgotten(self) -> Seq:
        """The sequence of the last forgetting that reached the sink."""
        return self._cursors.position(self._forgotten, _VERSION)

    @forgotten.setter
    def forgotten(self, seq: int) -> None:
        self._cursors.move(self._forgotten, _VERSION, seq)
        self._cursors.take_back(self._forgotten, seq)

    def failure(self) -> Task | None:
        """Return what went wrong, if the last try failed."""
        return next((t for t in self._tasks.of_entry(_WHOLE) if t.stage == self._key), None)

    def fail(self, error: str, now: datetime) -> None:
        """Note one more failure; the next try of its own accord is after a growing wait."""
        self._tasks.fail(_WHOLE, self._key, error, now)

    def succeed(self) -> None:
        """Note that the last try went well."""
        self._tasks.done(_WHOLE, self._key)


def sink_names(cursors: Cursors) -> Sequence[str]:
    """Return the sinks that anything of a space was ever delivered to."""
    keys = [name for name in cursors.names() if name.startswith(_PREFIX)]
    return sorted({key.removeprefix(_PREFIX).removesuffix(_FORGOTTEN) for key in keys})


def left_sinks(space: SpaceStore, names: Container[str], head: int) -> list[SinkStatus]:
    """Return the sinks that were filled and are not among some names, at the journal's head."""
    left = [name for name in sink_names(space.cursors) if name not in names]
    return [SinkStatus(name, head, 0, is_configured=False) for name in left]


@dataclass(frozen=True, slots=True)
class Judged:
    """How significant an experience is (0 to 1), how engaged, and of what valence (-1 to 1).

    `text_hash` is that of the text whose vectors are recorded; empty for an outline.
    """

    seq: int
    id: str = ""
    text_hash: str = ""
    significance: float | None = None
    engagement: str | None = None
    valence: float | None = None


@dataclass(frozen=True, slots=True)
class VectorRow:
    """One vector of one experience; a long text has several, by `chunk`."""

    seq: int
    chunk: int
    id: str
    kind: str
    at: datetime
    person: str | None
    session: str | None
    significance: float | None
    engagement: str | None
    valence: float | None
    content: str
    embedding: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RowOrigin:
    """Whose rows they are: a space of a journal, and the model that made the vectors."""

    partition: str
    space: str
    model: str


def judged(space: SpaceStore, ids: Sequence[str]) -> dict[str, Judged]:
    """Return what is known of some experiences, by their ids; unknown ones are left out."""
    scope = space.space_scope
    rows = scope.rows("sinks/judged", ids)
    return {row[1]: Judged(*row) for row in rows}
