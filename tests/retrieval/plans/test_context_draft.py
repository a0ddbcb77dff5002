"""From documents to a draft: a section a type, what each rests on, no commit without a pass."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.retrieval.plans.context_draft import (
    CONSTRAINTS,
    DOCUMENT,
    DOCUMENT_TOKENS_MAX,
    DRAFT_TOKENS_MAX,
    SECTIONS,
    Document,
    DraftVerdict,
    PlanDraft,
    check,
    draft,
    mean_confidence,
)
from meridia.retrieval.plans.plan import QueryAnalysis, RetrievalPlan, SourceType
from tests.retrieval.plans.plan_samples import NOW, node

ASKED = QueryAnalysis("Which sail?")
NODES = {
    one.node_id: one
    for one in (
        node("turn:1", confidence=0.9, days=1),
        node("turn:2", confidence=0.5, days=40),
        node("memory:p", SourceType.PREFERENCE),
        node("memory:f", SourceType.FACT, confidence=0.8),
        node("memory:r", SourceType.RESEARCH_CACHE),
        node("visit:v", SourceType.VISIT_RECORD),
    )
}


def plan_of(nodes):
    return RetrievalPlan(
        {type: tuple(n.node_id for n in nodes if n.source_type is type) for type in SourceType}
    )


def documents_of(nodes, text="# Title\n\nwords"):
    return [Document(one, DOCUMENT[one.source_type], text) for one in nodes]


PLAN = plan_of(NODES.values())
MADE = draft(ASKED, documents_of(NODES.values()), NOW)


def test_row_79_a_draft_has_one_section_a_source_type():
    """Row 79: the sections of 2.2, one source type each except Constraints."""
    assert [section.title for section in MADE.sections] == list(SECTIONS.values())
    for section in MADE.sections:
        meta = section.as_json()["_meta"]
        assert list(meta) == ["source_type", "node_ids", "confidence_avg", "provenance"]
        if section.title != CONSTRAINTS:
            assert len(meta["source_type"]) == 1
    assert MADE.sections[-1].source_types == ("user_query", "fact")
    assert "Which sail?" in MADE.sections[-1].text


def test_row_79_a_draft_that_fits_its_plan_passes():
    """Row 79: commit on pass."""
    found = check(MADE, PLAN, NODES, NOW)
    assert (found.verdict, found.issues) == (DraftVerdict.PASS, ())
    assert "## Visit Data" in MADE.markdown


def test_row_77_without_nodes_the_question_stands_alone():
    """Row 77: an empty plan goes on."""
    made = draft(ASKED, [], NOW)
    assert [section.title for section in made.sections] == [CONSTRAINTS]
    found = check(made, RetrievalPlan(), {}, NOW)
    assert found.verdict is DraftVerdict.PASS
    assert made.markdown == "## Constraints\n\nQuestion: Which sail?\n"


def changed(place, **fields):
    sections = list(MADE.sections)
    sections[place] = replace(sections[place], **fields)
    return PlanDraft(sections)


@pytest.mark.parametrize(
    ("given", "issue"),
    [
        (PlanDraft(MADE.sections[1:]), "is missing"),
        (PlanDraft(MADE.sections[:-1]), "is missing"),
        (changed(0, source_types=()), "does not say what it rests on"),
        (changed(0, source_types=("fact", "preference")), "mixes source types"),
        (changed(0, node_ids=("memory:x",)), "does not select"),
        (changed(1, confidence_avg=0.1), "states a confidence"),
        (changed(1, confidence_avg=None), "states a confidence"),
    ],
)
def test_row_79_a_draft_that_does_not_fit_is_not_handed_on(given, issue):
    """Row 79: 2.5 finds a missing section, a foreign id, a wrong average; nothing is committed."""
    found = check(given, PLAN, NODES, NOW)
    assert found.verdict is DraftVerdict.RETRY
    assert any(issue in one for one in found.issues)


def test_row_79_a_retry_says_what_is_missing_and_what_to_do():
    """Row 79: missing_context and retry_guidance of 2.5."""
    found = check(PlanDraft(MADE.sections[1:]), PLAN, NODES, NOW)
    assert found.missing_context == (MADE.sections[0].title,)
    assert list(found.as_json()) == [
        *("verdict", "issues", "missing_context", "retry_guidance", "clarification_question")
    ]
    assert "draft it again" in found.as_json()["retry_guidance"]


def test_row_79_a_draft_of_a_plan_that_asks_back_is_not_handed_on():
    """Row 79: clarify, once nothing is wrong with the draft itself."""
    found = check(MADE, PLAN, NODES, NOW, "Whom does “she” mean?")
    assert (found.verdict, found.issues) == (DraftVerdict.CLARIFY, ())
    assert found.clarification_question == "Whom does “she” mean?"


def test_row_79_a_draft_is_drafted_again_before_anybody_is_asked():
    """Row 79: retry is preferred to clarify."""
    found = check(PlanDraft(MADE.sections[1:]), PLAN, NODES, NOW, "Whom does “she” mean?")
    assert (found.verdict, found.clarification_question) == (DraftVerdict.RETRY, "")


def test_an_expired_node_does_not_pass():
    old = {**NODES, "turn:1": node("turn:1", confidence=0.2)}
    made = draft(ASKED, documents_of(old.values()), NOW)
    found = check(made, PLAN, old, NOW)
    assert any("expired" in issue for issue in found.issues)


def test_the_newer_weighs_more_in_the_mean_by_hand():
    weight = math.exp(-0.02 * 39)
    mean = mean_confidence([NODES["turn:1"], NODES["turn:2"]], NOW)
    assert mean == pytest.approx((0.9 + weight * 0.5) / (1 + weight))
    assert mean_confidence([], NOW) is None


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 100_000)), min_size=1, max_size=6))
def test_the_mean_lies_between_the_least_and_the_most(pairs):
    nodes = [node(f"turn:{i}", confidence=c, days=d) for i, (c, d) in enumerate(pairs)]
    mean = mean_confidence(nodes, NOW)
    values = [c for c, _ in pairs]
    assert min(values) - 1e-9 <= mean <= max(values) + 1e-9


def test_a_draft_is_no_longer_than_its_reader_takes():
    nodes = [node(f"turn:{i}") for i in range(9)]
    made = draft(ASKED, documents_of(nodes, "word " * 5_000), NOW)
    assert len(made.markdown) <= 4 * DRAFT_TOKENS_MAX + 200
    (turns, _) = made.sections
    assert len(turns.node_ids) == 4
    assert all(len(part) <= 4 * DOCUMENT_TOKENS_MAX for part in turns.text.split("\n\n"))


def test_with_even_room_no_type_of_source_is_crowded_out():
    nodes = [*(node(f"turn:{i}") for i in range(9)), node("visit:v", SourceType.VISIT_RECORD)]
    documents, plan = documents_of(nodes, "word " * 5_000), plan_of(nodes)
    known = {one.node_id: one for one in nodes}
    crowded = check(draft(ASKED, documents, NOW), plan, known, NOW)
    assert (crowded.verdict, crowded.missing_context) == (DraftVerdict.RETRY, ("Visit Data",))
    made = draft(ASKED, documents, NOW, evenly=True)
    assert check(made, plan, known, NOW).verdict is DraftVerdict.PASS
    assert len(made.markdown) <= 4 * DRAFT_TOKENS_MAX + 200
