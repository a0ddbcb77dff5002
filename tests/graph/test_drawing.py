"""Tests of the graph as other programs take it."""

from __future__ import annotations

import kglite
import networkx as nx
import pytest

from meridia import InvalidInput, Memory, NotFound, Settings
from meridia.graph import drawing
from tests.fakes import FakeEmbedder


@pytest.fixture(scope="module")
def memory():
    with Memory(None, "default", Settings(), embedder=FakeEmbedder()) as memory:
        memory.remember('My sister Nora said "yes" in Bergen.\n\\o/', person="Dana", session="s1")
        memory.remember("Then we took the ferry.", person="Dana", session="s1")
        memory.remember("The ferry to Oslo is late.", person="Lee", session="s2")
        yield memory


@pytest.fixture(scope="module")
def whole(memory):
    return memory.graph.networkx()


def test_it_has_as_many_nodes_and_edges_as_the_store(memory, whole):
    counts = memory.graph.counts()
    assert whole.number_of_nodes() + whole.number_of_edges() == sum(counts.values())
    assert {label for _, label in whole.nodes(data="label")} <= counts.keys()
    assert {type for *_, type in whole.edges(data="type")} <= counts.keys()


@pytest.mark.parametrize("name", ["Dana", "dana", "@2"])
def test_what_is_near_a_node_is_at_most_so_many_edges_away(memory, whole, name):
    near = memory.graph.networkx([name], hops=1)
    (start,) = (
        id
        for id, fields in whole.nodes(data=True)
        if fields["name"].casefold() == "dana" or (name == "@2" and fields.get("seq") == 2)
        if (fields["label"] == "Person") is (name != "@2")
    )
    assert set(near) == {start, *nx.all_neighbors(whole, start)}
    assert set(near) <= set(memory.graph.networkx([name], hops=3)) <= set(whole)


def test_a_name_that_no_node_has_is_an_error(memory):
    with pytest.raises(NotFound, match="no node of the graph is called 'Ola'"):
        memory.graph.networkx(["Ola"])


@pytest.mark.parametrize("format", ["graphml", "gexf"])
def test_a_file_is_read_back_by_networkx_with_the_same_nodes_and_texts(whole, tmp_path, format):
    drawing.write(whole, file := tmp_path / f"graph.{format}")
    back = nx.read_graphml(file) if format == "graphml" else nx.read_gexf(file)
    assert set(back) == set(whole)
    assert back.number_of_edges() == whole.number_of_edges()
    texts = {id: fields["text"] for id, fields in whole.nodes(data=True) if "text" in fields}
    assert {id: back.nodes[id]["text"] for id in texts} == texts


def test_statements_make_the_graph_anew(whole, tmp_path):
    drawing.write(whole, file := tmp_path / "graph.cypher")
    engine = kglite.KnowledgeGraph()
    for statement in file.read_text("utf-8").splitlines():
        engine.cypher(statement.removesuffix(";"))
    texts = {
        fields["text"] for _, fields in whole.nodes(data=True) if fields["label"] == "Experience"
    }
    rows = engine.cypher("MATCH (x:Experience) RETURN x.text AS text").to_list()
    assert {row["text"] for row in rows} == texts
    (edges,) = engine.cypher("MATCH ()-[x]->() RETURN count(x) AS n").to_list()
    assert edges["n"] == whole.number_of_edges()


def test_an_unknown_form_and_a_file_that_is_there_are_errors(whole, tmp_path):
    with pytest.raises(InvalidInput, match=r"end it with \.graphml"):
        drawing.write(whole, tmp_path / "graph.png")
    (tmp_path / "graph.gexf").touch()
    with pytest.raises(InvalidInput, match="exists"):
        drawing.write(whole, tmp_path / "graph.gexf")
