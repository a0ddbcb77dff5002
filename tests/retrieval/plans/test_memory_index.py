"""The Unified Memory Index: one graph of nodes, with ids that stay and links both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia import Memory
from meridia.language.analyser import Analyser
from meridia.language.runs.tool_intent import is_search
from meridia.retrieval.plans.memory_index import graph_id, sequence_of, turn_id
from meridia.retrieval.plans.plan import SUMMARY_CHARS_MAX, SourceType
from tests.fakes import START
from tests.retrieval.plans.plan_samples import BEGAN, SITE, filled


@pytest.fixture(scope="module")
def index(memory):
    return memory.planning.index()


@pytest.fixture(scope="module")
def nodes(index):
    return {node.node_id: node for node in index.everything()}


def test_row_63_every_memory_is_a_node_of_one_graph(nodes, memory):
    """Row 63: 7 node fields, one graph."""
    said = {f"turn:{one.seq}" for one in memory.list().memories if one.kind != "session_boundary"}
    assert said <= nodes.keys()
    for node in nodes.values():
        assert node.summary
        assert len(node.summary) <= SUMMARY_CHARS_MAX
        assert 0 <= node.confidence <= 1
        assert node.timestamp <= START
        assert node.source_ref


def test_row_64_every_source_type_has_its_sources(nodes):
    """Row 64 and D20: what becomes which of the five."""
    found = {
        type: [n.summary for n in nodes.values() if n.source_type is type] for type in SourceType
    }
    assert found[SourceType.PREFERENCE] == ["Dana prefers genoas over jibs."]
    assert found[SourceType.FACT] == ["Dana lives in Bergen."]
    assert found[SourceType.VISIT_RECORD] == [SITE]
    assert any("web_search" in summary for summary in found[SourceType.RESEARCH_CACHE])
    assert any("red boat" in summary for summary in found[SourceType.RESEARCH_CACHE])
    assert any("episode" in id for id in nodes if nodes[id].source_type is SourceType.TURN_SUMMARY)


def test_what_a_person_asks_for_for_good_is_a_preference(journal_path):
    """Row 64: without a model."""
    said = ("I prefer oak over pine. The table is old.", "Which wood is that?", "It rained today.")
    with Memory.open(journal_path) as memory:
        for text in said:
            memory.remember(text, person="Odile")
        memory.enrich()
        planned = memory.planning.plan("Which wood does Odile prefer, oak or pine?")
        (node,) = [n for n in planned.nodes.values() if n.source_type is SourceType.PREFERENCE]
        (turn,) = node.links
        assert node.summary == "Odile: I prefer oak over pine."
        assert node.node_id in planned.nodes[turn].links
        every = memory.planning.index().everything()
        (document,) = [d for d in memory.planning.load(planned) if d.node == node]
    preferences = [n.node_id for n in every if n.source_type is SourceType.PREFERENCE]
    assert preferences == [node.node_id]
    assert said[0] in document.text


def test_row_65_node_ids_are_the_same_every_time(nodes, memory):
    """Row 65: turn:, memory:, visit:."""
    assert {id.partition(":")[0] for id in nodes} == {"turn", "memory", "visit"}
    again = {node.node_id: node.summary for node in memory.planning.index().everything()}
    assert again == {id: node.summary for id, node in nodes.items()}
    memory.upkeep.rebuild()
    rebuilt = {node.node_id for node in memory.planning.index().everything()}
    assert rebuilt == nodes.keys()


def test_row_65_our_own_ids_stand_beside(nodes, memory):
    """Row 65 and D20: `source_ref` is an address that can be shown."""
    for seq, id in ((1, "m-1"), (3, "m-3")):
        assert memory.get(nodes[f"turn:{seq}"].source_ref).event_id == id
    facts = [n for n in nodes.values() if n.source_type is SourceType.FACT]
    assert memory.get(facts[0].source_ref).event_id == "m-1"


def test_row_66_links_lead_back_and_forward(nodes):
    """Row 66: whatever a node links to links to it."""
    for node in nodes.values():
        assert set(node.links) <= nodes.keys()
        assert all(node.node_id in nodes[id].links for id in node.links)
        assert list(node.links) == sorted(set(node.links))
    assert {id.partition("_")[0] for id in nodes["turn:1"].links} == {
        *("memory:fact", "turn:2", "turn:episode")
    }


def test_a_node_looked_up_is_the_node_that_is_listed(index, nodes):
    for id, node in nodes.items():
        assert index.nodes([id])[id].as_json() == node.as_json()
    assert index.types(list(nodes)) == {id: node.source_type for id, node in nodes.items()}


def test_row_68_ids_that_the_index_does_not_hold_are_not_found(index, nodes):
    """Row 68: a near miss is a miss."""
    near = [id.replace("turn:", "visit:") for id in nodes] + [f"{id}x" for id in nodes]
    near += ["turn:99", "turn:01", "turn:-1", "turn:", "", "memory:nothing", f"turn:{10**30}"]
    assert index.nodes([id for id in near if id not in nodes]) == {}


def test_facts_that_share_two_words_are_looked_at_without_a_link(index):
    around = index.around([6], "Does Dana live in Bergen?", Analyser())
    assert "Dana lives in Bergen." in [node.summary for node in around]
    around = index.around([6], "Who bakes bread?", Analyser())
    assert "Dana lives in Bergen." not in [node.summary for node in around]


def test_an_index_of_an_earlier_time_is_smaller_and_younger(memory, nodes):
    then = {node.node_id: node for node in memory.planning.index(BEGAN).everything()}
    assert set(then) < set(nodes)
    assert then["turn:1"].confidence == 1.0
    assert nodes["turn:1"].confidence < 1.0


def test_an_empty_space_has_no_nodes(memory):
    away = memory.in_space("boundary")
    away.capture({"kind": "session_boundary", "payload": {"boundary": "start"}})
    away.enrich()
    assert away.planning.index().everything() == []


def test_what_is_erased_is_no_node_any_more():
    with filled() as memory:
        before = memory.planning.index().nodes(["turn:2"])
        with memory.parts.database.writing() as connection:
            connection.execute("DELETE FROM payload WHERE seq = 2")
        after = memory.planning.index().nodes(["turn:2", "turn:1"])
    assert "turn:2" in before
    assert list(after) == ["turn:1"]
    assert "turn:2" not in after["turn:1"].links


@given(st.integers(0, 10**18 - 1))
def test_a_turns_id_names_its_sequence(seq):
    assert sequence_of(turn_id(seq)) == seq
    assert sequence_of(f"memory:{seq}") is None
    assert graph_id("memory:fact_1") == "fact_1"


@given(st.text(max_size=30))
def test_any_text_may_be_asked_for_as_an_id(text):
    assert sequence_of(text) is None or turn_id(sequence_of(text)) == text


@pytest.mark.parametrize(
    ("tool", "found"),
    [
        ("web_search", True),
        ("WebSearch", True),
        ("search_direct_flight", True),
        ("WebFetch", True),
        ("browse", True),
        ("bash", False),
        ("researcher_notes", False),
        ("calculate", False),
        ("", False),
    ],
)
def test_a_search_is_told_by_the_tools_name(tool, found):
    assert is_search(tool) is found


def test_the_floor_of_a_node_is_what_time_alone_would_leave_of_it(index, nodes):
    """Row 80: the floors by kind."""
    floors = index.floors(nodes)
    assert floors.keys() == nodes.keys()
    assert all(floors[id] <= node.confidence for id, node in nodes.items())
    of = {
        type: {floors[id] for id, node in nodes.items() if node.source_type is type}
        for type in (SourceType.PREFERENCE, SourceType.VISIT_RECORD)
    }
    assert of == {SourceType.PREFERENCE: {0.8}, SourceType.VISIT_RECORD: {0.3}}
    assert index.floors(["turn:999"]) == {}
