"""What is listed is compared with the journal, in a copy that leaves nothing behind."""

from __future__ import annotations

import numpy as np
import pytest

from meridia import Memory, restore
from meridia.core.settings import AnalysisSettings, Settings
from meridia.models.tokens import DIMENSION
from meridia.storage.copies.comparison import (
    damaged_vectors,
    drop_damaged,
    fingerprints,
    private_copy,
)
from meridia.storage.vectors import TokenVectors
from tests.fakes import FakeEmbedder
from tests.ingest.forgetting.told import PLAIN

#: What a fault changes → the list that is told to be wrong.
FAULTS = {
    "UPDATE experience SET person = 'Eve' WHERE seq = 1": "list of experiences",
    "DELETE FROM relationship": "list of people",
    "UPDATE edge SET weight = weight + 0.5": "edges",
    "UPDATE node SET name = 'x'": "nodes",
    "DELETE FROM fact_entry": "index of facts",
    "INSERT INTO full_text (space, seq, terms) VALUES (1, 99, 'planted')": "full text",
}


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "a.db", settings=PLAIN, enrich="manual") as memory:
        for text in ("I live in Bergen.", "My sister Kim works as a nurse.", "The ferry is late."):
            memory.remember(text, person="Dana", session="s1")
        memory.enrich()
        yield memory


def test_what_is_whole_is_said_to_be_and_nothing_is_left_behind(memory, tmp_path):
    memory.remember("Not yet enriched.")
    head = memory.parts.journal.head(memory.space)
    assert memory.upkeep.verify() == []
    assert memory.parts.journal.head(memory.space) == head
    assert not list(tmp_path.glob(".meridia-*"))


@pytest.mark.parametrize(("fault", "listed"), FAULTS.items())
def test_a_list_that_differs_from_the_journal_is_named_and_rebuilt(memory, fault, listed):
    with memory.parts.database.writing() as connection:
        assert connection.execute(fault).rowcount
    assert listed in {finding.problem.partition(":")[0] for finding in memory.upkeep.verify()}
    assert memory.upkeep.verify(quick=True) == []
    memory.upkeep.rebuild()
    assert memory.upkeep.verify() == []


def test_a_copy_says_what_the_file_says(memory):
    with private_copy(memory.parts) as copy:
        assert fingerprints(copy, memory.space) == fingerprints(memory.parts, memory.space)


def test_a_journal_in_another_language_is_compared_and_restored_in_it(tmp_path):
    german = PLAIN.model_copy(update={"analysis": AnalysisSettings(language="german")})
    with Memory.open(tmp_path / "a.db", settings=german, enrich="manual") as memory:
        memory.remember("Die Schiffe liegen in den Häfen von Bergen.", person="Dana")
        memory.enrich()
        assert memory.upkeep.verify() == []
        (tmp_path / "a.jsonl").write_text("".join(f"{line}\n" for line in memory.upkeep.export()))
        expected = fingerprints(memory.parts, memory.space)
    restore(tmp_path / "a.jsonl", tmp_path / "b.db", settings=german)
    with Memory.open(tmp_path / "b.db", settings=german, enrich="manual") as memory:
        memory.enrich()
        assert fingerprints(memory.parts, memory.space) == expected


@pytest.fixture
def embedded(tmp_path):
    with Memory(tmp_path / "a.db", "default", Settings(), embedder=FakeEmbedder()) as embedded:
        for text in ("I live in Bergen.", "The ferry is late.", "Kim works as a nurse."):
            embedded.remember(text, person="Dana")
        embedded.enrich()
        yield embedded


@pytest.mark.parametrize("body", [b"", b"\0", np.full(384, 7, np.float16).tobytes(), b"\xff" * 768])
def test_a_damaged_vector_is_noticed_and_made_again(embedded, body):
    store = embedded.parts.space(embedded.space)
    before = store.space_scope.rows("vectors/all")
    assert damaged_vectors(store) == ([], [])
    with embedded.parts.database.writing() as connection:
        connection.execute("UPDATE embedding SET vector = ? WHERE rowid = 2", (body,))
    assert damaged_vectors(store) == ([2], [])
    assert ["vectors of 1 texts" in f.problem for f in embedded.upkeep.verify()] == [True]
    embedded.upkeep.rebuild()
    embedded.enrich()
    assert sorted(row[1] for row in store.space_scope.rows("vectors/all")) == sorted(
        row[1] for row in before
    )
    assert embedded.upkeep.verify() == []
    assert drop_damaged(store) == 0


