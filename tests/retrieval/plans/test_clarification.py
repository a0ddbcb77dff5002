"""Asking back: only where a question can mean several of the best sources."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.retrieval.plans.plan import SourceType
from meridia.retrieval.plans.plan_choice import NodeChoice, NodeContext, clarification_of
from tests.retrieval.plans.plan_samples import node


def turn(id, relevance=1.0):
    return NodeChoice(node(id), relevance, "recalled")


def fact(id, text, relevance=1.0):
    return NodeChoice(node(id, SourceType.FACT, text), relevance, "shares live")


TURNS = [turn("turn:1"), turn("turn:2", 0.9), turn("turn:3", 0.85)]
TWO = {"turn:1": "Dana", "turn:2": "Robin", "turn:3": "Dana"}
BOTH = {"turn:1": "Anna Berg", "turn:2": "Anna Lind", "turn:3": "Robin"}


def asked(question, choices=TURNS, whose=TWO, against=None):
    return clarification_of(question, choices, NodeContext(whose, against or {}))


def test_row_79_a_pronoun_that_can_mean_several_is_asked_about():
    found = asked("Where does she live?")
    assert found.question == "Whom does “she” mean: Dana or Robin?"
    assert found.as_json()["readings"] == [
        {"text": "Dana", "node_ids": ["turn:1", "turn:3"]},
        {"text": "Robin", "node_ids": ["turn:2"]},
    ]


@pytest.mark.parametrize(
    "question",
    [
        "Where does Dana live, and who is her sister?",
        "What did Oskar tell her?",
        "Who lives in a harbour?",
        "Where is the boat?",
        "",
    ],
)
def test_row_79_a_question_that_says_whom_or_asks_for_all_is_not_asked_about(question):
    assert asked(question) is None


def test_row_79_a_source_far_behind_the_best_is_no_reading():
    far = [TURNS[0], turn("turn:2", 0.7)]
    assert asked("Where does she live?", far) is None
    assert asked("Where does she live?", []) is None


def test_row_79_a_name_that_two_share_is_asked_about_until_it_is_said_in_full():
    found = asked("Where does Anna live?", whose=BOTH)
    assert found.question == "Which Anna is meant: Anna Berg or Anna Lind?"
    assert asked("Where does Anna Lind live?", whose=BOTH) is None
    assert asked("Where does Anna live?", whose=BOTH | {"turn:2": "Robin"}) is None


FACTS = [
    fact("memory:a", "Dana lives in Bergen."),
    fact("memory:b", "Dana lives in Oslo.", 0.95),
    fact("memory:c", "Dana lives in Turku.", 0.5),
]
SAME = dict.fromkeys(("memory:a", "memory:b", "memory:c"), "Dana")
AGAINST = {"memory:a": {"memory:b"}, "memory:b": {"memory:a"}, "memory:c": frozenset()}


def test_row_79_two_facts_that_contradict_each_other_are_asked_about():
    found = asked("Where does Dana live?", FACTS, SAME, AGAINST)
    assert found.question == (
        "Which of these holds: “Dana lives in Bergen.” or “Dana lives in Oslo.”?"
    )
    assert [one.node_ids for one in found.readings] == [("memory:a",), ("memory:b",)]


def test_row_79_facts_that_go_together_and_contradictions_left_out_are_not_asked_about():
    none = dict.fromkeys(SAME, frozenset())
    assert asked("Where does Dana live?", FACTS, SAME, none) is None
    assert asked("Where does Dana live?", FACTS[:1], SAME, AGAINST) is None
    weak = [FACTS[0], fact("memory:b", "Dana lives in Oslo.", 0.2)]
    assert asked("Where does Dana live?", weak, SAME, AGAINST) is None


def test_of_many_readings_the_question_names_a_few_and_says_that_there_are_more():
    many = [turn(f"turn:{n}") for n in range(8)]
    whose = {f"turn:{n}": f"Person{n}" for n in range(8)}
    found = asked("What did he say?", many, whose)
    assert found.question.endswith("Person3 or Person4, or somebody else?")
    assert len(found.readings) == 8


@given(
    st.text(max_size=60),
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from(["Dana", "Robin", "Anna Berg"]))),
)
def test_whatever_is_asked_readings_are_several_and_of_what_is_selected(question, given_):
    choices = [turn(f"turn:{n}", relevance) for n, (relevance, _) in enumerate(given_)]
    whose = {f"turn:{n}": name for n, (_, name) in enumerate(given_)}
    found = asked(f"{question} she", choices, whose)
    if found is not None:
        assert len(found.readings) >= 2
        ids = [id for reading in found.readings for id in reading.node_ids]
        assert len(ids) == len(set(ids))
        assert set(ids) <= set(whose)


def test_without_its_nodes_a_reading_is_none_and_one_reading_asks_nothing():
    found = asked("Where does she live?")
    left = found.without({"turn:1"})
    assert [one.node_ids for one in left.readings] == [("turn:3",), ("turn:2",)]
    assert found.without({"turn:2"}) is None
    assert found.without(()) == found
