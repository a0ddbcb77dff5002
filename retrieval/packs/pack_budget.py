"""Fits what a pack could say into its budget, which is hard: the counted text never exceeds it.

Where things stand and what is open come first, within a share of the room; the history fills the
rest. What had no room is counted, and the pack says so where it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.errors import InvalidInput
from ...core.types import MemoryRecord
from .layout import PackItem, PackLine, PackSection, SectionTitle, TokenCounter, cited, render_pack
from .modes import PackFormat
from .pack_sections import history_section
from .selection import MemorySelector, SelectedMemory

#: The sections before the history may take this share of the budget together.
_SHARE = 0.4
#: Of these a line is kept before any of the others, wherever they stand.
_FIRST = (SectionTitle.SUMMARY, SectionTitle.OPEN, SectionTitle.NEXT)
#: Room kept for saying what was left out, tokens.
_RESERVE = 30
_SAMPLE = "What was said on the harbour wall in 2026, and by whom [meridia://@1024]. "


@dataclass(frozen=True, slots=True)
class Omission:
    """What was left out, why, and which memories that were, by the callers' ids."""

    what: str
    why: str
    event_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FittedPack:
    """A text within its budget, its sections, and what was left out of it."""

    text: str
    tokens: int
    sections: tuple[PackSection, ...]
    omitted: tuple[Omission, ...]


@dataclass(frozen=True, slots=True)
class PackBudget:
    """A budget in tokens, how they are counted, and how the text is written.

    `share` is what the sections before the history may take of it.
    """

    tokens: int
    count: TokenCounter
    title: str
    format: PackFormat
    share: float = _SHARE

    def text(self, sections: Sequence[PackSection]) -> str:
        """Return the text of some sections."""
        return render_pack(self.title, sections, self.format)

    def holds(self, sections: Sequence[PackSection], share: float = 1.0) -> bool:
        """Say whether the text of some sections stays within a share of the budget."""
        return self.count(self.text(sections)) <= share * self.tokens


def fit(
    budget: PackBudget,
    drafted: Sequence[PackSection],
    selector: MemorySelector,
) -> FittedPack:
    """Return the fullest text within the budget; `InvalidInput` where no line has room."""
    retained, cut = _fit_lines(budget, drafted)
    history = _fit_history(budget, retained, selector)
    sections = [*retained, *_as_section(history)]
    if not cited(sections):
        raise InvalidInput(
            f"a pack of {budget.tokens} tokens has no room for one line: ask for more, such as 200"
        )
    named = {memory.seq for memory in cited(sections)}
    rest = [memory for memory in selector.telling if memory.seq not in named]
    ids = tuple(memory.event_id for memory in rest)
    omitted = [Omission(f"{len(rest)} memories", "no room in the budget", ids)] if rest else []
    omitted += cut
    sections += _left_out(budget, sections, rest)
    text = budget.text(sections)
    return FittedPack(text, budget.count(text), tuple(sections), tuple(omitted))


def _fit_lines(
    budget: PackBudget, drafted: Sequence[PackSection]
) -> tuple[list[PackSection], list[Omission]]:
    """Keep the lines that fit, the first of every section before any second one."""
    lines: dict[str, list[PackLine]] = {section.title: [] for section in drafted}
    cut: dict[str, list[str]] = {section.title: [] for section in drafted}
    for place in range(max((len(section.lines) for section in drafted), default=0)):
        for section in sorted(drafted, key=lambda candidate: candidate.title not in _FIRST):
            for line in section.lines[place : place + 1]:
                current = [candidate.with_lines(lines[candidate.title]) for candidate in drafted]
                share = budget.share if any(lines.values()) else 1.0
                shortened = _shortened(budget, current, (section.title, line), share)
                if shortened is not None:
                    lines[section.title].append(shortened)
                without = line.items[len(shortened.items) if shortened else 0 :]
                cut[section.title] += [m.event_id for item in without for m in item.memories]
    omitted = [
        Omission(f"part of “{title}”", "no room in its share", tuple(dict.fromkeys(ids)))
        for title, ids in cut.items()
        if ids
    ]
    return [
        candidate.with_lines(lines[candidate.title])
        for candidate in drafted
        if lines[candidate.title]
    ], omitted


def _shortened(
    budget: PackBudget, current: Sequence[PackSection], added: tuple[str, PackLine], share: float
) -> PackLine | None:
    """Return as much of a line of one section as there is room for, from its beginning."""
    title, line = added
    low, high = 0, len(line.items)
    while low < high:
        middle = (low + high + 1) // 2
        tried = PackLine(line.items[:middle], line.lead)
        longer = [
            candidate.with_lines([*candidate.lines, tried])
            if candidate.title == title
            else candidate
            for candidate in current
        ]
        if budget.holds(longer, share):
            low = middle
        else:
            high = middle - 1
    return PackLine(line.items[:low], line.lead) if low else None


def _fit_history(
    budget: PackBudget, retained: Sequence[PackSection], selector: MemorySelector
) -> list[SelectedMemory]:
    """Choose the history: by an estimate of the room, then by counting."""
    chars_per_token = len(_SAMPLE) / max(budget.count(_SAMPLE), 1)
    left = budget.tokens - budget.count(budget.text(retained)) - min(_RESERVE, budget.tokens // 8)
    chars = int(left * chars_per_token)
    stating = {SectionTitle.SUMMARY, SectionTitle.FACTS}
    quoted = [section for section in retained if section.title not in stating]
    stated: dict[int, str] = {}
    for section in retained:
        if section.title == SectionTitle.FACTS:
            for item in (item for line in section.lines for item in line.items):
                for memory in item.memories:
                    stated[memory.seq] = f"{stated.get(memory.seq, '')} {item.text}"
    history = selector.select(chars, {memory.seq for memory in cited(quoted)}, stated)
    low, high = 0, len(history)
    while low < high:
        middle = (low + high + 1) // 2
        if budget.holds([*retained, *_as_section(history[:middle])]):
            low = middle
        else:
            high = middle - 1
    return history[:low]


def _as_section(history: Sequence[SelectedMemory]) -> list[PackSection]:
    return [history_section(history)] if history else []


def _left_out(
    budget: PackBudget, sections: Sequence[PackSection], rest: Sequence[MemoryRecord]
) -> list[PackSection]:
    """Return the line that says what had no room, where there is room for it."""
    if not rest:
        return []
    notice = f"{len(rest)} more memories had no room in {budget.tokens} tokens, the latest of them"
    line = PackLine((PackItem(notice, (rest[-1],)),))
    section = PackSection(SectionTitle.LEFT_OUT, (line,))
    return [section] if budget.holds([*sections, section]) else []
