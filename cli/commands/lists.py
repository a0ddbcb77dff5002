"""`meridia list`, `people`, `sessions` and `entities`: what there is, as tables."""

from __future__ import annotations

from typing import Any

import click

from ...core.text import shorten
from ...core.time import parse
from ..context import Shared, key_values, shared_options
from ..render import moment, print_json, table


@click.command()
@click.option("--person", metavar="P", help="Only what this person said.")
@click.option("--session", metavar="KEY", help="Only this session.")
@click.option("--kind", metavar="KIND", help="Only this kind, such as tool_result.")
@click.option("--since", metavar="T", help="Only what happened at or after T.")
@click.option("--until", metavar="T", help="Only what happened before T.")
@click.option("--where", multiple=True, metavar="K=V", help="Only with this metadata.")
@click.option(
    "--after",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    help="Continue after this journal sequence.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=50,
    show_default=True,
    help="How many memories.",
)
@shared_options
def list_command(
    shared: Shared,
    person: str | None,
    session: str | None,
    kind: str | None,
    since: str | None,
    until: str | None,
    where: tuple[str, ...],
    after: int,
    limit: int,
) -> int:
    """List memories in the order they were captured."""
    with shared.memory() as memory:
        page = memory.list(
            person=person,
            session=session,
            kind=kind,
            since=parse(since) if since else None,
            until=parse(until) if until else None,
            metadata=key_values(where, "--where") or None,
            after=after,
            limit=limit,
        )
    if shared.as_json:
        memories = [
            {
                "seq": m.seq,
                "id": m.id,
                "event_id": m.event_id,
                "kind": m.kind,
                "at": m.at.isoformat(),
                "person": m.person,
                "session": m.session,
                "text": m.text,
            }
            for m in page.memories
        ]
        print_json({"memories": memories, "next_after": page.next_after})
        return 0
    rows = [
        [m.seq, m.event_id, moment(m.at), m.session, m.person or m.kind, shorten(m.text, 80)]
        for m in page.memories
    ]
    table(["seq", "event", "at", "session", "who", "text"], rows)
    if page.next_after is not None:
        click.echo(f"more: --after {page.next_after}", err=True)
    return 0


@click.command()
@shared_options
def people_command(shared: Shared) -> int:
    """List the people a space knows."""
    with shared.memory() as memory:
        memory.enrich()
        names = {person.id: person.name for person in memory.people().people}
        aliases = memory.people().aliases
        rows: list[dict[str, Any]] = [
            {
                "id": span.id,
                "name": names.get(span.id, span.id),
                "aliases": sorted(a for a, p in aliases.items() if p.id == span.id),
                "messages": span.experiences,
                "sessions": span.sessions,
                "first": span.first.isoformat(),
                "last": span.last.isoformat(),
            }
            for span in memory.parts.catalog.speakers(memory.space)
        ]
    if shared.as_json:
        print_json(rows)
    else:
        table(
            ["name", "messages", "sessions", "first", "last"],
            [
                [r["name"], r["messages"], r["sessions"], r["first"][:16], r["last"][:16]]
                for r in rows
            ],
        )
    return 0


@click.command()
@shared_options
def sessions_command(shared: Shared) -> int:
    """List the sessions of a space."""
    with shared.memory() as memory:
        memory.enrich()
        spans = memory.parts.catalog.sessions(memory.space)
        names = memory.adjacency.names_of(memory.space, [span.id for span in spans])
        rows: list[dict[str, Any]] = [
            {
                "session": names.get(span.id, span.id),
                "messages": span.experiences,
                "first": span.first.isoformat(),
                "last": span.last.isoformat(),
            }
            for span in spans
        ]
    if shared.as_json:
        print_json(rows)
    else:
        table(
            ["session", "messages", "first", "last"],
            [[r["session"], r["messages"], r["first"][:16], r["last"][:16]] for r in rows],
        )
    return 0


@click.command()
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=50,
    show_default=True,
    help="How many of them.",
)
@shared_options
def entities_command(shared: Shared, limit: int) -> int:
    """List what memories are about, most shared first.

    People and concepts; `weight` says whether spreading uses it: what too large a share of all
    memories mention tells nothing apart.
    """
    with shared.memory() as memory:
        memory.enrich()
        rows = memory.entities(limit)
    if shared.as_json:
        print_json(
            [
                {"entity": e.name, "label": e.label, "memories": e.memories, "weight": e.weight}
                for e in rows
            ]
        )
    else:
        table(
            ["entity", "label", "memories", "weight"],
            [[e.name, e.label, e.memories, round(e.weight, 2)] for e in rows],
        )
    return 0
