"""Token vectors recorded beside the journal: a few bytes a content word, for late interaction.

Recorded outputs like the other vectors: written once, kept by a rebuild, erased with their text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from ..models.tokens import DIMENSION, Small
from .space_store import SpaceStore


class TokenVectors:
    """The token vectors of one space."""

    def __init__(self, space: SpaceStore) -> None:
        self._space = space.space_scope

    def record(self, model: str, seq: int, rows: Small) -> None:
        """Store the token vectors (n, 128) of one experience."""
        self._space.run("tokens/add", (self._space.number, model, seq, rows.tobytes()))

    def load(self, model: str, seqs: Sequence[int]) -> dict[int, Small]:
        """Return the token vectors of some experiences by sequence; unknown ones are left out."""
        values = (self._space.number, model, json.dumps(list(seqs)))
        rows = self._space.rows("tokens/load", values)
        return {seq: np.frombuffer(body, np.int8).reshape(-1, DIMENSION) for seq, body in rows}
