"""How a pack is written: lines that cite, in sections or in paragraphs, within a hard budget.

Every line but a heading names at least one memory: the first as `meridia://@SEQ`, the others as
`@SEQ`, which `meridia show` finds. Nothing is chosen here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...core.types import MemoryRecord
from .modes import Format

#: Counts the tokens of a text. The default is that of the source: four characters a token.
Count = Callable[[str], int]
CHARS_PER_TOKEN = 4
_SCHEME = "meridia://"


def tokens_of(text: str) -> int:
    """Return the tokens of a text at four characters each, rounded up."""
    return -(-len(text) // CHARS_PER_TOKEN)


def short_address(memory: MemoryRecord) -> str:
    """Return a memory's short address: its journal sequence, unique within the journal's file."""
    return f"@{memory.seq}"


@dataclass(frozen=True, slots=True)
class Item:
    """Something said, and the memories it rests on: at least one."""

    text: str
    memories: tuple[MemoryRecord, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a pack: what it opens with, and its items: at least one."""

    items: tuple[Item, ...]
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under a heading; `spoken` is how a narrative opens them, without a heading."""

    title: str
    lines: tuple[Line, ...]
    spoken: str = ""

    def with_lines(self, lines: Sequence[Line]) -> Section:
        """Return the section with other lines."""
        return replace(self, lines=tuple(lines))


def written(title: str, sections: Sequence[Section], format: Format) -> str:
    """Return the text of a pack: a heading, then what there is of its sections."""
    paragraphs = format is Format.NARRATIVE
    parts = [f"# {' '.join(title.split())}"]
    for section in sections:
        if not section.lines:
            continue
        lines = [_written(line) for line in section.lines]
        if paragraphs:
            opened = f"{section.spoken} {lines[0]}" if section.spoken else lines[0]
            parts.append("\n".join([opened, *lines[1:]]))
        else:
            parts.append("\n".join([f"## {section.title}", *(f"- {line}" for line in lines)]))
    return "\n\n".join(parts) + "\n"


def cited(sections: Sequence[Section]) -> list[MemoryRecord]:
    """Return every memory that is cited, in order of appearance, each once."""
    found: dict[int, MemoryRecord] = {}
    for section in sections:
        for line in section.lines:
            for item in line.items:
                for memory in item.memories:
                    found.setdefault(memory.seq, memory)
    return list(found.values())


def _written(line: Line) -> str:
    told, first = [], True
    for item in line.items:
        addresses = [short_address(memory) for memory in item.memories]
        if first:
            addresses[0] = _SCHEME + addresses[0]
        first = False
        told.append(f"{_flat(item.text)} [{' '.join(addresses)}]")
    return f"{_flat(line.lead)}: {'; '.join(told)}" if line.lead else "; ".join(told)


def _flat(text: str) -> str:
    """Return a text on one line, with nothing in it that could pass for an address of ours."""
    line = " ".join(text.split()).replace(_SCHEME, "meridia: ")
    return line.replace("[@", "(@")
