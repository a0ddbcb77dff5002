"""`meridia capture`: events in, acknowledgements out, as quickly as a commit allows.

Loads the journal and nothing else: no numpy, no model, no engine.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from ...core.errors import InvalidInput, MeridiaError
from ...core.text import counted, json_line, printable
from ...core.types import Acknowledgement, Outcome, Space
from ...core.vocabulary import outcomes_in_words
from ...ingest.capture.commit import capture_rules_of
from ...ingest.capture.service import CaptureService, CaptureSummary
from ...ingest.importers.import_reader import read
from ...ingest.importers.import_record import ImportRecord
from ...storage.postgres.following import open_journal
from ..options import SharedOptions, command


@command()
@click.argument("file", required=False, default="-")
@click.option("--quiet", "-q", is_flag=True, help="Print no acknowledgements.")
def capture_command(shared: SharedOptions, file: str, quiet: bool) -> int:
    """Capture events in the native form, one JSON object on each line.

    Reads FILE, or standard input when FILE is - or left out. Each event is acknowledged after its
    commit by a line with what became of it and its address. Refused events are listed on standard
    error; the others are captured. Exit status 1 if anything was refused.

    \b
    Example:
      echo '{"kind": "user_message", "payload": {"text": "Hello"}}' | meridia capture
    """  # noqa: D301 - click takes the \b for "do not wrap"
    settings = shared.load().settings
    space = shared.named_space or Space("default")
    so_far = CaptureSummary()

    def answer(record: ImportRecord, given: Acknowledgement | MeridiaError) -> None:
        so_far.add(space, record.where, given)
        if isinstance(given, MeridiaError):
            click.echo(printable(f"{record.where}: {given}"), err=True)
        elif shared.as_json:
            fields = {"outcome": given.outcome, "id": given.id, "event_id": given.event_id}
            more = {"seq": given.seq, "redacted": dict(given.redacted)}
            more |= {"cleaned": dict(given.cleaned), "cut": given.cut}
            click.echo(json_line(fields | more))
        elif given.outcome is Outcome.EMPTY:
            if not quiet:
                click.echo(f"{given.outcome}: it says nothing, and is not kept")
        elif not quiet:
            why = " (forgotten: it stays out)" if given.forgotten else ""
            click.echo(f"{given.outcome.word} @{given.seq}{why}")

    opened = open_journal(shared.database, settings)
    try:
        if os.path.isdir(file):  # noqa: PTH112 - of any text, also one that is no path
            raise InvalidInput(f"{file} is a folder: `meridia import` reads folders")
        with read(source(file), "native") as records:
            capture = CaptureService(opened, capture_rules_of(settings))
            capture.stream(records, lambda _: space, batch=1, on_answer=answer)
    except MeridiaError:
        if so_far.total():
            report(so_far, quiet)
        raise
    finally:
        opened.close()
    report(so_far, quiet)
    return 0 if so_far.clean else 1


def source(file: str) -> Path:
    """Return what to read an input from that a user names; `-` is standard input."""
    return sys.stdin.buffer if file == "-" else Path(file)  # type: ignore[return-value]


def cleaning_note(cleaned: Mapping[str, int], cut: int) -> str:
    """Say which signs were replaced, and how many texts are kept as their ends; "" for neither."""
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(cleaned.items()))
    notes = [f"replaced: {kinds}" * bool(kinds), f"cut: {counted(cut, 'text')}" * bool(cut)]
    return "; ".join(filter(None, notes))


def redaction_note(redacted: Mapping[str, int]) -> str:
    """Say how often each rule redacted something."""
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(redacted.items()))
    return f"redacted by rule: {kinds}; `meridia show` marks them"


def report(summary: CaptureSummary, quiet: bool) -> None:
    """Say on standard error how many events went in and how many did not."""
    refused = summary.total(Outcome.REFUSED, Outcome.FAILED)
    if quiet and not refused:
        return
    counts = outcomes_in_words({outcome: summary.total(outcome) for outcome in Outcome})
    parts = [f"{count:,} {word}" for word, count in counts.items()]
    click.echo(", ".join(parts) or "nothing to capture", err=True)
    if note := cleaning_note(summary.cleaned, summary.cut):
        click.echo(note, err=True)
    if summary.redacted:
        click.echo(redaction_note(summary.redacted), err=True)
