"""What follows a forgetting's transaction, and what is asked about forgettings later.

A forgetting is finished when no byte of what went is left in the file, its log and the graph. One
that was interrupted is finished by whoever opens the file next.
"""

from __future__ import annotations

from datetime import datetime

from ...core.time import to_text
from ...core.types import Space
from ..space_scope import SpaceScope
from ..statement_loader import sql
from ..store import Store


def unfinished(store: Store) -> list[tuple[Space, int]]:
    """Return the forgettings, by space and sequence, of which something may be left."""
    with store.database.reading() as connection:
        rows = connection.execute(sql("forgetting/unfinished")).fetchall()
    return [(Space(name), seq) for name, seq in rows]


def finish(store: Store, space: Space, seq: int) -> bool:
    """Leave nothing in the file and its log; say whether that is done, and note it.

    It is not while another process reads what was there before: then somebody else finishes it.
    """
    if not store.database.compact():
        return False
    values = {"space": store.number(space), "seq": seq}
    return bool(_scope(store, space).run("forgetting/finished", values))


def newest_forgetting(store: Store, space: Space) -> int:
    """Return the sequence of a space's newest forgetting; 0 where there was none."""
    scope = _scope(store, space)
    return scope.only_row("forgetting/newest", {"space": scope.number})[0] or 0


def is_any_before(store: Store, space: Space, kind: str | None, before: datetime) -> bool:
    """Say whether any memory, of a kind or any, is of before a time."""
    scope = _scope(store, space)
    values = {"space": scope.number, "kind": kind, "before": to_text(before)}
    return scope.row("forgetting/is_any_before", values) is not None


def erased_count(store: Store, space: Space) -> int:
    """Return how many entries of a space were erased."""
    scope = _scope(store, space)
    return int(scope.only_row("forgetting/erased_count", {"space": scope.number})[0])


def _scope(store: Store, space: Space) -> SpaceScope:
    return store.space(space).space_scope
