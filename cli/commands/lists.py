"""What there is, as tables: memories, people, sessions, entities, and what was derived, by time.

`meridia list`, `people`, `sessions`, `entities`; `transitions`, `facts`, `episodes`, `artifacts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import click

from ...core.codec import encode
from ...core.entries import StateTransitioned
from ...core.errors import InvalidInput, Stranger
from ...core.experience import Transition
from ...core.people import YOU, NameState
from ...core.text import printable, shorten
from ...core.time import from_text
from ...core.vocabulary import Relationship, TransitionField
from ...memory import Memory
from ...resume.space_history import Arc
from ...service import documents
from ...service.parameters import (
    FactParameters,
    ListParameters,
    PageParameters,
    RelationshipParameters,
)
from ..charts import arc, session_chart
from ..options import SharedOptions, bring_up_to_date
from ..parameters import filter_options, options_of
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
    remark,
    table,
    terminal_text,
)

#: On a narrower terminal, callers' own ids would leave no room for what was said.
_WIDTH_OF_IDS, _WIDTH_OF_TIMES = 100, 60
#: Of a longer text, a list shows the beginning.
_TEXT_CHARS = 200
#: What is shown of an entity, and of two that may be the same.
_WEIGHT = "weight", lambda row: round(row["weight"], 2)
_ENTITY_COLUMNS: Columns = ["entity", "label", "memories", _WEIGHT, "stands_for"]
_NAMES = (
    ("entity", lambda pair: pair["entity"]["name"]),
    ("may be", lambda pair: pair["into"]["name"]),
)
_PAIR_COLUMNS: Columns = [*_NAMES, "type", "score", ("why", "reason")]
#: How many names each action takes.
_ENTITIES_TAKE = {"list": (0, 0), "merge": (2, 2), "unmerge": (1, 1), "duplicates": (0, 0)}
_PEOPLE_TAKE = {
    "list": (0, 0),
    "set": (2, 2),
    "merge": (2, 2),
    "unmerge": (1, 1),
    "name": (1, 2),
    "refuse": (1, 2),
}


@paged_command()
@filter_options
@options_of(ListParameters, "emotion engagement after limit")
def list_command(shared: SharedOptions, **given: Any) -> None:
    """List memories in the order they were captured.

    With --kind fact or --kind transition, list what was derived from them: `id` and `session` are
    those of the memory it comes from, `who` is whom it is about. `session` and `id`, your own id,
    are shown where the terminal has 100 columns.
    """
    with shared.memory() as memory:
        page = memory.list(**given)
        person = given["person"]
        known = page.memories or person is None or memory.people.relationship(person)
    if isinstance(known, Stranger):
        remark(known.text)
    if shared.as_json:
        memories = [documents.list_item(memory) for memory in page.memories]
        print_json({"memories": memories, "next_after": page.next_after})
        return
    columns: dict[str, list[Any]] = {
        "address": [f"@{m.seq}" for m in page.memories],
        "id": [None if m.event_id == m.id else m.event_id for m in page.memories],
        "at": [m.at for m in page.memories],
        "session": [m.session for m in page.memories],
        "who": [m.who for m in page.memories],
        "text": [shorten(m.text, _TEXT_CHARS) for m in page.memories],
    }
    if console.width < _WIDTH_OF_IDS:
        del columns["id"], columns["session"]
    if console.width < _WIDTH_OF_TIMES:
        del columns["at"]
    list_rows(list(columns), list(zip(*columns.values(), strict=True)))
    if page.next_after is not None:
        click.echo(f"more: --after {page.next_after}", err=True)


@paged_command()
def sessions_command(shared: SharedOptions) -> None:
    """List the sessions of a space."""
    with shared.memory() as memory:
        bring_up_to_date(memory)
        rows = documents.sessions(memory)
    times = ("first", at("first")), ("last", at("last"))
    print_documents(shared, rows, ["session", "messages", *times])


@paged_command()
@click.argument("action", type=click.Choice(list(_ENTITIES_TAKE)), default="list")
@click.argument("names", nargs=-1)
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=50,
    show_default=True,
    help="How many, at most.",
)
def entities_command(
    shared: SharedOptions, action: str, names: tuple[str, ...], limit: int
) -> None:
    """List people, concepts and entities; merge duplicates, or undo a merge.

    \b
    meridia entities              people, concepts and entities, most shared first
    meridia entities duplicates   pairs that may be the same; none is merged automatically
    meridia entities merge A B    replace A by B
    meridia entities unmerge A    undo the merge of A

    A and B are names, ids, or TYPE:name if a name is not unique. `weight` is its rarity: 0
    if too many memories mention it to distinguish them.
    """  # noqa: D301 - click takes the \b for "do not wrap"
    _check_count(f"entities {action}", names, _ENTITIES_TAKE[action])
    with shared.memory() as memory:
        bring_up_to_date(memory)
        if action == "list":
            print_documents(shared, documents.entities(memory, limit), _ENTITY_COLUMNS)
        elif action == "duplicates":
            pairs = [pair.as_json() for pair in memory.curation.duplicates()[:limit]]
            print_documents(shared, pairs, _PAIR_COLUMNS)
        elif action == "merge":
            entity, other = map(documents.named, memory.curation.merge(*names))
            said = f"{entity['name']} is now replaced by {other['name']}"
            _say(shared, {"entity": entity, "into": other}, said)
        else:
            entity = documents.named(memory.curation.unmerge(*names))
            _say(shared, {"entity": entity}, f"the merge of {entity['name']} is undone")


def _check_count(what: str, names: Sequence[str], takes: tuple[int, int]) -> None:
    if not takes[0] <= len(names) <= takes[1]:
        counts = " or ".join(str(n or "no") for n in dict.fromkeys(takes))
        raise click.UsageError(f"`{what}` takes {counts} names, not {len(names)}")


def _say(shared: SharedOptions, document: Mapping[str, object], said: str) -> None:
    """Say what was decided, and print it for machines."""
    if shared.as_json:
        print_json(document)
    click.echo(printable(said), err=True)


#: People named in one line, at most.
_SPEAKERS_SHOWN = 6


@paged_command()
@click.argument("action", type=click.Choice(list(_PEOPLE_TAKE)), default="list")
@click.argument("names", nargs=-1)
@options_of(RelationshipParameters, "threshold")
def people_command(
    shared: SharedOptions, action: str, names: tuple[str, ...], threshold: float | None
) -> None:
    """List the people of a space with all their names; say who is who.

    Messages without a name are from the owner of the space: "you" until a name is known.

    \b
    meridia people                       everybody who spoke
    meridia people name [PERSON] NAME    what a person is called; by default, you
    meridia people refuse [PERSON] NAME  what a person is not called
    meridia people merge A B             A is B: what both said was said by B
    meridia people unmerge A             A is a person of their own again
    meridia people set PERSON TYPE       what a person is to the agent

    `name` confirms a learned name. Events of a collaborator need a lower score for a full capture,
    those of the primary person a still lower one.
    """  # noqa: D301 - click takes the \b for "do not wrap"
    _check_count(f"people {action}", names, _PEOPLE_TAKE[action])
    with shared.memory() as memory:
        bring_up_to_date(memory)
        if action == "list":
            _show_people(documents.people(memory), shared)
        else:
            _decide(shared, memory, action, names, threshold)


def _decide(
    shared: SharedOptions,
    memory: Memory,
    action: str,
    names: Sequence[str],
    threshold: float | None,
) -> None:
    """Do what was decided about a person, and say so."""
    who, name = (names[0] if len(names) > 1 else None), names[-1]
    if action == "set":
        if name not in list(Relationship):
            types = ", ".join(Relationship)
            raise click.UsageError(f"{name!r} is not a relationship: choose from {types}")
        memory.curation.set_relationship(names[0], Relationship(name), threshold)
        set_to = {"name": who, "relationship": name, "threshold": threshold}
        _say(shared, set_to, f"{who} is {name} now")
    elif action == "merge":
        merged, into = memory.people.merge(*names)
        shown = memory.people.directory().shown(into.id)
        document = {"person": documents.named(merged), "into": {"id": into.id, "name": shown}}
        said = f"{merged.name} and {shown} are one person from now on, shown as {shown}"
        _say(shared, document, said)
    else:
        work = {"name": memory.people.name, "refuse": memory.people.refuse}.get(action)
        person = work(name, who) if work else memory.people.unmerge(name)
        said = {
            "unmerge": f"{person.name} is somebody of their own again",
            "name": f"{f'{who} is' if who else 'you are'} called {person.name} now",
            "refuse": f"{name} is not a name of {person.name}",
        }[action]
        refused = {"refused": name} if action == "refuse" else {}
        _say(shared, {"person": documents.named(person), **refused}, said)


def who_spoke(memory: Memory) -> str | None:
    """Return in a line who speaks in a space, and how to name who has no name; None for nobody."""
    directory = memory.people.directory()
    spans = memory.parts.catalog.speakers(memory.space)
    spoken = [span for span in spans if span.id in directory.spoken]
    if not spoken:
        return None
    shown = [f"{directory.shown(s.id)} ({s.experiences})" for s in spoken[:_SPEAKERS_SHOWN]]
    more = f" and {len(spoken) - len(shown)} more" * (len(spoken) > len(shown))
    line = f"who spoke: {', '.join(shown)}{more}"
    if directory.owner in directory.spoken and directory.shown(directory.owner) == YOU:
        line += "; `meridia people name NAME` says who you are"
    return line


def _show_people(rows: Sequence[documents.Document], shared: SharedOptions) -> None:
    names: Columns = ["name", ("also", _also), "relationship", "messages", "sessions"]
    print_documents(shared, rows, [*names, ("first", day("first")), ("last", day("last"))])
    proposed = [(r["name"], n["name"]) for r in rows for n in r["names"] if _is_proposed(n)]
    for person, name in () if shared.as_json else proposed:
        merge = printable(f'meridia people merge "{person}" "{name}"')
        click.echo(f"{printable(name)} may be {printable(person)}: {merge}", err=True)


def _is_proposed(name: Mapping[str, str]) -> bool:
    return name["state"] == NameState.PROPOSED


def _also(row: documents.Document) -> str:
    """Return the other names of a person, each with what is held of it."""
    others = (name for name in row["names"] if name["name"] != row["name"])
    return ", ".join(f"{name['name']} ({name['state']})" for name in others)


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
