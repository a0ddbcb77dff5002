"""`meridia feedback` and `ideas`: verdicts on memories that were shown, and on proposed pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from ...core.errors import InvalidInput
from ...core.text import shorten
from ...ingest.ideas import Idea, IdeaState
from ...memory import Memory
from ...service.parameters import FeedbackParameters
from ..options import SharedOptions, take_address
from ..parameters import options_of
from ..render import (
    Columns,
    at,
    console,
    moment,
    paged_command,
    print_answer,
    print_documents,
    print_json,
    table,
    terminal_text,
)

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
            _print_feedback(memory, report, shared)
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


def _print_feedback(memory: Memory, report: bool, shared: SharedOptions) -> None:
    given = memory.feedback.rates() if report else memory.feedback.newest()
    columns = _RATES if report else _GIVEN
    print_documents(shared, [one.as_json() for one in given], columns, "no feedback yet")


def _written(name: str, form: str) -> Callable[[Mapping[str, Any]], str]:
    """Return a column: a number in a form of its own."""
    return lambda row: "–" if row[name] is None else format(row[name], form)


_RATES: Columns = [
    *("mode", "observed", "shown", "referenced"),
    ("hit rate", _written("hit_rate", ".0%")),
    ("rating", _written("rating", ".1f")),
    *_VERDICTS,
]
_GIVEN: Columns = [
    *("id", ("about", "reconstitution_id")),
    ("mode", lambda row: row["mode"] or "memory"),
    ("when", at("ts")),
    ("verdict", lambda row: f"{row['verdict'] or '–'}{' (undone)' * row['taken_back']}"),
    *(("rating", "user_rating"), ("hit rate", "auto_score"), ("note", "notes")),
]


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
