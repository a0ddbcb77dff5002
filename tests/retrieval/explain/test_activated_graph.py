"""The activated graph: its shares are those of the trace, and what is folded is counted."""

from __future__ import annotations

import random

import pytest

from meridia import Memory
from meridia.core.settings import RecallSettings, Settings
from meridia.retrieval.explain.counterfactual import Edge
from tests.fakes import FakeEmbedder
from tests.retrieval.random_spaces import question, world

EVERY = 100_000


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with world(tmp_path_factory.mktemp("graph") / "world.db", seed=3) as memory:
        yield memory


@pytest.mark.parametrize("policy", ["spread", "sample", "walk"])
def test_what_came_over_the_last_edges_is_what_the_trace_says(memory, policy):
    chance, brought = random.Random(4), 0.0
    for _ in range(6):
        recall = memory.recall(question(chance), policy=policy)
        graph = memory.reasons.activation(recall.id, EVERY)
        assert graph.folded_nodes == graph.folded_edges == 0
        for hit in recall.hits:
            owed = sum(leaf.value for leaf in hit.trace.leaves() if leaf.edge or leaf.steps)
            starts = [edge.shares.get(hit.rank, 0.0) for edge in graph.edges if edge.hop == 1]
            assert sum(starts) == pytest.approx(owed, abs=1e-6)
            brought += sum(starts)
    assert brought > 0


def test_every_edge_leads_from_a_node_of_the_hop_before_to_one_of_its_own(memory):
    recall = memory.recall(question(random.Random(1)))
    graph = memory.reasons.activation(recall.id)
    places = {(node.hop, node.id) for node in graph.nodes}
    assert len(places) == len(graph.nodes)
    for edge in graph.edges:
        assert {(edge.hop - 1, edge.source), (edge.hop, edge.target)} <= places
    texts = {node.name for node in graph.nodes if node.kind == "memory" and node.rank}
    assert texts <= {hit.text for hit in recall.hits}


def test_an_edge_can_be_left_out_by_the_ends_that_the_graph_names(memory):
    chance = random.Random(1)
    recalls = [memory.recall(question(chance)) for _ in range(4)]
    recall, edge, rank = next(
        (recall, edge, rank)
        for recall in recalls
        for edge in memory.reasons.activation(recall.id).edges
        for rank in edge.shares
    )
    ends = (edge.source, edge.target) if edge.along else (edge.target, edge.source)
    without = memory.reasons.without(recall.id, str(rank), Edge(edge.type, *ends))
    assert without.rank == rank
    assert without.score_without != without.score


def test_what_is_left_out_is_counted_and_is_the_weakest(memory):
    recall = memory.recall(question(random.Random(2)))
    whole, part = memory.reasons.activation(recall.id), memory.reasons.activation(recall.id, 8)
    assert len(part.nodes) == 8
    assert part.folded_nodes == len(whole.nodes) - 8
    assert part.folded_edges == len(whole.edges) - len(part.edges)
    gave = {(e.hop, e.target) for e in whole.edges if sum(e.shares.values()) > 0.05}
    assert len(gave & {(node.hop, node.id) for node in part.nodes}) >= min(len(gave), 4)


def test_where_nothing_spreads_the_graph_is_empty():
    settings = Settings(recall=RecallSettings(spread=False))
    with Memory(None, "default", settings, embedder=FakeEmbedder()) as memory:
        memory.remember("The race is on the 12th of May.")
        recall = memory.recall("When is the race?")
        assert memory.reasons.activation(recall.id).as_json() == {
            "recall": recall.id,
            "label": "none moved hop by hop",
            "nodes": [],
            "edges": [],
            "folded": {"nodes": 0, "edges": 0},
        }
