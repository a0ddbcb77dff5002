"""`meridia plan`: the sources that answer a question, the reasons, and optionally their content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ...core.errors import InvalidInput
from ...core.text import shorten
from ...memory import Memory
from ...retrieval.plans.context_draft import Document
from ...retrieval.plans.plan import BY_RULE, QueryAnalysis, band
from ...retrieval.plans.plan_choice import NodeChoice
from ...retrieval.plans.plan_service import PlanResult, PlanStatistics
from ...service.parameters import PlanParameters
from ..options import SharedOptions, text_of
from ..parameters import options_of
from ..render import console, errors, paged_command, print_json, remark, table, terminal_text

_SUMMARY_CHARS = 160


@paged_command()
@click.argument("question", required=False)
@options_of(PlanParameters, "purpose limit as_of known_at load")
@click.option("--cold", is_flag=True, help="With --load: show archived turns in full.")
@click.option("--draft", is_flag=True, help="Write and check a draft.")
@click.option("--check", metavar="FILE", help="Check a changed plan; - is standard input.")
@click.option(
    "--model/--no-model",
    default=None,
    help="Let the model narrow the plan and word the draft.",
)
@click.option("--stats", is_flag=True, help="Show statistics of all plans.")
def plan_command(
    shared: SharedOptions,
    question: str | None,
    purpose: str,
    load: bool,
    cold: bool,
    draft: bool,
    check: str | None,
    model: bool | None,
    stats: bool,
    **limits: Any,
) -> int:
    """Select the sources for a question, without loading them.

    A plan names nodes of the memory index by source type: turns, preferences, facts, research,
    visits. Confidence decays by kind; expired sources are left out, and the plan says so. If the
    question can mean several of the best sources, the plan asks for clarification. --model lets
    the model of the settings change the order or leave sources out (always, with plan.model = on);
    if it fails, the plan by rules is used, and a note says why. --check reads a plan that was
    changed elsewhere in the same way; any other change is an error, exit status 2.
    """
    with shared.memory() as memory:
        if stats:
            _show_stats(memory.planning.statistics(), shared.as_json)
            return 0
        if question is None:
            raise InvalidInput("the question is missing: write `meridia plan QUESTION`, or --stats")
        analysis = QueryAnalysis(question, purpose)
        model_asked = model if check is None else False
        planned = memory.planning.plan(analysis, model=model_asked, **limits)
        if check is not None:
            return _check(memory, planned, text_of(check))
        wanted = load or cold or draft
        documents = memory.planning.load(planned, cold=cold) if wanted else None
        if draft:
            _draft(memory, planned, documents or [], model, shared)
            return 0
    if shared.as_json:
        loaded = {} if documents is None else {"documents": [d.as_json() for d in documents]}
        print_json(planned.as_json() | loaded)
    elif documents is None:
        _show(planned)
    else:
        _show_documents(planned, documents)
    return 0


def _check(memory: Memory, planned: PlanResult, given: str) -> int:
    handoff = memory.planning.read(given, planned)
    if handoff.intervention is not None:
        intervention = handoff.intervention
        errors.print(
            terminal_text(f"halt in phase {intervention.phase}: {intervention.problem}", "bold red")
        )
        errors.print(terminal_text(f"needed: {intervention.needed}"))
        print_json({"action": handoff.action.value, "intervention": intervention.as_json()})
        return 2
    plan = None if handoff.plan is None else handoff.plan.as_json()
    print_json({"action": handoff.action.value, "plan": plan})
    return 0


def _draft(
    memory: Memory,
    planned: PlanResult,
    documents: list[Document],
    model: bool | None,
    shared: SharedOptions,
) -> None:
    made, checked = memory.planning.draft(planned, documents, model=model)
    if shared.as_json:
        print_json(checked.as_json() | made.as_json())
        return
    _notes(made.notes)
    console.print(terminal_text(made.markdown))
    asked = f", {checked.clarification_question}" if checked.clarification_question else ""
    console.print(terminal_text(f"check: {checked.verdict.value}{asked}", "dim"))


def _show(planned: PlanResult) -> None:
    _notes(planned.notes)
    console.print(terminal_text(planned.plan.reasoning))
    if planned.clarification is not None:
        console.print(terminal_text(f"\n{planned.clarification.question}", "bold yellow"))
        for reading in planned.clarification.readings:
            console.print(terminal_text(f"  {reading.text}: {', '.join(reading.node_ids)}"))
    for type, ids in planned.plan.selected.items():
        if ids:
            console.print(terminal_text(f"\n{type.value}", "bold"))
            _show_choices([c for c in planned.choices if c.node.source_type is type])
    if planned.expired:
        console.print(terminal_text("\nleft out: expired", "bold"))
        _show_choices(planned.expired)
    by = "" if planned.by == BY_RULE else f", by {planned.by}"
    console.print(terminal_text(f"\nplan {planned.id}{by}", "dim"))


def _show_choices(choices: Sequence[NodeChoice]) -> None:
    for choice in choices:
        node = choice.node
        line = terminal_text(f"  {node.node_id}", "cyan")
        line.append(f"  {node.confidence:.2f} {band(node.confidence)}", style="bold")
        console.print(line.append(terminal_text(f"  {choice.reason}", "dim")))
        console.print(terminal_text(f"    {shorten(node.summary, _SUMMARY_CHARS)}"))


def _notes(notes: Sequence[str]) -> None:
    for note in notes:
        remark(note)


def _show_documents(planned: PlanResult, documents: list[Document]) -> None:
    _notes(planned.notes)
    for document in documents:
        node = document.node
        console.print(terminal_text(f"{document.name}  {node.node_id}  {node.source_ref}", "bold"))
        console.print(terminal_text(document.text))
    if not documents:
        console.print(terminal_text(planned.plan.reasoning, "dim"))


def _show_stats(statistics: PlanStatistics, as_json: bool) -> None:
    if as_json:
        print_json(statistics.as_json())
        return
    rows: list[list[Any]] = [
        [name.replace("_", " "), value]
        for name, value in statistics.as_json().items()
        if not isinstance(value, dict)
    ]
    rows += [[f"selected: {type}", count] for type, count in statistics.as_json()["types"].items()]
    table(["plans", "value"], [[name, _cell(value)] for name, value in rows])


def _cell(value: Any) -> str:
    return "–" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
