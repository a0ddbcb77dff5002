"""One space of one file: statements by name, errors in Meridia's words."""

from __future__ import annotations

import pytest

from meridia.core.errors import Damaged
from meridia.storage.space_scope import SpaceScope
from tests.graph.journal_drafts import HOME, message_draft


@pytest.fixture
def scope(private_file) -> SpaceScope:
    private_file.journal.append(HOME, [message_draft(text) for text in ("one", "two", "three")])
    return SpaceScope(private_file.database, 1)


def test_rows_come_at_once_in_parts_or_one_alone(scope):
    values = (scope.number, 0, 9)
    rows = scope.rows("journal/read", values)
    assert [row[0] for row in rows] == [1, 2, 3]
    assert list(scope.row_parts("journal/read", values, 2)) == [rows[:2], rows[2:]]
    assert scope.row("journal/read", values) == scope.only_row("journal/read", values) == rows[0]
    assert scope.row("journal/read", (2, 0, 9)) is None


def test_what_is_written_is_counted_and_undone_with_its_transaction(scope):
    def broken() -> None:
        with scope.writing():
            assert scope.run("journal/move_cursor", (scope.number, "p", 1, 3)) == 1
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    assert scope.row("journal/cursor", (scope.number, "p")) is None


def test_a_statement_is_run_once_for_each_values(scope):
    with scope.writing():
        scope.run_many("journal/move_cursor", [(scope.number, name, 1, 3) for name in "pq"])
    assert scope.row("journal/cursor", (scope.number, "q")) == (3, 1)


def test_errors_of_the_database_are_translated(scope):
    scope.database.connection.execute("DROP TABLE cursor")
    for attempt in (scope.row, scope.rows, scope.run):
        with pytest.raises(Damaged):
            attempt("journal/cursor", (1, "p"))
