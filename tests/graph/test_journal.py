"""The journal in SQLite: the contract of all journals, and what only this file can suffer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from meridia.core.errors import Conflict, Damaged, InvalidInput
from meridia.core.settings import Settings
from meridia.core.types import EntryKind, Space
from meridia.graph.journal_file import JournalFile, open_journal
from meridia.graph.upkeep import verify
from tests.fakes import SeededBytes, TickingClock
from tests.graph.journal_contract import AWAY, HOME, JournalContract, met, said, small_journal
from tests.graph.journal_files import before_statement


class SqliteBackend:
    """A journal in SQLite under test."""

    columns = (
        *(
            ("entry", column)
            for column in "kind id key stream previous at recorded_at payload_hash hash".split()
        ),
        ("payload", "salt"),
        ("payload", "body"),
    )

    def __init__(self, file: JournalFile) -> None:
        self.file = file
        self.journal = file.journal
        path = str(file.database.path)
        self.expression = (
            "__import__('meridia.graph.journal_file').graph.journal_file.open_journal("
            f"__import__('pathlib').Path({path!r}), "
            "__import__('meridia.core.settings').core.settings.Settings()).journal"
        )

    def run(self, statement: str, *values: Any) -> list[Any]:
        with self.file.database.writing() as connection:
            return connection.execute(statement, values).fetchall()

    def unlock(self) -> None:
        for (name,) in self.run("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            self.run(f"DROP TRIGGER {name}")

    def value(self, table: str, column: str, seq: int) -> Any:
        return self.run(f"SELECT {column} FROM {table} WHERE seq = ?", seq)[0][0]

    def change(self, table: str, column: str, seq: int, value: Any) -> None:
        self.run(f"UPDATE {table} SET {column} = ? WHERE seq = ?", value, seq)

    def remove(self, table: str, seq: int) -> None:
        self.run(f"DELETE FROM {table} WHERE seq = ?", seq)

    def swap(self, table: str, one: int, other: int) -> None:
        for old, new in ((one, -1), (other, one), (-1, other)):
            self.run(f"UPDATE {table} SET seq = ? WHERE seq = ?", new, old)


class TestSqliteJournal(JournalContract):
    @contextmanager
    def fresh(self, *, shared: bool = False) -> Iterator[SqliteBackend]:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "journal.db" if shared else None
            file = open_journal(path, Settings(), TickingClock(), SeededBytes())
            try:
                yield SqliteBackend(file)
            finally:
                file.close()


@pytest.fixture
def backend(private_file) -> SqliteBackend:
    return SqliteBackend(private_file)


def problems(backend: SqliteBackend, space: Space = HOME) -> list[str]:
    """Return everything that `meridia verify` finds in a space."""
    return [found.problem for found in verify(backend.file, space)]


def damaged(backend: SqliteBackend, space: Space = HOME) -> bool:
    """Say whether damage is found, in either of the two ways of saying so."""
    try:
        return bool(problems(backend, space))
    except Damaged:
        return True


# Hashes


def test_the_chain_is_the_same_whenever_the_same_is_written():
    heads = []
    for _ in range(2):
        file = open_journal(None, Settings(), TickingClock(), SeededBytes())
        small_journal(file.journal)
        heads.append(file.journal.head(HOME))
        file.close()
    assert heads[0] == heads[1]


def test_the_chain_begins_anew_in_every_space_and_knows_its_name(backend):
    for space in (HOME, AWAY):
        backend.journal.append(space, [said("same", "m-1")])
    home, away = (backend.journal.read(space)[0] for space in (HOME, AWAY))
    assert home.hash != away.hash
    backend.run("UPDATE space SET name = 'hut' WHERE name = 'away'")
    assert damaged(backend, Space("hut"))


def test_a_row_that_was_moved_into_another_space_is_found(backend):
    small_journal(backend.journal)
    seq = backend.journal.append(AWAY, [said("away")])[0].seq
    backend.unlock()
    backend.change("entry", "space", seq, 1)
    assert damaged(backend, HOME)


# What a byte that flipped can do to this file: every case must be found by `meridia verify`


def test_a_payload_that_lost_its_entry_is_found(backend):
    seq = small_journal(backend.journal)[3].seq
    backend.unlock()
    backend.change("payload", "seq", seq, 999)
    assert damaged(backend)


def test_a_derived_payload_that_lost_its_entry_is_found(backend):
    seq = small_journal(backend.journal)[2].seq
    backend.unlock()
    backend.change("payload", "seq", seq, 999)
    assert damaged(backend)


def test_the_newest_experience_that_was_taken_out_is_found(backend):
    seq = small_journal(backend.journal)[-1].seq
    backend.unlock()
    backend.remove("entry", seq)
    assert damaged(backend)


def test_the_newest_derived_entry_that_was_taken_out_is_found(backend):
    backend.journal.append(HOME, [said("one"), met("Dana")])
    backend.unlock()
    backend.remove("entry", 2)
    backend.remove("payload", 2)
    assert damaged(backend)


def test_a_sequence_that_was_changed_is_found(backend):
    seq = small_journal(backend.journal)[-1].seq
    backend.unlock()
    for table in ("entry", "payload"):
        backend.change(table, "seq", seq, seq + 1000)
    assert damaged(backend)


def test_the_space_of_a_payload_that_was_changed_is_found(backend):
    seq = small_journal(backend.journal)[0].seq
    backend.unlock()
    backend.change("payload", "space", seq, 7)
    assert damaged(backend)


def test_a_salt_that_grew_is_found(backend):
    seq = small_journal(backend.journal)[0].seq
    backend.unlock()
    backend.change("payload", "salt", seq, bytes(17))
    assert damaged(backend)


@pytest.mark.parametrize(("table", "column"), [("entry", "kind"), ("payload", "body")])
def test_text_that_is_no_longer_utf_8_is_found(backend, table, column):
    seq = small_journal(backend.journal)[1].seq
    backend.unlock()
    backend.run(f"UPDATE {table} SET {column} = CAST(x'61ff' AS TEXT) WHERE seq = ?", seq)
    assert damaged(backend)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [("entry", "kind", "Rumour"), ("entry", "at", "noon"), ("payload", "body", "{")],
)
def test_reading_a_row_that_makes_no_sense_says_that_it_is_damaged(backend, table, column, value):
    seq = small_journal(backend.journal)[1].seq
    backend.unlock()
    backend.change(table, column, seq, value)
    with pytest.raises(Damaged):
        backend.journal.read(HOME)


def test_an_index_that_lacks_an_entry_is_found(journal_path):
    file = open_journal(journal_path, Settings(), TickingClock(), SeededBytes())
    small_journal(file.journal)
    connection = file.database.connection
    definition = "SELECT sql FROM sqlite_master WHERE name = 'entry_by_stream'"
    (right,) = connection.execute(definition).fetchone()
    connection.execute("DROP INDEX entry_by_stream")
    connection.execute(right.replace("IS NOT NULL", "IS NOT NULL AND seq < 6"))
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'entry_by_stream'", (right,))
    file.close()
    again = open_journal(journal_path, Settings(), TickingClock(), SeededBytes())
    found = list(islice(verify(again, HOME), 1000))
    again.close()
    assert 0 < len(found) < 1000


def test_a_journal_that_grows_while_it_is_verified_is_not_damaged(tmp_path):
    for place in range(8):
        file, other = (open_journal(tmp_path / f"{place}.db", Settings()) for _ in range(2))
        file.journal.append(HOME, [said("first")])
        grow = before_statement(place, lambda other=other: other.journal.append(HOME, [said("2")]))
        file.database.connection.set_trace_callback(grow)
        found = [finding.problem for finding in verify(file, HOME)]
        file.database.connection.set_trace_callback(None)
        for each in (file, other):
            each.close()
        assert found == []


# Joined transactions


def test_a_refused_batch_leaves_nothing_behind_in_a_transaction_around_it(backend):
    backend.journal.append(HOME, [said("one", "m-1")])
    with backend.file.database.writing(), pytest.raises(Conflict):
        backend.journal.append(HOME, [said("two", "m-2"), said("other", "m-1")])
    assert [entry.key for entry in backend.journal.read(HOME)] == ["m-1"]


def test_appends_inside_of_a_transaction_are_undone_with_it(backend):
    backend.journal.append(HOME, [said("one")])

    def interrupted() -> None:
        with backend.file.database.writing():
            backend.journal.append(HOME, [said("two")])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert len(backend.journal.read(HOME)) == 1
    assert problems(backend) == []


def test_a_space_that_was_undone_does_not_lend_its_number_to_another(backend):
    def interrupted() -> None:
        with backend.file.database.writing():
            backend.journal.append(HOME, [said("one")])
            backend.journal.append(HOME, [said("two")])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    backend.journal.append(AWAY, [said("of somebody else")])
    backend.journal.append(HOME, [said("mine")])
    assert [e.payload["event"]["payload"]["text"] for e in backend.journal.read(HOME)] == ["mine"]


# Small things


def test_entries_of_one_kind_are_found_without_reading_the_rest(backend):
    small_journal(backend.journal)
    backend.journal.append(HOME, [met("Bob")])
    of_kind = backend.journal.of_kind
    assert [e.payload["name"] for e in of_kind(HOME, EntryKind.PERSON_MET)] == ["Dana", "Bob"]
    assert [e.payload["name"] for e in of_kind(HOME, EntryKind.PERSON_MET, 3)] == ["Bob"]


def test_entries_are_counted_by_kind(backend):
    small_journal(backend.journal)
    assert backend.journal.count(HOME) == {"ExperienceCaptured": 5, "PersonMet": 1}


def test_an_empty_batch_creates_no_space(backend):
    assert backend.journal.append(HOME, []) == []
    assert backend.journal.spaces() == []


def test_a_space_or_key_that_is_no_text_is_refused(backend):
    with pytest.raises(InvalidInput):
        backend.journal.append(Space("half \ud800"), [said("one")])
    with pytest.raises(InvalidInput):
        backend.journal.append(HOME, [said("one", "half \ud800")])
