"""`meridia reflect`: what was lived, from a distance, as tables and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click
from rich.text import Text

from ...core.text import shorten
from ...core.time import parse
from ...core.types import MemoryRecord as Experience
from ...core.vocabulary import Emotion, Engagement
from ...retrieval.history.reflection import Reflection, ReflectionPeriod
from ..context import Shared, shared_options
from ..plots import heat, journey
from ..render import console, moment, plain, print_json, table


@click.command()
@click.option("--person", metavar="P", help="Only sessions shared with this person.")
@click.option("--since", metavar="T", help="Only what happened at or after T.")
@click.option("--until", metavar="T", help="Only what happened before T.")
@click.option("--plot", is_flag=True, help="Draw feelings and engagement over time.")
@shared_options
def reflect_command(
    shared: Shared, person: str | None, since: str | None, until: str | None, plot: bool
) -> int:
    """Look back: feelings, engagement, what recurs and what grew.

    Feelings and engagement over weeks, or sessions in a shorter time; turns from one feeling to
    another; uncertainties that came up again; what recalls brought back; themes and how they
    changed. Each names the memories it rests on.
    """
    with shared.memory() as memory:
        found = memory.reflect(
            since=parse(since) if since else None,
            until=parse(until) if until else None,
            person=person,
        )
    if shared.as_json:
        print_json(found.as_json())
    elif not found.experiences:
        console.print("nothing was lived in this time", style="dim")
    else:
        show_reflection(found, plot)
    return 0


def show_reflection(found: Reflection, plot: bool) -> None:
    """Print a reflection that is not empty; with `plot`, feelings as a picture."""
    times = [moment(time) for time in (found.first, found.last) if time is not None]
    counted = f"{found.experiences} experiences in {found.sessions} sessions"
    console.print(f"{counted}, {' to '.join(times)}")
    if plot:
        _draw(found)
    else:
        console.print()
        table(
            [found.periods_by, "experiences", "feelings", "engagement", "valence", "felt most"],
            [_row(period) for period in found.periods],
        )
    _section("Turns", [(turn.words, turn.memories) for turn in found.trajectory.turns])
    _section(
        "Uncertain again and again",
        [(f"{len(one.memories)}× {one.text}", one.memories) for one in found.recurring],
    )
    _section(
        "Recalled",
        [
            (f"{one.times}× {'; '.join(one.anchors) or one.memory.text}", [one.memory])
            for one in found.recalled
        ],
    )
    _section(
        "Themes",
        [
            (f"{theme.name}: {len(theme.memories)} memories", theme.memories)
            for theme in found.themes
        ],
    )
    _section("New in the second half", [(t.name, t.memories) for t in found.new_themes])
    _section("Only in the first half", [(t.name, t.memories) for t in found.left_themes])
    _section(
        "Grew",
        [(f"{g.theme.name}: {g.before:+.2f} → {g.after:+.2f}", g.memories) for g in found.growth],
    )


def _draw(found: Reflection) -> None:
    console.print(journey(found.trajectory))
    for title, words, counted in (
        ("feelings", Emotion, [period.emotions for period in found.periods]),
        ("engagement", Engagement, [period.engagement for period in found.periods]),
    ):
        rows = {word.value: [one.get(word.value, 0) for one in counted] for word in words}
        seen = {name: counts for name, counts in rows.items() if any(counts)}
        if seen:
            console.print(Text(f"\n{title} by {found.periods_by}", style="bold"))
            console.print(heat(seen))


def _row(period: ReflectionPeriod) -> list[object]:
    return [
        period.name,
        period.experiences,
        _counted(period.emotions),
        _counted(period.engagement),
        None if period.valence is None else f"{period.valence:+.2f}",
        period.strongest and _short(period.strongest),
    ]


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _short(memory: Experience) -> str:
    """Return the short address, which `meridia show` finds within its space."""
    return f"meridia://@{memory.seq}"


def _section(title: str, lines: Sequence[tuple[str, Sequence[Experience]]]) -> None:
    """Print a list whose lines name the first and the last memory they rest on; none if empty."""
    if not lines:
        return
    console.print(Text(f"\n{title}", style="bold"))
    for text, memories in lines:
        ends = dict.fromkeys([_short(memories[0]), _short(memories[-1])])
        line = plain(f"• {shorten(text, 100)}")
        console.print(line.append(f"  {' … '.join(ends)}", style="dim"))
