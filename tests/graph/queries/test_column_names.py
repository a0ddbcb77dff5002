"""Columns are headed by what the author wrote, where that is clear."""

from __future__ import annotations

import pytest

from meridia.graph.queries.column_names import as_written


@pytest.mark.parametrize(
    ("statement", "columns", "expected"),
    [
        ("RETURN count{()--()}", ["x"], ["count{()--()}"]),
        ("MATCH (a) RETURN  a.b ,\n 'x, y' + [1, 2][0]", ["?", "?"], ["a.b", "'x, y' + [1, 2][0]"]),
        ("RETURN DISTINCT  a.limit AS n, {a: 1, b: 2}", ["n", "?"], ["n", "{a: 1, b: 2}"]),
        ("RETURN *, f( a ) ORDER BY f( a ) LIMIT 2", ["a", "b", "?"], ["a", "b", "f( a )"]),
        ("RETURN *", ["a", "b"], ["a", "b"]),
        ("RETURN 1 AS a UNION RETURN 2 AS a", ["a"], ["a"]),
        ("CALL () { RETURN 1 AS a } RETURN a+1", ["?"], ["a+1"]),
        ("CALL db.labels()", ["label"], ["label"]),
        # Not understood: the engine's own names stay.
        ("RETURN limit", ["limit"], ["limit"]),
        ("RETURN a, order, b", ["a", "order", "b"], ["a", "order", "b"]),
        ("RETURN a, b", ["a", "b", "c"], ["a", "b", "c"]),
    ],
)
def test_columns_are_headed_as_written(statement: str, columns: list[str], expected: list[str]):
    assert as_written(statement, columns) == expected
