"""What a pack for a person adds from the story of the relationship: what changed, what to avoid.

The story is told by `relationship`; here its parts become lines that cite.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core.text import shorten
from ...core.types import MemoryRecord
from ..history.relationship_summary import RelationshipSummary
from .layout import PackItem, PackLine, PackSection, SectionTitle

_LINES, _CITED, _CHARS = 5, 3, 120


def relationship_sections(story: RelationshipSummary) -> list[PackSection]:
    """Return what changed since the last meeting and what to avoid, as far as there is any."""
    changed = [(f"{c.kind.value}", c.text, c.memories) for c in story.changes]
    avoided = [(f"{c.kind.value}", c.text, c.memories) for c in story.cautions]
    sections = [
        PackSection(SectionTitle.CHANGED, _lines(changed)),
        PackSection(SectionTitle.AVOID, _lines(avoided)),
    ]
    return [section for section in sections if section.lines]


def _lines(entries: Sequence[tuple[str, str, tuple[MemoryRecord, ...]]]) -> tuple[PackLine, ...]:
    return tuple(
        PackLine((PackItem(shorten(text, _CHARS), memories[:_CITED]),), kind)
        for kind, text, memories in entries[:_LINES]
        if memories
    )
