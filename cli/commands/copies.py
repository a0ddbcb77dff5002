"""`meridia backup`, `restore`, `export`, `follow` and `move`: copies of a journal, and replicas."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ...core.errors import InvalidInput
from ...core.text import escaped, json_line
from ...graph import drawing
from ...storage.copies.backup import CopiedJournal, restore, set_aside
from ...storage.postgres.following import move_in
from ...storage.upkeep import chosen_spaces
from ..options import SharedOptions, command
from ..render import console, errors, print_answer, print_json, progress, table


@command()
@click.argument("file", type=click.Path(path_type=Path))
def backup_command(shared: SharedOptions, file: Path) -> None:
    """Write a checked copy of the journal, with all its spaces, to a new FILE.

    Others may read and write meanwhile. The copy has everything that was acknowledged before the
    command began. It does not include the graph, which is rebuilt from the journal.
    """
    shared.require_journal()
    with shared.memory(writes=True) as memory, progress("copying", shared.as_json) as move:
        copied = memory.upkeep.backup(file, move)
    _show_copied(shared, copied)


@command()
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Rename the existing journal first.")
def restore_command(shared: SharedOptions, source: Path, replace: bool) -> None:
    """Restore the journal from a backup or an archive (`meridia export`), after checking it.

    It is written to --db, or to the default place. An existing journal is never overwritten.
    """
    with progress("restoring", shared.as_json) as move:
        settings = shared.load().settings
        copied = restore(source, shared.database, replace=replace, settings=settings, progress=move)
    _show_copied(shared, copied)
    if copied.replaced:
        errors.print(f"the previous journal is now {copied.replaced}", markup=False)


@command()
@click.option("--events", is_flag=True, help="Write only events, as `meridia import` reads them.")
@click.option("--person", metavar="NAME", help="With --events: those of NAME.")
@click.option("--session", metavar="KEY", help="With --events: those of a session.")
@click.option(
    "--graph",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the graph of the space to FILE.graphml, FILE.gexf or FILE.cypher instead.",
)
@click.option(
    "--around", metavar="NAME", multiple=True, help="With --graph: only what is near this node."
)
@click.option(
    "--hops", type=click.IntRange(0, 9), default=2, help="With --around: how many edges away."
)
def export_command(
    shared: SharedOptions,
    events: bool,
    person: str | None,
    session: str | None,
    graph: Path | None,
    around: tuple[str, ...],
    hops: int,
) -> None:
    """Print the journal as JSON lines: an archive that `meridia restore` reads.

    Without --space, all spaces. --events writes only the captured events of one space, one on each
    line, without derived data. --graph writes the graph for Gephi, yEd, Cytoscape or Neo4j.
    """
    if (person or session) and not events:
        raise InvalidInput("--person and --session choose events: add --events")
    shared.require_journal()
    with shared.memory(writes=True) as memory:
        if graph is not None:
            drawn = memory.graph.networkx(around or None, hops)
            drawing.write(drawn, graph)
            size = {"nodes": drawn.number_of_nodes(), "edges": drawn.number_of_edges()}
            told = ", ".join(f"{number:,} {name}" for name, number in size.items())
            print_answer(
                shared,
                lambda: {"file": str(graph), **size},
                lambda: console.print(f"{graph}: {told}", markup=False, soft_wrap=True),
            )
            return
        if events:
            for event in memory.upkeep.export_events(person, session):
                sys.stdout.write(json_line(event) + "\n")
            return
        for line in memory.upkeep.export(chosen_spaces(memory.parts, shared.named_space)):
            sys.stdout.write(escaped(line) + "\n")


@command()
@click.option("--again", is_flag=True, help="Make the file anew; that of before is set aside.")
@click.option("--forget", metavar="NAME", help="Wait no more for a replica that is gone.")
def follow_command(shared: SharedOptions, again: bool, forget: str | None) -> None:
    """Take in what other replicas wrote to the shared journal, and show who follows it.

    The journal is the PostgreSQL that `journal.url` names; --db is this replica's file.
    """
    if not shared.load().settings.journal.url:
        raise InvalidInput("journal.url is not set: no journal is shared (docs/replicas.md)")
    if again and shared.database.exists():
        aside = set_aside(shared.database)
        errors.print(f"the file of before is {aside}: delete it", markup=False, soft_wrap=True)
    with shared.memory(writes=True) as memory:
        file = memory.parts
        if forget is not None:
            file.forget_replica(forget)
        head, replicas = file.shared_head(), file.replicas()
    if shared.as_json:
        print_json({"head": head, "replicas": [each.as_json(head) for each in replicas]})
        return
    rows = [[r.name, r.seq, head - r.seq, r.cleaned, r.seen_at] for r in replicas]
    table(["replica", "sequence", "behind", "forgettings done until", "seen"], rows)
    console.print(f"the journal ends at {head:,}", markup=False)


@command()
@click.option("--to", "to", metavar="URL|FILE", required=True, help="Where the journal goes.")
def move_command(shared: SharedOptions, to: str) -> None:
    """Move the journal of --db into an empty PostgreSQL, or a shared one into a FILE.

    Chains stay as they are. Into PostgreSQL, --db becomes the first replica's file: set
    `journal.url` for whoever uses it. Into a FILE, replicas go on until you unset it.
    """
    settings = shared.load().settings
    if "://" in to:
        shared.require_journal()
        with progress("moving", shared.as_json):
            heads = move_in(shared.database, settings, to)
        size = shared.database.stat().st_size
        _show_copied(shared, CopiedJournal(shared.database, size, heads))
        errors.print("moved: set journal.url before anything is written again", markup=False)
        return
    if not settings.journal.url:
        raise InvalidInput("the journal is a file already: `meridia backup` copies it")
    with shared.memory(writes=True) as memory, progress("copying", shared.as_json) as done:
        copied = memory.upkeep.backup(Path(to), done)
    _show_copied(shared, copied)


def _show_copied(shared: SharedOptions, copied: CopiedJournal) -> None:
    """Show what a copy holds."""
    if shared.as_json:
        spaces = [
            {"space": space, "seq": head.seq, "head": head.hash.hex()}
            for space, head in copied.heads.items()
        ]
        about = {"file": str(copied.path), "bytes": copied.size}
        replaced = copied.replaced and str(copied.replaced)
        print_json({**about, "replaced": replaced, "spaces": spaces})
        return
    rows = [[space, head.seq, head.hash.hex()[:16]] for space, head in copied.heads.items()]
    table(["space", "last sequence", "head of chain"], rows)
    console.print(f"{copied.path}: {copied.size:,} bytes, whole", markup=False, soft_wrap=True)
