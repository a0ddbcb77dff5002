"""Every error of SQLite is one of ours, in words, and nothing else is touched."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from meridia.core.errors import Damaged, MeridiaError, Refused, StorageFull
from meridia.storage.files.sqlite_errors import translated


def test_a_file_that_is_no_database_is_damaged(tmp_path):
    path = tmp_path / "m.db"
    path.write_bytes(b"no database at all, but long enough to be read as one" * 20)
    with (
        closing(sqlite3.connect(path)) as connection,
        pytest.raises(Damaged, match="restore a backup"),
        translated(path),
    ):
        connection.execute("SELECT * FROM sqlite_master")


def test_a_file_that_may_not_grow_is_full(tmp_path):
    path = tmp_path / "m.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute("PRAGMA max_page_count = 2")
        with pytest.raises(StorageFull, match="free space"), translated(path):
            connection.execute("INSERT INTO t VALUES (zeroblob(100000))")


def test_what_may_only_be_read_is_refused(tmp_path):
    path = tmp_path / "m.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
    only_read = closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True))
    with only_read as connection, pytest.raises(Refused, match="for writing"), translated(path):
        connection.execute("INSERT INTO t VALUES (1)")


def test_any_other_error_of_sqlite_names_the_file(tmp_path):
    path = tmp_path / "m.db"
    with (
        closing(sqlite3.connect(path)) as connection,
        pytest.raises(MeridiaError, match="m.db"),
        translated(path),
    ):
        connection.execute("SELECT wrong syntax here FROM")


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt()])
def test_errors_of_others_pass(tmp_path, error):
    with pytest.raises(type(error)), translated(tmp_path):
        raise error
