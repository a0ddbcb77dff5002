"""The modes of a pack as frozen strategies, and the rules that detect a mode.

A strategy says which memories a pack reads, its sections, and its budget. Nothing is read or
written here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ..core.errors import InvalidInput
from .layout import SectionTitle

#: A silence longer than this is a long gap, hours.
LONG_GAP_H = 14 * 24.0


class Mode(StrEnum):
    """The purpose of a pack."""

    SESSION_BOOTSTRAP = "session_bootstrap"
    TOPIC_REENTRY = "topic_reentry"
    RELATIONSHIP_RESUMPTION = "relationship_resumption"
    REFLECTION = "reflection"
    CRISIS = "crisis"
    CORE_SUMMARY = "core_summary"


class MemoryScope(StrEnum):
    """The memories that a pack reads: all, those of a question or a person, or full tens."""

    ALL = "all"
    QUESTION = "question"
    PERSON = "person"
    TENS = "tens"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The scope of a mode, and how many memories it reads at most: the newest."""

    scope: MemoryScope
    memories_max: int = 4000


@dataclass(frozen=True, slots=True)
class Strategy:
    """One mode in full: its scope, its sections in order, and its default budget.

    With `rest`, other quotes follow in threads. With a `half_life_h`, older quotes are worth less:
    exp(-age / half-life). `memories_max` limits the cited memories.
    """

    mode: Mode
    purpose: str
    retrieval: Retrieval
    sections: tuple[SectionTitle, ...]
    tokens: int
    rest: bool = True
    half_life_h: float | None = None
    memories_max: int | None = None


_T = SectionTitle
#: What each mode does (features 51 to 56, 107).
STRATEGIES: Mapping[Mode, Strategy] = {
    strategy.mode: strategy
    for strategy in (
        Strategy(
            Mode.SESSION_BOOTSTRAP,
            "what was asked for, what is open, what was said last",
            Retrieval(MemoryScope.ALL),
            (_T.ASKED, _T.ENGAGE, _T.OPEN, _T.EARLIER, _T.FAILED, _T.LAST, _T.ANCHORS),
            2000,
            half_life_h=24.0,
        ),
        Strategy(
            Mode.TOPIC_REENTRY,
            "what was said of a topic, and every later word on it",
            Retrieval(MemoryScope.QUESTION, memories_max=100),
            (_T.OPEN,),
            2000,
        ),
        Strategy(
            Mode.RELATIONSHIP_RESUMPTION,
            "the history shared with a person, and what is open between you",
            Retrieval(MemoryScope.PERSON),
            (_T.ASKED, _T.ENGAGE, _T.OPEN, _T.EARLIER, _T.FAILED, _T.LAST, _T.ANCHORS, _T.HARD),
            2000,
        ),
        Strategy(
            Mode.REFLECTION,
            "what changed: trends by name, the same things then and now, in quotes",
            Retrieval(MemoryScope.ALL),
            (_T.TRENDS, _T.CHANGED, _T.OPEN, _T.EARLIER, _T.ANCHORS, _T.HARD),
            3000,
        ),
        Strategy(
            Mode.CRISIS,
            "where it broke off, what failed and what was tried, what was asked for",
            Retrieval(MemoryScope.ALL),
            (_T.BROKE_OFF, _T.FAILED, _T.ASKED, _T.ENGAGE, _T.OPEN, _T.LAST, _T.ANCHORS),
            4000,
            half_life_h=24.0,
        ),
        Strategy(
            Mode.CORE_SUMMARY,
            "what it is all about, the same text until ten more memories are there",
            Retrieval(MemoryScope.TENS),
            (),
            900,
            memories_max=20,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Signals:
    """The evidence for a mode. `crashed` names a session that broke off; `gap_h` is in hours."""

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
