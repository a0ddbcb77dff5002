"""The journal entries about feedback: verdicts, references in later turns, and undoing them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from .json_values import Number
from .vocabulary import EntryKind


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFeedback:
    """What became of an answer (`reconstitution`: a recall or pack), or of a single memory.

    `effects` says by memory how it was judged, and what that adds to its score in hundredths.
    """

    kind: ClassVar[EntryKind] = EntryKind.FEEDBACK_GIVEN
    reconstitution: str | None
    mode: str | None
    shown: tuple[str, ...]
    note: str | None
    effects: Mapping[str, tuple[str, int]]
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserFeedback(AnswerFeedback):
    """What somebody said of it; `rating` is 1 to 5."""

    verdict: str | None
    rating: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedFeedback(AnswerFeedback):
    """What of it was referred to later in its session; `auto_score` is the share, 0 to 1."""

    session: str | None
    referenced: tuple[str, ...]
    anchors: tuple[str, ...]
    auto_score: Number
    style: Mapping[str, Number] | None


@dataclass(frozen=True, slots=True)
class FeedbackUndone:
    """A feedback is taken back."""

    kind: ClassVar[EntryKind] = EntryKind.FEEDBACK_GIVEN
    undoes: str
    by: str


FeedbackGiven = UserFeedback | TrackedFeedback | FeedbackUndone
