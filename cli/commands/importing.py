"""`meridia import` and `enrich`: long operations with a progress bar, which can be continued.

`import --dry-run` reads the files as an import does, opens no journal, and shows the people, counts
and period that would be added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import click

from ...core.errors import InvalidInput, MeridiaError, NotFound, Refused
from ...core.events import Event, EventKind, text_of
from ...core.text import counted
from ...core.time import from_text, to_text
from ...core.types import Acknowledgement, Outcome, Space
from ...core.vocabulary import outcomes_in_words
from ...ingest.capture.service import CaptureSummary
from ...ingest.importers.format_detection import formats
from ...ingest.importers.import_options import ImportOptions
from ...ingest.importers.import_reader import ImportReader, read
from ...ingest.importers.import_record import ImportRecord
from ...ingest.importers.import_report import ImportReport
from ...memory import Memory
from ...service import documents
from ...storage.upkeep import chosen_spaces
from ..options import SharedOptions, command, pairs_option, time_of
from ..render import (
    console,
    errors,
    moment,
    outline_note,
    print_documents,
    print_json,
    progress,
    remark,
    table,
    terminal_text,
)
from .capture import cleaning_note, redaction_note, source
from .lists import who_spoke

_EXAMPLE_CHARS = 60
#: How many records of a file are shown.
_EXAMPLES = 3
_DATE_CHARS = len("2026-03-01")


@dataclass(slots=True)
class Preview:
    """The events of one speaker (or tool) of a file that would go into one space."""

    file: str
    space: Space
    kind: EventKind
    who: str | None
    example: str
    events: int = 0
    first: str | None = None
    last: str | None = None

    def count(self, event: Event) -> None:
        """Count one event."""
        self.events += 1
        if event.ts is not None:
            at = to_text(event.ts)
            self.first = min(self.first or at, at)
            self.last = max(self.last or at, at)

    def as_json(self) -> dict[str, Any]:
        """Return the fields that docs/json.md names."""
        names = ("file", "space", "kind", "who", "events", "first", "last", "example")
        return {name: getattr(self, name) for name in names}


def preview(
    file: str, records: Iterable[ImportRecord], space_of: Callable[[ImportRecord], Space]
) -> tuple[list[Preview], list[str], list[Event]]:
    """Return what would go in, in the order of first words, what would be refused, and examples."""
    rows: dict[tuple[Space, EventKind, str | None], Preview] = {}
    problems: list[str] = []
    examples: list[Event] = []
    for record in records:
        if record.event is None:
            problems.append(f"{record.where}: {record.problem}")
            continue
        event, space = record.event, space_of(record)
        if len(examples) < _EXAMPLES:
            examples.append(event)
        who = event.tool.name if event.tool else event.person
        words = " ".join(text_of(event.as_json()).split())[:_EXAMPLE_CHARS]
        row = rows.setdefault(
            (space, event.kind, who), Preview(file, space, event.kind, who, words)
        )
        row.count(event)
    return list(rows.values()), problems, examples


def show_examples(examples: Iterable[Event]) -> None:
    """Print records as they would go in: when, who, and how they begin."""
    for number, event in enumerate(examples, 1):
        at = "no time" if event.ts is None else moment(event.ts)
        who = event.tool.name if event.tool else event.person or event.kind.value
        words = " ".join(text_of(event.as_json()).split())[:_EXAMPLE_CHARS]
        console.print(terminal_text(f"{number}. {at}  {who}: {words}", "dim"))


def show_preview(rows: list[Preview]) -> None:
    """Print the table, and that nothing was stored; a column with one value for all is left out."""
    columns: dict[str, list[Any]] = {
        "file": [row.file for row in rows],
        "space": [row.space for row in rows],
        "kind": [row.kind.value for row in rows],
        "who": [row.who for row in rows],
        "events": [row.events for row in rows],
        "when": [_period(row) for row in rows],
        "begins": [row.example for row in rows],
    }
    shown = {n: c for n, c in columns.items() if n not in ("file", "space") or len(set(c)) > 1}
    if rows:
        table(list(shown), list(zip(*shown.values(), strict=True)))
    total = sum(row.events for row in rows)
    console.print(
        f"dry run: {counted(total, 'event')} would go in; nothing was stored", style="dim"
    )


def _period(row: Preview) -> str | None:
    days = [at[:_DATE_CHARS] for at in dict.fromkeys((row.first, row.last)) if at]
    return " – ".join(dict.fromkeys(days)) or None


_PROBLEMS_SHOWN = 20


@command(epilog="\n\n".join(["Formats:", *(f"{n}: {d}" for n, d in formats().items())]))
@click.argument("files", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format", "format_", type=click.Choice(list(formats())), help="The format; default: detected."
)
@click.option("--person", metavar="NAME", help="The person of user messages without a name.")
@pairs_option(
    "--map",
    "roles",
    "The role of a name, or the field of a CSV column. May be repeated.",
    "NAME=ROLE",
)
@click.option("--at", metavar="T", help="The time of events that have none.")
@click.option("--dry-run", is_flag=True, help="Show what would be imported; store nothing.")
@click.option("--no-enrich", is_flag=True, help="Do not enrich after the import.")
def import_command(
    shared: SharedOptions,
    files: tuple[str, ...],
    format_: str | None,
    person: str | None,
    roles: Mapping[str, Any] | None,
    at: str | None,
    dry_run: bool,
    no_enrich: bool,
) -> int:
    """Import conversations, notes and transcripts.

    PATH is a file, a folder, a zip archive, or - for standard input. The format of each file is
    detected by content, or named by --format. A report says what was read and what was left out.
    Without --space, each LoCoMo conversation gets a space. Run an interrupted import again to
    continue it: stored events are recognised by their id. Exit status 1 if a record was refused;
    the others are imported. A file that cannot be read does not stop the import of other files.

    --map gives names a role (user, assistant, tool, skip), e.g. --map Robin=assistant, and columns
    of a CSV table a field (text, person, role, at, session, id, tool_name), e.g. --map said=text.
    """
    mapping = {name: str(role) for name, role in (roles or {}).items()}
    options = ImportOptions(person, time_of(at, "--at"), mapping)
    reader = partial(_open, format_, options)
    if dry_run:
        return _dry_run(shared, reader, files)
    summaries = {file: CaptureSummary() for file in files}
    reports: list[ImportReport] = []
    failures: list[MeridiaError] = []
    with shared.memory(writes=True) as memory:
        if person is not None:  # the owner of the space, where they have no name yet
            memory.in_space(shared.named_space or memory.space).people.introduce(person)
        try:
            for file, summary in summaries.items():
                with _kept(failures), reader(file) as records:
                    reports.append(records.report)
                    _import_path(memory, records, shared, summary)
            spaces = dict.fromkeys(s for summary in summaries.values() for s in summary.outcomes)
            if not no_enrich:
                enrich_spaces(memory, list(spaces))
                _hint(memory, [s for s in spaces if s in memory.parts.journal.spaces()])
        finally:
            _show(summaries, reports, failures[1:], shared.as_json)
            _show_speakers(memory, summaries.values())
            if note := outline_note(memory.settings.ingest.skeleton_days):
                remark(note)
    if failures:
        raise failures[0]
    return 0 if all(summary.clean for summary in summaries.values()) else 1


@contextmanager
def _kept(failures: list[MeridiaError]) -> Iterator[None]:
    """Keep the error of a file that cannot be read, so that the others are imported."""
    try:
        yield
    except (InvalidInput, NotFound, Refused) as error:
        failures.append(error)


def _show_speakers(memory: Memory, summaries: Iterable[CaptureSummary]) -> None:
    """Say who spoke in each space, and how to name who has no name."""
    for space in dict.fromkeys(space for summary in summaries for space in summary.outcomes):
        there = space in memory.parts.journal.spaces()
        if there and (line := who_spoke(memory.in_space(space))):
            errors.print(terminal_text(line), markup=False)


def _open(format_: str | None, options: ImportOptions, file: str) -> ImportReader:
    return read(source(file), format_, options=options)


def _dry_run(
    shared: SharedOptions, reader: Callable[[str], ImportReader], files: tuple[str, ...]
) -> int:
    def space_of(record: ImportRecord) -> Space:
        return Space(shared.named_space or record.space or "default")

    rows, problems = [], []
    failures: list[MeridiaError] = []
    read: list[tuple[ImportReport, list[Event]]] = []
    for file in files:
        with _kept(failures), reader(file) as records:
            listed, refused, examples = preview(records.name, records, space_of)
            rows += listed
            problems += refused
            read.append((records.report, examples))
            _remark(records)
    if shared.as_json:
        problems += map(str, failures[1:])
        documents_read = [
            {**report.as_json(), "records": [event.as_json() for event in examples]}
            for report, examples in read
        ]
        answer = {"dry_run": [row.as_json() for row in rows], "read": documents_read}
        print_json(answer | {"problems": problems})
    else:
        for report, examples in read:
            _show_report(report, named=len(files) > 1)
            show_examples(examples)
        if rows or not failures:
            show_preview(rows)
        _print_problems([*problems, *map(str, failures[1:])], len(problems) + len(failures[1:]))
    if failures:
        raise failures[0]
    return 1 if problems else 0


def _show_report(report: ImportReport, *, named: bool) -> None:
    """Print what an input was read as, and what has to be said of it."""
    headline, *more = report.lines()
    console.print(terminal_text(f"{report.name}: {headline}" if named else headline))
    for line in more:
        console.print(terminal_text(line, "yellow"))


def _remark(records: ImportReader) -> None:
    """Say on standard error what of a file and its options came to nothing."""
    report = records.report
    if not (report.total or report.refused):
        line = f"{report.name} is empty: it holds no event"
        remark(line)
    for unmatched in sorted(records.unmatched):
        line = f"{report.name} holds no name or column {unmatched!r}: --map changed nothing there"
        remark(line)


def _import_path(
    memory: Memory, records: ImportReader, shared: SharedOptions, summary: CaptureSummary
) -> None:
    with progress(f"{records.name} (kB)") as move:
        total = (records.bytes_total or 0) // 1024

        def on_record(record: ImportRecord, given: Acknowledgement | MeridiaError) -> None:
            space = Space(shared.named_space or record.space or memory.space)
            summary.add(space, record.where, given)
            move(records.bytes_read // 1024, max(total, records.bytes_read // 1024))

        memory.import_records(records, shared.named_space, on_record)
    _remark(records)


def enrich_spaces(
    memory: Memory, spaces: list[Space], *, reembed: bool = False, again: bool = False
) -> dict[Space, int]:
    """Bring everything derived of some spaces up to date, with a bar each; see `Memory.enrich`.

    The graphs come last: one that does not answer keeps no space from being enriched.
    Returns how many messages of each space are read otherwise than before.
    """
    changed = {}
    there = [memory.in_space(space) for space in spaces if space in memory.parts.journal.spaces()]
    for here in there:
        seq = memory.parts.journal.head(here.space).seq
        with progress(f"enriching {here.space}") as move:
            here.enrich(move, reembed=reembed, again=again)
        changed[here.space] = memory.parts.space(here.space).readings.count(seq)
    for here in there:
        with progress(f"graph of {here.space}") as move:
            here.graph.project(move)
        here.graph.release()
    return changed


def _show(
    summaries: Mapping[str, CaptureSummary],
    reports: Sequence[ImportReport],
    failures: Sequence[MeridiaError],
    as_json: bool,
) -> None:
    rows = [
        {"file": file, "space": space, **{str(o): counts.get(o, 0) for o in Outcome}}
        for file, summary in summaries.items()
        for space, counts in summary.outcomes.items()
    ]
    problems = [problem for summary in summaries.values() for problem in summary.problems]
    problems += map(str, failures)
    counts = sum((summary.redacted for summary in summaries.values()), Counter[str]())
    redacted = dict(sorted(counts.items()))
    cleaned = sum((summary.cleaned for summary in summaries.values()), Counter[str]())
    cut = sum(summary.cut for summary in summaries.values())
    forgotten = sum(summary.forgotten for summary in summaries.values())
    if as_json:
        answer = {"imported": rows, "read": [report.as_json() for report in reports]}
        answer |= {"redacted": redacted, "cleaned": dict(cleaned), "cut": cut}
        answer |= {"forgotten": forgotten, "problems": problems}
        print_json(answer)
        return
    for report in reports:
        _show_report(report, named=len(summaries) > 1)
    words = [
        (file, space, outcomes_in_words(outcomes))
        for file, summary in summaries.items()
        for space, outcomes in summary.outcomes.items()
    ]
    columns = list(dict.fromkeys(word for *_, named in words for word in named))
    if rows:
        table(
            ["file", "space", *columns],
            [[file, space, *(named.get(c, 0) for c in columns)] for file, space, named in words],
        )
    if note := cleaning_note(cleaned, cut):
        console.print(note)
    if redacted:
        console.print(redaction_note(redacted))
    if forgotten:
        console.print(f"{forgotten:,} of these were forgotten: they stay out")
    refused = sum(summary.total(Outcome.REFUSED) for summary in summaries.values())
    _print_problems(problems, refused + len(failures))


def _print_problems(problems: Sequence[str], count: int) -> None:
    for problem in problems[:_PROBLEMS_SHOWN]:
        remark(problem)
    if count > _PROBLEMS_SHOWN:
        errors.print(f"… and {count - _PROBLEMS_SHOWN:,} more", style="yellow")


@command()
@click.option("--dead", is_flag=True, help="List failed model requests, with reasons.")
@click.option("--retry", is_flag=True, help="Try all failed model requests again.")
@click.option("--reembed", is_flag=True, help="Embed with the current encoder; keep old vectors.")
@click.option("--again", is_flag=True, help="Read every message again with the current rules.")
def enrich_command(
    shared: SharedOptions, dead: bool, retry: bool, reembed: bool, again: bool
) -> None:
    """Bring people, concepts, vectors and graph up to date.

    Without --space, every space. A memory that is not enriched yet is found by its words only;
    `recall` says how many there are. In a terminal, a bar shows rate and time left.

    A failed model request is retried after increasing waits. After the fifth failure it is a dead
    letter, which waits for --retry. Nothing is lost: the results of the rules stay.

    After a change of embedding.model, --reembed adds the vectors of the new encoder; the old ones
    are kept, so that the setting can be changed back.

    --again reads every message again: facts, names, topics, feelings, promises, and what each
    sentence does. What the rules no longer find is withdrawn, lists and graph are rebuilt, and the
    command says how many messages changed. Statements of a language model or a person stay.
    """
    if dead and retry:
        raise click.UsageError("use --dead or --retry, not both")
    shared.require_journal()
    with shared.memory(writes=True) as memory:
        spaces = chosen_spaces(memory.parts, shared.named_space)
        if dead:
            failed = [f for s in spaces for f in documents.failures(memory.in_space(s))]
            _show_failures(failed, shared)
            return
        tried = {space: _tasks(memory, space) for space in spaces} if retry else {}
        for space in tried:
            memory.in_space(space).upkeep.retry()
        changed = enrich_spaces(memory, spaces, reembed=reembed, again=again)
        if retry:
            _show_retried(memory, tried, shared)
            return
        lags = {str(space): memory.in_space(space).status(graph=True) for space in spaces}
        _hint(memory, spaces)
    if shared.as_json:
        changes = {
            space: {"changed": changed.get(Space(space), 0)} if again else {} for space in lags
        }
        print_json({space: {**s.cursors, **changes[space]} for space, s in lags.items()})
    else:
        for space, count in changed.items() if again else ():
            console.print(f"{space}: {count:,} messages are read otherwise than before")
        rows = [[space, int(s.seq), *s.cursors.values()] for space, s in lags.items()]
        names = next(iter(lags.values())).cursors if lags else {}
        table(["space", "journal", *names], rows)


def _tasks(memory: Memory, space: Space) -> set[tuple[int, str]]:
    return {(task.seq, task.stage) for task in memory.in_space(space).upkeep.failures()}


def _show_retried(
    memory: Memory, tried: Mapping[Space, set[tuple[int, str]]], shared: SharedOptions
) -> None:
    rows = [
        {"space": space, "tried": len(before), "failing": len(before & _tasks(memory, space))}
        for space, before in tried.items()
    ]
    tried_again, failing = ("tried again", "tried"), ("still failing", "failing")
    print_documents(shared, rows, ["space", tried_again, failing])
    if any(row["failing"] for row in rows) and not shared.as_json:
        why = "`meridia enrich --dead` says why"
        if memory.settings.model.dialect == "none":
            why = "no model is set: `meridia config` shows model.dialect"
        remark(why)


def _hint(memory: Memory, spaces: Sequence[Space]) -> None:
    """Say where to look when something is left that a model failed at."""
    if count := sum(len(_tasks(memory, space)) for space in spaces):
        what = "1 question" if count == 1 else f"{count:,} questions"
        line = f"a model failed to answer {what}: `meridia enrich --dead` lists the reasons"
        remark(line)


def _show_failures(failures: Sequence[Mapping[str, Any]], shared: SharedOptions) -> None:
    if shared.as_json:
        print_json(failures)
        return
    for failure in failures:
        about = (
            f"meridia://{failure['experience']}"
            if failure["experience"]
            else f"entry {failure['seq']}"
        )
        times = f"{failure['attempts']} attempt{'' if failure['attempts'] == 1 else 's'}"
        state = "dead letter" if failure["dead"] else "failed"
        console.print(terminal_text(f"{state}: {failure['stage']}, {times}", "bold"))
        console.print(terminal_text(f"   {about} of space {failure['space']}", "dim"))
        console.print(terminal_text(f"   {failure['error']}"))
        if not failure["dead"]:
            console.print(terminal_text(f"   tried again {_when(failure['due'])}"))
    if not failures:
        console.print("nothing failed", style="dim")


def _when(due: str) -> str:
    instant = from_text(due)
    return "the next time" if instant.year == 1 else f"after {moment(instant)}"
