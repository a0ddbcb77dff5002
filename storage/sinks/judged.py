"""What is known by now of experiences that were delivered: a sink is told when it changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

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


def judged(space: SpaceStore, ids: Sequence[str]) -> dict[str, Judged]:
    """Return what is known of some experiences, by their ids; unknown ones are left out."""
    scope = space.space_scope
    rows = scope.rows("sinks/judged", (scope.number, json.dumps(list(ids))))
    return {row[1]: Judged(*row) for row in rows}
