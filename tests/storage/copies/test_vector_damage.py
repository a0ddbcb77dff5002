"""A vector that an encoder did not make is told from those that it made, and made again."""

from __future__ import annotations

import numpy as np
import pytest

from meridia import Memory
from meridia.core.settings import Settings
from meridia.models.tokens import DIMENSION
from meridia.storage.copies.comparison import damaged_vectors, drop_damaged
from meridia.storage.token_vectors import TokenVectors
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


def _flip(memory, table, column, row, place):
    """Flip the highest bit of one byte: of the second byte of a half float, its sign."""
    with memory.parts.database.writing() as connection:
        query = f"SELECT {column} FROM {table} WHERE rowid = ?"
        body = bytearray(connection.execute(query, (row,)).fetchone()[0])
        body[place] ^= 0x80
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (bytes(body), row))


def test_a_flipped_sign_is_noticed_and_answers_are_as_before_when_it_is_made_again(memory):
    before = [(hit.event_id, hit.score) for hit in memory.recall("Who works?").hits]
    digest = memory.digest()
    for row in (1, 2, 3):
        for place in range(1, 32, 2):
            _flip(memory, "embedding", "vector", row, place)
    assert ["vectors of 3 texts" in f.problem for f in memory.verify()] == [True]
    with Memory(memory.parts.path, "default", Settings(), embedder=FakeEmbedder()) as second:
        assert [(hit.event_id, hit.score) for hit in second.recall("Who works?").hits] != before
        second.rebuild()
        second.enrich()
        assert [(hit.event_id, hit.score) for hit in second.recall("Who works?").hits] == before
        assert second.verify() == []
        assert second.digest() == digest


def test_all_parts_of_a_long_text_are_made_again_where_its_second_is_damaged(tmp_path):
    with Memory(tmp_path / "a.db", "default", Settings(), embedder=FakeEmbedder()) as memory:
        memory.remember("The heron is back at the pond. " * 200, person="Dana")
        memory.enrich()
        scope = memory.parts.space(memory.space).space_scope
        before = scope.rows("vectors/all", (1,))
        assert len(before) > 2
        _flip(memory, "embedding", "vector", 2, 1)
        memory.rebuild()
        memory.enrich()
        assert [row[1:] for row in scope.rows("vectors/all", (1,))] == [r[1:] for r in before]


def test_a_flipped_bit_in_token_vectors_is_noticed(memory):
    store = memory.parts.space(memory.space)
    rows = np.full((3, DIMENSION), 11, np.int8)
    with memory.parts.writing():
        TokenVectors(store).record("other", 1, rows)
    assert damaged_vectors(store) == ([], [])
    _flip(memory, "token_vectors", "body", 1, 2)
    assert damaged_vectors(store) == ([], [1])


def test_vectors_of_a_file_of_before_have_checksums_once_it_is_opened(tmp_path):
    path = tmp_path / "a.db"
    with Memory(path, "default", Settings(), embedder=FakeEmbedder()) as memory:
        memory.remember("I live in Bergen.")
        memory.enrich()
        with memory.parts.database.writing() as connection:
            connection.execute("ALTER TABLE token_vectors DROP COLUMN checksum")
            connection.execute("ALTER TABLE embedding DROP COLUMN checksum")
            for table in ("person_name", "person_merge", "person_identity", "person_change"):
                connection.execute(f"DROP TABLE {table}")
            connection.execute("DROP INDEX fact_entry_by_end")
            connection.execute("ALTER TABLE entity DROP COLUMN first_seq")
            connection.execute("ALTER TABLE fact_entry DROP COLUMN by_fact")
            connection.execute("DELETE FROM migration WHERE name >= '0015'")
            connection.execute("PRAGMA user_version = 14")
    with Memory(path, "default", Settings(), embedder=FakeEmbedder()) as memory:
        assert memory.verify() == []
        _flip(memory, "embedding", "vector", 1, 1)
        assert len(memory.verify()) == 1


def test_a_long_message_of_several_passages_is_whole(tmp_path):
    text = " ".join(
        f"Kiln {n} was fired at {900 + n} degrees and came out fine." for n in range(40)
    )
    with Memory.open(tmp_path / "long.db", enrich="manual") as memory:
        memory.remember(text)
        memory.enrich()
        assert memory.verify() == []
