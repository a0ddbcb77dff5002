"""`meridia transitions`, `facts`, `episodes` and `artifacts`: derived data of a space, by time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import click

from ...core.codec import encode
from ...core.entries import StateTransitioned
from ...core.errors import InvalidInput
from ...core.experience import Transition
from ...core.text import shorten
from ...core.time import from_text
from ...core.vocabulary import TransitionField
from ...resume.space_history import Arc
from ...service import documents
from ...service.parameters import FactParameters, PageParameters
from ..charts import arc, session_chart
from ..options import SharedOptions, bring_up_to_date
from ..parameters import options_of
from ..render import (
    Columns,
    at,
    console,
    day,
    list_rows,
    moment,
    paged_command,
    print_documents,
    print_json,
    table,
    terminal_text,
)

#: How much of a quote is shown beside a fact, characters.
_QUOTE_CHARS_MAX = 60


@paged_command()
@click.argument("session", required=False)
@click.option("--plot", is_flag=True, help="Draw valence and intensity over the session.")
def transitions_command(shared: SharedOptions, session: str | None, plot: bool) -> None:
    """Show the transitions of sessions, as lines or as a chart.

    SESSION is the caller's key: one line for the session and one for each transition. If no
    session has that key, it is a person's name: how their feelings changed within each session.
    Without it, one line for each session. A transition is a change of the register: of engagement,
    emotion or focus, or an uncertainty that opened or closed.
    """
    if plot and session is None:
        raise InvalidInput("--plot needs a session; `meridia sessions` lists them")
    with shared.memory() as memory:
        bring_up_to_date(memory)
        keys = [each.id for each in memory.sessions()]
        if session is not None and session not in keys:
            _show_person(memory.chronicle.transitions_of(session), shared)
            return
        arcs = [memory.chronicle.arc(key) for key in ([session] if session else keys)]
    if shared.as_json:
        answer = [{**documents.arc(each), "arc": _line(each)} for each in arcs]
        print_json(answer[0] if session else answer)
    elif session is None:
        table(
            ["session", "experiences", "transitions", "arc"],
            [[a.session, len(a.moments), len(a.transitions), _line(a)] for a in arcs],
        )
    else:
        session_arc = arcs[0]
        console.print(terminal_text(_line(session_arc)))
        if plot:
            console.print(session_chart(session_arc.moments))
        rows = [
            [moment(entry.at), _field(change), _words(change.before), _words(change.after)]
            for entry in session_arc.moments
            for change in entry.transitions
        ]
        if rows:
            console.print()
            table(["at", "field", "from", "to"], rows)


def _show_person(changes: Sequence[StateTransitioned], shared: SharedOptions) -> None:
    answer = [{"experience": c.experience, **documents.transition(c)} for c in changes]
    before, after = (lambda row: _words(row.get("from"))), (lambda row: _words(row.get("to")))
    columns: Columns = [("at", at("ts")), ("from", before), ("to", after)]
    print_documents(shared, answer, columns, "no change of feeling within a session was recorded")


def _line(session_arc: Arc) -> str:
    return arc(session_arc.transitions, [session_arc.now]) or "nothing felt yet"


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


@paged_command()
@options_of(FactParameters, "about as_of known_at")
def facts_command(
    shared: SharedOptions, about: str | None, as_of: datetime | None, known_at: datetime | None
) -> None:
    """List facts: when they are valid, and when they were recorded.

    Facts have two times, which --json has to the second. --as-of selects facts that were valid at a
    time, --known-at facts as they were recorded at a time. A superseded fact keeps its interval;
    facts that contradict each other are both kept and marked. Each fact has its quote.
    """
    with shared.memory() as memory:
        bring_up_to_date(memory)
        facts = list(memory.chronicle.facts(as_of, known_at))
    if about:
        wanted = about.casefold()
        facts = [fact for fact in facts if wanted in (fact.subject.casefold(), fact.subject_id)]
    print_documents(shared, [f.record() for f in facts], _FACT_COLUMNS, "no facts", one_line=True)


def _quoted(fact: Mapping[str, Any]) -> str:
    quote = fact.get("evidence")
    return f"“{shorten(quote, _QUOTE_CHARS_MAX)}”" if quote else ""


def _standing(fact: Mapping[str, Any]) -> str:
    if fact["contradicts"]:
        return "contradicted"
    return "" if not fact["t_invalid"] else "superseded" if fact["superseded_by"] else "over"


_SPAN = ("from", day("t_valid")), ("until", day("t_invalid"))
_FACT_COLUMNS: Columns = [*_SPAN, ("standing", _standing), ("fact", "text"), ("said", _quoted)]


@paged_command()
@click.argument("session", required=False)
def episodes_command(shared: SharedOptions, session: str | None) -> None:
    """List the episodes of sessions.

    An episode is written when the session ends: by a boundary, or after four hours without events.
    SESSION is the caller's key: its episode is shown whole. Without it, every ended session with
    three experiences or more has a line.
    """
    with shared.memory() as memory:
        bring_up_to_date(memory)
        episodes = memory.chronicle.episodes(session)
    if shared.as_json:
        print_json([encode(episode) for episode in episodes])
        return
    rows = [[_minute(e.since), len(e.sources), e.topic] for e in episodes]
    if session is None and episodes:
        list_rows(["from", "experiences", "episode"], rows)
    for episode in episodes if session is not None else ():
        console.print(terminal_text(episode.topic, "bold"))
        span = f"{_minute(episode.since)} to {_minute(episode.until)}"
        console.print(terminal_text(f"{span}, {len(episode.sources)} experiences", "dim"))
        console.print(terminal_text(f"{episode.summary}\n"))
    if not episodes:
        console.print("no session with three experiences has ended yet", style="dim")


def _minute(text: str | None) -> str:
    return moment(from_text(text)) if text else "?"


@paged_command()
@options_of(PageParameters, "limit")
def artifacts_command(shared: SharedOptions, limit: int) -> None:
    """List files, links and media that memories refer to.

    The latest come first.
    """
    with shared.memory() as memory:
        rows = documents.artifacts(memory, limit)
    columns: Columns = [
        ("last", at("last")),
        ("kind", lambda row: row.get("kind")),
        "memories",
        ("artifact", lambda row: " · ".join(filter(None, (row["uri"], row.get("description"))))),
    ]
    print_documents(shared, rows, columns, one_line=True)
