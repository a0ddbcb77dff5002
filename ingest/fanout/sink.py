"""The port of a sink: another system that is given copies of what the journal says.

A sink keeps no position: the dispatcher reads the journal, redacts, and delivers batches behind a
cursor of each sink. Whatever a sink holds can be dropped and delivered again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from zlib import crc32

from ...core.types import Entry
from ...graph.schema import Partition
from ..redaction.sanitise import Target

#: Runs of journal sequences, first and last of each.
Runs = Sequence[tuple[int, int]]


def version_of(*parts: object) -> int:
    """Return a number that is another one as soon as any part is."""
    return crc32(" ".join(map(str, parts)).encode()) & 0x7FFFFFFF


@dataclass(frozen=True, slots=True)
class SinkBatch:
    """Entries of one space on their way to a sink: those after `after`, up to and with `until`.

    In journal order, redacted for the sink's target; erased and restricted ones are left out.
    `partition` is the space together with the journal's id: a sink stores both with all it holds,
    so that two journals that share a server never meet.
    """

    partition: Partition
    after: int
    until: int
    entries: Sequence[Entry]


class Sink(Protocol):
    """One target of the fan-out. Threads may share it; one works on a space at a time.

    Every method raises `Unavailable` where the other system does not answer (it is tried again
    later), and another `MeridiaError` where it refuses what it was given.
    """

    @property
    def name(self) -> str:
        """The name in settings, cursors, status and receipts, such as `postgres`."""
        ...

    @property
    def version(self) -> int:
        """Which edition of the mapping this is, and where to; see `version_of`.

        Another one is delivered from the beginning.
        """
        ...

    @property
    def target(self) -> Target:
        """For what texts are redacted: a graph or a vector store."""
        ...

    def deliver(self, batch: SinkBatch) -> None:
        """Write a batch, keyed by the ids of its entries: the same batch again changes nothing."""
        ...

    def forget(self, partition: Partition, erased: Runs) -> bool:
        """Remove whatever came from some journal sequences; doing it again changes nothing.

        Return False where all of the partition was removed instead: the dispatcher then delivers
        the rest again from the beginning.
        """
        ...

    def drop(self, partition: Partition) -> None:
        """Remove all that is held of the partition, and nothing else."""
        ...

    def count(self, partition: Partition) -> int:
        """Return how many experiences or episodes of the partition are held."""
        ...

    def close(self) -> None:
        """Release connections."""
        ...
