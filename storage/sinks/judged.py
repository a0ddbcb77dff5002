"""The rows that a vector sink gets, and later changes of their judgement."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from ..space_store import SpaceStore


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
    rows = scope.rows("sinks/judged", (scope.number, json.dumps(list(ids))))
    return {row[1]: Judged(*row) for row in rows}
