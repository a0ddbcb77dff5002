"""Fits what a pack could say into its budget, which is hard: the counted text never exceeds it.

Where things stand and what is open come first, within a share of the room; the history fills the
rest. What had no room is counted, and the pack says so where it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.errors import InvalidInput
from ...core.types import MemoryRecord
from .layout import Count, Item, Line, Section, cited, written
from .modes import Format
from .pack_sections import LEFT_OUT, NEXT, OPEN, SUMMARY, history_of
from .selection import Choice, Chosen

#: The sections before the history may take this share of the budget together.
_SHARE = 0.4
#: Of these a line is kept before any of the others, wherever they stand.
_FIRST = (SUMMARY, OPEN, NEXT)
#: Room kept for saying what was left out, tokens.
_RESERVE = 30
_SAMPLE = "What was said on the harbour wall in 2026, and by whom [meridia://@1024]. "


@dataclass(frozen=True, slots=True)
class Omitted:
    """What was left out, why, and which memories that were, by the callers' ids."""

    what: str
    why: str
    event_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A text within its budget, its sections, and what was left out of it."""

    text: str
    tokens: int
    sections: tuple[Section, ...]
    omitted: tuple[Omitted, ...]


@dataclass(frozen=True, slots=True)
class Room:
    """A budget in tokens, how they are counted, and how the text is written."""

    tokens: int
    count: Count
    title: str
    format: Format

    def text(self, sections: Sequence[Section]) -> str:
        """Return the text of some sections."""
        return written(self.title, sections, self.format)

    def holds(self, sections: Sequence[Section], share: float = 1.0) -> bool:
        """Say whether the text of some sections stays within a share of the budget."""
        return self.count(self.text(sections)) <= share * self.tokens


def fit(
    room: Room, drafted: Sequence[Section], choice: Choice, memories: list[MemoryRecord]
) -> Fitted:
    """Return the fullest text within the budget; `InvalidInput` where no line has room."""
    kept, cut = _kept(room, drafted)
    told = _told(room, kept, choice)
    sections = [*kept, *_as_section(told)]
    if not cited(sections):
        raise InvalidInput(
            f"a pack of {room.tokens} tokens has no room for one line: ask for more, such as 200"
        )
    named = {memory.seq for memory in cited(sections)}
    rest = [memory for memory in memories if memory.seq not in named]
    ids = tuple(memory.event_id for memory in rest)
    omitted = [Omitted(f"{len(rest)} memories", "no room in the budget", ids)] if rest else []
    omitted += cut
    sections += _left_out(room, sections, rest)
    text = room.text(sections)
    return Fitted(text, room.count(text), tuple(sections), tuple(omitted))


def _kept(room: Room, drafted: Sequence[Section]) -> tuple[list[Section], list[Omitted]]:
    """Keep the lines that fit, the first of every section before any second one."""
    lines: dict[str, list[Line]] = {section.title: [] for section in drafted}
    cut: dict[str, list[str]] = {section.title: [] for section in drafted}
    for place in range(max((len(section.lines) for section in drafted), default=0)):
        for section in sorted(drafted, key=lambda one: one.title not in _FIRST):
            for line in section.lines[place : place + 1]:
                kept = [one.with_lines(lines[one.title]) for one in drafted]
                share = _SHARE if any(lines.values()) else 1.0
                found = _shortened(room, kept, (section.title, line), share)
                if found is not None:
                    lines[section.title].append(found)
                without = line.items[len(found.items) if found else 0 :]
                cut[section.title] += [m.event_id for item in without for m in item.memories]
    omitted = [
        Omitted(f"part of “{title}”", "no room in its share", tuple(dict.fromkeys(ids)))
        for title, ids in cut.items()
        if ids
    ]
    return [one.with_lines(lines[one.title]) for one in drafted if lines[one.title]], omitted


def _shortened(
    room: Room, kept: Sequence[Section], added: tuple[str, Line], share: float
) -> Line | None:
    """Return as much of a line of one section as there is room for, from its beginning."""
    title, line = added
    low, high = 0, len(line.items)
    while low < high:
        middle = (low + high + 1) // 2
        tried = Line(line.items[:middle], line.lead)
        longer = [
            one.with_lines([*one.lines, tried]) if one.title == title else one for one in kept
        ]
        if room.holds(longer, share):
            low = middle
        else:
            high = middle - 1
    return Line(line.items[:low], line.lead) if low else None


def _told(room: Room, kept: Sequence[Section], choice: Choice) -> list[Chosen]:
    """Choose the history: by an estimate of the room, then by counting."""
    chars_per_token = len(_SAMPLE) / max(room.count(_SAMPLE), 1)
    left = room.tokens - room.count(room.text(kept)) - min(_RESERVE, room.tokens // 8)
    chars = int(left * chars_per_token)
    quoted = [section for section in kept if section.title != SUMMARY]
    told = choice.within(chars, {memory.seq for memory in cited(quoted)})
    low, high = 0, len(told)
    while low < high:
        middle = (low + high + 1) // 2
        if room.holds([*kept, *_as_section(told[:middle])]):
            low = middle
        else:
            high = middle - 1
    return told[:low]


def _as_section(told: Sequence[Chosen]) -> list[Section]:
    return [history_of(told)] if told else []


def _left_out(
    room: Room, sections: Sequence[Section], rest: Sequence[MemoryRecord]
) -> list[Section]:
    """Return the line that says what had no room, where there is room for it."""
    if not rest:
        return []
    said = f"{len(rest)} more memories had no room in {room.tokens} tokens, the latest of them"
    line = Line((Item(said, (rest[-1],)),))
    section = Section(LEFT_OUT, (line,), "Left out.")
    return [section] if room.holds([*sections, section]) else []
