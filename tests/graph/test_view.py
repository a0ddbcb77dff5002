"""Array views against plain dictionaries: the same edges, however they are asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.ports import GraphStore, Head, Table
from meridia.core.settings import Settings
from meridia.core.types import EdgeUpsert, NodeUpsert, Seq, Space
from meridia.graph.schema import EDGES
from meridia.graph.view import (
    NO_EDGES,
    CypherEdges,
    EdgeLayers,
    EdgeRows,
    Experiences,
    GraphView,
    SparseRows,
)
from tests.acceptance.test_random_forgettings import PLAIN, forgotten, histories, lived
from tests.thorough import THOROUGH

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
    layers, back = (
        EdgeLayers(
            (
                rows_of(sorted({way(e) for e in old}), BASE),
                rows_of(sorted({way(e) for e in new}), NODES),
            )
        )
        for way in (lambda e: e, lambda e: (e[1], e[0], e[2]))
    )
    every = np.arange(NODES)
    left = [e for e in listed(layers.of(every)) if e[:2] != gone]
    whole = replace(world(), outgoing={"ABOUT": layers}, incoming={"ABOUT": back})
    found = whole.without("ABOUT", *gone)
    assert listed(found.links("ABOUT").of(every)) == left
    degrees = found.links("ABOUT").degrees(every)
    assert degrees.tolist() == [sum(e[0] == node for e in left) for node in every]
    backwards = found.links("ABOUT", outgoing=False).of(every)
    assert sorted((b, a, w) for a, b, w in listed(backwards)) == sorted(left)


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


@settings(max_examples=200 if THOROUGH else 3)
@given(histories, st.lists(forgotten, min_size=1, max_size=3))
def test_a_view_that_is_held_over_forgettings_is_one_that_is_read_anew(
    history: list[Any], last: list[Any]
):
    with lived(PLAIN) as life:
        memory, held = life.memory, None
        memory.remember("A boat.")
        for step in [*history, ("enrich", 0), *(("forget", each) for each in last)]:
            life.live(step)
            memory.adjacency.catch_up(memory.space)
            held = memory.adjacency.view(memory.space, held)
            compare(held, memory.adjacency.view(memory.space))


def compare(held: GraphView, anew: GraphView) -> None:
    assert (held.until, held.changes) == (anew.until, anew.changes)
    assert held.numbers.tolist() == anew.numbers.tolist()
    assert held.experience_of.tolist() == anew.experience_of.tolist()
    for name in ("seqs", "at", "words", "traits", "node", "before", "after"):
        one, other = (getattr(view.experiences, name).tolist() for view in (held, anew))
        assert one == other, name
    assert names(held, "person", "people") == names(anew, "person", "people")
    assert names(held, "session", "sessions") == names(anew, "session", "sessions")
    assert sorted(held.people) == sorted(anew.people)
    assert sorted(held.sessions) == sorted(anew.sessions)
    for one, other in ((held.outgoing, anew.outgoing), (held.incoming, anew.incoming)):
        types = {type for links in (one, other) for type in links}
        for type in types:
            assert edges(one, type, held) == edges(other, type, anew), type


def names(view: GraphView, column: str, listed: str) -> list[str | None]:
    places = getattr(view.experiences, column).tolist()
    return [None if place < 0 else getattr(view, listed)[place] for place in places]


def edges(links: Any, type: str, view: GraphView) -> list[Any]:
    if type not in links:
        return []
    rows = links[type].of(np.arange(len(view.numbers)))
    return list(
        zip(rows.position.tolist(), rows.target.tolist(), rows.weight.tolist(), strict=True)
    )


SAID = (
    "I bought a telescope in Bergen.",
    "The tripod of the telescope broke.",
    "We saw Saturn from the harbour.",
    "My sister moved to Oslo in March.",
    "The ferry to Oslo leaves at nine.",
    "I promise to mend the tripod on Friday.",
)


@pytest.mark.parametrize("place", range(len(SAID))[:: 1 if THOROUGH else 3])
def test_answers_after_a_forgetting_are_those_of_who_opens_the_file_anew(tmp_path, place: int):
    def answers(memory: Memory) -> list[Any]:
        asked = ("What broke?", "Where is Oslo?", "telescope", "Who moved?")
        return [
            [(hit.id, pytest.approx(hit.score, rel=1e-9)) for hit in memory.recall(each).hits]
            for each in asked
        ]

    with Memory(tmp_path / "j.db", "home", Settings()) as memory:
        for number, text in enumerate(SAID):
            memory.remember(text, person="Dana", session=f"s{number // 4}", id=f"m{number}")
        memory.enrich()
        answers(memory)
        memory.forget(ids=[f"m{place}"])
        memory.remember("The boat is blue.", person="Kim", session="s1")
        memory.enrich()
        held = answers(memory)
    with Memory(tmp_path / "j.db", "home", Settings()) as memory:
        assert held == answers(memory)


WAYS = [("ABOUT", True), ("ABOUT", False), ("NEXT", True), ("RELATED", False)]
IDS = ["e0", "e1", "e2", "c0", "c1"]


def edge(type: str, source: int, target: int, weight: float = 1.0, seq: int = 1) -> EdgeUpsert:
    ends = EDGES[type][0]
    properties = {"weight": weight, "since": "2026-01-01T00:00:00Z", "source_seq": seq}
    return EdgeUpsert(type, ends.source, IDS[source], ends.target, IDS[target], properties)


@pytest.fixture
def stored(graph_store: GraphStore, space: Space) -> GraphStore:
    """A store of three experiences and two concepts."""
    labels = ["Experience"] * 3 + ["Concept"] * 2
    nodes = [NodeUpsert(label, id, {}) for label, id in zip(labels, IDS, strict=True)]
    edges = [
        *(edge("ABOUT", experience, 3) for experience in range(3)),
        edge("ABOUT", 0, 4),
        edge("NEXT", 0, 1),
        edge("RELATED", 2, 0, 0.7),
        edge("RELATED", 1, 0, 0.9, seq=2),
    ]
    with graph_store.transaction() as writer:
        writer.apply([*nodes, *edges])
        writer.move_cursor(Head(Seq(2), b""))
    return graph_store


def over(
    run: Callable[[str, Mapping[str, Any]], Table], until: int = 2, known: Sequence[str] = IDS
) -> CypherEdges:
    return CypherEdges(
        run,
        lambda nodes: [IDS[node] for node in nodes.tolist()],
        lambda ids: np.array([IDS.index(id) if id in known else -1 for id in ids], np.int64),
        until,
    )


def rows(found) -> list[tuple]:
    columns = (found.position, found.way, found.target, found.weight)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_every_edge_comes_by_way_node_and_neighbour(stored: GraphStore):
    found = over(stored.run).hop(WAYS, np.array([0, 3], np.int64), 256)
    single = float(np.float32(0.7)), float(np.float32(0.9))
    assert rows(found) == [
        (0, 0, 3, 1.0),
        (0, 0, 4, 1.0),
        *[(1, 1, node, 1.0) for node in range(3)],
        (0, 2, 1, 1.0),
        (0, 3, 1, single[1]),
        (0, 3, 2, single[0]),
    ]
    assert found.fan_out.tolist() == [5, 3]


def test_a_larger_hub_is_counted_and_not_listed(stored: GraphStore):
    found = over(stored.run).hop(WAYS, np.array([1, 3], np.int64), 2)
    assert found.fan_out.tolist() == [1, 3]
    assert {position for position, *_ in rows(found)} == {0}


def test_what_came_later_than_the_view_is_not_there(stored: GraphStore):
    found = over(stored.run, until=1).hop([("RELATED", False)], np.array([0], np.int64), 256)
    assert [target for _, _, target, _ in rows(found)] == [2]


def test_a_node_that_the_view_lacks_is_not_reached(stored: GraphStore):
    edges = over(stored.run, known=IDS[:4])
    found = edges.hop([("ABOUT", True)], np.array([0], np.int64), 256)
    assert [target for _, _, target, _ in rows(found)] == [3]


def test_nothing_asked_asks_nothing():
    def run(statement: str, parameters: Mapping[str, Any]) -> Table:
        raise AssertionError("no query was needed")

    none = np.zeros(0, np.int64)
    assert rows(over(run).hop(WAYS, none, 256)) == []
    assert over(run).hop([], np.array([0, 1], np.int64), 256).fan_out.tolist() == [0, 0]
