"""What ingest made of a space, in numbers: outcomes, statuses, skeletons, redactions, dead letters.

Counted from the lists when somebody asks; nothing is kept.
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
    `skeletons` are those whose journal keeps an outline, of `skeleton_bytes` on average; `held`
    are those whose whole event is still there. `redacted` counts by kind, `nodes` by label.
    """

    outcomes: Mapping[str, int]
    statuses: Mapping[str, int]
    skeletons: int
    skeleton_bytes: float
    held: int
    redacted: Mapping[str, int]
    nodes: Mapping[str, int]
    dead: int
    waiting: int


def tally(space: SpaceScope) -> IngestCounts:
    """Count what ingest made of a space."""
    named, values = {"space": space.number}, (space.number,)
    skeletons, size, held = space.only_row("status/skeletons", named)
    work = Tasks(space).counts()
    return IngestCounts(
        outcomes=dict(space.rows("status/outcomes", named)),
        statuses=dict(space.rows("status/statuses", values)),
        skeletons=skeletons,
        skeleton_bytes=size or 0.0,
        held=held,
        redacted=dict(space.rows("status/redactions", values)),
        nodes=dict(space.rows("status/nodes", values)),
        dead=work["dead"],
        waiting=work["waiting"],
    )
