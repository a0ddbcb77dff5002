"""Output of the commands: tables and trees for people, JSON for programs. Loads Rich."""

from __future__ import annotations

import functools
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import click
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..core.text import json_line, printable
from ..core.time import from_text
from ..ingest.enrichment.passes import Progress as Callback
from .options import SharedOptions, command

#: An id, an address, a moment, a setting or a variable: it is copied whole or not at all.
_WHOLE = re.compile(
    r"(?:meridia://)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|@\d+"
    r"|\d{4}-\d\d-\d\d(?:[ T][\d:.]+(?:Z|[+-]\d\d:\d\d)?)?"
    r"|[a-z]+\.[a-z_0-9]+|MERIDIA_[A-Z_0-9]+"
)
#: A text column is no narrower: where that leaves no room, lines are longer than the terminal's.
_TEXT_WIDTH = 10
_GAP = 2
#: Of a row on one line, columns but the last take such a part each; the last is no narrower.
_FRACTION, _LAST_MIN = 4, 16
F = TypeVar("F", bound=Callable[..., Any])
#: The columns of a table: keys of its documents, or headings, each with its key or a function.
Columns = Sequence[str | tuple[str, str | Callable[[Any], Any]]]

console = Console(highlight=False, soft_wrap=False)
errors = Console(stderr=True, highlight=False)


class _Printable(RenderHook):
    """Lets nothing to a terminal that a reader would not see: whatever is printed passes here."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Return what is to be printed, so that its texts are printable."""
        return [_Shown(renderable) for renderable in renderables]


@dataclass(frozen=True, slots=True)
class _Shown:
    renderable: ConsoleRenderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


for _printer in (console, errors):
    _printer.push_render_hook(_Printable())


def remark(line: str) -> None:
    """Print a line about an answer on standard error."""
    errors.print(line, style="yellow", markup=False)


def print_json(value: Any) -> None:
    """Print plain JSON values, one document."""
    sys.stdout.write(json_line(value, indent=2) + "\n")


def print_answer(
    shared: SharedOptions, as_json: Callable[[], Any], show: Callable[[], None]
) -> None:
    """Show an answer to people, or print for machines the document that says the same."""
    if shared.as_json:
        print_json(as_json())
    else:
        show()


def print_documents(
    shared: SharedOptions,
    documents: Sequence[Any],
    columns: Columns,
    empty: str = "",
    one_line: bool = False,
) -> None:
    """Print documents as a table, or for machines as they are.

    `empty` is said of none; with `one_line`, each has a line.
    """
    if shared.as_json:
        print_json(documents)
    elif empty and not documents:
        console.print(empty, style="dim")
    else:
        pairs = [(c.replace("_", " "), c) if isinstance(c, str) else c for c in columns]
        rows = [[of(one) if callable(of) else one[of] for _, of in pairs] for one in documents]
        (list_rows if one_line else table)([heading for heading, _ in pairs], rows)


def day(name: str) -> Callable[[Mapping[str, Any]], str]:
    """Return a column: the date that a document has under a name; "" where it has none."""
    return lambda document: (document[name] or "")[: len("2026-03-01")]


def at(name: str) -> Callable[[Mapping[str, Any]], str | None]:
    """Return a column: the time that a document has under a name, to the minute."""
    return lambda document: moment(from_text(document[name])) if document.get(name) else None


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str | None = None) -> None:
    """Print rows as a table; numbers stand to the right, texts wrap, ids stay whole.

    Nothing is cut: a table that does not fit has lines that are longer than the terminal's.
    """
    drawn = Table(title=title, title_justify="left", header_style="bold", box=None, pad_edge=False)
    drawn.show_header = any(columns)
    needed = -_GAP
    for place, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[place], (int, float)) for row in rows)
        texts = [cell(row[place]) for row in rows]
        whole = max((len(text) for text in texts if _WHOLE.fullmatch(text)), default=None)
        widest = max(map(cell_len, [*texts, *column.split()]))
        needed += _GAP + (whole or (widest if numeric else min(widest, _TEXT_WIDTH)))
        drawn.add_column(
            terminal_text(column),
            justify="right" if numeric else "left",
            overflow="fold",
            min_width=whole,
        )
    for row in rows:
        drawn.add_row(*(terminal_text(cell(value)) for value in row))
    if needed > console.width:
        drawn.width = needed
    console.print(drawn, crop=False)


def list_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows as a table, a line each: the last column is cut where the terminal ends.

    Other columns take at most a quarter each, but addresses and times, which stay whole.
    """
    cells = [[" ".join(printable(cell(value)).split()) for value in row] for row in rows]
    drawn = Table(header_style="bold", box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    left = console.width
    for place, column in enumerate(columns):
        texts = [row[place] for row in cells]
        widest = max(map(cell_len, [column, *texts]))
        is_last = place == len(columns) - 1
        whole = any(map(_WHOLE.fullmatch, texts))
        width = (
            max(left, _LAST_MIN)
            if is_last
            else widest
            if whole
            else min(widest, console.width // _FRACTION)
        )
        left -= width + _GAP * (not is_last)
        numeric = bool(rows) and all(isinstance(row[place], (int, float)) for row in rows)
        drawn.add_column(
            column,
            justify="right" if numeric else "left",
            width=min(width, widest),
            no_wrap=True,
            overflow="ellipsis",
        )
    for row in cells:
        drawn.add_row(*map(Text, row))
    drawn.width = max(console.width, console.width - left)
    console.print(drawn, crop=False)


def paged_command(**settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command whose output passes through the pager where it is longer than the terminal."""
    return lambda function: command(**settings)(_paged(function))


def _paged(command: F) -> F:
    @functools.wraps(command)
    def wrapper(shared: Any, *args: Any, **given: Any) -> Any:
        pager = os.environ.get("PAGER", "less")
        watched = console.is_terminal and sys.stdout.isatty() and sys.stdin.isatty()
        if shared.no_pager or not pager or not watched:
            return command(shared, *args, **given)
        console.begin_capture()
        try:
            return command(shared, *args, **given)
        finally:
            text = console.end_capture()
            if text.count("\n") < console.height:
                sys.stdout.write(text)
            else:
                click.echo_via_pager(text.rstrip("\n"))

    return wrapper  # type: ignore[return-value]


def terminal_text(text: str, style: str = "") -> Text:
    """Return what somebody else wrote, fit for a terminal: no markup, no unseen signs."""
    return Text(printable(text), style)


def cell(value: Any) -> str:
    """Return a value as short text."""
    if value is None:
        return "–"
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def moment(instant: datetime) -> str:
    """Return an instant to the minute, in UTC."""
    return instant.strftime("%Y-%m-%d %H:%M")


def outline_note(days: float | None) -> str | None:
    """Return what the setting does to tool results, where it is on; see `ingest.skeleton_days`."""
    if days is None:
        return None
    period = f"{days:g} day{'' if days == 1 else 's'}"
    return f"ingest.skeleton_days: tool results of low significance lose their text after {period}"


class _RateColumn(ProgressColumn):
    """How many steps a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s")


@contextmanager
def progress(label: str, quiet: bool = False) -> Iterator[Callback]:
    """Show a bar with rate and time left on standard error, while a terminal watches.

    Gives the function that moves it: (done, total).
    """
    shown = errors.is_terminal and not quiet
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        _RateColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=not shown,
    ) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
