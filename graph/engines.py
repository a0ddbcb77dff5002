"""The one place that knows which graph engine is in use: from settings to a store of one space."""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from threading import RLock

from ..core.errors import Unavailable
from ..core.ports import GraphStore, Journal
from ..core.settings import GraphSettings
from ..core.types import Space
from .kglite_store import KgliteStore, discard
from .partition import Partition, partition
from .projector import project


def open_store(settings: GraphSettings, journal_path: Path, partition: Partition) -> GraphStore:
    """Open the graph of a space; the embedded engine's file lies beside the journal.

    Raises `Unavailable` when Neo4j cannot be reached or does not let us in.
    """
    if settings.engine == "neo4j":
        # Loaded when it is wanted: the driver takes a third of the time in which a command starts.
        module = importlib.import_module(".neo4j_store", __package__)
        store: GraphStore = module.Neo4jStore(
            settings.neo4j_uri,
            settings.neo4j_user,
            settings.neo4j_password.get_secret_value(),
            settings.neo4j_database,
            partition,
        )
        return store
    path = graph_path(journal_path, partition.space)
    return KgliteStore(path, partition.space, settings.query_memory_mb)


class Graphs:
    """The graph stores of one journal, by space; each is opened on first use."""

    def __init__(self, settings: GraphSettings, journal: Journal, path: Path) -> None:
        self._settings = settings
        self._journal = journal
        self._path = path
        self._opening = RLock()
        self._open: dict[Space, tuple[Partition, GraphStore]] = {}

    def of(self, space: Space) -> GraphStore:
        """Return the store of a space."""
        mine = partition(self._journal, space)
        with self._opening:
            opened = self._open.get(space)
            # A space's partition is known with its first entry.
            if opened is not None and opened[0] == mine:
                return opened[1]
            self.release(space)
            store = open_store(self._settings, self._path, mine)
            with ExitStack() as opening:
                opening.callback(store.close)
                store.ensure_schema()
                opening.pop_all()
            self._open[space] = mine, store
        return store

    def project_open(self, space: Space, should_continue: Callable[[], bool]) -> bool:
        """Bring the store of a space up to date, if it is open; return whether nothing is left."""
        opened = self._open.get(space)
        if opened is None:
            return True
        given = self._journal, opened[1], space, self._settings.batch
        project(*given, should_continue=should_continue)
        return opened[1].cursor().seq >= self._journal.head(space).seq

    def projected(self, space: Space) -> GraphStore:
        """Return the store of a space, brought up to date."""
        store = self.of(space)
        project(self._journal, store, space, self._settings.batch)
        return store

    def empty(self, space: Space) -> None:
        """Leave nothing of a space's graph on this engine, nor in a file of the embedded one.

        Raises `Unavailable` where that is not possible now.
        """
        store, path = self.of(space), graph_path(self._path, space)
        if isinstance(store, KgliteStore):
            if store.private:
                raise Unavailable(f"another process owns {path}; it empties it when it is used")
        else:
            discard(path)
        store.drop()

    def release(self, space: Space) -> None:
        """Close the store of a space, so that another process may own it."""
        opened = self._open.pop(space, None)
        if opened is not None:
            opened[1].close()

    def close(self) -> None:
        """Close every store."""
        for space in list(self._open):
            self.release(space)


def graph_path(journal_path: Path, space: Space) -> Path:
    """Return where the embedded graph of a space lies: its name starts with the journal's."""
    readable = re.sub(r"[^A-Za-z0-9_-]", "_", space)[:40]
    digest = hashlib.blake2b(space.encode("utf-8"), digest_size=5).hexdigest()
    return journal_path.with_name(f"{journal_path.name}-graph-{readable}-{digest}.kgl")
