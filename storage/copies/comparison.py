"""Compares the lists of a file with lists rebuilt from its journal, in a private copy."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...core.errors import StorageFull
from ...core.settings import AnalysisSettings, Settings
from ...core.types import Space
from ..store import Store, open_store
from .backup import copy_file

#: What a person calls a list → the statement that reads all of it, in a fixed order.
_LISTS = {
    "list of experiences": "comparison/experiences",
    "list of people": "comparison/people",
    "who is who": "comparison/identities",
    "names of people": "comparison/names",
    "merges of people": "comparison/merges",
    "list of entities": "comparison/entities",
    "index of facts": "comparison/facts",
    "list of feedback": "comparison/feedback",
    "effects of feedback": "comparison/feedback_effects",
    "list of what entries are about": "comparison/references",
    "nodes": "comparison/nodes",
    "edges": "comparison/edges",
    "full text": "comparison/full_text",
}
_PAGE = 5000


@contextmanager
def private_copy(store: Store) -> Iterator[Store]:
    """Open a copy of a journal's file, as it is now, that disappears afterwards."""
    beside = store.path.parent if os.access(store.path.parent, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix=".meridia-", dir=beside) as folder:
        path = Path(folder) / "copy.db"
        try:
            copy_file(store, path)
        except StorageFull:
            raise StorageFull(
                f"{store.path} is compared with a copy, for which its disk has no room: free space"
            ) from None
        settings = Settings(analysis=AnalysisSettings(language=store.analyser.language))
        copy = open_store(path, settings, store.clock)
        try:
            yield copy
        finally:
            copy.close()


def fingerprints(store: Store, space: Space) -> dict[str, str]:
    """Return a hash of each list of a space, full text and edges included, by its name."""
    opened = store.space(space)
    hashes = {}
    for name, statement in _LISTS.items():
        sum_of = hashlib.blake2b(digest_size=16)
        for rows in opened.space_scope.row_parts(statement, (opened.space_scope.number,), _PAGE):
            for row in rows:
                sum_of.update(repr(row).encode("utf-8", "surrogatepass"))
        hashes[name] = sum_of.hexdigest()
    return hashes
