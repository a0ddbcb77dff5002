"""The lists of what is harmless hold nothing that writes, reads files or administers."""

from __future__ import annotations

import pytest

from meridia.graph.queries.query_allowlist import KGLITE_OPERATIONS, NEO4J_OPERATORS, REFUSED_STARTS

SUSPICIOUS = (
    "Create",
    "Merge",
    "Delete",
    "Set",
    "Remove",
    "Drop",
    "Foreach",
    "Load",
    "Show",
    "Terminate",
    "Administration",
    "Transaction",
    "RunQueryAt",
    "Lock",
)


@pytest.mark.parametrize("part", SUSPICIOUS)
def test_no_operator_sounds_like_more_than_reading(part: str):
    # Merging here is joining two sorted streams.
    readers = {"ValueMergeJoin"}
    for name in (NEO4J_OPERATORS | KGLITE_OPERATIONS) - readers:
        assert part not in name


def test_no_query_needs_a_word_that_is_refused():
    assert REFUSED_STARTS.isdisjoint({"MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL"})
