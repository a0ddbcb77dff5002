"""`meridia why`, `why-not`, `what-if` and `replay`: what is asked after an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from rich.text import Text
from rich.tree import Tree

from ...core.errors import NotFound
from ...core.text import shorten
from ...retrieval.explain.counterfactual import Counterfactual
from ...retrieval.explain.recall_explainer import Replay
from ...retrieval.explain.why_not import WhyNot
from ..options import SharedOptions, shared_options
from ..render import console, errors, print_json, table, terminal_text


@click.command()
@click.argument("recall")
@click.argument("address", metavar="[ID]", required=False)
@shared_options
def why_command(shared: SharedOptions, recall: str, address: str | None) -> int:
    """Show an earlier answer with the trace of each score.

    RECALL is the id that `meridia recall` ends with, or `last`. With ID, an address or id of a
    memory, only that one is shown.
    """
    with shared.memory() as memory:
        record = memory.reasons.answer(recall)
    hits = [hit for hit in record["hits"] if address is None or _is(hit, address)]
    if address is not None and not hits:
        raise NotFound(
            f"{address} is not among the {len(record['hits'])} memories of recall {recall}: "
            "`meridia why-not` says why"
        )
    if shared.as_json:
        print_json(record | {"hits": hits})
        return 0
    console.print(terminal_text(record["question"], "bold"))
    for note in record["notes"]:
        errors.print(note, style="yellow", markup=False)
    for hit in hits:
        line = Text(f"{hit['rank']:2} {hit['score']:6.2f} ", style="bold")
        console.print(
            line.append(terminal_text(f" {hit['person'] or hit['kind']}  {hit['uri']}", "dim"))
        )
        console.print(terminal_text(f"   {shorten(hit['text'], 400)}"))
        console.print(_tree(hit["trace"]))
    return 0


@click.command()
@click.argument("recall")
@click.argument("address", metavar="ID")
@shared_options
def why_not_command(shared: SharedOptions, recall: str, address: str) -> int:
    """Explain why a memory is not in an earlier answer."""
    with shared.memory() as memory:
        explanation = memory.reasons.why_not(recall, address)
    if shared.as_json:
        print_json(explanation.as_json())
    else:
        _show_why_not(explanation)
    return 0


@click.command()
@click.argument("recall")
@click.argument("address", metavar="ID")
@shared_options
def what_if_command(shared: SharedOptions, recall: str, address: str) -> int:
    """Show the rank of a memory without each edge of its trace.

    The question is asked again without the edge; the largest effect comes first.
    """
    with shared.memory() as memory:
        counterfactuals = memory.reasons.counterfactuals(recall, address)
    counterfactuals.sort(
        key=lambda counterfactual: (
            counterfactual.score_without is not None,
            counterfactual.score_without or 0.0,
        )
    )
    if shared.as_json:
        print_json([counterfactual.as_json() for counterfactual in counterfactuals])
    elif not counterfactuals:
        console.print("no edge contributes to its score", style="dim")
    else:
        console.print(
            terminal_text(
                f"rank {counterfactuals[0].rank}, score {counterfactuals[0].score:.3f}", "bold"
            )
        )
        table(
            ["without", "rank", "score", "change"],
            [_row(counterfactual) for counterfactual in counterfactuals],
        )
    return 0


@click.command()
@click.argument("recall")
@shared_options
def replay_command(shared: SharedOptions, recall: str) -> int:
    """Ask an earlier question again with the same inputs, and compare.

    Exit status 1 if order or scores differ.
    """
    with shared.memory() as memory:
        result = memory.reasons.replay(recall)
    if shared.as_json:
        print_json(result.as_json())
    else:
        _show_replay(result)
    return 0 if result.identical else 1


def _is(hit: Mapping[str, Any], address: str) -> bool:
    return address.removeprefix("meridia://").strip("/") in (hit["id"], hit["event_id"])


def _tree(trace: Mapping[str, Any]) -> Tree:
    tree = Tree(Text(f"score {trace['value']:.3f}, the sum of:"), guide_style="dim")
    _grow(tree, trace)
    return tree


def _grow(tree: Tree, reason: Mapping[str, Any]) -> None:
    for child in reason.get("children", ()):
        line = terminal_text(f"{child['value']:+7.3f}  {child['label']}")
        if "edge" in child:
            line.append(f"  via {child['edge']}", style="magenta")
        _grow(tree.add(line), child)


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
            [lack.term, f"{lack.its:+.3f}", f"{lack.last:+.3f}", f"{lack.its - lack.last:+.3f}"]
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
