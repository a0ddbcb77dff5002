"""Full text of a space, brought up to date when it is read: a projection with a cursor.

An event alone would pay for its index as much as for all other lists; in batches it costs a
tenth. Nothing is found later for it: whoever recalls brings it up to date first, together with the
adjacency. `search` keeps the terms, `listing` takes them out when a text goes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..core.events import captions_of, recorded, text_of
from ..core.text import Analyser
from ..core.types import Payload
from . import search
from .database import Connection, Database
from .statements import sql

_BATCH = 500


def catch_up(database: Database, space: int, analyser: Analyser) -> None:
    """Index every experience that is missing, in batches, each with its cursor."""
    while True:
        with database.reading() as connection:
            if search.until(connection, space) >= _head(connection, space):
                return
        with database.writing() as connection:
            _index_some(connection, space, analyser)


def _index_some(connection: Connection, space: int, analyser: Analyser) -> None:
    until = search.until(connection, space)
    if not until:  # whatever is there is another version's
        search.clear(connection, space)
    rows = connection.execute(sql("search/missing"), (space, until, _BATCH)).fetchall()
    for seq, expires_at, body in rows:
        if body is not None:
            terms = terms_of(texts_of(recorded(json.loads(body))), analyser)
            search.index(connection, space, seq, terms)
            if expires_at is not None:
                connection.execute(sql("provisional/index"), (" ".join(terms), seq))
    last = rows[-1][0] if len(rows) == _BATCH else _head(connection, space)
    search.move(connection, space, last)


def _head(connection: Connection, space: int) -> int:
    row = connection.execute(sql("journal/head"), (space,)).fetchone()
    return int(row[0])


def texts_of(event: Payload) -> list[str]:
    """Return what an event says and, behind it, the captions that came with it."""
    return [text_of(event), *captions_of(event)]


def terms_of(texts: Sequence[str], analyser: Analyser) -> list[str]:
    """Return the terms that texts are found by."""
    return analyser.terms(" ".join(texts))
