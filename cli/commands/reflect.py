"""`meridia reflect`: a period summarised, as tables and as a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click
from rich.text import Text

from ...core.text import counted, shorten
from ...core.types import MemoryRecord as Experience
from ...core.vocabulary import Emotion, Engagement
from ...resume.reflection import Reflection, ReflectionPeriod
from ...service.parameters import PeriodParameters
from ..charts import count_bars, valence_chart
from ..options import SharedOptions
from ..parameters import options_of
from ..render import console, moment, paged_command, print_json, table, terminal_text


@paged_command()
@options_of(PeriodParameters, "person since until")
@click.option("--plot", is_flag=True, help="Draw emotions and engagement over time.")
def reflect_command(shared: SharedOptions, plot: bool, **period: Any) -> None:
    """Summarise a period: emotions, engagement, what recurs.

    Shows emotions and engagement by week (by session for short periods), trends with the quotes
    that show them, changes of emotion, recurring uncertainties and recalled memories. Each line
    cites its memories. For quotes of then and now: `meridia reconstitute --mode reflection`.
    """
    with shared.memory() as memory:
        reflection = memory.reflect(**period)
    if shared.as_json:
        print_json(reflection.as_json())
    elif not reflection.experiences:
        console.print("no experiences in this time", style="dim")
    else:
        show_reflection(reflection, plot)


def show_reflection(reflection: Reflection, plot: bool) -> None:
    """Print a reflection that is not empty; with `plot`, feelings as a picture."""
    times = [moment(time) for time in (reflection.first, reflection.last) if time is not None]
    experiences = counted(reflection.experiences, "experience")
    sessions = counted(reflection.sessions, "session")
    console.print(f"{experiences} in {sessions}, {' to '.join(times)}")
    if plot:
        _draw(reflection)
    else:
        console.print()
        table(
            [
                reflection.periods_by,
                "experiences",
                "emotions",
                "engagement",
                "valence",
                "strongest",
            ],
            [_row(period) for period in reflection.periods],
        )
    _section(
        "Trends",
        [
            (f"{trend.text}: {' → '.join(text for text, _ in trend.quotes)}", trend.shown)
            for trend in reflection.trends
        ],
        300,
    )
    _section(
        "Changes of emotion",
        [(_whose(turn.who, turn.words), turn.memories) for turn in reflection.trajectory.turns],
    )
    _section(
        "Recurring uncertainties",
        [(f"{len(item.memories)}× {item.text}", item.memories) for item in reflection.recurring],
    )
    _section(
        "Recalled",
        [
            (f"{item.times}× {'; '.join(item.anchors) or item.memory.text}", [item.memory])
            for item in reflection.recalled
        ],
    )


def _draw(reflection: Reflection) -> None:
    console.print(valence_chart(reflection.trajectory))
    for title, words, counts_by_period in (
        ("emotions", Emotion, [period.emotions for period in reflection.periods]),
        ("engagement", Engagement, [period.engagement for period in reflection.periods]),
    ):
        rows = {
            word.value: [period_counts.get(word.value, 0) for period_counts in counts_by_period]
            for word in words
        }
        nonzero = {name: counts for name, counts in rows.items() if any(counts)}
        if nonzero:
            console.print(Text(f"\n{title} by {reflection.periods_by}", style="bold"))
            console.print(count_bars(nonzero))


def _row(period: ReflectionPeriod) -> list[object]:
    return [
        period.name,
        period.experiences,
        _counted(period.emotions),
        _counted(period.engagement),
        None if period.valence is None else f"{period.valence:+.2f}",
        period.strongest and _short(period.strongest),
    ]


def _whose(who: str | None, words: str) -> str:
    return f"{who} felt {words}" if who else words


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _short(memory: Experience) -> str:
    """Return the short address, which `meridia show` finds within its space."""
    return f"meridia://@{memory.seq}"


def _section(
    title: str, lines: Sequence[tuple[str, Sequence[Experience]]], chars_max: int = 100
) -> None:
    """Print a list whose lines name the first and the last memory they rest on; none if empty."""
    if not lines:
        return
    console.print(Text(f"\n{title}", style="bold"))
    for text, memories in lines:
        ends = dict.fromkeys([_short(memories[0]), _short(memories[-1])])
        line = terminal_text(f"• {shorten(text, chars_max)}")
        console.print(line.append(f"  {' … '.join(ends)}", style="dim"))
