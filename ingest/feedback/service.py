"""Feedback on memories that were shown: verdicts, ratings, and undoing them.

Each is a journal entry. The effect on each memory is written there in hundredths, so that it stays
the same when the rules change. Recalling is no feedback, and writes none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from ...core.calls.arguments import checked
from ...core.entries import FeedbackGiven, FeedbackUndone, UserFeedback
from ...core.errors import InvalidInput, NotFound
from ...core.types import EntryDraft, Space
from ...storage.projections.catalog import LAST, SCHEME, find_memory
from ...storage.projections.feedback_table import FeedbackRate, FeedbackRow, FeedbackTable
from ...storage.store import Store

#: What a verdict or a rating about a whole answer gives to each of its memories: a quarter.
_ANSWER_DIVISOR = 4
_RATINGS = range(1, 6)
_NOTE_CHARS_MAX = 500
#: Of what was said about one thing, so many are looked through for one that stands.
_SCAN_MAX = 1000


class FeedbackVerdict(StrEnum):
    """What somebody may say about what was shown."""

    USEFUL = "useful"
    STALE = "stale"
    WRONG = "wrong"


#: What each verdict gives to a memory, hundredths; a rating gives -100 to 100 in steps of 50.
HUNDREDTHS: Mapping[FeedbackVerdict, int] = {
    FeedbackVerdict.USEFUL: 100,
    FeedbackVerdict.STALE: -50,
    FeedbackVerdict.WRONG: -100,
}


class HasId(Protocol):
    """Whatever was shown and has an id: a memory, a recall's hit, an answer, a pack."""

    @property
    def id(self) -> str:
        """Its id."""
        ...


@dataclass(frozen=True, slots=True)
class FeedbackTarget:
    """What a feedback is about: a memory alone, or an answer with all that it showed."""

    id: str
    memories: Sequence[str]
    mode: str | None = None


