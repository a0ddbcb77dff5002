"""A vector that an encoder did not make is told from those that it made, and made again."""

from __future__ import annotations

import numpy as np
import pytest

from meridia import Memory
from meridia.core.settings import Settings
from meridia.storage.copies.vector_damage import damaged_vectors, drop_damaged
from tests.fakes import FakeEmbedder


@pytest.fixture
def memory(tmp_path):
    with Memory(tmp_path / "a.db", "default", Settings(), embedder=FakeEmbedder()) as memory:
        for text in ("I live in Bergen.", "The ferry is late.", "Kim works as a nurse."):
            memory.remember(text, person="Dana")
        memory.enrich()
        yield memory


@pytest.mark.parametrize("body", [b"", b"\0", np.full(384, 7, np.float16).tobytes(), b"\xff" * 768])
def test_a_damaged_vector_is_noticed_and_made_again(memory, body):
    store = memory.parts.space(memory.space)
    before = store.space_scope.rows("vectors/all", (1,))
    assert damaged_vectors(store) == ([], [])
    with memory.parts.database.writing() as connection:
        connection.execute("UPDATE embedding SET vector = ? WHERE rowid = 2", (body,))
    assert damaged_vectors(store) == ([2], [])
    assert ["vectors of 1 texts" in f.problem for f in memory.verify()] == [True]
    memory.rebuild()
    memory.enrich()
    assert sorted(row[1] for row in store.space_scope.rows("vectors/all", (1,))) == sorted(
        row[1] for row in before
    )
    assert memory.verify() == []
    assert drop_damaged(store) == 0
