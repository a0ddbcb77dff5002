"""Capture: everything that happens before the acknowledgement, for one event or a stream of them.

Every event gets exactly one outcome. What is refused is counted, named and traced; the rest of
the input goes in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TypeVar

from ..core.errors import Conflict, InvalidInput, MeridiaError, NotFound
from ..core.events import Event
from ..core.types import Acknowledgement, Outcome, Payload, Space
from ..core.vocabulary import CaptureMode
from ..graph import trace
from ..graph.journal import Appender
from ..graph.journal_file import JournalFile
from ..graph.session_states import Last
from .arrival import Arrival, Rules
from .commit import draft_of
from .importers.record import Record
from .sessions import Pasts
from .stages import JUDGE, PREPARE

#: Hears of every event after its commit, or of why it was refused.
OnAnswer = Callable[[Record, Acknowledgement | MeridiaError], None]

#: Commits one prepared event inside the transaction that is open.
Commit = Callable[[Arrival], Acknowledgement]
#: What a batch is answered with, each event: all acknowledged, or some refused.
Answer = TypeVar("Answer", bound=Acknowledgement | MeridiaError)

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

    def __init__(self, file: JournalFile, rules: Rules = Rules()) -> None:  # noqa: B008 - frozen
        self._file = file
        self._rules = rules
        #: By space; looked at and changed only under the journal's lock.
        self._pasts: dict[Space, Pasts] = {}
        #: Refusals by space, for which there is no place yet.
        self._untraced: dict[Space, list[MeridiaError]] = {}

    def one(self, space: Space, event: Event) -> Acknowledgement:
        """Capture one event durably.

        Raises `InvalidInput` when it is too large or not text, `Conflict` when its id is taken.
        """
        return self.all_or_none(space, [event])[0]

    def all_or_none(self, space: Space, events: Sequence[Event]) -> list[Acknowledgement]:
        """Capture a batch in one transaction; the first event that is wrong keeps all out."""
        try:
            prepared = [self._prepare(space, event) for event in events]
            return self._transact(space, lambda commit: list(map(commit, prepared)))
        except (InvalidInput, Conflict) as error:
            self._trace_refusal(space, error)
            raise

    def many(self, space: Space, events: Sequence[Event]) -> list[Acknowledgement | MeridiaError]:
        """Capture a batch in one transaction; each event has its own answer, in order."""
        answers: dict[int, Acknowledgement | MeridiaError] = {}
        arrivals: dict[int, Arrival] = {}
        for place, event in enumerate(events):
            try:
                arrivals[place] = self._prepare(space, event)
            except InvalidInput as error:
                answers[place] = error
        if arrivals:
            committed = self._transact(
                space, lambda commit: [_answer(commit, arrival) for arrival in arrivals.values()]
            )
            answers |= zip(arrivals, committed, strict=True)
        for answer in answers.values():
            if isinstance(answer, MeridiaError):
                self._trace_refusal(space, answer)
        return [answers[place] for place in range(len(events))]

    def explain(self, space: Space, event: Event) -> Arrival:
        """Return what would become of an event, with the arithmetic; nothing is written."""
        arrival = self._prepare(space, event)
        with suppress(NotFound), self._file.database.snapshot() as connection:
            number = self._file.journal.number(space)
            Pasts(self._file.journal, space).before(connection, number, arrival)
        for stage in JUDGE:
            stage(arrival, self._rules)
        return arrival

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
            answer = next(answers) if record.event else self._unreadable(space, record)
            if isinstance(answer, MeridiaError):
                summary.count(space, Outcome.REFUSED, f"{record.where}: {answer}")
            else:
                summary.count(space, answer.outcome)
            if on_answer:
                on_answer(record, answer)

    def _unreadable(self, space: Space, record: Record) -> InvalidInput:
        error = InvalidInput(record.problem or "unreadable")
        self._trace_refusal(space, error)
        return error

    def _prepare(self, space: Space, event: Event) -> Arrival:
        arrival = Arrival(space, event.as_json())
        for stage in PREPARE:
            stage(arrival, self._rules)
        return arrival

    def _transact(self, space: Space, work: Callable[[Commit], list[Answer]]) -> list[Answer]:
        """Hold the journal's lock for a batch of one space; histories are written at its end."""
        with self._file.journal.appending(space) as appender:
            past = self._pasts.pop(space, None)
            if past is None or past.next_seq != appender.next_seq:
                past = Pasts(self._file.journal, space)
                past.next_seq = appender.next_seq
            answers = work(partial(self._commit, appender, past))
            past.save(appender.connection, appender.number)
        # What was undone is forgotten with it.
        self._pasts[space] = past
        for error in self._untraced.pop(space, ()):
            self._trace_refusal(space, error)
        return answers

    def _commit(self, appender: Appender, past: Pasts, arrival: Arrival) -> Acknowledgement:
        connection, number = appender.connection, appender.number
        past.before(connection, number, arrival)
        for stage in JUDGE:
            stage(arrival, self._rules)
        now = self._file.clock()
        draft = draft_of(arrival, self._rules, now)
        answer = appender.append(draft)
        if answer.outcome is not Outcome.REDELIVERED:
            past.after(arrival, Last(answer.seq, draft.at or now, now))
        line = ("event", _word(arrival, answer), answer.id)
        trace.add(connection, number, now, line, _detail(arrival, answer))
        return answer

    def _trace_refusal(self, space: Space, error: MeridiaError) -> None:
        """Write down a refusal; where there is no space yet, once there is one."""
        detail = {"error": type(error).__name__, "outcome": Outcome.REFUSED.value}
        try:
            self._file.trace.write(space, "event", "error", None, detail)
        except NotFound:
            self._untraced.setdefault(space, []).append(error)


def _answer(commit: Commit, arrival: Arrival) -> Acknowledgement | Conflict:
    try:
        return commit(arrival)
    except Conflict as error:
        return error


def _word(arrival: Arrival, answer: Acknowledgement) -> str:
    """Return the trace's word for what became of an event."""
    if answer.outcome is Outcome.REDELIVERED:
        return "redelivered"
    if arrival.decision.limited:
        return "gate_deny"
    return "skip" if arrival.decision.mode is CaptureMode.TRACE_ONLY else "capture"


def _detail(arrival: Arrival, answer: Acknowledgement) -> Payload:
    """Return what was decided and why: never what was said, nor what was redacted."""
    if answer.outcome is Outcome.REDELIVERED:  # it was decided on when it came first
        return {"outcome": answer.outcome.value}
    decision = arrival.decision
    detail = {**decision.outline(), "factors": decision.factors}
    if arrival.redacted:
        detail["redacted"] = dict(arrival.redacted)
    if arrival.cut:
        detail["cut"] = arrival.cut
    if arrival.duplicate_of is not None:
        detail["duplicate_of"] = arrival.duplicate_of
    return detail
