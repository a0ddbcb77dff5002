"""`meridia import --dry-run`: the people, counts and period that an import would add.

Reads the files as an import does and opens no journal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ...core.events import Event, EventKind, text_of
from ...core.text import counted
from ...core.time import to_text
from ...core.types import Space
from ...ingest.importers.import_record import ImportRecord
from ..render import console, moment, table, terminal_text

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
