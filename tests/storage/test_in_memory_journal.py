"""The journal in memory that serves tests passes the contract of all journals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from meridia.core.errors import MeridiaError
from tests.fakes import SeededBytes, TickingClock
from tests.in_memory_journal import HEADER, InMemoryJournal
from tests.storage.journal_contract import JournalContract


class InMemoryBackend:
    """A journal in memory under test; like a file, its rows are locked until somebody tampers."""

    columns = (
        *(("entry", column) for column in (*HEADER, "payload_hash", "hash")),
        ("payload", "salt"),
        ("payload", "body"),
    )
    expression = ""

    def __init__(self) -> None:
        self.journal = InMemoryJournal(TickingClock(), SeededBytes())
        self.locked = True

    def unlock(self) -> None:
        self.locked = False

    def value(self, table: str, column: str, seq: int) -> Any:
        return self._table(table)[seq][column]

    def change(self, table: str, column: str, seq: int, value: Any) -> None:
        self._refuse_locked()
        self._table(table)[seq][column] = value

    def remove(self, table: str, seq: int) -> None:
        if table == "entry":
            self._refuse_locked()
        del self._table(table)[seq]

    def swap(self, table: str, first: int, second: int) -> None:
        rows = self._table(table)
        rows[first], rows[second] = rows[second], rows[first]

    def _table(self, name: str) -> dict[int, dict[str, Any]]:
        return {"entry": self.journal.rows.entry, "payload": self.journal.rows.payload}[name]

    def _refuse_locked(self) -> None:
        if self.locked:
            raise MeridiaError("the journal is append-only")


class TestInMemoryJournal(JournalContract):
    # It lives in one process.
    test_processes_lose_nothing_and_double_nothing = None

    @contextmanager
    def fresh(self, *, shared: bool = False) -> Iterator[InMemoryBackend]:
        yield InMemoryBackend()
