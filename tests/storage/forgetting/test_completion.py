"""A forgetting is finished when nothing of it is left in the file, and not before."""

from __future__ import annotations

from meridia import Memory
from meridia.storage.forgetting.completion import (
    erased_count,
    finish,
    newest_forgetting,
    unfinished,
)
from meridia.storage.forgetting.erasure import erase
from meridia.storage.forgetting.selection import ForgettingRequest
from tests.ingest.forgetting.told import PLAIN, tell


def test_it_waits_for_who_reads_what_was_there_before(tmp_path):
    path = tmp_path / "journal.db"
    with Memory(path, "default", PLAIN) as memory, Memory(path, "default", PLAIN) as reader:
        tell(memory, range(3))
        file, space = memory.parts, memory.space
        assert newest_forgetting(file, space) == erased_count(file, space) == 0
        file.database.connection.execute("PRAGMA busy_timeout = 50")
        with reader.parts.snapshot():
            reader.parts.journal.read(space)
            done = erase(file, space, ForgettingRequest(session="s1"), lambda _: tuple)
            assert unfinished(file) == [(space, done.seq)]
            assert not finish(file, space, done.seq)
        assert finish(file, space, done.seq)
        assert unfinished(file) == []
        assert newest_forgetting(file, space) == done.seq
        assert erased_count(file, space) == len(done.selection.entries)
