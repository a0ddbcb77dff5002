"""`meridia why`, `why-not`, `what-if` and `replay`: explanations of an earlier answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import InvalidInput
from ...retrieval.recall_result import as_json
from ...service import documents
from ...storage.projections.catalog import LAST
from ..options import SharedOptions, command, take_hit
from ..recall_view import show_recall
from ..render import (
    console,
    paged_command,
    print_answer,
    print_json,
    table,
    terminal_text,
)

if TYPE_CHECKING:
    from ...retrieval.explain.counterfactual import Counterfactual, WhyNot
    from ...retrieval.explain.recall_explainer import Replay

#: A smaller effect of an edge on a score is only counted.
_EFFECT_MIN = 0.005


@paged_command()
@click.argument("words", nargs=-1, metavar="[RECALL] [ID]")
def why_command(shared: SharedOptions, words: tuple[str, ...]) -> None:
    """Show an earlier answer with the trace of each score.

    RECALL is the id that `recall --explain` ends with, or `last`, which may be left out before an
    address. With ID, only that memory is shown: its rank in the answer, an address such as @12, or
    an id.
    """
    with shared.memory() as memory:
        recall, address = take_hit(memory, words)
        answer = memory.reasons.recall(recall)
        hits = [documents.hit_at(memory, answer, address)] if address else answer.hits
        shown = replace(answer, hits=hits)
        if shared.as_json:
            print_json(as_json(shown))
        else:
            console.print(terminal_text(answer.question, "bold"))
            show_recall(shown, "all")


@paged_command()
@click.argument("words", nargs=-1, required=True, metavar="[RECALL] ID")
def why_not_command(shared: SharedOptions, words: tuple[str, ...]) -> None:
    """Explain why a memory is not in an earlier answer.

    RECALL is its id or `last`, which may be left out before an address. ID is an address such as
    @12, or an id; a number is a rank in the answer.
    """
    with shared.memory() as memory:
        recall, address = take_hit(memory, words)
        if address is None:
            raise InvalidInput("no memory is named: write `meridia why-not last @12`")
        explanation = memory.reasons.why_not(recall, address)
    print_answer(shared, explanation.as_json, lambda: _show_why_not(explanation))


@paged_command()
@click.argument("words", nargs=-1, metavar="[RECALL] [ID]")
def what_if_command(shared: SharedOptions, words: tuple[str, ...]) -> None:
    """Show the rank of a memory without each edge of its trace.

    RECALL is its id or `last`, which may be left out before an address. ID is its rank in the
    answer (default: 1), an address such as @12, or an id. The question is asked again without each
    edge; the largest effect comes first.
    """
    with shared.memory() as memory:
        recall, given = take_hit(memory, words)
        address = given or "1"
        is_empty = not memory.reasons.record(recall)["hits"] and address == "1"
        counterfactuals = [] if is_empty else memory.reasons.counterfactuals(recall, address)
    counterfactuals.sort(key=effect_of, reverse=True)
    if shared.as_json:
        print_json([counterfactual.as_json() for counterfactual in counterfactuals])
    elif is_empty:
        console.print("the answer has no memories: no edge to leave out", style="dim")
    else:
        show_what_if(counterfactuals)


@command()
@click.argument("recall", default=LAST)
def replay_command(shared: SharedOptions, recall: str) -> int:
    """Ask an earlier question again with the same inputs, and compare.

    RECALL is its id; by default, the newest answer. Exit status 1 if order or scores differ.
    """
    with shared.memory() as memory:
        result = memory.reasons.replay(recall)
    print_answer(shared, result.as_json, lambda: _show_replay(result))
    return 0 if result.identical else 1


def effect_of(counterfactual: Counterfactual) -> float:
    """Return how far an edge moves a score; most of all where it makes a candidate."""
    if counterfactual.score_without is None:
        return math.inf
    return abs(counterfactual.score_without - counterfactual.score)


def show_what_if(counterfactuals: Sequence[Counterfactual]) -> None:
    """Print where a memory would stand without each edge."""
    if not counterfactuals:
        console.print("no edge contributes to its score", style="dim")
        return
    first = counterfactuals[0]
    console.print(terminal_text(f"rank {first.rank}, score {first.score:.3f}", "bold"))
    shown = [edge for edge in counterfactuals if effect_of(edge) >= _EFFECT_MIN]
    if shown:
        table(["without the edge", "rank", "score", "change"], [_row(edge) for edge in shown])
    if less := len(counterfactuals) - len(shown):
        edges = "1 edge changes" if less == 1 else f"{less} edges change"
        console.print(f"{edges} it by less than {_EFFECT_MIN}", style="dim")


def _row(counterfactual: Counterfactual) -> list[Any]:
    if counterfactual.rank_without is None or counterfactual.score_without is None:
        return [counterfactual.description, "no candidate", "–", "–"]
    change = counterfactual.score_without - counterfactual.score
    return [
        counterfactual.description,
        str(counterfactual.rank_without),
        f"{counterfactual.score_without:.3f}",
        f"{change:+.3f}",
    ]


def _show_why_not(explanation: WhyNot) -> None:
    console.print(terminal_text(explanation.cause.value, "bold"))
    for line in explanation.because:
        console.print(terminal_text(line))
    if explanation.lacked:
        rows = [
            [lack.term, *(f"{n:+.3f}" for n in (lack.its, lack.last, lack.its - lack.last))]
            for lack in explanation.lacked
        ]
        table(["term", "its", "the last one's", "difference"], rows)


def _show_replay(result: Replay) -> None:
    if result.identical:
        count = len(result.now)
        console.print(f"identical: {count} memories in the same order, with the same scores")
    else:
        console.print("not the same", style="bold")
    for line in (*result.differences, *result.missing):
        console.print(terminal_text(f"• {line}"))
