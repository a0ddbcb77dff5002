"""`meridia decide`: the decision that capture would make on an event, and its arithmetic."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import InvalidInput
from ...core.events import Event, parse_event
from ...core.types import Space
from ...ingest.capture.commit import CaptureContext, capture_rules_of
from ...ingest.capture.service import CaptureService
from ...ingest.importers.import_record import parse_json
from ...storage.postgres.following import open_journal
from ..options import SharedOptions, command, text_of
from ..render import console, print_answer, table, terminal_text


@command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True), default="-")
@click.option("--explain", is_flag=True, help="Show the factors and their weights.")
def decide_command(shared: SharedOptions, file: str, explain: bool) -> None:
    """Show how an event would be stored, and why.

    The decision is made now, with the history of its session; nothing is stored. Reads one event
    in the native form from FILE, or from standard input.

    \b
    Example:
      echo '{"kind": "tool_result", "tool": {"name": "bash", "isError": true},
             "payload": {"result": "make: *** Error 1"}}' | meridia decide --explain
    """  # noqa: D301 - click takes the \b for "do not wrap"
    event = _event(file)
    settings = shared.load().settings
    # Without a journal there is no past; a private one stands in and disappears.
    path = shared.database if shared.has_journal() or settings.journal.url else None
    opened = open_journal(path, settings)
    try:
        capture = CaptureService(opened, capture_rules_of(settings))
        context = capture.explain(shared.named_space or Space("default"), event)
    finally:
        opened.close()
    print_answer(shared, lambda: _json(context), lambda: _show(context, explain))


def _event(file: str) -> Event:
    text = text_of(file)
    try:
        value = parse_json(text)
        if not isinstance(value, dict):
            raise InvalidInput("is not an event: one JSON object is needed")
        return parse_event(value)
    except InvalidInput as error:
        source = "standard input" if file == "-" else file
        raise InvalidInput(f"{source}: {error}") from None


def _json(context: CaptureContext) -> dict[str, Any]:
    return {
        **context.decision.outline(),
        "factors": [factor._asdict() for factor in context.decision.factors],
        "trigger": context.trigger.value,
        "marks": list(context.marks),
        "duplicate_of": context.duplicate_of,
        "redacted": dict(context.redacted),
    }


def _show(context: CaptureContext, explain: bool) -> None:
    decision = context.decision
    line = f"{decision.outcome.word}: {decision.reason}"
    console.print(terminal_text(line, "bold"))
    if explain:
        console.print()
        table(
            ["factor", "value", "weight", "adds", "why"],
            [
                *([f.name, f.value, f.weight, f.contribution, f.reason] for f in decision.factors),
                ["significance", None, None, decision.significance, _compared(context)],
            ],
        )
        console.print()
    if context.redacted:
        counted = ", ".join(f"{count} {kind}" for kind, count in context.redacted.items())
        console.print(terminal_text(f"redacted: {counted}"))
    if decision.near:
        console.print(terminal_text("near the threshold: a model would be asked"))
    if context.trigger.value != "none":
        console.print(terminal_text(f"trigger: {context.trigger.value}"))


def _compared(context: CaptureContext) -> str:
    decision = context.decision
    gate = f"; gate: {decision.limited.detail}" if decision.limited else ""
    return f"threshold {decision.threshold:g}{gate}"
