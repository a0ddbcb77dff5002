"""Which nodes of a store a statement is about."""

from __future__ import annotations

from meridia.core.types import Space
from meridia.graph.partition import Partition, partition, public_labels, public_properties
from tests.histories import HistoryEvent, TestJournal, live

HOME = Space("home")


def test_a_statement_names_the_partition_only_where_others_share_the_store():
    by_key = "MATCH (x:Person{ours} {key id}){seek x} RETURN x.id AS id"
    all_of_it = "MATCH (x:Person{scope}) RETURN x.id AS id"
    assert Partition(HOME).statement(by_key) == "MATCH (x:Person {id: id}) RETURN x.id AS id"
    assert Partition(HOME).statement(all_of_it) == "MATCH (x:Person) RETURN x.id AS id"
    shared = Partition(HOME, "ab").statement(by_key)
    assert "(x:Person:Meridia {node_key: $partition + ':' + id})" in shared
    assert "(x:Person:Meridia:Space_ab)" in Partition(HOME, "ab").statement(all_of_it)
    assert "USING INDEX SEEK x:Meridia(node_key)" in shared


def test_a_copy_of_a_journal_has_the_same_partition_and_another_journal_another():
    with TestJournal() as first, TestJournal() as second:
        nobody = partition(first, HOME)
        for journal in (first, second):
            live(journal, HOME, HistoryEvent("hello", "Dana"))
        mine = partition(first, HOME)
        live(first, HOME, HistoryEvent("again", "Dana"))
        assert partition(first, HOME) == mine
        assert len({nobody.id, mine.id, partition(second, HOME).id}) == 3


def test_what_tells_partitions_apart_is_not_shown():
    assert public_labels(["Person", "Meridia", "Space_ab", "Sailor"]) == ["Person", "Sailor"]
    assert public_properties({"node_key": "x", "partition": "y", "key": "z"}) == {"key": "z"}
