"""The one place that knows which graph engine is in use: from settings to a store of one space."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ..core.ports import GraphStore
from ..core.settings import GraphSettings
from ..core.types import Space
from .kglite_store import KgliteStore
from .neo4j_store import Neo4jStore


def open_store(
    settings: GraphSettings, journal_path: Path, space: Space, all_spaces: bool = False
) -> GraphStore:
    """Open the graph of `space`; the embedded engine's file lies beside the journal.

    Raises `Unavailable` when Neo4j cannot be reached or does not let us in.
    """
    if settings.engine == "neo4j":
        return Neo4jStore(
            settings.neo4j_uri,
            settings.neo4j_user,
            settings.neo4j_password.get_secret_value(),
            settings.neo4j_database,
            space,
            all_spaces=all_spaces,
        )
    return KgliteStore(graph_path(journal_path, space), space)


def graph_path(journal_path: Path, space: Space) -> Path:
    """Return where the embedded graph of a space lies: its name starts with the journal's."""
    readable = re.sub(r"[^A-Za-z0-9_-]", "_", space)[:40]
    digest = hashlib.blake2b(space.encode("utf-8"), digest_size=5).hexdigest()
    return journal_path.with_name(f"{journal_path.name}-graph-{readable}-{digest}.kgl")