@checked
class FeedbackService:
    """Takes feedback about one space of one file; calling it gives one."""

    def __init__(
        self,
        file: Store,
        space: Space,
        clean: Callable[[str], str] = str,
        flush_recalls: Callable[[], None] = lambda: None,
    ) -> None:
        """Work on a file; `clean` takes out of a note what may not be kept.

        `flush_recalls` waits until every answer so far is stored.
        """
        self._file = file
        self._space = space
        self._clean = clean
        self._flush_recalls = flush_recalls

    def __call__(
        self,
        target: str | HasId,
        verdict: FeedbackVerdict | str | None = None,
        rating: int | None = None,
        note: str | None = None,
        *,
        id: str = "",
    ) -> str:
        """Give feedback on a memory, a recall's hit, a whole recall or a pack.

        `verdict` is "useful", "stale" or "wrong", `rating` from 1 to 5; one of them is needed.
        With both, what counts lies midway. Returns the id under which it can be taken back.
        `id` is the caller's own: the same id with the same content is one feedback, with other
        content a `Conflict`. Raises `NotFound` for a target that is not there, `InvalidInput` for
        anything else.
        """
        parsed_verdict = _verdict(verdict)
        if parsed_verdict is None and rating is None:
            raise InvalidInput("feedback is empty: give a verdict, a rating from 1 to 5, or both")
        if rating is not None and rating not in _RATINGS:
            raise InvalidInput(f"rating {rating} is out of range: give 1 to 5")
        if note is not None and len(note) > _NOTE_CHARS_MAX:
            raise InvalidInput(f"note has {len(note)} characters: give at most {_NOTE_CHARS_MAX}")
        self._flush_recalls()
        resolved = self._resolve_target(target)
        values = [] if parsed_verdict is None else [HUNDREDTHS[parsed_verdict]]
        if rating is not None:
            values.append((rating - 3) * 50)
        effect = round(sum(values) / len(values))
        effect_each = effect if resolved.mode is None else round(effect / _ANSWER_DIVISOR)
        effect_name = "rated" if parsed_verdict is None else parsed_verdict.value
        payload = UserFeedback(
            reconstitution=None if resolved.mode is None else resolved.id,
            mode=resolved.mode,
            shown=tuple(resolved.memories),
            verdict=parsed_verdict,
            rating=rating,
            note=note and self._clean(note),
            effects=dict.fromkeys(resolved.memories, (effect_name, effect_each)),
            by="user",
        )
        return self._append(payload, id)

    def undo(self, target: str | HasId) -> str:
        """Undo a feedback by its id, or the newest one on a memory, a recall or a pack.

        Scores are then exactly what they were without it. Returns the id of what was taken back.
        Raises `NotFound` where nothing stands that could be taken back.
        """
        self._flush_recalls()  # before the lock is taken, for which the keeper of answers may wait
        with self._file.writing():  # nobody else takes it back meanwhile
            active = self._active_feedback(_id(target))
            self._append(FeedbackUndone(active.id, by="user"))
        return active.id

    def newest(self, limit: int = 20) -> list[FeedbackRow]:
        """Return the newest rows of the table, newest first, with what was taken back."""
        return self._table.newest(limit)

    def rates(self) -> list[FeedbackRate]:
        """Return how often what was shown was of use, by mode."""
        return self._table.rates()

    @property
    def _table(self) -> FeedbackTable:
        return self._file.space(self._space).feedback

    def _append(self, payload: FeedbackGiven, key: str = "") -> str:
        draft = EntryDraft(key, payload, has_own_key=bool(key))
        (answer,) = self._file.journal.append(self._space, [draft])
        return answer.id

    def _resolve_target(self, target: str | HasId) -> FeedbackTarget:
        """Find what is meant: a recall or a pack that was kept, or else a memory."""
        id = _id(target)
        if id == LAST:
            id = self._file.trace.last_recall(self._space) or id
        recall_record = self._file.trace.find_recall(self._space, id)
        if recall_record is not None:
            return FeedbackTarget(id, [hit["id"] for hit in recall_record["hits"]], "recall")
        if (pack := self._file.space(self._space).packs.find(id)) is not None:
            ids = [uri.removeprefix(SCHEME) for uri in pack["ids"]]
            cited = self._file.journal.by_ids(self._space, ids)
            return FeedbackTarget(id, [entry.id for entry in cited], pack["mode"])
        try:
            memory = find_memory(
                self._file.catalog, self._file.trace, self._space, _address(target)
            )
        except NotFound:
            raise NotFound(
                f"space {self._space!r} has no memory, recall or pack {id!r}: give the id or "
                "address of a memory, or the id of a recall or pack that was kept"
            ) from None
        return FeedbackTarget(memory.id, [memory.id])

    def _active_feedback(self, id: str) -> FeedbackRow:
        """Return the feedback of this id, or the newest about what has this id, that stands."""
        rows = self._table.newest(1, id=id)
        if not rows:
            about = self._resolve_target(id).id
            all_rows = self._table.newest(_SCAN_MAX, about=about)
            rows = [row for row in all_rows if row.auto_score is None]
        active = [row for row in rows if not row.taken_back]
        if not active:
            raise NotFound(f"{id!r} has no feedback to undo: `meridia feedback --list` shows all")
        return active[0]


def _id(target: str | HasId) -> str:
    id = target if isinstance(target, str) else target.id
    return id.removeprefix(SCHEME).strip("/")


def _address(target: str | HasId) -> str:
    return target if isinstance(target, str) else f"{SCHEME}{target.id}"


def _verdict(verdict: FeedbackVerdict | str | None) -> FeedbackVerdict | None:
    if verdict is None:
        return None
    try:
        return FeedbackVerdict(verdict)
    except ValueError:
        choices = ", ".join(FeedbackVerdict)
        raise InvalidInput(f"verdict {verdict!r} is not known: choose from {choices}") from None
