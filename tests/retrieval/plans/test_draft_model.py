"""The role MIND words a draft: what no quote shows is refused, the text by rule is never lost."""

from __future__ import annotations

import json

import pytest

from meridia import Memory
from meridia.core.settings import PlanSettings
from tests.model_server import ModelServer, Reply
from tests.retrieval.plans.plan_samples import filled
from tests.retrieval.plans.test_plan_model import QUESTION, minded, traced

LINE = {
    "node_id": "turn:2",
    "quote": "genoa of my boat is torn",
    "text": "The genoa of Dana's boat is torn.",
}


def drafted(memory: Memory, server: ModelServer, *lines: dict):
    """Return the draft of a plan by rule in a model's lines, and its check."""
    planned = memory.planning.plan(QUESTION, model=False)
    documents = memory.planning.load(planned)
    server.will(Reply(json.dumps({"lines": lines})))
    return memory.planning.draft(planned, documents, model=True)


def test_row_125_one_model_at_six_tenths_words_a_draft(server):
    with minded(server, PlanSettings()) as memory:
        made, checked = drafted(memory, server, LINE)
        assert checked.verdict == "pass"
        assert (made.by, made.notes) == ("scripted-1", ())
        turns = next(s for s in made.sections if s.title == "Relevant Prior Turns")
        assert turns.text == (
            "- The genoa of Dana's boat is torn. (“genoa of my boat is torn”) [turn:2]"
        )
        assert turns.node_ids == ("turn:2",)
        assert server.received[-1].body["temperature"] == 0.6
        ((outcome, detail),) = traced(memory)
        assert outcome == "answered"
        assert (detail["prompt"], detail["taken"], detail["refused"]) == ("draft", 1, 0)


def test_a_line_that_no_document_shows_is_left_out_and_counted(server):
    invented = LINE | {"quote": "genoa was sold", "text": "Dana sold her genoa."}
    elsewhere = LINE | {"node_id": "turn:99"}
    with minded(server, PlanSettings()) as memory:
        made, _ = drafted(memory, server, LINE, invented, elsewhere)
        assert "sold" not in made.markdown
        assert made.notes == ("lines of the model whose quote is in no document: 2, left out",)


def test_sections_without_a_line_keep_the_text_of_the_rules(server):
    with minded(server, PlanSettings()) as memory:
        rule, _ = drafted(memory, server)
        made, _ = drafted(memory, server, LINE)
        assert rule.by == "rule"
        assert [s.title for s in made.sections] == [s.title for s in rule.sections]
        changed = [
            s.title
            for s, own in zip(made.sections, rule.sections, strict=True)
            if s.text != own.text
        ]
        assert changed == ["Relevant Prior Turns"]


@pytest.mark.parametrize("reply", [Reply("no JSON"), Reply("", status=500)])
def test_a_model_that_fails_leaves_the_draft_of_the_rules_with_a_note(server, reply):
    with minded(server, PlanSettings()) as memory:
        planned = memory.planning.plan(QUESTION, model=False)
        documents = memory.planning.load(planned)
        own, _ = memory.planning.draft(planned, documents)
        server.will(reply, reply)
        made, checked = memory.planning.draft(planned, documents, model=True)
        assert (made.markdown, made.by, checked.verdict) == (own.markdown, "rule", "pass")
        assert made.notes[0].startswith("the draft is made by rule: the model's answer was ")


def test_without_a_model_a_note_says_what_to_set():
    with filled() as memory:
        planned = memory.planning.plan(QUESTION)
        made, _ = memory.planning.draft(planned, memory.planning.load(planned), model=True)
        assert made.notes == (
            "the draft is made by rule: no model is set up (model.dialect, model.name)",
        )


def test_a_document_is_cleaned_before_it_leaves(server):
    with minded(server, PlanSettings()) as memory:
        memory.remember("Does Dana prefer genoas? Ask robin@example.org", person="Dana")
        drafted(memory, server, LINE)
        sent = server.received[-1].body["messages"][-1]["content"]
        assert "robin@example.org" not in sent
        assert "[REDACTED:email]" in sent
