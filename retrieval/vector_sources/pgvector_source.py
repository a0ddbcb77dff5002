"""The vectors in PostgreSQL as a source; the sink `postgres` fills them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.calls.arguments import checked
from ...core.errors import MeridiaError
from ...core.ports import VectorQuery
from ...core.types import Space
from ...graph.schema import partition
from ...storage.sinks.sink_state import SinkState
from ...storage.store import Store

if TYPE_CHECKING:
    from ...storage.sinks.pgvector_table import PgVectorTable

SINK = "postgres"


@checked
class PgVectorSource:
    """Searches the table of one server; each space has its rows there."""

    name = "pgvector"

    def __init__(self, file: Store, table: PgVectorTable, version: int) -> None:
        """Search `table` as the sink of a version filled it."""
        self._file = file
        self._table = table
        self._version = version

    def is_available(self, space: Space) -> bool:
        """Say whether the server answers."""
        try:
            self._table.count(partition(self._file.journal, space).id)
        except MeridiaError:
            return False
        return True

    def until(self, space: Space) -> int:
        """Return how far the sink has come."""
        return SinkState(self._file.space(space), SINK).position(self._version)

    def search(self, query: VectorQuery) -> list[tuple[int, float]]:
        """Return the nearest experiences; see `VectorSource.search`."""
        return self._table.search(partition(self._file.journal, query.space).id, query)
