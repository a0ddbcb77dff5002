"""`meridia list`, `people`, `sessions` and `entities`: what there is, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from ...core.errors import Stranger
from ...core.people import YOU, NameState
from ...core.text import printable, shorten
from ...core.vocabulary import Relationship
from ...memory import Memory
from ...service import documents
from ...service.parameters import ListParameters, RelationshipParameters
from ..options import SharedOptions, bring_up_to_date
from ..parameters import filter_options, options_of
from ..render import (
    Columns,
    at,
    console,
    day,
    list_rows,
    paged_command,
    print_documents,
    print_json,
    remark,
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
