"""`meridia feedback`: whether what was shown was of use, and how often it is."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import InvalidInput
from ...memory import Memory
from ...storage.projections.feedback_table import FeedbackRate, FeedbackRow
from ..context import Shared, shared_options
from ..render import console, plain, print_json, table

_VERDICTS = ("useful", "stale", "wrong")


@click.command()
@click.argument("address", metavar="[ID]", required=False)
@click.argument("verdict", metavar="[useful|stale|wrong]", required=False)
@click.option("--rating", type=click.IntRange(1, 5), help="From 1 (bad) to 5 (good).")
@click.option("--note", metavar="TEXT", help="Why, in your own words.")
@click.option("--undo", is_flag=True, help="Take back the newest feedback about ID.")
@click.option("--report", is_flag=True, help="Show how often what was shown was of use.")
@click.option("--list", "listed", is_flag=True, help="Show the newest feedback.")
@shared_options
def feedback_command(
    shared: Shared,
    address: str | None,
    verdict: str | None,
    rating: int | None,
    note: str | None,
    undo: bool,
    report: bool,
    listed: bool,
) -> int:
    """Say whether what was shown was of use, or take that back.

    ID is the address or id of a memory, or the id of a recall or pack. What is said counts in later
    rankings, within a bound; `meridia config` shows it as recall.feedback_max.
    """
    with shared.memory() as memory:
        if report or listed:
            _tell(memory, report, shared.as_json)
            return 0
        if address is None:
            raise InvalidInput("no ID: write `meridia feedback ID useful`, --list or --report")
        done = _do(memory, address, verdict, rating, note, undo)
    if shared.as_json:
        print_json(done)
    else:
        console.print(plain(" ".join(f"{name} {value}" for name, value in done.items())))
    return 0


def _do(
    memory: Memory,
    address: str,
    verdict: str | None,
    rating: int | None,
    note: str | None,
    undo: bool,
) -> dict[str, Any]:
    if undo:
        if verdict or rating or note:
            raise InvalidInput("--undo takes back what was said: give it ID alone")
        return {"undone": memory.feedback.undo(address)}
    if verdict is not None and verdict not in _VERDICTS:
        raise InvalidInput(f"verdict {verdict!r} is not known: choose from {', '.join(_VERDICTS)}")
    return {"feedback": memory.feedback(address, verdict, rating, note)}


def _tell(memory: Memory, report: bool, as_json: bool) -> None:
    rates = memory.feedback.rates() if report else []
    given = [] if report else memory.feedback.newest()
    if as_json:
        print_json([one.as_json() for one in rates] if report else [g.as_json() for g in given])
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
        ["id", "about", "mode", "when", "said", "rating", "hit rate", "note"],
        [
            [
                one.id,
                one.reconstitution_id,
                one.mode or "memory",
                one.ts,
                f"{one.verdict or '–'}{' (taken back)' if one.taken_back else ''}",
                one.user_rating,
                one.auto_score,
                one.notes,
            ]
            for one in given
        ],
    )
