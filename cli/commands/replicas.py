"""`meridia follow` and `move`: a journal in PostgreSQL that several replicas share."""

from __future__ import annotations

from pathlib import Path

import click

from ...core.errors import InvalidInput
from ...storage.copies.backup import CopiedJournal, set_aside
from ...storage.postgres.following import move_in
from ..options import SharedOptions, command
from ..render import console, errors, print_json, progress, table
from .copies import show_copied


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
        show_copied(shared, CopiedJournal(shared.database, size, heads))
        errors.print("moved: set journal.url before anything is written again", markup=False)
        return
    if not settings.journal.url:
        raise InvalidInput("the journal is a file already: `meridia backup` copies it")
    with shared.memory(writes=True) as memory, progress("copying", shared.as_json) as done:
        copied = memory.upkeep.backup(Path(to), done)
    show_copied(shared, copied)
