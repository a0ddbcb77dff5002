"""Nothing is left in a database of rows that were deleted, wherever SQLite had moved them."""

from __future__ import annotations

import os
import random
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from meridia import Memory
from meridia.storage import page_cleaner
from meridia.storage.page_cleaner import clean, left_in
from tests.ingest.forgetting.told import PLAIN
from tests.thorough import THOROUGH

ROWS = 3000


def planted(path: Path, seed: int, table: str) -> sqlite3.Connection:
    """Write rows of many lengths, each with a word of its own, in any order."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    for pragma in ("page_size = 2048", "journal_mode = WAL", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    connection.execute(f"CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT) {table}")
    draw = random.Random(seed)
    keys = random.Random(seed).sample(range(ROWS), ROWS) if table else range(ROWS)
    connection.execute("BEGIN")
    for key in keys:
        padding = "y" * draw.choice([5, 20, 60, 200, 900, 3000])
        connection.execute("INSERT INTO t VALUES (?, ?)", (key, f"ZQ{key:05}XV{padding}"))
    connection.execute("COMMIT")
    return connection


def delete_most(connection: sqlite3.Connection, seed: int) -> set[str]:
    """Delete two of three rows; return the words that stay."""
    for key in random.Random(seed).sample(range(ROWS), 2 * ROWS // 3):
        connection.execute("DELETE FROM t WHERE k = ?", (key,))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return {f"ZQ{key:05}XV" for (key,) in connection.execute("SELECT k FROM t")}


def words_in(path: Path) -> set[str]:
    return {each.decode() for each in re.findall(rb"ZQ\d{5}XV", path.read_bytes())}


@pytest.mark.parametrize("table", ["", "WITHOUT ROWID"])
def test_nothing_is_left_of_rows_that_were_moved_and_deleted(tmp_path: Path, table: str):
    path, found = tmp_path / "rows.db", 0
    for seed in range(4 if THOROUGH else 1):
        path.unlink(missing_ok=True)
        connection = planted(path, seed, table)
        stay = delete_most(connection, seed)
        connection.close()
        found += len(words_in(path) - stay)
        assert clean(path, lambda: True)
        assert words_in(path) == stay
        connection = sqlite3.connect(path)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert len(connection.execute("SELECT v FROM t").fetchall()) == len(stay)
        connection.close()
    assert found  # SQLite alone leaves some


def test_a_clean_file_is_only_read(tmp_path: Path):
    path = tmp_path / "rows.db"
    connection = planted(path, 1, "WITHOUT ROWID")
    delete_most(connection, 1)
    connection.close()
    assert clean(path, lambda: True)
    assert clean(path, lambda: pytest.fail("nothing is to be cleaned"))


def test_where_others_write_nothing_is_changed(tmp_path: Path):
    path = tmp_path / "rows.db"
    connection = planted(path, 2, "WITHOUT ROWID")
    delete_most(connection, 2)
    connection.close()
    before = path.read_bytes()
    assert not clean(path, lambda: False)
    assert path.read_bytes() == before


def test_where_no_process_can_clean_the_file_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(OSError, match="were not cleaned"):
        clean(tmp_path / "none.db", lambda: True)
    with Memory(tmp_path / "journal.db", "default", PLAIN) as memory:
        memory.remember("The heron stands there.", id="h", person="Kim")
        memory.remember("The kettle boils.", id="k", person="Kim")
        monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
        assert not memory.forget(ids=["h"]).notes
    assert b"heron" not in (tmp_path / "journal.db").read_bytes().lower()


def test_what_is_no_page_of_rows_is_left(tmp_path: Path):
    assert left_in(bytes([0, 1, 2, 3]) * 512, 0) is None
    page = bytearray(512)
    page[0], page[4], page[5], page[6] = 13, 1, 1, 0
    assert left_in(bytes(page), 0) is None
    page[100] = 7
    assert left_in(bytes(page), 0) == (10, 256)


def test_a_cleaner_whose_caller_was_killed_ends_in_silence(tmp_path: Path):
    connection = planted(tmp_path / "rows.db", 1, "")
    connection.close()
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, page_cleaner.__file__, str(tmp_path / "rows.db")]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")
