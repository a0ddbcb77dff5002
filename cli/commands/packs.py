"""`meridia resume`, `reconstitute` and `reflect`: what an agent is told that comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import click
from rich.text import Text

from ...core.errors import InvalidInput, Stranger
from ...core.text import counted, shorten
from ...core.types import MemoryRecord as Experience
from ...core.vocabulary import Emotion, Engagement
from ...resume.builder import PackRequest
from ...resume.modes import STRATEGIES, Mode, mode_of
from ...resume.pack import Pack
from ...resume.prose import Prose
from ...resume.reflection import Reflection, ReflectionPeriod
from ...service.parameters import PeriodParameters, ReconstituteParameters, ResumeParameters
from ..charts import count_bars, valence_chart
from ..options import SharedOptions, wait_option
from ..parameters import options_of
from ..render import (
    console,
    moment,
    paged_command,
    print_answer,
    print_documents,
    print_json,
    remark,
    table,
    terminal_text,
)

#: What is shown of the quality of a pack, and of packs over time.
_QUALITY = (
    ("use", "budget_use"),
    ("sources", "source_diversity"),
    ("anchors", "anchor_coverage"),
    ("felt", "phenomenology_coverage"),
)


@paged_command()
@click.argument("person", required=False)
@options_of(ResumeParameters, "tokens as_of")
@click.option("--plot", is_flag=True, help="Draw a chart of emotions.")
@wait_option
def resume_command(
    shared: SharedOptions,
    person: str | None,
    tokens: int,
    as_of: datetime | int | None,
    plot: bool,
    wait_s: float | None,
) -> None:
    """Summarise the history with a person who comes back.

    Without a name, it is you: the owner of the space (see `meridia people`). The summary quotes
    what they asked for, what is open, the last meeting and the rest by thread, each with its date
    and the address of its message (`meridia show @N`). A token is four characters.
    """
    if person is None:
        with shared.memory() as memory:
            person = memory.people.directory().speakers.who_returns()
    request = PackRequest("relationship_resumption", person, None, tokens, as_of)
    _print_pack(shared, request, wait_s=wait_s)
    if plot and not shared.as_json:
        with shared.memory() as memory:
            story = memory.people.relationship(person, request.as_of)
            if not isinstance(story, Stranger):
                console.print(valence_chart(story.trajectory))


@paged_command()
@options_of(ReconstituteParameters, "mode person query tokens as_of")
@click.option("--prose", is_flag=True, help="Write prose, by a model if one is configured.")
@click.option("--again", metavar="PACK", help="Issue an earlier pack again, from the journal.")
@click.option("--modes", is_flag=True, help="List the modes.")
@click.option("--quality", is_flag=True, help="Show the quality of the latest packs.")
@click.option("--by-week", is_flag=True, help="With --quality: its means, week by week.")
@wait_option
def reconstitute_command(
    shared: SharedOptions,
    prose: bool,
    again: str | None,
    modes: bool,
    quality: bool,
    by_week: bool,
    wait_s: float | None,
    **request: Any,
) -> None:
    """Write a pack for an agent that starts or continues work.

    A short text within a token budget. The mode is detected from the request (a topic, a person),
    from a session that ended with a tool result, or from a long gap; --mode sets it. Every line
    cites its memories; `meridia show @N` shows them. A token is four characters.
    """
    if modes:
        rows = [
            {"mode": s.mode.value, "purpose": s.purpose, "tokens": s.tokens}
            for s in STRATEGIES.values()
        ]
        print_documents(shared, rows, ["mode", ("for", "purpose"), "tokens"])
        return
    if by_week and not quality:
        raise InvalidInput("--by-week needs --quality")
    if again is not None or quality:
        with shared.memory() as memory:
            if again is not None:
                pack = memory.packs.reissue(again)
                print_answer(shared, pack.as_json, lambda: show_pack(pack))
                if not shared.as_json and pack.hash != memory.packs.recorded_hash(again):
                    console.print("the text has changed: a cited memory was erased")
            elif by_week:
                weeks = memory.packs.quality_over_time()
                print_documents(shared, weeks, ["week", "packs", *_QUALITY])
            else:
                packs = memory.packs.quality()
                print_documents(shared, packs, ["mode", "cited", *_QUALITY, "pack"])
            return
    _print_pack(shared, PackRequest(**request), prose, wait_s)


def show_pack(pack: Pack, prose: Prose | None = None) -> None:
    """Print a pack as it would be given to an agent, and below it what it is."""
    console.print(terminal_text(pack.text if prose is None else prose.text), soft_wrap=True)
    footer = f"{counted(pack.tokens, 'token')}, cited: {len(pack.cited)}"
    footer += "" if prose is None else f"; prose by {prose.by}"
    console.print(terminal_text(f"pack {pack.id}  {pack.mode.value}: {pack.why}; {footer}", "dim"))


def _print_pack(
    shared: SharedOptions,
    request: PackRequest,
    prose: bool = False,
    wait_s: float | None = None,
) -> None:
    with shared.memory({"recall.wait_s": wait_s}) as memory:
        pack = memory.packs.make(request)
        rendered = memory.packs.prose(pack) if isinstance(pack, Pack) and prose else None
    for note in () if pack is None else pack.notes:
        remark(note)
    if isinstance(pack, Stranger):
        document = {"stranger": pack.name, "near": list(pack.near)}
        text = terminal_text(pack.text)
        print_answer(shared, lambda: document, lambda: console.print(text, soft_wrap=True))
        return
    if shared.as_json:
        extra = {} if rendered is None else {"prose": {"text": rendered.text, "by": rendered.by}}
        print_json(None if pack is None else pack.as_json() | extra)
    elif pack is None:
        when = "by then" if request.as_of is not None else "yet"
        about = "" if request.query is None else " about this"
        core = request.mode is not None and mode_of(request.mode) is Mode.CORE_SUMMARY
        nothing = "nothing is to be summed up" if core else f"there are no memories{about}"
        console.print(f"{nothing} {when}", style="dim")
    else:
        show_pack(pack, rendered)


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
