"""Feedback on shown memories: the table of the source (feature 61), and the sum for each memory.

A projection that never lags: it is written in the transaction that appends the entry, and a rebuild
gives the same. It holds hundredths as integers, so that sums do not depend on an order;
`ranking/optional_terms.py` makes scores of them. A read changes nothing here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ...core.codec import JsonObject
from ...core.entries import FeedbackUndone, TrackedFeedback, UserFeedback
from ...core.time import from_text
from ...core.types import Entry, Json
from ..space_scope import OfSpace, SpaceScope


@dataclass(frozen=True, slots=True)
class FeedbackRow(JsonObject):
    """One row of the table: the ten columns of the source, the verdict, and whether it stands.

    `auto_score` is the share of what was shown that was referred to later; None where somebody
    said it. `reconstitution_id` is the recall or pack; None where it is about a memory alone.
    """

    id: str
    reconstitution_id: str | None
    ts: datetime
    mode: str | None
    records_injected: int
    records_referenced: int
    anchors_hit: Sequence[str]
    user_rating: int | None
    auto_score: float | None
    notes: str | None
    verdict: str | None
    taken_back: bool


@dataclass(frozen=True, slots=True)
class FeedbackRate(JsonObject):
    """What became of everything shown in one mode: observed, rated and judged by people.

    `hit_rate` is the mean share of what was shown that was referred to; `rating` is from 1 to 5.
    """

    mode: str
    observed: int
    shown: int
    referenced: int
    hit_rate: float | None
    ratings: int
    rating: float | None
    useful: int
    stale: int
    wrong: int


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """A kept recall or pack and what it showed; `turn` is the sequence of the first turn after.

    `mode` is "recall", or the pack's.
    """

    id: str
    at: datetime
    mode: str
    question: str
    memories: Sequence[str]
    turn: int


def projection(space: SpaceScope, entry: Entry) -> None:
    """Take over a feedback, or that one was taken back."""
    payload = entry.payload
    if isinstance(payload, FeedbackUndone):
        space.run("feedback/retract", id=payload.undoes, seq=entry.seq, at=entry.at)
    elif isinstance(payload, UserFeedback | TrackedFeedback):
        _add(space, entry, payload)


def _add(space: SpaceScope, entry: Entry, payload: UserFeedback | TrackedFeedback) -> None:
    user = payload if isinstance(payload, UserFeedback) else None
    tracked = payload if isinstance(payload, TrackedFeedback) else None
    space.run(
        "feedback/add",
        seq=entry.seq,
        id=entry.id,
        reconstitution_id=payload.reconstitution,
        ts=entry.at,
        mode=payload.mode,
        records_injected=len(payload.shown),
        records_referenced=len(tracked.referenced) if tracked else 0,
        anchors_hit=json.dumps(tracked.anchors if tracked else [], ensure_ascii=False),
        user_rating=user and user.rating,
        auto_score=tracked and tracked.auto_score,
        notes=payload.note,
        verdict=user and user.verdict,
    )
    effects = [(entry.seq, id, *effect) for id, effect in payload.effects.items()]
    space.run_many("feedback/add_effect", effects)


class FeedbackTable(OfSpace):
    """What was said and observed of the memories of one space."""

    def sums(
        self, memories: Sequence[int], until: int, moment: datetime | None = None
    ) -> Mapping[int, tuple[int, int]]:
        """Return the hundredths of some memories by sequence: all but for "ignored", and for that.

        Counts what was given up to a journal sequence and, with `moment`, up to that time.
        """
        (has_feedback,) = self._space.only_row("feedback/has_any")
        if not has_feedback:
            return {}
        rows = self._space.rows(
            "feedback/sums", memories=[int(seq) for seq in memories], until=until, moment=moment
        )
        return {memory: (given, ignored) for memory, given, ignored in rows}

    def newest(
        self, limit: int, *, id: str | None = None, about: str | None = None
    ) -> list[FeedbackRow]:
        """Return the newest feedback first: one by its own id, or what is about a target."""
        return [
            _feedback_row(row)
            for row in self._space.rows("feedback/newest", id=id, about=about, limit=limit)
        ]

    def rates(self) -> list[FeedbackRate]:
        """Return how often what was shown was of use, by mode; "memory" is about single ones."""
        rows = self._space.rows("feedback/rates")
        return [FeedbackRate(mode or "memory", *rest) for mode, *rest in rows]

    def shown_before(self, session: str, since: datetime, until: datetime) -> list[ShownAnswer]:
        """Return what was kept in a span of time, if the next turn after it was of a session."""
        return [
            ShownAnswer(id, from_text(at), mode, question, json.loads(ids), turn)
            for id, at, mode, question, ids, turn in self._space.rows(
                "feedback/shown", session=session, since=since, until=until
            )
        ]


def clear(space: SpaceScope) -> None:
    """Drop a space's feedback before a rebuild."""
    space.run("feedback/clear_rows")
    space.run("feedback/clear_effects")


def _feedback_row(row: Sequence[Json]) -> FeedbackRow:
    id, about, ts, mode, shown, referenced, anchors, rating, score, notes, verdict, undone = row
    return FeedbackRow(
        id=id,
        reconstitution_id=about,
        ts=from_text(ts),
        mode=mode,
        records_injected=shown,
        records_referenced=referenced,
        anchors_hit=json.loads(anchors),
        user_rating=rating,
        auto_score=score,
        notes=notes,
        verdict=verdict,
        taken_back=bool(undone),
    )
