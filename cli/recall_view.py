"""How a recall is printed: each memory with its address, its quote, and why it was recalled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal

from rich.cells import cell_len
from rich.padding import Padding
from rich.text import Text
from rich.tree import Tree

from ..core.text import counted
from ..language.analyser import Analyser
from ..retrieval.ranking.contributions import TraceNode
from ..retrieval.ranking.score_trace import TraceSummary
from ..retrieval.recall_result import Hit, Recall
from ..retrieval.sentence_excerpts import excerpt_of
from .render import console, errors, moment, remark, terminal_text

#: No reasons but the sentence; the score by places; every leaf of the trace.
Detail = Literal["", "places", "all"]
_QUOTE_LINES, _STEP = 2, 8
#: What a place gives, within a sentence.
_AMOUNT = re.compile(r" \(-?[\d.]+ of -?[\d.]+\)")
_INDENT = 4
#: Dates that are printed of what is said again.
_DATES_MAX = 5
_HUNDREDTH = 0.005
#: What has no room for its name, together.
_OTHER = "other"


def show_recall(answer: Recall, detail: Detail = "") -> None:
    """Print an answered question."""
    for note in answer.notes:
        remark(note)
    if answer.unread:
        errors.print("`meridia enrich` reads them, --wait 30 waits for it", style="dim")
    if not answer.hits:
        console.print("no memories recalled", style="dim")
        return
    if detail:
        read = "; ".join(f"{kind}: {', '.join(parts)}" for kind, parts in answer.reading.items())
        _print_cut(terminal_text(f"read as {read}" if read else "read as no content words", "dim"))
    first, confidence = answer.hits[0].rank, f"(confidence {answer.confidence:.2f})"
    if answer.confident:
        best = "memory" if len(answer.hits) == 1 else f"{len(answer.hits)} memories"
        shown = f"the best {best}" if first == 1 else f"result {first}"
        console.print(f"{shown} {confidence}", style="dim")
    else:
        _print_cut(Text(f"{answer.doubt} {confidence}; the nearest:", "yellow"))
    for hit in answer.hits:
        show_hit(hit, detail, answer.question)
    for hit in answer.lateral:
        console.print("beside the answer, by lateral thinking:", style="dim")
        show_hit(hit, detail, answer.question)
    if detail:
        console.print(Text(f"recall {answer.id}", style="dim"))
    commands = " · ".join(
        f"{command} last {first}{more}"
        for command, more in (("why", ""), ("what-if", ""), ("show", ""), ("feedback", " useful"))
    )
    _print_cut(Text(f"next: meridia {commands}", style="dim"))


def show_hit(hit: Hit, detail: Detail = "", question: str = "") -> None:
    """Print one recalled memory: header, a quote of two lines, and why it came back."""
    summary = hit.summary
    _print_cut(_header(hit, summary))
    console.print(Padding(_quote(hit, question), (0, 0, 0, _INDENT), expand=False))
    if hit.passage is not None:
        where = f"characters {hit.passage.start:,} to {hit.passage.end:,} of {len(hit.text):,}"
        _print_cut(terminal_text(f"{'':{_INDENT}}from {where}", "dim"))
    if detail == "all":
        for fact in hit.facts:
            _print_cut(terminal_text(f"{'':{_INDENT}}fact: {fact}", "dim"))
    if hit.repeats:
        days = [f"{memory.at:%Y-%m-%d}" for memory in hit.repeats]
        more = f" and {len(days) - _DATES_MAX} more" if len(days) > _DATES_MAX else ""
        again = f"said again: {', '.join(days[:_DATES_MAX])}{more}"
        _print_cut(terminal_text(f"{'':{_INDENT}}{again}", "dim"))
    why = f"{'':{_INDENT}}why: {summary.sentence}"
    if detail == "all":
        sentence = terminal_text(why.strip(), "green")
        console.print(Padding(sentence, (0, 0, 0, _INDENT), expand=False))
    else:
        whole = cell_len(why) <= console.width
        _print_cut(terminal_text(why if whole else _AMOUNT.sub("", why), "green"))
    if detail == "places":
        for line in _place_lines(summary, hit.score):
            _print_cut(terminal_text(line))
    elif detail == "all":
        tree = Tree(Text(f"score {hit.trace.value:.3f}, the sum of:"), guide_style="dim")
        _grow(tree, hit.trace)
        console.print(tree)
        pattern = terminal_text(f"in the graph: {hit.pattern}", "dim")
        console.print(Padding(pattern, (0, 0, 0, _INDENT), expand=False))


def _print_cut(text: Text) -> None:
    """Print what is cut where the terminal ends."""
    console.print(text, no_wrap=True, overflow="ellipsis")


def _quote(hit: Hit, question: str) -> Text:
    """Return the sentences of a text that a question is about, in two lines of the terminal."""
    width = max(1, console.width - _INDENT)
    for room in range(_QUOTE_LINES * width - len("“”"), 0, -_STEP):
        quoted = terminal_text(f"“{excerpt_of(hit, question, _analyser(), room, cell_len)}”")
        if len(quoted.wrap(console, width)) <= _QUOTE_LINES:
            break
    return quoted


@cache
def _analyser() -> Analyser:
    return Analyser()


def _header(hit: Hit, summary: TraceSummary) -> Text:
    line = Text(f"{hit.rank:2} ")
    line.append(f"{hit.score:6.2f}", style="bold")
    if hit.error is not None:
        line.append(f" ± {hit.error:.2f}", style="dim")
    line.append(terminal_text(f"  {hit.memory.who}", "cyan"))
    line.append(f"  {moment(hit.memory.at)}  @{hit.memory.seq}")
    hops = counted(summary.hops, "hop")
    line.append(f"  {summary.method}, {hops}", style="dim")
    for artifact in hit.memory.artifacts:
        about = f": {artifact.description}" if artifact.description else ""
        line.append(terminal_text(f"  [{artifact.kind}{about}]", "dim"))
    return line


def _place_lines(summary: TraceSummary, score: float) -> list[str]:
    """Return at most five lines, whose numbers sum to the score as it is printed."""
    rest = sum(place.value for place in summary.rest)
    *values, rest_value = _rounded([*(p.value for p in summary.places), rest], score)
    lines = [
        _line_of_components(f"{value:9.2f}  {place.place}: ", place.components, value)
        for place, value in zip(summary.places, values, strict=True)
    ]
    if summary.rest:
        named = [
            (place.place.removeprefix("its ").removeprefix("a shared "), place.value)
            for place in summary.rest
        ]
        lines.append(_line_of_components(f"{rest_value:9.2f}  the rest: ", named, rest_value))
    return lines


def _line_of_components(start: str, components: Sequence[tuple[str, float]], total: float) -> str:
    """Return a line with as many components as the terminal has room for; the others as one."""
    if len(components) == 1:
        return start + components[0][0]
    named = [component for component in components if component[0] != _OTHER]
    for count in range(len(named), -1, -1):
        shown = named[:count]
        other = total - sum(value for _, value in shown)
        line = start + _components([*shown, (_OTHER, other)], total)
        if len(line) <= console.width:
            break
    return line


def _components(components: Sequence[tuple[str, float]], total: float) -> str:
    values = _rounded([value for _, value in components], total)
    return ", ".join(
        f"{name} {value:.2f}"
        for (name, _), value in zip(components, values, strict=True)
        if abs(value) >= _HUNDREDTH
    )


def _rounded(values: Sequence[float], total: float) -> list[float]:
    """Round to hundredths so that the sum is that of the total: the last largest gives way."""
    rounded = [round(value, 2) for value in values]
    largest = max(range(len(values)), key=lambda place: abs(values[place]), default=0)
    if rounded:
        rounded[largest] += round(total, 2) - sum(rounded)
    return rounded


def _grow(tree: Tree, reason: TraceNode) -> None:
    for child in reason.children:
        line = terminal_text(f"{child.value:+7.3f}  {child.label}")
        if child.edge:
            line.append(f"  via {child.edge}", style="magenta")
        _grow(tree.add(line), child)
