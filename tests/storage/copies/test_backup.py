"""A backup is one moment of the journal, whole; a restore takes nothing that is not."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from meridia import Damaged, InvalidInput, Memory, NotFound, Refused, Unavailable, restore
from meridia.storage.copies.backup import back_up
from tests.ingest.forgetting.told import PLAIN


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    with Memory.open(path, settings=PLAIN, enrich="manual") as memory:
        memory.remember("The ferry leaves at nine.", person="Dana", id="m1")
        memory.in_space("work").remember("Deploy on Friday.", id="m2")
    return path


def test_a_backup_is_the_journal_of_that_moment(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN) as memory:
        memory.enrich()
        digest, copied = memory.digest(), memory.backup(tmp_path / "b.db")
        memory.remember("Later.", id="m3")
    assert copied.size == (tmp_path / "b.db").stat().st_size
    assert (tmp_path / "b.db").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.glob("b.db*")) == ["b.db"]
    restored = restore(tmp_path / "b.db", tmp_path / "c.db")
    assert restored.heads == copied.heads
    with Memory.open(tmp_path / "c.db", settings=PLAIN) as memory:
        assert memory.digest() == digest
        assert [m.event_id for m in memory.list().memories] == ["m1"]
        assert memory.spaces() == ["default", "work"]


def test_writers_go_on_while_a_backup_is_made(journal, tmp_path):
    ends, ids = threading.Event(), []
    with Memory.open(journal, settings=PLAIN) as memory:

        def write() -> None:
            while not ends.is_set():
                ids.append(memory.remember(f"Line {len(ids)}.", id=f"w{len(ids)}").event_id)

        writer = threading.Thread(target=write)
        writer.start()
        for number in range(5):
            before = len(ids)
            copied = memory.backup(tmp_path / f"{number}.db")
            with Memory.open(copied.path, settings=PLAIN) as copy:
                kept = {m.event_id for m in copy.list(limit=100_000).memories}
            assert kept >= set(ids[:before])
        ends.set()
        writer.join()


def test_what_is_there_is_never_overwritten(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN) as memory:
        backup = memory.backup(tmp_path / "b.db").path
        with pytest.raises(InvalidInput, match="exists"):
            memory.backup(backup)
        with pytest.raises(InvalidInput, match="cannot be written"):
            memory.backup(journal / "under" / "a-file.db")
        memory.remember("Later.", id="m3")
        with pytest.raises(Refused, match="--replace"):
            restore(backup, journal)
        with pytest.raises(Unavailable, match="open in another"):
            restore(backup, journal, replace=True)
    restored = restore(backup, journal, replace=True)
    assert restored.replaced is not None
    with Memory.open(restored.replaced, settings=PLAIN) as memory:
        assert [m.event_id for m in memory.list().memories] == ["m1", "m3"]
    with Memory.open(journal, settings=PLAIN) as memory:
        assert [m.event_id for m in memory.list().memories] == ["m1"]


def test_a_graph_that_is_ahead_of_a_restored_journal_is_built_again(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN) as memory:
        digest = memory.digest()
        backup = memory.backup(tmp_path / "b.db").path
        memory.remember("Later.", id="m3")
        assert memory.digest() != digest
    restore(backup, journal, replace=True)
    with Memory.open(journal, settings=PLAIN) as memory:
        assert memory.digest() == digest


def test_a_damaged_journal_makes_no_backup_and_may_be_replaced(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN, enrich="manual") as memory:
        good = memory.backup(tmp_path / "good.db").path
        with memory.parts.writing():
            connection = memory.parts.database.connection
            connection.execute("DROP TRIGGER payload_is_never_changed")
            connection.execute("UPDATE payload SET body = replace(body, 'nine', 'ten')")
        with pytest.raises(Damaged, match="entry 1|is damaged"):
            back_up(memory.parts, tmp_path / "b.db")
    assert not list(tmp_path.glob("b.db*"))
    journal.write_bytes(journal.read_bytes()[:100] + b"\xff" * 5000)
    assert restore(good, journal, replace=True).heads["default"].seq == 1


def test_a_backup_that_was_cut_off_or_is_newer_is_named(journal, tmp_path):
    cut, newer = tmp_path / "cut.db", tmp_path / "newer.db"
    cut.write_bytes(journal.read_bytes()[:100_000])
    newer.write_bytes(journal.read_bytes())
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 999")
    with pytest.raises(Damaged, match=r"/cut\.db is damaged"):
        restore(cut, tmp_path / "c.db")
    with pytest.raises(Refused, match=r"/newer\.db was written by a newer Meridia"):
        restore(newer, tmp_path / "c.db")
    assert not list(tmp_path.glob("c.db*"))


def test_what_is_no_backup_is_refused(tmp_path):
    with pytest.raises(NotFound, match="no.db does not exist"):
        restore(tmp_path / "no.db", tmp_path / "c.db")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(InvalidInput, match="text, line 1"):
        restore(tmp_path / "text", tmp_path / "c.db")
    with sqlite3.connect(tmp_path / "foreign.db") as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    with pytest.raises(Refused, match="another program"):
        restore(tmp_path / "foreign.db", tmp_path / "c.db")
    assert not list(tmp_path.glob("c.db*"))
