"""Array views against plain dictionaries: the same edges, however they are asked for."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from meridia.graph.view import NO_LINKS, Experiences, GraphView, Links, Rows, SparseRows

Edge = tuple[int, int, float]
#: Nodes of these tests; those of the base are fewer, so that some are newer than it.
NODES, BASE = 12, 7

weights = st.integers(1, 8).map(lambda eighth: eighth / 8)
ends = st.integers(0, NODES - 1)
old_ends = st.integers(0, BASE - 1)
edge_lists = st.lists(st.tuples(ends, ends, weights), max_size=30)
old_edge_lists = st.lists(st.tuples(old_ends, old_ends, weights), max_size=30)
questions = st.lists(ends, max_size=10)


def rows_of(edges: list[Edge], nodes: int) -> SparseRows:
    columns = list(zip(*edges, strict=True)) or [(), (), ()]
    sources, targets = (np.array(column, np.int64) for column in columns[:2])
    return SparseRows.build(sources, targets, np.array(columns[2], np.float64), nodes)


def plain(edges: list[Edge]) -> dict[int, list[tuple[int, float]]]:
    found = defaultdict(list)
    for source, target, weight in edges:
        found[source].append((target, weight))
    return found


def listed(rows: Rows) -> list[tuple[int, int, float]]:
    return list(
        zip(rows.position.tolist(), rows.target.tolist(), rows.weight.tolist(), strict=True)
    )


def expected(edges: list[Edge], asked: list[int]) -> list[tuple[int, int, float]]:
    known = plain(edges)
    return [
        (position, target, weight)
        for position, node in enumerate(asked)
        for target, weight in known.get(node, [])
    ]


@given(edge_lists, questions)
def test_rows_give_the_edges_of_any_nodes_in_any_order_and_repeated(edges, asked):
    rows = rows_of(edges, NODES)
    found = listed(rows.of(np.array(asked, np.int64)))
    assert sorted(found) == sorted(expected(edges, asked))
    assert [position for position, _, _ in found] == sorted(p for p, _, _ in found)
    known = plain(edges)
    assert rows.degrees(np.array(asked, np.int64)).tolist() == [
        len(known.get(node, [])) for node in asked
    ]


@given(edge_lists)
def test_within_a_node_edges_stand_in_the_order_of_their_targets(edges):
    rows = rows_of(edges, NODES)
    for node in range(NODES):
        targets = rows.of(np.array([node])).target.tolist()
        assert targets == sorted(targets)


@given(old_edge_lists, questions)
def test_nodes_newer_than_the_rows_have_no_edges_there(edges, asked):
    rows = rows_of(edges, BASE)
    assert sorted(listed(rows.of(np.array(asked, np.int64)))) == sorted(expected(edges, asked))
    degrees = rows.degrees(np.array(asked, np.int64))
    assert [d for d, node in zip(degrees, asked, strict=True) if node >= BASE] == [
        0 for node in asked if node >= BASE
    ]


@given(old_edge_lists, edge_lists, questions)
def test_settled_rows_and_their_overlay_are_one_list_of_edges(settled, overlay, asked):
    links = Links((rows_of(settled, BASE), rows_of(overlay, NODES)))
    nodes = np.array(asked, np.int64)
    assert sorted(listed(links.of(nodes))) == sorted(expected(settled + overlay, asked))
    known = plain(settled + overlay)
    assert links.degrees(nodes).tolist() == [len(known.get(node, [])) for node in asked]


def test_asking_for_no_nodes_gives_no_edges():
    none = np.zeros(0, np.int64)
    for links in (NO_LINKS, Links((rows_of([(0, 1, 1.0)], 2),))):
        assert listed(links.of(none)) == []
        assert links.degrees(none).tolist() == []


def test_rows_of_many_nodes_without_edges_are_empty():
    rows = rows_of([], 5)
    assert listed(rows.of(np.arange(9))) == []
    assert rows.degrees(np.arange(9)).tolist() == [0] * 9


def test_where_there_are_no_links_every_node_has_none():
    assert listed(NO_LINKS.of(np.array([0, 3]))) == []
    assert NO_LINKS.degrees(np.array([0, 3])).tolist() == [0, 0]


def test_a_type_that_no_edge_has_is_no_error():
    view = a_view([3, 5], [10])
    assert listed(view.links("ABOUT").of(np.array([0]))) == []
    assert listed(view.links("ABOUT", outgoing=False).of(np.array([0]))) == []


def a_view(numbers: list[int], seqs: list[int]) -> GraphView:
    none = np.zeros(len(seqs), np.int64)
    columns = Experiences(np.array(seqs, np.int64), *[none] * 8)
    return GraphView(0, np.array(numbers, np.int64), none, columns, [], [], {}, {})


sorted_ints = st.lists(st.integers(1, 50), unique=True, max_size=12).map(sorted)


@given(sorted_ints, st.lists(st.integers(0, 60), max_size=12))
def test_numbers_and_sequences_are_found_at_their_places_or_nowhere(known, asked):
    view = a_view(known, known)
    places = [known.index(number) if number in known else -1 for number in asked]
    assert view.nodes_of(np.array(asked, np.int64)).tolist() == places
    assert view.experiences.index_of(np.array(asked, np.int64)).tolist() == places


# Experiences


def in_a_row(count: int) -> Experiences:
    """Return experiences that nothing links yet."""
    alone, zeros = np.full(count, -1, np.int64), np.zeros(count, np.int64)
    return Experiences(np.arange(1, count + 1), *[zeros] * 6, alone, alone)


orders = st.permutations(range(8)).flatmap(
    lambda rows: st.lists(st.integers(0, 8), max_size=2).map(
        lambda cuts: [
            rows[a:b] for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), 8], strict=True)
        ]
    )
)


@given(orders, st.integers(-3, 3), st.lists(st.integers(-1, 7), max_size=8), st.data())
def test_a_neighbour_is_so_many_places_on_in_the_same_session(sessions, steps, rows, data):
    pairs = [pair for session in sessions for pair in pairwise(session)]
    experiences = in_a_row(8)
    for part in _split(data.draw(st.permutations(pairs)), data.draw(st.integers(0, 8))):
        earlier, later = np.array(part, np.int64).reshape(-1, 2).T
        experiences = experiences.linked(earlier, later)
    place = {row: (s, i) for s, session in enumerate(sessions) for i, row in enumerate(session)}

    def plainly(row: int) -> int:
        if row < 0:
            return -1
        session, i = place[row]
        inside = 0 <= i + steps < len(sessions[session])
        return sessions[session][i + steps] if inside else -1

    found = experiences.neighbours(np.array(rows, np.int64), steps)
    assert found.tolist() == [plainly(row) for row in rows]


def _split(items: list, at: int) -> list[list]:
    return [items[:at], items[at:]]


def test_experiences_that_go_on_leave_the_old_ones_as_they_were():
    old = in_a_row(2)
    new = old.extended([[3], *[[0]] * 6, [-1], [-1]]).linked(np.array([1]), np.array([2]))
    assert (old.seqs.tolist(), old.after.tolist()) == ([1, 2], [-1, -1])
    assert (new.seqs.tolist(), new.after.tolist()) == ([1, 2, 3], [-1, 2, -1])
    assert new.before.tolist() == [-1, -1, 1]
