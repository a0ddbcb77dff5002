"""`meridia sinks`: other systems that receive copies of memories."""

from __future__ import annotations

import click

from ....core.errors import NotFound, Unavailable
from ....service import documents
from ....storage.upkeep import chosen_spaces
from ...options import SharedOptions, command
from ...render import errors, print_documents, progress

_COLUMNS = ("space", "name", "seq", "lag", "forgettings", "failures", "error")


@command()
@click.argument("action", type=click.Choice(["list", "sync", "rebuild"]), default="list")
@click.argument("name", metavar="[SINK]", required=False)
def sinks_command(shared: SharedOptions, action: str, name: str | None) -> None:
    """List the systems that receive copies, or deliver to them now.

    A sink receives new entries at the end of a session, after sinks.every captures, and by `sync`.
    `rebuild` empties it and delivers everything again, without a model. `lag` counts the journal
    sequences that it lacks, `forgettings` the forgettings that have not reached it. Without
    --space, all spaces. Exit status 5 if a sink does not answer.

    \b
    Examples:
      meridia sinks
      meridia sinks sync postgres
    """  # noqa: D301 - click takes the \b for "do not wrap"
    shared.require_journal()
    rows: list[documents.Document] = []
    problems: dict[str, str] = {}
    with shared.memory(writes=True) as memory:
        for space in chosen_spaces(memory.parts, shared.named_space):
            here = memory.in_space(space)
            if action != "list":
                here.enrich()
                work = here.sinks.sync if action == "sync" else here.sinks.rebuild
                with progress(f"delivering {space}", shared.as_json) as report:
                    failed = work(name, report)
                problems |= {f"{sink} ({space})": why for sink, why in failed.items() if why}
            rows += [
                {"space": space, **documents.sink(sink)}
                for sink in here.sinks.status()
                if name in {None, sink.name}
            ]
    if name and not rows:
        raise NotFound(f"there is no sink {name!r}: `meridia sinks` lists them")
    if rows or shared.as_json:
        print_documents(shared, rows, _COLUMNS)
    else:
        errors.print("there are no sinks: set postgres.url (docs/sinks.md)")
    if problems:
        reasons = "; ".join(f"{sink}: {why}" for sink, why in problems.items())
        raise Unavailable(f"not everything was delivered; the rest is tried again later: {reasons}")
