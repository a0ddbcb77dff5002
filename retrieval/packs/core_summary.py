"""The core summary: what a memory is about and what came up last, in at most twenty memories.

It stands for the first ten, twenty, thirty… memories, so it stays the same, to the letter, until
ten more are there: an agent may keep it in its context. By rule it says topics and news; told as
prose, by a model where there is one. Source: the core summary of M6 (feature 107).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...core.text import quote
from ..history.experience_views import ExperienceView
from ..history.themes import Theme, themes_of
from .layout import PackItem, PackLine, PackSection, SectionTitle
from .modes import Ranking
from .pack_budget import FittedPack, PackBudget, fit
from .pack_sections import day
from .selection import MemorySelector
from .snapshot import PackSnapshot

#: Five topics of two memories each, and as many news: twenty memories at most.
_TOPICS, _NEWS = 5, 10
_QUOTE = 120


def fit_core_summary(snapshot: PackSnapshot, budget: PackBudget) -> FittedPack | None:
    """Return topics and news within a budget; None where there are none."""
    sections = core_sections(snapshot.experiences)
    no_history = MemorySelector(replace(snapshot, experiences=()), Ranking(), list, _QUOTE)
    return fit(replace(budget, share=1.0), sections, no_history) if sections else None


def core_sections(experiences: Sequence[ExperienceView]) -> list[PackSection]:
    """Return topics, weightiest first, and news, newest first; every line cites."""
    topics = tuple(map(_topic_line, themes_of(experiences, _TOPICS)))
    newsworthy = [view for view in reversed(experiences) if view.news]
    news = tuple(map(_news_line, newsworthy[:_NEWS]))
    sections = [
        PackSection(SectionTitle.THEMES, topics),
        PackSection(SectionTitle.NEWS, news),
    ]
    return [section for section in sections if section.lines]


def _topic_line(theme: Theme) -> PackLine:
    first, last = theme.memories[0], theme.memories[-1]
    often = f"{len(theme.memories)} memories from {day(first.at)} to {day(last.at)}"
    return PackLine((PackItem(often, (first, last)),), theme.name)


def _news_line(view: ExperienceView) -> PackLine:
    statement = f"{view.label}: {quote(view.news, _QUOTE)}"
    return PackLine((PackItem(statement, (view.memory,)),), day(view.memory.at))
