"""`meridia remember`, `update`, `history`: a memory in all versions; `decide`: how it is judged."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from ...core.errors import InvalidInput
from ...core.events import Event, parse_event
from ...core.types import Acknowledgement, Space
from ...ingest.capture.commit import CaptureContext, capture_rules_of
from ...ingest.capture.service import CaptureService
from ...ingest.importers.import_record import parse_json
from ...service import documents
from ...service.parameters import RememberParameters, UpdateParameters, UpsertParameters
from ...storage.postgres.following import open_journal
from ..options import SharedOptions, command, pairs_option, standard_input, take_memory, text_of
from ..parameters import options_of
from ..render import console, moment, paged_command, print_answer, table, terminal_text

_meta_option = pairs_option("--meta", "metadata", "Metadata, which --where filters by.")


@command()
@click.argument("text")
@options_of(UpsertParameters, "role")
@options_of(RememberParameters, "person session at id")
@_meta_option
@options_of(RememberParameters, "tool error")
@click.option("--upsert", is_flag=True, help="With --id: other content is its next version.")
def remember_command(
    shared: SharedOptions, text: str, id: str | None, error: bool, upsert: bool, **given: Any
) -> None:
    """Remember one message, result or note.

    TEXT may be - for standard input.
    """
    if upsert and (id is None or error):
        raise InvalidInput("--upsert needs --id, and takes no --error")
    with shared.memory(writes=True) as memory:
        content = standard_input() if text == "-" else text
        if upsert:
            answer = memory.upsert(str(id), content, **given)
        else:
            given["role"] = given["role"] or "user"
            answer = memory.remember(content, id=id, error=error, **given)
    _show_answer(shared, answer)


@command()
@click.argument("words", nargs=-1, required=True, metavar="ADDRESS TEXT")
@options_of(UpdateParameters, "at id")
@_meta_option
def update_command(
    shared: SharedOptions, words: tuple[str, ...], id: str | None, **given: Any
) -> None:
    """Correct a memory: from now on another text is found in its place.

    ADDRESS is @N, an id, or `last 3` for the third memory of the newest recall. TEXT may be - for
    standard input. `meridia history` shows every version.
    """
    with shared.memory() as memory:
        here, address, texts = take_memory(memory, words, shared)
        if len(texts) != 1:
            raise InvalidInput("write the address, then the new text in quotation marks")
        text = standard_input() if texts[0] == "-" else texts[0]
        answer = here.update(address, text, version_id=id, **given)
    _show_answer(shared, answer)


@paged_command()
@click.argument("words", nargs=-1, required=True, metavar="ADDRESS")
def history_command(shared: SharedOptions, words: tuple[str, ...]) -> None:
    """Show every version of a memory, oldest first.

    ADDRESS is @N, an id, or `last 3` for the third memory of the newest recall.
    """
    with shared.memory() as memory:
        here, address, rest = take_memory(memory, words, shared)
        if rest:
            raise InvalidInput(f"give one address: remove {' '.join(rest)!r}")
        versions = here.history(address)
    rows = [[f"@{m.seq}", moment(m.at), m.who, m.text] for m in versions]
    print_answer(
        shared,
        lambda: [documents.version(memory) for memory in versions],
        lambda: table(["address", "at", "who", "text"], rows),
    )


def _show_answer(shared: SharedOptions, answer: Acknowledgement) -> None:
    why = "  (forgotten: it stays out)" if answer.forgotten else ""
    said = f"@{answer.seq}  {str(answer).removeprefix(f'[{answer.address}] ')}{why}"
    print_answer(shared, lambda: asdict(answer), lambda: console.print(said, markup=False))


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
