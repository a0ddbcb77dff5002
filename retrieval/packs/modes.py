"""The five modes of coming back and the core summary: frozen strategies, and how one is told.

A strategy says where a pack looks, what weighs there, in which form and budget it is told. Nothing
is read or written here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ...core.errors import InvalidInput

#: A silence longer than this is a long gap, hours.
LONG_GAP_H = 14 * 24.0


class Mode(StrEnum):
    """What a pack is for."""

    SESSION_BOOTSTRAP = "session_bootstrap"
    TOPIC_REENTRY = "topic_reentry"
    RELATIONSHIP_RESUMPTION = "relationship_resumption"
    REFLECTION = "reflection"
    CRISIS = "crisis"
    CORE_SUMMARY = "core_summary"


class PackFormat(StrEnum):
    """How a pack is told: sections and lists, paragraphs, or counts and patterns."""

    STRUCTURED = "structured"
    NARRATIVE = "narrative"
    ANALYTICAL = "analytical"


class MemoryScope(StrEnum):
    """Which memories a pack looks at: all, by a question, shared with a person, full tens."""

    ALL = "all"
    QUESTION = "question"
    PERSON = "person"
    TENS = "tens"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Where a mode looks: how far back (hours; None: for ever) and at how many memories.

    Fewer than `memories_min` within the lookback, and it looks back without an end.
    """

    scope: MemoryScope
    lookback_h: float | None = None
    memories_max: int = 4000
    memories_min: int = 10


@dataclass(frozen=True, slots=True)
class Ranking:
    """What lifts a memory above its information: 1 plus each weight times a value 0 to 1.

    `repeats` is what a word is worth each time that it was told already: the smaller, the more
    diverse. Recency is exp(-age / half-life).
    """

    recency: float = 0.0
    significance: float = 0.0
    feeling: float = 0.0
    relevance: float = 0.0
    half_life_h: float = 30 * 24.0
    repeat_factor: float = 0.8


@dataclass(frozen=True, slots=True)
class Strategy:
    """One mode in full; `tokens` is its budget where none is given."""

    mode: Mode
    purpose: str
    retrieval: Retrieval
    ranking: Ranking
    format: PackFormat
    tokens: int
    line_chars: int = 80


#: What each mode does (features 51 to 56, 107).
STRATEGIES: Mapping[Mode, Strategy] = {
    strategy.mode: strategy
    for strategy in (
        Strategy(
            Mode.SESSION_BOOTSTRAP,
            "what was going on, who was there, what is open",
            Retrieval(MemoryScope.ALL, lookback_h=48.0),
            Ranking(recency=2.0, significance=1.0, feeling=0.5, half_life_h=24.0),
            PackFormat.NARRATIVE,
            2000,
            120,
        ),
        Strategy(
            Mode.TOPIC_REENTRY,
            "everything known about a topic",
            Retrieval(MemoryScope.QUESTION, memories_max=100),
            Ranking(relevance=9.0, significance=0.5),
            PackFormat.STRUCTURED,
            2000,
            160,
        ),
        Strategy(
            Mode.RELATIONSHIP_RESUMPTION,
            "the history shared with a person, and what is open between you",
            Retrieval(MemoryScope.PERSON),
            Ranking(recency=0.1, significance=0.2, feeling=0.1),
            PackFormat.NARRATIVE,
            2000,
            120,
        ),
        Strategy(
            Mode.REFLECTION,
            "patterns: feelings, themes, what keeps coming back",
            Retrieval(MemoryScope.ALL),
            Ranking(significance=1.0, feeling=2.0),
            PackFormat.ANALYTICAL,
            3000,
            100,
        ),
        Strategy(
            Mode.CRISIS,
            "who you are to whom, the last good state, and what was left unfinished",
            Retrieval(MemoryScope.ALL),
            Ranking(recency=4.0, significance=2.0, feeling=0.5, half_life_h=24.0),
            PackFormat.STRUCTURED,
            4000,
            120,
        ),
        Strategy(
            Mode.CORE_SUMMARY,
            "topics and news, the same text until ten more memories are there",
            Retrieval(MemoryScope.TENS),
            Ranking(),
            PackFormat.STRUCTURED,
            900,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Signals:
    """What a mode is told by. `crashed` names the session that broke off; `gap_h` is in hours."""

    mode: str | None = None
    person: str | None = None
    query: str | None = None
    crashed: str | None = None
    gap_h: float | None = None


def detect(signals: Signals) -> tuple[Mode, str]:
    """Return the mode that fits, and why in a few words (feature 57).

    What was asked for comes first: a mode, then a topic, then a person; then what happened: a
    session that broke off, then a long gap. `InvalidInput` names a mode that does not exist.
    """
    if signals.mode is not None:
        return mode_of(signals.mode), "it was asked for"
    if signals.query is not None:
        return Mode.TOPIC_REENTRY, "a topic was asked for"
    if signals.person is not None:
        return Mode.RELATIONSHIP_RESUMPTION, f"{signals.person} is here"
    if signals.crashed is not None:
        return Mode.CRISIS, f"session {signals.crashed} broke off at a tool's step"
    if signals.gap_h is not None and signals.gap_h > LONG_GAP_H:
        return Mode.CRISIS, f"nothing was heard for {signals.gap_h / 24:.0f} days"
    return Mode.SESSION_BOOTSTRAP, "a session begins"


def mode_of(name: str) -> Mode:
    """Return the mode of a name, hyphens and underscores alike."""
    try:
        return Mode(name.replace("-", "_"))
    except ValueError:
        raise InvalidInput(f"there is no mode {name!r}: choose from {', '.join(Mode)}") from None


def format_of(name: str) -> PackFormat:
    """Return the format of a name."""
    try:
        return PackFormat(name)
    except ValueError:
        choices = ", ".join(PackFormat)
        raise InvalidInput(f"there is no format {name!r}: choose from {choices}") from None