def _flip(embedded, table, column, row, place):
    """Flip the highest bit of one byte: of the second byte of a half float, its sign."""
    with embedded.parts.database.writing() as connection:
        query = f"SELECT {column} FROM {table} WHERE rowid = ?"
        body = bytearray(connection.execute(query, (row,)).fetchone()[0])
        body[place] ^= 0x80
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (bytes(body), row))


def test_a_flipped_sign_is_noticed_and_answers_are_as_before_when_it_is_made_again(embedded):
    before = [(hit.event_id, hit.score) for hit in embedded.recall("Who works?").hits]
    digest = embedded.graph.digest()
    for row in (1, 2, 3):
        for place in range(1, 32, 2):
            _flip(embedded, "embedding", "vector", row, place)
    assert ["vectors of 3 texts" in f.problem for f in embedded.upkeep.verify()] == [True]
    with Memory(embedded.parts.path, "default", Settings(), embedder=FakeEmbedder()) as second:
        assert [(hit.event_id, hit.score) for hit in second.recall("Who works?").hits] != before
        second.upkeep.rebuild()
        second.enrich()
        assert [(hit.event_id, hit.score) for hit in second.recall("Who works?").hits] == before
        assert second.upkeep.verify() == []
        assert second.graph.digest() == digest


def test_all_parts_of_a_long_text_are_made_again_where_its_second_is_damaged(tmp_path):
    with Memory(tmp_path / "a.db", "default", Settings(), embedder=FakeEmbedder()) as embedded:
        embedded.remember("The heron is back at the pond. " * 200, person="Dana")
        embedded.enrich()
        scope = embedded.parts.space(embedded.space).space_scope
        before = scope.rows("vectors/all")
        assert len(before) > 2
        _flip(embedded, "embedding", "vector", 2, 1)
        embedded.upkeep.rebuild()
        embedded.enrich()
        assert [row[1:] for row in scope.rows("vectors/all")] == [r[1:] for r in before]


def test_a_flipped_bit_in_token_vectors_is_noticed(embedded):
    store = embedded.parts.space(embedded.space)
    rows = np.full((3, DIMENSION), 11, np.int8)
    with embedded.parts.writing():
        TokenVectors(store).record("other", 1, rows)
    assert damaged_vectors(store) == ([], [])
    _flip(embedded, "token_vectors", "body", 1, 2)
    assert damaged_vectors(store) == ([], [1])


def test_vectors_of_a_file_of_before_have_checksums_once_it_is_opened(tmp_path):
    path = tmp_path / "a.db"
    with Memory(path, "default", Settings(), embedder=FakeEmbedder()) as embedded:
        embedded.remember("I live in Bergen.")
        embedded.enrich()
        with embedded.parts.database.writing() as connection:
            connection.execute("ALTER TABLE token_vectors DROP COLUMN checksum")
            connection.execute("ALTER TABLE embedding DROP COLUMN checksum")
            for table in ("person_name", "person_merge", "person_identity", "person_change"):
                connection.execute(f"DROP TABLE {table}")
            connection.execute("DROP INDEX fact_entry_by_end")
            connection.execute("ALTER TABLE entity DROP COLUMN first_seq")
            connection.execute("ALTER TABLE fact_entry DROP COLUMN by_fact")
            connection.execute("DELETE FROM migration WHERE name >= '0015'")
            connection.execute("PRAGMA user_version = 14")
    with Memory(path, "default", Settings(), embedder=FakeEmbedder()) as embedded:
        assert embedded.upkeep.verify() == []
        _flip(embedded, "embedding", "vector", 1, 1)
        assert len(embedded.upkeep.verify()) == 1


def test_a_long_message_of_several_passages_is_whole(tmp_path):
    text = " ".join(
        f"Kiln {n} was fired at {900 + n} degrees and came out fine." for n in range(40)
    )
    with Memory.open(tmp_path / "long.db", enrich="manual") as embedded:
        embedded.remember(text)
        embedded.enrich()
        assert embedded.upkeep.verify() == []
