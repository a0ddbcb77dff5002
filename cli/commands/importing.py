"""`meridia import` and `meridia enrich`: long work, with a bar, continued where it stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from ...core.errors import InvalidInput, MeridiaError, NotFound, Refused
from ...core.types import Acknowledgement, Outcome, Space
from ...ingest.capture import Summary
from ...ingest.importers.detect import formats, read
from ...ingest.importers.record import Limits, Record
from ...memory import Memory
from ..context import Shared, shared_options
from ..render import errors, print_json, progress, table
from .capture import outcome_of

_PROBLEMS_SHOWN = 20


@click.command(epilog="\n\n".join(["Formats:", *(f"{n}: {d}" for n, d in formats().items())]))
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format", "format_", type=click.Choice(list(formats())), help="Instead of by content."
)
@click.option("--no-enrich", is_flag=True, help="Leave people, concepts and vectors for later.")
@shared_options
def import_command(
    shared: Shared, files: tuple[str, ...], format_: str | None, no_enrich: bool
) -> int:
    """Import conversations and transcripts from files.

    The format is told by content. Without --space, LoCoMo makes one space a conversation. An
    import that is interrupted is continued by running it again: what is known is recognised by
    its id. Exit status 1 when any record was refused; the others are in. A file that cannot be
    read does not keep the other files out.
    """
    summaries = {file: Summary() for file in files}
    failures: list[MeridiaError] = []
    with shared.memory(writes=True) as memory:
        try:
            for file, summary in summaries.items():
                try:
                    _import_one(memory, Path(file), format_, shared, summary)
                except (InvalidInput, NotFound, Refused) as error:
                    failures.append(error)
            spaces = dict.fromkeys(s for summary in summaries.values() for s in summary.outcomes)
            if not no_enrich:
                enrich_spaces(memory, list(spaces))
        finally:
            _show(summaries, failures[1:], shared.as_json)
    if failures:
        raise failures[0]
    return 0 if all(summary.clean for summary in summaries.values()) else 1


def _import_one(
    memory: Memory, file: Path, format_: str | None, shared: Shared, summary: Summary
) -> None:
    limits = Limits(event_bytes_max=memory.settings.journal.event_bytes_max)
    with read(file, format_, limits) as records, progress(f"{file.name} (kB)") as move:
        total = (records.bytes_total or 0) // 1024

        def seen(record: Record, given: Acknowledgement | MeridiaError) -> None:
            space = Space(shared.named_space or record.space or memory.space)
            problem = f"{record.where}: {given}" if isinstance(given, MeridiaError) else None
            summary.count(space, outcome_of(given), problem)
            move(records.bytes_read // 1024, max(total, records.bytes_read // 1024))

        memory.import_records(records, shared.named_space, seen)


def enrich_spaces(memory: Memory, spaces: list[Space]) -> None:
    """Bring everything derived of some spaces up to date, with a bar each."""
    for space in spaces:
        if space not in memory.parts.journal.spaces():
            continue
        here = memory.in_space(space)
        with progress(f"enriching {space}") as move:
            here.enrich(move)
        with progress(f"graph of {space}") as move:
            here.project(move)
        here.release_graph()


def _show(
    summaries: Mapping[str, Summary], failures: Sequence[MeridiaError], as_json: bool
) -> None:
    rows = [
        {"file": file, "space": space, **{str(o): counts.get(o, 0) for o in Outcome}}
        for file, summary in summaries.items()
        for space, counts in summary.outcomes.items()
    ]
    problems = [problem for summary in summaries.values() for problem in summary.problems]
    problems += map(str, failures)
    if as_json:
        print_json({"imported": rows, "problems": problems})
        return
    shown = [str(o) for o in Outcome if any(row[str(o)] for row in rows)]
    columns = ["file", "space", *shown]
    if rows:
        table(columns, [[row[column] for column in columns] for row in rows])
    for problem in problems[:_PROBLEMS_SHOWN]:
        errors.print(problem, style="yellow", markup=False)
    refused = sum(summary.total(Outcome.REFUSED) for summary in summaries.values())
    if refused + len(failures) > _PROBLEMS_SHOWN:
        errors.print(f"… and {refused + len(failures) - _PROBLEMS_SHOWN:,} more", style="yellow")


@click.command()
@shared_options
def enrich_command(shared: Shared) -> int:
    """Bring people, concepts, vectors and graph up to date.

    Without --space, every space. Recall does this by itself for what is new; after a large import
    with --no-enrich it is quicker to have it done before.
    """
    shared.require_journal()
    with shared.memory(writes=True) as memory:
        spaces = [shared.named_space] if shared.named_space else memory.parts.journal.spaces()
        enrich_spaces(memory, spaces)
        lags = {str(space): memory.in_space(space).status(graph=True) for space in spaces}
    if shared.as_json:
        print_json({space: dict(status.cursors) for space, status in lags.items()})
    else:
        rows = [[space, int(s.seq), *s.cursors.values()] for space, s in lags.items()]
        names = next(iter(lags.values())).cursors if lags else {}
        table(["space", "journal", *names], rows)
    return 0
