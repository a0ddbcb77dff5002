"""Counts of what ingest did in a space: outcomes, statuses, outlines, redactions, dead letters.

Counted from the lists on demand; nothing is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .space_scope import SpaceScope
from .tasks import Tasks


@dataclass(frozen=True, slots=True)
class IngestCounts:
    """Numbers of one space.

    `outcomes` has one for every event that ever came, `statuses` one for every experience.
    `outlines` are those whose journal has an outline, of `outline_bytes` on average; `held` are
    those whose whole event is still there. `redacted` counts by kind, `nodes` by label.
    """

    outcomes: Mapping[str, int]
    statuses: Mapping[str, int]
    outlines: int
    outline_bytes: float
    held: int
    redacted: Mapping[str, int]
    nodes: Mapping[str, int]
    dead: int
    waiting: int


def tally(space: SpaceScope) -> IngestCounts:
    """Count what ingest made of a space."""
    named, values = {"space": space.number}, (space.number,)
    outlines, size, held = space.only_row("status/outlines", named)
    work = Tasks(space).counts()
    return IngestCounts(
        outcomes=dict(space.rows("status/outcomes", named)),
        statuses=dict(space.rows("status/statuses", values)),
        outlines=outlines,
        outline_bytes=size or 0.0,
        held=held,
        redacted=dict(space.rows("status/redactions", values)),
        nodes=dict(space.rows("status/nodes", values)),
        dead=work["dead"],
        waiting=work["waiting"],
    )
