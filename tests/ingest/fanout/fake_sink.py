"""A sink in memory that can be down: what the dispatcher is tested with."""

from __future__ import annotations

from meridia.core.entries import ExperienceCaptured
from meridia.core.errors import Unavailable
from meridia.core.types import Entry
from meridia.graph.schema import Partition
from meridia.ingest.fanout.sink import Runs, SinkBatch
from meridia.ingest.redaction.sanitise import Target


class FakeSink:
    """Keeps entries by partition and id, and notes each batch; `down` makes every call fail."""

    version = 1

    def __init__(self, name: str = "fake", target: Target = "vector", *, exact: bool = True):
        self.name, self.target, self.exact = name, target, exact
        self.down = False
        self.batches: list[SinkBatch] = []
        self.rows: dict[Partition, dict[str, Entry]] = {}
        self.closed = False

    def deliver(self, batch: SinkBatch) -> None:
        self._check()
        self.batches.append(batch)
        rows = self.rows.setdefault(batch.partition, {})
        rows.update({entry.id: entry for entry in batch.entries})

    def forget(self, partition: Partition, erased: Runs) -> bool:
        self._check()
        if not self.exact:
            self.drop(partition)
            return False
        rows = self.rows.get(partition, {})
        for first, last in erased:
            for id in [id for id, entry in rows.items() if first <= entry.seq <= last]:
                del rows[id]
        return True

    def drop(self, partition: Partition) -> None:
        self._check()
        self.rows.pop(partition, None)

    def count(self, partition: Partition) -> int:
        self._check()
        rows = self.rows.get(partition, {}).values()
        return sum(isinstance(entry.payload, ExperienceCaptured) for entry in rows)

    def close(self) -> None:
        self.closed = True

    def _check(self) -> None:
        if self.down:
            raise Unavailable(f"{self.name} is down")
