"""What became of plans: counted without content, and summed over all that are kept."""

from __future__ import annotations

import json

import pytest

from meridia.core.types import Space
from meridia.retrieval.plans.context_draft import DraftCheck, DraftVerdict
from meridia.retrieval.plans.plan import QueryAnalysis, SourceType
from meridia.retrieval.plans.plan_service import PlanTrace, summarise_plans
from tests.retrieval.plans.plan_samples import NOW, filled, node
from tests.retrieval.plans.test_context_draft import plan_of

HOME = Space("home")


@pytest.fixture
def record(private_file):
    private_file.journal.append(HOME, [])
    with private_file.journal.appending(HOME):
        pass
    return PlanTrace(private_file.trace, HOME)


PASSED, FAILED = DraftCheck(DraftVerdict.PASS), DraftCheck(DraftVerdict.RETRY, ("wrong",))


def test_row_78_types_means_and_failures_are_summed(record):
    """Row 78: type distribution, mean count, downstream failures."""
    turn, fact = node("turn:1"), node("memory:f", SourceType.FACT)
    record.planned("a", plan_of([turn, fact]), 1)
    record.planned("b", plan_of([turn]), 0)
    record.planned("c", plan_of([]), 0)
    record.checked("a", FAILED)
    record.checked("b", FAILED)
    record.checked("b", PASSED)
    record.halted("c")
    record.halted(None)
    assert record.statistics().as_json() == {
        "plans": 3,
        "empty": 1,
        "halted": 2,
        "asked": 0,
        "types": {
            "turn_summary": 2,
            "preference": 0,
            "fact": 1,
            "research_cache": 0,
            "visit_record": 0,
        },
        "mean_nodes": 1.0,
        "expired": 1,
        "checked": 2,
        "failures": 1,
        "failure_rate": 0.5,
        "mean_nodes_failed": 2.0,
        "mean_nodes_passed": 1.0,
    }


def test_row_78_without_plans_there_is_nothing_to_divide():
    """Row 78: no plan, no mean."""
    found = summarise_plans([])
    assert (found.plans, found.mean_nodes, found.failure_rate) == (0, 0.0, None)
    assert found.mean_nodes_failed is None


def test_row_78_what_is_kept_has_no_content():
    """Row 78: ids and numbers only."""
    with filled() as memory:
        planned = memory.planning.plan(QueryAnalysis("Which genoa does the boat have?"))
        memory.planning.draft(planned, memory.planning.load(planned))
        memory.planning.read("no plan", planned)
        lines = [one for one in memory.parts.trace.read(memory.space) if one.kind == "plan"]
    assert [line.decision for line in lines] == ["planned", "passed", "halted"]
    assert {line.subject for line in lines} == {planned.id}
    kept = json.dumps([line.as_json() for line in lines])
    assert "genoa" not in kept
    assert "Dana" not in kept
    assert planned.bounds.now > NOW.now


def test_row_78_plans_that_ask_back_are_counted_and_are_no_failures(record):
    record.planned("a", plan_of([node("turn:1")]), 0, asks=True)
    record.planned("b", plan_of([node("turn:1")]), 0)
    record.checked("a", DraftCheck(DraftVerdict.CLARIFY, clarification_question="Whom?"))
    found = record.statistics()
    assert (found.asked, found.checked, found.failures, found.failure_rate) == (1, 1, 0, 0.0)
