"""Open the language model that the settings name, with the spending of the last day."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from ...core.codec import encode_text
from ...core.entries import FactAsserted, StateTransitioned
from ...core.errors import InvalidInput
from ...core.settings import ModelSettings, TransitionsSettings
from ...core.types import Entry, EntryDraft, Json, Space
from ...models import model_types
from ...models.model_factory import open_model
from ...models.model_types import Model, ModelAnswer, ModelOutcome
from ...storage.store import SpaceStore, Store
from ...storage.work import Task
from ..capture.scoring import Scoring
from .model_stages import STAGES, ModelStage
from .register import STANDARD
from .session_question import ModelPayload, ModelQuestion, StageSources
from .worker import EnrichmentWorker

_DAY = timedelta(days=1)


def model_of(settings: ModelSettings, file: Store) -> Model | None:
    """Open the model of the settings; None where they name none.

    What the trace says was spent within a day, by whatever process, counts against the budget.
    Raises `InvalidInput` where the settings cannot be right, `Unavailable` without the extra `llm`.
    """
    if settings.dialect == "none":
        return None
    earlier = [
        (at, 0 if again else detail.get("tokens_in", 0) + detail.get("tokens_out", 0))
        for at, detail in file.trace.since("model", file.clock() - _DAY)
        for again in range(detail.get("attempts", 0))
    ]
    model: Model = open_model(settings, earlier, clock=file.clock)
    return model


PROJECTION, VERSION = "opinions", 1
#: Entries read at once; most of them need no opinion.
_READ = 500
ShouldContinue = Callable[[], bool]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _PendingQuestion:
    """One question about one entry; `before` is how it went wrong earlier, if it did."""

    stage: ModelStage
    question: ModelQuestion[Any]
    before: Task | None = None


@dataclass(frozen=True, slots=True)
class _AskedQuestion:
    """A case and what came of it."""

    case: _PendingQuestion
    answer: ModelAnswer[Any]

    @property
    def refused(self) -> bool:
        """Whether the budget has no room for the question now."""
        return self.answer.outcome is ModelOutcome.REFUSED_BY_BUDGET

    @property
    def was_skipped(self) -> bool:
        """Whether nothing was asked, because the server failed too often just now."""
        return not self.refused and not self.answer.attempts


class ModelPass:
    """Asks one model about the experiences of any space in one file.

    `behind` says how far the stages by rule have come in a space: no entry after that is asked
    about, so that an opinion always stands behind what it is an opinion of. None: no such limit.
    """

    def __init__(
        self,
        file: Store,
        model: Callable[[], Model | None],
        limits: ModelSettings,
        scoring: Scoring,
        limit_of: Callable[[Space], int] | None = None,
        thresholds: TransitionsSettings = STANDARD,
    ) -> None:
        self._file = file
        self._model = model
        self._open_model: Model | None = None
        self._limit_of = limit_of
        self._sources = StageSources(file, limits, scoring, thresholds)

    def cursor(self, space: Space) -> int:
        """Return the last journal sequence about which nothing is asked for the first time."""
        return self._file.space(space).cursors.position(PROJECTION, VERSION)

    def failures(self, space: Space) -> list[Task]:
        """Return what will be tried again, and what was given up."""
        tasks = self._file.space(space).tasks
        return [*tasks.waiting(), *tasks.dead()]

    def close(self) -> None:
        """Give back what the model holds, if one was opened."""
        if self._open_model is not None:
            self._open_model.close()

    def retry(self, space: Space) -> int:
        """Have the next `catch_up` try all failed tasks again, dead ones too; count them."""
        return self._file.space(space).tasks.retry()

    def catch_up(
        self,
        space: Space,
        should_continue: ShouldContinue = lambda: True,
        progress: Progress = lambda done, total: None,
    ) -> bool:
        """Try again what is due, then ask about new entries while `go_on()`.

        Returns whether it came to the end: False where it was stopped or where the model's budget
        is spent, and then it begins at the same place next time. Tasks that wait do not count.
        Without a model there is nothing to do and nothing moves.
        """
        model = self._open_model = self._open_model or self._model()
        if model is None:
            return True
        if not self._retry_due(space, model, should_continue):
            return False
        return self._process_new(space, model, should_continue, progress)

    def _retry_due(self, space: Space, model: Model, should_continue: ShouldContinue) -> bool:
        stages = {stage.name: stage for stage in STAGES}
        for task in self._file.space(space).tasks.due(self._file.clock()):
            if task.stage not in stages:
                continue
            if not should_continue():
                return False
            entry = self._entry(space, task.seq)
            question = self._question(stages[task.stage], entry)
            if entry is None or question is None:
                self._file.space(space).tasks.done(task.seq, task.stage)
                continue
            asked = self._ask(space, model, _PendingQuestion(stages[task.stage], question, task))
            if asked.refused:
                return False
            if asked.was_skipped:  # it did not fail again: nobody was asked
                return True
            self._write(space, entry, [asked])
            self._ask_on(space, model, entry, [asked])
        return True

    def _ask_on(
        self, space: Space, model: Model, entry: Entry, answers: Sequence[_AskedQuestion]
    ) -> None:
        """Ask what stages still want to know after an answer, up to the last or to a failure."""
        for before in answers:
            asked: _AskedQuestion | None = before
            while asked and asked.answer.value is not None and not asked.case.question.is_last:
                question = self._question(asked.case.stage, entry)
                if question is None or question.key == asked.case.question.key:
                    break
                asked = self._ask(space, model, _PendingQuestion(asked.case.stage, question))
                self._write(space, entry, [asked])

    def _process_new(
        self, space: Space, model: Model, should_continue: ShouldContinue, progress: Progress
    ) -> bool:
        start = done = self.cursor(space)
        end = self._end(space)
        while done < end:
            entries = self._file.journal.read(space, done, _READ)
            if not entries:  # the end of the journal is lost, which `verify` tells
                break
            for entry in (entry for entry in entries if entry.seq <= end):
                cases = self._pending_questions(space, entry)
                if cases:
                    progress(done - start, end - start)
                    if not should_continue() or not self._ask_all(space, model, entry, cases):
                        self._move_cursor(space, done)
                        return False
                done = entry.seq
            self._move_cursor(space, done)
            end = self._end(space)
        progress(max(end - start, 0), max(end - start, 0))
        return True

    def _end(self, space: Space) -> int:
        head = self._file.journal.head(space).seq
        return head if self._limit_of is None else min(head, self._limit_of(space))

    def _pending_questions(self, space: Space, entry: Entry) -> list[_PendingQuestion]:
        """Return what is to be asked about an entry for the first time."""
        questions = [(stage, stage.question(self._sources, entry)) for stage in STAGES]
        cases = [_PendingQuestion(stage, question) for stage, question in questions if question]
        if not cases:
            return []
        failed = {task.stage for task in self._file.space(space).tasks.of_entry(entry.seq)}
        return [case for case in cases if case.stage.name not in failed]

    def _ask_all(
        self, space: Space, model: Model, entry: Entry, cases: Sequence[_PendingQuestion]
    ) -> bool:
        """Ask all questions about an entry; return whether the budget had room for them."""
        answers: list[_AskedQuestion] = []
        for case in cases:
            asked = self._ask(space, model, case)
            if asked.refused:
                break
            answers.append(asked)
        complete = len(answers) == len(cases)
        self._write(space, entry, answers, passed=complete)
        if complete:
            self._ask_on(space, model, entry, answers)
        return complete

    def _ask(self, space: Space, model: Model, case: _PendingQuestion) -> _AskedQuestion:
        question = case.question
        prompt = model_types.load(question.prompt)
        answer: ModelAnswer[Any] = model.ask(
            prompt, question.variables, question.answer_type, question.time_limit_s
        )
        if answer.value is not None:
            value, refused = question.check(answer.value)
            answer = replace(answer, value=value, dropped=answer.dropped + refused)
        answer_record = answer.record()
        self._file.trace.write(space, "model", answer.outcome.value, question.about, answer_record)
        return _AskedQuestion(case, answer)

    def _write(
        self, space: Space, entry: Entry, answers: Sequence[_AskedQuestion], *, passed: bool = False
    ) -> None:
        """Write down what came of an entry, and pass it, in one transaction."""
        store = self._file.space(space)
        with self._file.writing():
            for asked in answers:
                self._write_answer(store, entry, asked)
            if passed:
                store.cursors.move(PROJECTION, VERSION, entry.seq)

    def _write_answer(self, store: SpaceStore, entry: Entry, asked: _AskedQuestion) -> None:
        """Append an answer or note a failure, unless things have changed while it was asked."""
        stage, answer = asked.case.stage, asked.answer
        name = stage.name
        failed = [task for task in store.tasks.of_entry(entry.seq) if task.stage == name]
        question = self._question(stage, self._entry(entry.space, entry.seq))
        before = asked.case.question
        if question is None or (question.key, question.variables) != (before.key, before.variables):
            # Erased or changed meanwhile, or answered by another process: the answer is of no use.
            store.tasks.done(entry.seq, name)
            return
        drafts = _drafts(entry, question, answer)
        if not isinstance(drafts, str):
            self._file.journal.append(entry.space, drafts)
            store.tasks.done(entry.seq, name)
        elif failed == [task for task in (asked.case.before,) if task]:
            store.tasks.fail(entry.seq, name, drafts, self._file.clock())

    def _question(self, stage: ModelStage, entry: Entry | None) -> ModelQuestion[Any] | None:
        return stage.question(self._sources, entry) if entry is not None else None

    def _entry(self, space: Space, seq: int) -> Entry | None:
        entries = self._file.journal.read(space, seq - 1, 1)
        return entries[0] if entries and entries[0].seq == seq else None

    def _move_cursor(self, space: Space, seq: int) -> None:
        self._file.space(space).cursors.move(PROJECTION, VERSION, seq)


def enrich(worker: EnrichmentWorker, model: ModelPass, space: Space, progress: Progress) -> None:
    """Run the passes and ask the model until neither leaves work to the other."""
    worker.catch_up(space, progress=progress)
    enriched_to = -1
    while enriched_to != (enriched_to := worker.head(space)):
        model.catch_up(space, progress=progress)
        worker.catch_up(space, progress=progress)


def _drafts(
    entry: Entry, question: ModelQuestion[Any], answer: ModelAnswer[Any]
) -> list[EntryDraft] | str:
    """Return the entries that an answer becomes, or what is wrong with it, without its words.

    None at all: it changes nothing.
    """
    if answer.value is None:
        return f"{answer.outcome.value}: {answer.detail}" if answer.detail else answer.outcome.value
    answer_payload = question.to_payload(answer.value)
    if answer_payload is None:
        return []
    record = answer.record()
    del record["detail"]
    payloads = [(question.key, answer_payload), *question.findings(answer.value)]
    try:
        return [_draft(entry, key, payload, record) for key, payload in payloads]
    except InvalidInput:
        return f"{ModelOutcome.INVALID.value}: the answer holds characters that no text has"


def _draft(entry: Entry, key: str, payload: ModelPayload, record: dict[str, Json]) -> EntryDraft:
    """Return an entry with who found it; of a fact or a transition, that is all that it says."""
    if isinstance(payload, (FactAsserted, StateTransitioned)):
        marked: ModelPayload = replace(payload, by="model")
    else:
        marked = replace(payload, by="model", model=record)
    return EntryDraft(key, marked, entry.at, body=encode_text(marked))
