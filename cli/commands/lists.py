"""`meridia list`, `people`, `sessions` and `entities`: what there is, as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
@click.argument(
    "action", type=click.Choice(["list", "merge", "unmerge", "duplicates"]), default="list"
)
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
    wanted = {"list": 0, "duplicates": 0, "merge": 2, "unmerge": 1}[action]
    if len(names) != wanted:
        some = ("no names", "one name", "two names")[wanted]
        raise click.UsageError(f"`entities {action}` takes {some}, not {len(names)}")
    with shared.memory() as memory:
        bring_up_to_date(memory)
        if action == "merge":
            entity, other = memory.curation.merge(*names)
            if shared.as_json:
                print_json({"entity": documents.named(entity), "into": documents.named(other)})
            click.echo(printable(f"{entity.name} is now replaced by {other.name}"), err=True)
        elif action == "unmerge":
            entity = memory.curation.unmerge(*names)
            if shared.as_json:
                print_json({"entity": documents.named(entity)})
            click.echo(printable(f"the merge of {entity.name} is undone"), err=True)
        elif action == "duplicates":
            pairs = [pair.as_json() for pair in memory.curation.duplicates()[:limit]]
            print_documents(shared, pairs, _PAIR_COLUMNS)
        else:
            print_documents(shared, documents.entities(memory, limit), _ENTITY_COLUMNS)


#: People named in one line, at most.
_SPEAKERS_SHOWN = 6
#: How many names each action takes.
_TAKES = {
    "list": (0, 0),
    "set": (2, 2),
    "merge": (2, 2),
    "unmerge": (1, 1),
    "name": (1, 2),
    "refuse": (1, 2),
}


@paged_command()
@click.argument("action", type=click.Choice(list(_TAKES)), default="list")
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
    least, most = _TAKES[action]
    if not least <= len(names) <= most:
        takes = f"{least}" if least == most else f"{least} or {most}"
        raise click.UsageError(f"`people {action}` takes {takes} names, not {len(names)}")
    with shared.memory() as memory:
        bring_up_to_date(memory)
        answer = _ACTIONS[action](memory, names, threshold)
        if action == "list":
            _show_people(documents.people(memory), shared)
    if answer is not None:
        if shared.as_json:
            print_json(answer[0])
        click.echo(printable(answer[1]), err=True)


#: What an action says: as JSON, and in words.
_Answer = tuple[Mapping[str, object], str]


def _set(memory: Memory, names: Sequence[str], threshold: float | None) -> _Answer:
    name, type = names
    if type not in list(Relationship):
        raise click.UsageError(
            f"{type!r} is not a relationship: choose from {', '.join(Relationship)}"
        )
    memory.curation.set_relationship(name, Relationship(type), threshold)
    document = {"name": name, "relationship": type, "threshold": threshold}
    return document, f"{name} is {type} now"


def _merge(memory: Memory, names: Sequence[str], _threshold: float | None) -> _Answer:
    person, into = memory.people.merge(*names)
    shown = memory.people.directory().shown(into.id)
    document = {"person": documents.named(person), "into": {"id": into.id, "name": shown}}
    return document, f"{person.name} and {shown} are one person from now on, shown as {shown}"


def _unmerge(memory: Memory, names: Sequence[str], _threshold: float | None) -> _Answer:
    person = memory.people.unmerge(*names)
    document = {"person": documents.named(person)}
    return document, f"{person.name} is somebody of their own again"


def _name(memory: Memory, names: Sequence[str], _threshold: float | None) -> _Answer:
    who, name = (names[0] if len(names) > 1 else None), names[-1]
    person = memory.people.name(name, who)
    document = {"person": documents.named(person)}
    return document, f"{f'{who} is' if who else 'you are'} called {person.name} now"


def _refuse(memory: Memory, names: Sequence[str], _threshold: float | None) -> _Answer:
    who, name = (names[0] if len(names) > 1 else None), names[-1]
    person = memory.people.refuse(name, who)
    document = {"person": documents.named(person), "refused": name}
    return document, f"{name} is not a name of {person.name}"


_ACTIONS: Mapping[str, Callable[[Memory, Sequence[str], float | None], _Answer | None]] = {
    "list": lambda *_: None,
    "set": _set,
    "merge": _merge,
    "unmerge": _unmerge,
    "name": _name,
    "refuse": _refuse,
}


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
