"""The sink of Graphiti: sessions at their end as episodes, people, entities and facts.

The group is the space's, and belongs to Meridia: forgetting empties it, and what is left is
delivered again. With a language model, Graphiti reads the episodes itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from ...core.errors import Refused
from ...graph.graphiti.client import GraphitiClient
from ...graph.graphiti.mapping import batch_of, group_of, mark_of
from ...graph.schema import Partition
from ...storage.journal import Journal
from ..redaction.sanitise import Target
from .sink import Runs, SinkBatch, version_of

#: Edition of what stands there; another one is delivered from the beginning.
_EDITION = 2


class GraphitiSink:
    """A `Sink` over one database that Graphiti works on."""

    name = "graphiti"
    target: Target = "graph"

    def __init__(
        self, open_client: Callable[[], GraphitiClient], journal: Journal, place: str = ""
    ) -> None:
        """Write through a client, opened on first use; sessions of facts stand in `journal`.

        `place` names the database: what one holds another does not.
        """
        self._open_client = open_client
        self.version = version_of(_EDITION, place)
        self._journal = journal

    @cached_property
    def _client(self) -> GraphitiClient:
        return self._open_client()

    def deliver(self, batch: SinkBatch) -> None:
        """Write a batch, keyed by the ids of its entries: the same batch again changes nothing."""
        mapped = batch_of(batch.partition, batch.entries, self._journal)
        if not mapped:
            return
        self._check_owner(batch.partition)
        if self._client.reads_episodes:
            self._client.read_episodes(mapped.episodes.values())
        else:
            self._client.save(mapped)

    def forget(self, partition: Partition, erased: Runs) -> bool:  # noqa: ARG002 - all goes
        """Empty the group, so that what is left is delivered again: summaries named what went."""
        self.drop(partition)
        return False

    def drop(self, partition: Partition) -> None:
        """Remove all that is held of the partition, and nothing else."""
        self._check_owner(partition)
        self._client.drop(group_of(partition.space))

    def count(self, partition: Partition) -> int:
        """Return how many episodes of the partition are held."""
        return self._client.count(group_of(partition.space))

    def close(self) -> None:
        """Release connections."""
        if "_client" in vars(self):
            self._client.close()

    def _check_owner(self, partition: Partition) -> None:
        """Raise `Refused` where another journal, or another program, has the group."""
        group, mark = group_of(partition.space), mark_of(partition)
        others = [source for source in self._client.sources(group) if not source.startswith(mark)]
        if others:
            raise Refused(
                f"Graphiti's group {group!r} has data that is not from this journal ({others[0]}): "
                "give Graphiti a database of its own, or use another space"
            )
