"""`meridia transitions`, `facts`, `episodes` and `artifacts`: what a space tells of itself."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from ...core.errors import InvalidInput
from ...core.experience import Transition
from ...core.facts import Fact
from ...core.text import shorten
from ...core.time import from_text, parse, to_text
from ...core.vocabulary import TransitionField
from ...memory import Memory
from ...retrieval.history.space_history import Arc
from ..context import Shared, shared_options
from ..plots import Point, arc, draw
from ..render import console, moment, plain, print_json, table


@click.command()
@click.argument("session", required=False)
@click.option("--plot", is_flag=True, help="Draw valence and intensity over the session.")
@shared_options
def transitions_command(shared: Shared, session: str | None, plot: bool) -> int:
    """Show how sessions went, as lines and as a picture.

    SESSION is the caller's key: its arc is one line, and every transition another. Without it, one
    line for every session. A transition is a change of the experiential register: of engagement, of
    feeling, of focus, or a question that opened or was settled.
    """
    if plot and session is None:
        raise InvalidInput("--plot draws one session: name it; `meridia sessions` lists them")
    with shared.memory() as memory:
        memory.enrich()
        arcs = [memory.chronicle.arc(key) for key in ([session] if session else _keys(memory))]
    if shared.as_json:
        found = [_arc_json(one) for one in arcs]
        print_json(found[0] if session else found)
    elif session is None:
        table(
            ["session", "experiences", "transitions", "arc"],
            [[a.session, len(a.moments), len(a.transitions), _line(a)] for a in arcs],
        )
    else:
        _show(arcs[0], plot)
    return 0


def _keys(memory: Memory) -> list[str]:
    spans = memory.parts.catalog.sessions(memory.space)
    names = memory.adjacency.names_of(memory.space, [span.id for span in spans])
    return [names[span.id] for span in spans if span.id in names]


def _line(found: Arc) -> str:
    return arc(found.transitions, [found.now]) or "nothing felt yet"


def _show(found: Arc, plot: bool) -> None:
    console.print(plain(_line(found)))
    if plot:
        points = [Point(one.at, one.signature, one.transitions) for one in found.moments]
        console.print(draw(points))
        return
    rows = [
        [moment(one.at), _field(change), _words(change.before), _words(change.after)]
        for one in found.moments
        for change in one.transitions
    ]
    if rows:
        console.print()
        table(["at", "field", "from", "to"], rows)


def _field(change: Transition) -> str:
    felt = change.field is TransitionField.EMOTIONAL_SIGNATURE
    return "feeling" if felt else change.field.value


def _words(value: Any) -> str:
    """Return one end of a transition in few words."""
    if isinstance(value, dict):
        named = ", ".join(value.get("primary") or ["no word for it"])
        valence = value.get("valence")
        return named if valence is None else f"{named} ({valence:+.2f})"
    return "–" if value is None else str(value)


def _arc_json(found: Arc) -> dict[str, Any]:
    return {
        "session": found.session,
        "arc": _line(found),
        "experiences": len(found.moments),
        "register": found.now.as_json(),
        "transitions": [
            {"experience": one.id, **change.as_json()}
            for one in found.moments
            for change in one.transitions
        ],
    }


@click.command()
@click.option("--about", metavar="NAME", help="Only what was said of this person or thing.")
@click.option("--as-of", metavar="T", help="What held at this time; without it, all of history.")
@click.option("--known", metavar="T", help="As it was known at this time.")
@shared_options
def facts_command(shared: Shared, about: str | None, as_of: str | None, known: str | None) -> int:
    """List facts: since when they held, and when that was learned.

    Facts stand in two clocks. --as-of asks what held at a time in the world, --known what was known
    of it at a time. A fact that was superseded keeps its interval; two that contradict each other
    both stay, and each says so.
    """
    with shared.memory() as memory:
        memory.enrich()
        found = memory.chronicle.facts(_time(as_of), _time(known))
    if about:
        wanted = about.casefold()
        found = [fact for fact in found if wanted in (fact.subject.casefold(), fact.subject_id)]
    if shared.as_json:
        print_json([fact.as_json() for fact in found])
        return 0
    for fact in found:
        console.print(plain(fact.text))
        console.print(plain(f"   {_held(fact)}", "dim"))
    if not found:
        console.print("no facts", style="dim")
    return 0


def _held(fact: Fact) -> str:
    """Return when a fact held, when that was learned, and how sure it is, in one line."""
    since, learned = moment(fact.t_valid), moment(fact.t_created)
    until = "" if fact.t_invalid is None else f" to {moment(fact.t_invalid)}"
    told = "" if learned == since else f"; learned {learned}"
    sure = f"{fact.stability.value}, sure {fact.confidence:.2f}"
    return "; ".join(filter(None, (f"from {since}{until}{told}", sure, _standing(fact))))


def _standing(fact: Fact) -> str:
    if fact.contradicts:
        return "contradicted"
    return "" if fact.t_invalid is None else "superseded" if fact.superseded_by else "over"


def _time(text: str | None) -> datetime | None:
    return parse(text) if text else None


@click.command()
@click.argument("session", required=False)
@shared_options
def episodes_command(shared: Shared, session: str | None) -> int:
    """List what sessions were about.

    Each is told when the session ends: by a boundary, or when it was silent for four hours. SESSION
    is the caller's key; without it, every session that ended with three experiences or more.
    """
    with shared.memory() as memory:
        memory.enrich()
        found = memory.chronicle.episodes(session)
    if shared.as_json:
        print_json([dict(told) for told in found])
        return 0
    for told in found:
        console.print(plain(str(told["topic"]), "bold"))
        span = f"{_minute(told.get('from'))} to {_minute(told.get('until'))}"
        console.print(plain(f"{span}, {len(told['sources'])} experiences", "dim"))
        console.print(plain(f"{told['summary']}\n"))
    if not found:
        console.print("no session has ended yet that had enough to tell", style="dim")
    return 0


def _minute(text: str | None) -> str:
    return moment(from_text(text)) if text else "?"


@click.command()
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="How many."
)
@shared_options
def artifacts_command(shared: Shared, limit: int) -> int:
    """List files, links and media that memories refer to.

    The latest come first.
    """
    with shared.memory() as memory:
        rows = memory.chronicle.artifacts(limit)
    if shared.as_json:
        print_json(
            [{**row.artifact, "memories": row.memories, "last": to_text(row.last)} for row in rows]
        )
        return 0
    table(
        ["artifact", "kind", "memories", "last", "description"],
        [
            [
                row.artifact["uri"],
                row.artifact.get("kind"),
                row.memories,
                moment(row.last),
                shorten(str(row.artifact.get("description") or ""), 60),
            ]
            for row in rows
        ],
    )
    return 0
