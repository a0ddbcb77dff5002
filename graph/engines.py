"""The one place that knows which graph engine is in use: from settings to a store of one space."""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, cast
from weakref import WeakValueDictionary

from ..core.errors import Unavailable
from ..core.ports import GraphChange, GraphStore
from ..core.settings import GraphSettings
from ..core.types import Space
from ..storage.space_caches import SpaceCache
from ..storage.store import Store
from .kglite_store import KgliteStore, discard
from .projector import is_followable, project
from .removal import Removal
from .schema import Partition, partition

if TYPE_CHECKING:
    from .neo4j_store import Neo4jStore

#: Files that an open graph of the embedded engine holds open.
_FILES_EACH = 2
#: A graph that lacks more entries is emptied by a forgetting.
_FOLLOWED_MAX = 2_000


@dataclass(frozen=True, slots=True)
class _Opened:
    """The store of a space, and where its nodes are."""

    partition: Partition
    store: GraphStore

    def bytes(self) -> int:
        """About what the store takes in memory."""
        return self.store.bytes if isinstance(self.store, KgliteStore) else 0

    def rest(self) -> bool:
        """Close the store's files, unless somebody uses them."""
        return self.store.rest() if isinstance(self.store, KgliteStore) else True


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
    """The graph stores of one journal, by space; each is opened on first use.

    Those of the embedded engine take memory and files: where too many are open, what was used
    longest ago is closed until its next use. On a server all share their connections.
    """

    def __init__(self, settings: GraphSettings, file: Store) -> None:
        self._settings = settings
        self._journal, self._path = file.journal, file.path
        self._held: SpaceCache[_Opened] = SpaceCache(
            file.caches, _Opened.bytes, handles=_FILES_EACH, give_up=_Opened.rest
        )
        #: What was closed stays the store of its space for who still has it.
        self._alive: WeakValueDictionary[Space, GraphStore] = WeakValueDictionary()
        self._removals: dict[Space, dict[str, GraphChange]] = {}
        self._server: Neo4jStore | None = None
        self._connecting = Lock()

    def of(self, space: Space) -> GraphStore:
        """Return the store of a space."""
        mine = partition(self._journal, space)
        with self._held.lock(space):
            opened = self._held.get(space)
            # A space's partition is known with its first entry.
            if opened is None or opened.partition != mine:
                store = None if opened or self._server else self._alive.get(space)
                opened = _Opened(mine, store or self._open(mine))
                self._alive[space] = opened.store
                opened.store.removals = self._removals.setdefault(space, {})
            self._held.put(space, opened)
            return opened.store

    def _open(self, mine: Partition) -> GraphStore:
        with self._connecting:
            if self._server is not None:
                return self._server.beside(mine)
        self.release(mine.space)
        store = open_store(self._settings, self._path, mine)
        with ExitStack() as opening:
            opening.callback(store.close)
            store.ensure_schema()
            opening.pop_all()
        if store.shared:
            with self._connecting:
                self._server = cast("Neo4jStore", store)
        return store

    def project_open(
        self, space: Space, should_continue: Callable[[], bool], unasked: bool = False
    ) -> int | None:
        """Bring the store of a space up to date; return how far behind it is, 0 for not at all.

        None where it is not open; `unasked`, one on a server is opened, as others may ask that. One
        in process that is empty, as after a forgetting, waits for who asks it.
        """
        opened, is_embedded = self._held.get(space), self._settings.engine == "embedded"
        if opened is None and (not unasked or is_embedded):
            return None
        store = self.of(space)
        if is_embedded and not store.cursor().seq:
            return None
        project(self._journal, store, space, self._settings.batch, should_continue=should_continue)
        return max(0, self._journal.head(space).seq - store.cursor().seq)

    def projected(self, space: Space) -> GraphStore:
        """Return the store of a space, brought up to date."""
        store = self.of(space)
        project(self._journal, store, space, self._settings.batch)
        return store

    def note(self, space: Space, forgetting: str, removal: Removal | None) -> None:
        """Note what a forgetting, by the id of its entry, changes in graphs."""
        if removal is not None:
            change = partial(removal.apply, self._journal)
            self._removals.setdefault(space, {})[forgetting] = change

    def forget(self, space: Space) -> None:
        """Take what was forgotten out of a space's graph, and out of a file of the embedded engine.

        Where nothing says what that is, the graph is emptied. Raises `Unavailable` where that is
        not possible now.
        """
        store, path = self.of(space), graph_path(self._path, space)
        if not isinstance(store, KgliteStore):
            discard(path)
        elif store.private:
            raise Unavailable(f"another process has {path} open: it is emptied on its next use")
        until = store.cursor().seq
        is_near = until and self._journal.head(space).seq - until <= _FOLLOWED_MAX
        if is_near and is_followable(self._journal, store, space):
            self.projected(space)
            if isinstance(store, KgliteStore):
                store.scrub()
        else:
            store.drop()
        self._removals[space].clear()

    def release(self, space: Space) -> None:
        """Close the store of a space, so that another process may own it."""
        self._alive.pop(space, None)
        opened = self._held.pop(space)
        if opened is not None and not opened.store.shared:
            opened.store.close()

    def close(self) -> None:
        """Close every store."""
        for opened in self._held.clear():
            if not opened.store.shared:
                opened.store.close()
        if self._server is not None:
            self._server.close()


def graph_path(journal_path: Path, space: Space) -> Path:
    """Return where the embedded graph of a space lies: its name starts with the journal's."""
    readable = re.sub(r"[^A-Za-z0-9_-]", "_", space)[:40]
    digest = hashlib.blake2b(space.encode("utf-8"), digest_size=5).hexdigest()
    return journal_path.with_name(f"{journal_path.name}-graph-{readable}-{digest}.kgl")
