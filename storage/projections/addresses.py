"""Addresses: every way to name a memory, read in one place for all commands, tools and routes.

`@12` is a journal sequence and `meridia://ID` an address: each is one version of a memory for good.
Meridia's id and the caller's own name a memory as it stands now, `last 3` the third of the newest
kept recall. An own id that looks like another form is an own id first, but for `@12`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ...core.errors import InvalidInput, NotFound
from ...core.types import MemoryRecord, Space
from ..trace import TraceStream
from .catalog import Catalog

#: Names the newest recall of a space.
LAST = "last"
SCHEME = "meridia://"
_LAST_HIT = re.compile(rf"{LAST}\s+(\d{{1,9}})")


def find_memory(
    catalog: Catalog,
    trace: TraceStream,
    space: Space,
    address: str,
    flush: Callable[[], None] = lambda: None,
) -> MemoryRecord:
    """Return the memory that an address names; `NotFound` if there is none.

    `flush` waits until every recall so far is kept. A memory that is found by the caller's id has
    that id, whichever version stands.
    """
    name = address.strip()
    if name == LAST:
        raise InvalidInput(f"`{LAST}` is an answer: write `{LAST} 1` for its first memory")
    try:
        memory = catalog.find(space, name)
    except NotFound:
        rank = _LAST_HIT.fullmatch(name)
        if rank is None:
            raise
        flush()
        return catalog.find(space, last_hit(trace, space, int(rank[1])))
    if memory.superseded_by is None or name.startswith((SCHEME, "@")):
        return memory
    current = catalog.versions(space, memory.seq)[-1]
    return current if name == memory.id else replace(current, event_id=memory.event_id)


def is_address(name: str) -> bool:
    """Return whether a name can only be an address, and no id of a caller's own."""
    return name.startswith((SCHEME, "@")) or name == LAST or bool(_LAST_HIT.fullmatch(name))


def last_hit(trace: TraceStream, space: Space, rank: int) -> str:
    """Return the id of the memory at a rank of the newest kept recall, from 1; or `NotFound`."""
    id = trace.last_recall(space)
    record = trace.find_recall(space, id) if id else None
    if record is None:
        raise NotFound(f"no answer is kept in space {space!r}: `meridia recall` keeps one")
    hits = record["hits"]
    if not 1 <= rank <= len(hits):
        raise NotFound(f"the last recall has {len(hits)} memories: there is no number {rank}")
    return f"{SCHEME}{hits[rank - 1]['id']}"
