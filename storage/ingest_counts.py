"""What ingest made of a space, in numbers: outcomes, statuses, skeletons, redactions, dead letters.

Counted from the lists when somebody asks; nothing is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from . import tasks
from .database import Connection
from .statement_loader import sql


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


def tally(connection: Connection, space: int) -> IngestCounts:
    """Count what ingest made of a space."""
    skeletons, size, held = connection.execute(sql("status/skeletons"), {"space": space}).fetchone()
    work = tasks.counts(connection, space)
    return IngestCounts(
        outcomes=dict(connection.execute(sql("status/outcomes"), {"space": space}).fetchall()),
        statuses=dict(connection.execute(sql("status/statuses"), (space,)).fetchall()),
        skeletons=skeletons,
        skeleton_bytes=size or 0.0,
        held=held,
        redacted=dict(connection.execute(sql("status/redactions"), (space,)).fetchall()),
        nodes=dict(connection.execute(sql("status/nodes"), (space,)).fetchall()),
        dead=work["dead"],
        waiting=work["waiting"],
    )
