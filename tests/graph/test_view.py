"""Array views against plain dictionaries: the same edges, however they are asked for."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from meridia.graph.view import NO_EDGES, EdgeLayers, EdgeRows, Experiences, GraphView, SparseRows

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


def listed(rows: EdgeRows) -> list[tuple[int, int, float]]:
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
    links = EdgeLayers((rows_of(settled, BASE), rows_of(overlay, NODES)))
    nodes = np.array(asked, np.int64)
    assert sorted(listed(links.of(nodes))) == sorted(expected(settled + overlay, asked))
    known = plain(settled + overlay)
    assert links.degrees(nodes).tolist() == [len(known.get(node, [])) for node in asked]


def test_asking_for_no_nodes_gives_no_edges():
    none = np.zeros(0, np.int64)
    for links in (NO_EDGES, EdgeLayers((rows_of([(0, 1, 1.0)], 2),))):
        assert listed(links.of(none)) == []
        assert links.degrees(none).tolist() == []


def test_rows_of_many_nodes_without_edges_are_empty():
    rows = rows_of([], 5)
    assert listed(rows.of(np.arange(9))) == []
    assert rows.degrees(np.arange(9)).tolist() == [0] * 9


def test_where_there_are_no_links_every_node_has_none():
    assert listed(NO_EDGES.of(np.array([0, 3]))) == []
    assert NO_EDGES.degrees(np.array([0, 3])).tolist() == [0, 0]


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


@given(old_edge_lists, edge_lists, questions)
def test_edges_come_in_one_order_whatever_lies_in_which_layer(old, new, asked):
    both = {(a, b): w for a, b, w in [*old, *new]}
    old = [(a, b, both.pop((a, b))) for a, b in dict.fromkeys((a, b) for a, b, _ in old)]
    new = [(a, b, w) for (a, b), w in both.items()]
    layered = EdgeLayers((rows_of(old, BASE), rows_of(new, NODES)))
    merged = EdgeLayers((rows_of([*old, *new], NODES),))
    nodes = np.array(asked, np.int64)
    assert listed(layered.of(nodes)) == listed(merged.of(nodes))


@given(old_edge_lists, edge_lists, st.tuples(ends, ends))
def test_without_an_edge_all_others_are_left(old, new, gone):
    layers = EdgeLayers((rows_of(sorted(set(old)), BASE), rows_of(sorted(set(new)), NODES)))
    every = np.arange(NODES)
    parallel = [e for e in listed(layers.of(every)) if e[:2] == gone]
    left = [e for e in listed(layers.of(every)) if e[:2] != gone]
    found = layers
    for _ in parallel:
        found = found.without(*gone)
    assert listed(found.of(every)) == left
    assert found.degrees(every).tolist() == [sum(e[0] == node for e in left) for node in every]


def world() -> GraphView:
    """Return three experiences in a row, of two people in one session, about one concept.

    Nodes 0, 1, 2 are the experiences, 3 and 4 the people, 5 the session, 6 the concept.
    """
    edges = {
        "NEXT": [(0, 1), (1, 2)],
        "SPOKEN_BY": [(0, 3), (1, 4), (2, 3)],
        "IN_SESSION": [(0, 5), (1, 5), (2, 5)],
        "ABOUT": [(0, 6), (2, 6)],
    }
    links = {
        type: (
            EdgeLayers((rows_of([(a, b, 1.0) for a, b in of_type], 7),)),
            EdgeLayers((rows_of([(b, a, 1.0) for a, b in of_type], 7),)),
        )
        for type, of_type in edges.items()
    }
    zero, row = np.zeros(3, np.int64), np.arange(3)
    columns = {"seqs": row + 1, "at": zero, "person": np.array([0, 1, 0]), "session": zero}
    columns |= {"words": zero, "traits": zero, "node": row}
    columns |= {"before": np.array([-1, 0, 1]), "after": np.array([1, 2, -1])}
    return GraphView(
        until=3,
        numbers=np.arange(7),
        experience_of=np.array([0, 1, 2, -1, -1, -1, -1]),
        experiences=Experiences(**columns),
        people=["dana", "bob"],
        sessions=["s"],
        outgoing={type: pair[0] for type, pair in links.items()},
        incoming={type: pair[1] for type, pair in links.items()},
    )


def test_a_view_without_an_edge_lacks_it_both_ways_and_in_its_columns():
    whole = world()
    follows = whole.without("NEXT", 1, 2)
    assert follows.experiences.before.tolist() == [-1, 0, -1]
    assert follows.experiences.after.tolist() == [1, -1, -1]
    assert whole.without("SPOKEN_BY", 2, 3).experiences.person.tolist() == [0, 1, -1]
    assert whole.without("IN_SESSION", 0, 5).experiences.session.tolist() == [-1, 0, 0]
    about = whole.without("ABOUT", 0, 6)
    assert listed(about.links("ABOUT", outgoing=False).of(np.array([6]))) == [(0, 2, 1.0)]
    for type, source, target in (("NEXT", 1, 2), ("SPOKEN_BY", 2, 3), ("ABOUT", 0, 6)):
        assert whole.has(type, source, target)
        assert not whole.without(type, source, target).has(type, source, target)
    assert whole.experiences.after.tolist() == [1, 2, -1]


def test_a_view_without_an_edge_that_it_does_not_have_is_itself():
    whole = world()
    assert whole.without("NEXT", 2, 1) is whole
    assert whole.without("KNOWS", 0, 1) is whole


@given(edge_lists, old_edge_lists, st.sets(ends, max_size=6), st.integers(0, 12))
def test_a_hop_gives_every_edge_of_what_is_no_hub_by_way_node_and_neighbour(
    new, old, asked, fan_out_max
):
    layers = (rows_of(old, BASE), rows_of(new, NODES))
    none = np.zeros(0, np.int64)
    nothing = Experiences(none, none, none, none, none, none, none, none, none)
    view = GraphView(1, np.arange(NODES), none, nothing, [], [], {"A": EdgeLayers(layers)}, {})
    nodes = sorted(asked)
    hop = view.hop([("A", True), ("B", False)], np.array(nodes, np.int64), fan_out_max)
    every = expected(old + new, nodes)
    degree = [sum(position == place for position, *_ in every) for place in range(len(nodes))]
    assert hop.fan_out.tolist() == degree
    found = listed(EdgeRows(hop.position, hop.target, hop.weight))
    assert sorted(found) == sorted(edge for edge in every if degree[edge[0]] <= fan_out_max)
    assert [edge[:2] for edge in found] == sorted(edge[:2] for edge in found)
    assert not hop.way.any()
