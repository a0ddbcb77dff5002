"""Token vectors recorded beside the journal: a few bytes a content word, for late interaction.

Recorded outputs like the other vectors: written once, kept by a rebuild, erased with their text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from ..models.tokens import DIMENSION, Small
from .database import Connection, Database
from .statement_loader import sql


def record(connection: Connection, space: int, model: str, seq: int, rows: Small) -> None:
    """Store the token vectors (n, 128) of one experience, inside the caller's transaction."""
    connection.execute(sql("tokens/add"), (space, model, seq, rows.tobytes()))


def load(database: Database, space: int, model: str, seqs: Sequence[int]) -> dict[int, Small]:
    """Return the token vectors of some experiences by sequence; those without are left out."""
    values = (space, model, json.dumps(list(seqs)))
    with database.reading() as connection:
        rows = connection.execute(sql("tokens/load"), values).fetchall()
    return {seq: np.frombuffer(body, np.int8).reshape(-1, DIMENSION) for seq, body in rows}
