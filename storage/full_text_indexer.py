"""Brings the full text of a space up to date when it is read: a projection with a cursor.

Indexing each event alone would cost as much as all other lists together; in batches it costs a
tenth. Nothing is found later because of it: recall first brings it up to date, together with the
adjacency. `full_text_index` stores the terms; `experience_list` removes them with their text.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.codec import stored_event
from ..core.events import texts_of
from ..core.ports import Journal
from ..core.text import Analyser
from ..core.types import Space
from . import full_text_index
from .database import Connection
from .full_text_index import FullText
from .space_scope import SpaceScope

_BATCH = 500


def catch_up(scope: SpaceScope, journal: Journal, space: Space, analyser: Analyser) -> None:
    """Index every experience that is missing, in batches, each with its cursor."""
    index = FullText(scope)
    while index.until() < journal.head(space).seq:
        with scope.writing() as connection:
            _index_some(connection, scope, journal.head(space).seq, analyser)


def _index_some(connection: Connection, scope: SpaceScope, head: int, analyser: Analyser) -> None:
    """Index the next experiences; `head` is the journal's as long as nobody else writes."""
    after, space = FullText(scope).until(), scope.number
    if not after:  # whatever is there is another version's
        full_text_index.clear(connection, space)
    rows = scope.rows("search/missing", (space, after, _BATCH))
    for seq, expires_at, body in rows:
        if body is not None:
            terms = terms_of(texts_of(stored_event(body)), analyser)
            full_text_index.index(connection, space, seq, terms)
            if expires_at is not None:
                scope.run("provisional/index", (" ".join(terms), seq))
    full_text_index.move(connection, space, rows[-1][0] if len(rows) == _BATCH else head)


def terms_of(texts: Sequence[str], analyser: Analyser) -> list[str]:
    """Return the terms that texts are found by."""
    return analyser.terms(" ".join(texts))
