"""`meridia feedback` and `ideas`: verdicts on memories that were shown, and on proposed pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ...core.errors import InvalidInput
from ...core.text import shorten
from ...ingest.ideas import Idea, IdeaState
from ...memory import Memory
from ...service.parameters import FeedbackParameters
from ...storage.projections.feedback_table import FeedbackRate, FeedbackRow
from ..options import SharedOptions, take_address
from ..parameters import options_of
from ..render import console, moment, paged_command, print_answer, print_json, table, terminal_text

_VERDICTS = ("useful", "stale", "wrong")


@paged_command()
@click.argument("words", nargs=-1, metavar="[ID] [useful|stale|wrong]")
@options_of(FeedbackParameters, "rating note undo")
@click.option("--report", is_flag=True, help="Show hit rates and ratings by mode.")
@click.option("--list", "listed", is_flag=True, help="Show the newest feedback.")
def feedback_command(
    shared: SharedOptions,
    words: tuple[str, ...],
    report: bool,
    listed: bool,
    undo: bool,
    **given: Any,
) -> None:
    """Give feedback on a memory, recall or pack, or undo it.

    ID is the address or id of a memory, or the id of a recall or pack; `last` is the newest
    recall, `last 3` its third memory. Feedback changes later rankings, within the limit
    recall.feedback_max.
    """
    with shared.memory() as memory:
        if report or listed:
            _print_feedback(memory, report, shared.as_json)
            return
        if not words:
            raise InvalidInput(
                "the ID is missing: write `meridia feedback ID useful`, --list or --report"
            )
        address, rest = take_address(words)
        if len(rest) > 1:
            raise InvalidInput(f"give one verdict: remove {' '.join(rest[1:])!r}")
        verdict = rest[0] if rest else None
        done = _do(memory, address, {"verdict": verdict, **given}, undo)
    target = " ".join(words[: len(words) - len(rest)])
    said = f"noted for {target}; take it back: meridia feedback {target} --undo"
    shown = terminal_text(f"undone for {target}" if undo else said)
    print_answer(shared, lambda: done, lambda: console.print(shown))


def _do(memory: Memory, address: str, given: Mapping[str, Any], undo: bool) -> dict[str, Any]:
    verdict = given["verdict"]
    if undo:
        if any(given.values()):
            raise InvalidInput("--undo takes only an ID")
        return {"undone": memory.feedback.undo(address)}
    if verdict is not None and verdict not in _VERDICTS:
        raise InvalidInput(
            f"verdict {verdict!r} does not exist: choose from {', '.join(_VERDICTS)}"
        )
    return {"feedback": memory.feedback(address, **given)}


def _print_feedback(memory: Memory, report: bool, as_json: bool) -> None:
    rates = memory.feedback.rates() if report else []
    given = [] if report else memory.feedback.newest()
    if as_json:
        print_json([rate.as_json() for rate in rates] if report else [g.as_json() for g in given])
    elif report:
        _show_rates(rates)
    else:
        _show_given(given)


def _show_rates(rates: list[FeedbackRate]) -> None:
    if not rates:
        console.print("no feedback yet", style="dim")
        return
    columns = ["mode", "observed", "shown", "referenced", "hit rate", "rating", *_VERDICTS]
    table(
        columns,
        [
            [
                rate.mode,
                rate.observed,
                rate.shown,
                rate.referenced,
                "–" if rate.hit_rate is None else f"{rate.hit_rate:.0%}",
                "–" if rate.rating is None else f"{rate.rating:.1f}",
                rate.useful,
                rate.stale,
                rate.wrong,
            ]
            for rate in rates
        ],
    )


def _show_given(given: list[FeedbackRow]) -> None:
    if not given:
        console.print("no feedback yet", style="dim")
        return
    table(
        ["id", "about", "mode", "when", "verdict", "rating", "hit rate", "note"],
        [
            [
                entry.id,
                entry.reconstitution_id,
                entry.mode or "memory",
                entry.ts,
                f"{entry.verdict or '–'}{' (undone)' if entry.taken_back else ''}",
                entry.user_rating,
                entry.auto_score,
                entry.notes,
            ]
            for entry in given
        ],
    )


@paged_command()
@click.argument(
    "action", type=click.Choice(["list", "propose", "approve", "reject"]), default="list"
)
@click.argument("id", required=False)
@click.option("--all", "every", is_flag=True, help="Include ideas that were approved or rejected.")
def ideas_command(shared: SharedOptions, action: str, id: str | None, every: bool) -> None:
    """List pairs of memories that may belong together, and decide.

    They are proposed while the service is idle (daydream.enabled), or by `propose`. `approve` adds
    an association to the graph; `reject` removes the pair from the list.

    \b
    Examples:
      meridia ideas propose
      meridia ideas approve idea_5e1c7b20a94d3f1886c2ab07
    """  # noqa: D301 - click takes the \b for "do not wrap"
    if (id is None) != (action in ("list", "propose")):
        expected = "an idea's id" if id is None else "no id"
        raise InvalidInput(f"ideas {action} takes {expected}: `meridia ideas` lists them")
    with shared.memory() as memory:
        if action == "propose":
            memory.enrich()
            ideas = memory.ideas.propose()
        elif action == "list":
            ideas = memory.ideas.listed(None if every else IdeaState.PROPOSED)
        else:
            decide = memory.ideas.approve if action == "approve" else memory.ideas.reject
            ideas = [decide(str(id))]
    if shared.as_json:
        print_json([idea.as_json() for idea in ideas])
    elif ideas:
        for idea in ideas:
            _show_idea(idea)
    else:
        nothing = {"propose": "no pair of memories belongs together"}
        console.print(nothing.get(action, "no ideas: `meridia ideas propose` looks for some"))


def _show_idea(idea: Idea) -> None:
    table(
        [idea.id, f"{idea.state}, insight {idea.insight:.2f}"],
        [[f"@{m.seq} {moment(m.at)}", shorten(m.text, 200)] for m in (idea.earlier, idea.later)],
    )
