"""Capture: everything that happens before the acknowledgement, for one event or a stream of them.

Every event gets exactly one outcome. What is refused is counted, named and traced; the rest of
the input goes in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ..core.errors import InvalidInput, MeridiaError
from ..core.events import Event
from ..core.ports import Journal
from ..core.types import Acknowledgement, Draft, Outcome, Space
from .commit import commit
from .importers.record import Record
from .normalise import normalise

#: Hears of every event after its commit, or of why it was refused.
OnAnswer = Callable[[Record, Acknowledgement | MeridiaError], None]

_BATCH = 200
#: Problems kept word for word; all are counted.
_PROBLEMS_TOLD = 100


@dataclass(slots=True)
class Summary:
    """What became of a stream of events: outcomes by space, and what was wrong where."""

    outcomes: dict[Space, Counter[Outcome]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def count(self, space: Space, outcome: Outcome, problem: str | None = None) -> None:
        """Count one event."""
        self.outcomes.setdefault(space, Counter())[outcome] += 1
        if problem and len(self.problems) < _PROBLEMS_TOLD:
            self.problems.append(problem)

    def total(self, *outcomes: Outcome) -> int:
        """Return how many events had one of these outcomes (none named: any)."""
        return sum(
            number
            for counter in self.outcomes.values()
            for outcome, number in counter.items()
            if not outcomes or outcome in outcomes
        )

    @property
    def clean(self) -> bool:
        """Whether every event went in."""
        return self.total(Outcome.REFUSED, Outcome.FAILED) == 0


class Capture:
    """Takes events into a journal."""

    def __init__(self, journal: Journal, event_bytes_max: int) -> None:
        self._journal = journal
        self._event_bytes_max = event_bytes_max

    def one(self, space: Space, event: Event) -> Acknowledgement:
        """Capture one event durably.

        Raises `InvalidInput` when it is too large or not text, `Conflict` when its id is taken.
        """
        draft = normalise(event, space, self._event_bytes_max)
        return self._journal.append(space, [draft])[0]

    def all_or_none(self, space: Space, events: Sequence[Event]) -> list[Acknowledgement]:
        """Capture a batch in one transaction; the first event that is wrong keeps all out."""
        limit = self._event_bytes_max
        return self._journal.append(space, [normalise(event, space, limit) for event in events])

    def many(self, space: Space, events: Sequence[Event]) -> list[Acknowledgement | MeridiaError]:
        """Capture a batch in one transaction; each event has its own answer, in order."""
        answers: dict[int, Acknowledgement | MeridiaError] = {}
        drafts: dict[int, Draft] = {}
        for place, event in enumerate(events):
            try:
                drafts[place] = normalise(event, space, self._event_bytes_max)
            except InvalidInput as error:
                answers[place] = error
        if drafts:
            committed = commit(self._journal, space, list(drafts.values()))
            answers.update(zip(drafts, committed, strict=True))
        return [answers[place] for place in range(len(events))]

    def stream(
        self,
        records: Iterable[Record],
        space_of: Callable[[Record], Space],
        batch: int = _BATCH,
        on_answer: OnAnswer | None = None,
    ) -> Summary:
        """Capture a stream in batches; `on_answer` hears of each event after its commit."""
        summary, remaining = Summary(), iter(records)
        while chunk := list(islice(remaining, batch)):
            for space in dict.fromkeys(space_of(record) for record in chunk):
                mine = [record for record in chunk if space_of(record) == space]
                self._take(space, mine, summary, on_answer)
        return summary

    def _take(
        self,
        space: Space,
        records: Sequence[Record],
        summary: Summary,
        on_answer: OnAnswer | None,
    ) -> None:
        answers = iter(self.many(space, [r.event for r in records if r.event is not None]))
        for record in records:
            if record.event is None:
                answer: Acknowledgement | MeridiaError = InvalidInput(
                    record.problem or "unreadable"
                )
            else:
                answer = next(answers)
            if isinstance(answer, MeridiaError):
                summary.count(space, Outcome.REFUSED, f"{record.where}: {answer}")
            else:
                summary.count(space, answer.outcome)
            if on_answer:
                on_answer(record, answer)
