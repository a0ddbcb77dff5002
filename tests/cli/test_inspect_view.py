"""The terminal inspector draws what is there, at the width of the terminal."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from meridia.cli.commands.service import inspect
from meridia.retrieval.explain.activated_graph import (
    ActivatedEdge,
    ActivatedGraph,
    ActivatedNode,
)
from meridia.retrieval.ranking.contributions import TraceNode
from meridia.retrieval.recall_result import Hit, Recall
from tests.resume.experience_builders import experience

TRACE = TraceNode("score", 3.0, children=(TraceNode("words", 4.0), TraceNode("form", -1.0)))
GRAPH = ActivatedGraph(
    "r-1",
    "activation spread to it",
    [
        ActivatedNode(0, "m-1", "memory", "The race is on.", 1.0, 1, 1),
        ActivatedNode(1, "w-1", "word", "race", 0.5, None, None),
    ],
    [ActivatedEdge(1, "HAS_WORD", "m-1", "w-1", along=True, amount=0.5, shares={1: 0.25})],
    0,
    0,
)


def printed(monkeypatch, answer, graph=GRAPH, edges=12):
    """Return what is printed on a terminal of 100 columns."""
    out = StringIO()
    monkeypatch.setattr(inspect, "console", Console(file=out, width=100, highlight=False))
    monkeypatch.setattr("meridia.cli.render.console", inspect.console)
    inspect.show_inspection(answer, graph, edges)
    return out.getvalue()


def an_answer(*hits):
    """Return an answer with some memories."""
    return Recall("r-1", "When is the race?", list(hits), "default", 9, 0.9, confident=True)


def test_a_bar_is_as_long_as_what_adds_and_names_what_takes_away(monkeypatch):
    memory = experience(1, "The race is on.").memory
    text = printed(monkeypatch, an_answer(Hit(memory, 1, 3.0, lambda: TRACE)))
    assert "█" * 40 in text
    assert "█" * 41 not in text
    assert "form" in text
    assert "-1.00" in text
    assert "#1 +0.25" in text
    assert max(map(len, text.splitlines())) <= 100


def test_more_edges_than_are_wanted_are_counted(monkeypatch):
    memory = experience(1, "The race is on.").memory
    text = printed(monkeypatch, an_answer(Hit(memory, 1, 3.0, lambda: TRACE)), edges=0)
    assert "1 more edges" in text


def test_an_answer_without_memories_has_no_bars(monkeypatch):
    text = printed(monkeypatch, an_answer())
    assert "no memories recalled" in text
    assert "hop" not in text
