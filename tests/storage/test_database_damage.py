"""Journals that are damaged, another program's or another version's: told, and never made worse."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from meridia.core.errors import Damaged, MeridiaError, Refused
from meridia.storage import statement_loader
from meridia.storage.store import open_store
from meridia.storage.upkeep import verify
from tests.fakes import SeededBytes, TickingClock
from tests.graph.journal_drafts import HOME, facts, message_draft, small_journal
from tests.graph.journal_files import IMPATIENT, descriptors, opened


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[tuple]]:
    """Return a journal's file, checkpointed and closed, and the facts that it holds."""
    path = tmp_path_factory.mktemp("written") / "journal.db"
    file = open_store(path, IMPATIENT, TickingClock(), SeededBytes())
    for _ in range(5):
        small_journal(file.journal)
    held = facts(file.journal, HOME)
    file.close()
    return path.read_bytes(), held


# Damaged


@pytest.mark.parametrize("size", [50, 100, 512, 4096, 100_000])
def test_a_file_of_random_bytes_is_damaged_and_stays_as_it_is(journal_path, random_bytes, size):
    noise = random_bytes(size)
    journal_path.write_bytes(noise)
    with pytest.raises(Damaged, match=r"is damaged or no SQLite database.*restore a backup"):
        open_store(journal_path, IMPATIENT)
    assert journal_path.read_bytes() == noise


@pytest.mark.parametrize("share", [0.001, 0.04, 0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_short_is_damaged(journal_path, written, share):
    content, _ = written
    journal_path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(Damaged, match="restore a backup"):
        _verify(journal_path)


def _verify(path: Path) -> None:
    """Open a journal and raise `Damaged` for what is found in it."""
    with opened(path) as file:
        for found in verify(file, HOME):
            raise Damaged(f"{found.problem}: restore a backup")


def test_a_flipped_bit_is_found_or_does_no_harm(journal_path, written, random_bytes):
    content, held = written
    used = [place for place, byte in enumerate(content) if byte]
    harmed = 0
    for _ in range(150):
        place, bit = int.from_bytes(random_bytes(4), "big") % len(used), random_bytes(1)[0] % 8
        flipped = bytearray(content)
        flipped[used[place]] ^= 1 << bit
        journal_path.write_bytes(flipped)
        if not _found(journal_path):
            with opened(journal_path) as file:
                assert facts(file.journal, HOME) == held
        else:
            harmed += 1
        for left in journal_path.parent.glob("journal.db-*"):
            left.unlink()
    assert 0 < harmed < 150


def _found(path: Path) -> bool:
    """Say whether damage is found, by whatever error (which one is another test's matter)."""
    try:
        with opened(path) as file:
            found = list(islice(verify(file, HOME), 1000))
            assert len(found) < 1000
            return found != []
    except (MeridiaError, ValueError, TypeError):
        return True


@pytest.mark.parametrize("words", [b"CREATE TABLE entry (", b"recorded_at TEXT"])
def test_a_schema_that_makes_no_sense_is_damaged(journal_path, written, words):
    content, _ = written
    flipped = bytearray(content)
    flipped[content.index(words) + 3] ^= 128
    journal_path.write_bytes(flipped)
    with pytest.raises(Damaged), opened(journal_path) as file:
        list(verify(file, HOME))


def test_the_database_of_another_program_is_left_alone(journal_path):
    with closing(sqlite3.connect(journal_path)) as other:
        other.execute("CREATE TABLE bookmark (address TEXT)")
        other.commit()
    before = journal_path.read_bytes()
    with pytest.raises((Refused, Damaged)):
        open_store(journal_path, IMPATIENT)
    assert journal_path.read_bytes() == before


def test_a_journal_that_cannot_be_opened_holds_no_descriptor(journal_path, random_bytes):
    journal_path.write_bytes(random_bytes(4096))
    with pytest.raises(Damaged) as failure:
        open_store(journal_path, IMPATIENT)
    # The error is kept, as a caller that reports it does; nothing may hang on it.
    assert failure.type is Damaged
    assert descriptors(journal_path) == []


# Other versions


def test_a_newer_journal_is_refused_and_not_touched(journal_path, written):
    journal_path.write_bytes(written[0])
    with closing(sqlite3.connect(journal_path)) as newer:
        newer.execute("PRAGMA user_version = 99")
    before = journal_path.read_bytes()
    with pytest.raises(Refused, match=r"newer Meridia \(schema 99, .*upgrade Meridia"):
        open_store(journal_path, IMPATIENT)
    assert journal_path.read_bytes() == before


def test_a_migration_that_fails_leaves_the_old_version_as_it_was(
    journal_path, written, monkeypatch
):
    journal_path.write_bytes(written[0])
    schema = _schema(journal_path)
    broken = ("CREATE TABLE added (x)", "DROP TABLE recall", "CREATE TABLE payload (x)")
    known = statement_loader.migrations()
    monkeypatch.setattr(statement_loader, "migrations", lambda: (*known, ("9999_broken", broken)))
    with pytest.raises(MeridiaError, match="payload already exists"):
        open_store(journal_path, IMPATIENT)
    monkeypatch.undo()
    assert _schema(journal_path) == schema
    with opened(journal_path) as file:
        assert facts(file.journal, HOME) == written[1]
        file.journal.append(HOME, [message_draft("goes on")])


def test_a_journal_of_an_older_version_is_brought_forward_once(journal_path, written, monkeypatch):
    journal_path.write_bytes(written[0])
    added = ("0099_added", ("CREATE TABLE added (x TEXT) STRICT",))
    known = statement_loader.migrations()
    monkeypatch.setattr(statement_loader, "migrations", lambda: (*known, added))
    for _ in range(2):
        with opened(journal_path) as file:
            assert facts(file.journal, HOME) == written[1]
            log = file.database.connection.execute("SELECT name FROM migration ORDER BY name")
            assert [name for (name,) in log] == [*(name for name, _ in known), "0099_added"]


def _schema(path: Path) -> list[tuple]:
    with closing(sqlite3.connect(path)) as connection:
        version = connection.execute("PRAGMA user_version").fetchall()
        return version + connection.execute("SELECT name, sql FROM sqlite_master").fetchall()


def test_a_copy_of_a_closed_journal_is_a_journal(journal_path, written, tmp_path):
    journal_path.write_bytes(written[0])
    shutil.copy(journal_path, tmp_path / "copy.db")
    with opened(tmp_path / "copy.db") as file:
        assert facts(file.journal, HOME) == written[1]
