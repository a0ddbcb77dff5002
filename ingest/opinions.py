"""The model pass of enrichment: asks a model where it does better than a rule, behind a cursor.

Nothing waits for it and nothing is lost by it: what a rule found stands, an answer is one more
entry, and a question that failed is tried again later or becomes a dead letter. A model is asked
outside of any transaction; what came of an entry is written in one. A rebuild asks nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..core import model_prompts
from ..core.errors import InvalidInput
from ..core.events import encode
from ..core.model import Model, ModelAnswer, ModelOutcome
from ..core.types import Draft, Entry, Space
from ..graph import cursors, tasks
from ..graph.database import Connection
from ..graph.journal_file import JournalFile
from .opinion_stages import STAGES, OpinionLimits, Question, Sources, Stage
from .scoring import Scoring

PROJECTION, VERSION = "opinions", 1
#: Entries read at once; most of them need no opinion.
_READ = 500

GoOn = Callable[[], bool]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Case:
    """One question about one entry; `before` is how it went wrong earlier, if it did."""

    stage: Stage
    question: Question[Any]
    before: tasks.Task | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    """A case and what came of it."""

    case: _Case
    answer: ModelAnswer[Any]

    @property
    def refused(self) -> bool:
        """Whether the budget has no room for the question now."""
        return self.answer.outcome is ModelOutcome.REFUSED_BY_BUDGET

    @property
    def left_alone(self) -> bool:
        """Whether nothing was asked, because the server failed too often just now."""
        return not self.refused and not self.answer.attempts


class Opinions:
    """Asks one model about the experiences of any space in one file.

    `behind` says how far the stages by rule have come in a space: no entry after that is asked
    about, so that an opinion always stands behind what it is an opinion of. None: no such limit.
    """

    def __init__(
        self,
        file: JournalFile,
        model: Callable[[], Model | None],
        limits: OpinionLimits,
        scoring: Scoring,
        behind: Callable[[Space], int] | None = None,
    ) -> None:
        self._file = file
        self._model = model
        self._opened: Model | None = None
        self._behind = behind
        self._sources = Sources(file, limits, scoring)

    def cursor(self, space: Space) -> int:
        """Return the last journal sequence about which nothing is asked for the first time."""
        with self._file.database.reading() as connection:
            number = self._file.journal.number(space)
            return cursors.position(connection, number, PROJECTION, VERSION)

    def failures(self, space: Space) -> list[tasks.Task]:
        """Return what will be tried again, and what was given up."""
        with self._file.database.reading() as connection:
            number = self._file.journal.number(space)
            return [*tasks.waiting(connection, number), *tasks.dead(connection, number)]

    def close(self) -> None:
        """Give back what the model holds, if one was opened."""
        if self._opened is not None:
            self._opened.close()

    def retry(self, space: Space) -> int:
        """Have the next `catch_up` try all failed tasks again, dead ones too; count them."""
        with self._file.database.writing() as connection:
            return tasks.retry(connection, self._file.journal.number(space))

    def catch_up(
        self,
        space: Space,
        go_on: GoOn = lambda: True,
        progress: Progress = lambda done, total: None,
    ) -> bool:
        """Try again what is due, then ask about new entries while `go_on()`.

        Returns whether it came to the end: False where it was stopped or where the model's budget
        is spent, and then it begins at the same place next time. Tasks that wait do not count.
        Without a model there is nothing to do and nothing moves.
        """
        model = self._opened = self._opened or self._model()
        if model is None:
            return True
        if not self._try_again(space, model, go_on):
            return False
        return self._go_through(space, model, go_on, progress)

    def _try_again(self, space: Space, model: Model, go_on: GoOn) -> bool:
        stages = {stage.name: stage for stage in STAGES}
        with self._file.database.reading() as connection:
            number = self._file.journal.number(space)
            due = tasks.due(connection, number, self._file.clock())
        for task in due:
            if task.stage not in stages:
                continue
            if not go_on():
                return False
            entry = self._entry(space, task.seq)
            question = self._question(stages[task.stage], entry)
            if entry is None or question is None:
                self._forget(space, task)
                continue
            asked = self._ask(space, model, _Case(stages[task.stage], question, task))
            if asked.refused:
                return False
            if asked.left_alone:  # it did not fail again: nobody was asked
                return True
            self._write(space, entry, [asked])
        return True

    def _go_through(self, space: Space, model: Model, go_on: GoOn, progress: Progress) -> bool:
        start = done = self.cursor(space)
        end = self._end(space)
        while done < end:
            entries = self._file.journal.read(space, done, _READ)
            for entry in (entry for entry in entries if entry.seq <= end):
                cases = self._cases(space, entry)
                if cases:
                    progress(done - start, end - start)
                    if not go_on() or not self._settle(space, model, entry, cases):
                        self._move(space, done)
                        return False
                done = entry.seq
            self._move(space, done)
            end = self._end(space)
        progress(max(end - start, 0), max(end - start, 0))
        return True

    def _end(self, space: Space) -> int:
        head = self._file.journal.head(space).seq
        return head if self._behind is None else min(head, self._behind(space))

    def _cases(self, space: Space, entry: Entry) -> list[_Case]:
        """Return what is to be asked about an entry for the first time."""
        questions = [(stage, stage.question(self._sources, entry)) for stage in STAGES]
        cases = [_Case(stage, question) for stage, question in questions if question]
        if not cases:
            return []
        with self._file.database.reading() as connection:
            number = self._file.journal.number(space)
            failed = {task.stage for task in tasks.of_entry(connection, number, entry.seq)}
        return [case for case in cases if case.stage.name not in failed]

    def _settle(self, space: Space, model: Model, entry: Entry, cases: Sequence[_Case]) -> bool:
        """Ask all questions about an entry; return whether the budget had room for them."""
        answers: list[_Asked] = []
        for case in cases:
            asked = self._ask(space, model, case)
            if asked.refused:
                break
            answers.append(asked)
        complete = len(answers) == len(cases)
        self._write(space, entry, answers, passed=complete)
        return complete

    def _ask(self, space: Space, model: Model, case: _Case) -> _Asked:
        question = case.question
        prompt = model_prompts.load(question.prompt)
        answer: ModelAnswer[Any] = model.ask(
            prompt, question.variables, question.answer_type, question.time_limit_s
        )
        kept = answer.record()
        self._file.trace.write(space, "model", answer.outcome.value, question.about, kept)
        return _Asked(case, answer)

    def _write(
        self, space: Space, entry: Entry, answers: Sequence[_Asked], *, passed: bool = False
    ) -> None:
        """Write down what came of an entry, and pass it, in one transaction."""
        with self._file.database.writing() as connection:
            number = self._file.journal.number(space)
            for asked in answers:
                self._write_one(connection, number, entry, asked)
            if passed:
                cursors.move(connection, number, PROJECTION, VERSION, entry.seq)

    def _write_one(self, connection: Connection, number: int, entry: Entry, asked: _Asked) -> None:
        """Append an answer or note a failure, unless things have changed while it was asked."""
        stage, answer = asked.case.stage, asked.answer
        name = stage.name
        failed = [t for t in tasks.of_entry(connection, number, entry.seq) if t.stage == name]
        question = self._question(stage, self._entry(entry.space, entry.seq))
        if question is None:  # erased meanwhile, or answered by another process
            tasks.done(connection, number, entry.seq, name)
            return
        draft = _draft(entry, question, answer)
        if not isinstance(draft, str):
            self._file.journal.append(entry.space, [draft] if draft else [])
            tasks.done(connection, number, entry.seq, name)
        elif failed == [task for task in (asked.case.before,) if task]:
            now = self._file.clock()
            tasks.fail(connection, number, entry.seq, name, draft, now)

    def _question(self, stage: Stage, entry: Entry | None) -> Question[Any] | None:
        return stage.question(self._sources, entry) if entry is not None else None

    def _entry(self, space: Space, seq: int) -> Entry | None:
        found = self._file.journal.read(space, seq - 1, 1)
        return found[0] if found and found[0].seq == seq else None

    def _forget(self, space: Space, task: tasks.Task) -> None:
        with self._file.database.writing() as connection:
            number = self._file.journal.number(space)
            tasks.done(connection, number, task.seq, task.stage)

    def _move(self, space: Space, seq: int) -> None:
        with self._file.database.writing() as connection:
            number = self._file.journal.number(space)
            cursors.move(connection, number, PROJECTION, VERSION, seq)


def _draft(entry: Entry, question: Question[Any], answer: ModelAnswer[Any]) -> Draft | str | None:
    """Return the entry that an answer becomes, or what is wrong with it, without its words.

    None: it changes nothing.
    """
    if answer.value is None:
        return f"{answer.outcome.value}: {answer.detail}" if answer.detail else answer.outcome.value
    told = question.told(answer.value)
    if told is None:
        return None
    kept = answer.record()
    del kept["detail"]
    payload = {**told, "by": "model", "model": kept}
    try:
        body = encode(payload)
    except InvalidInput:
        return f"{ModelOutcome.INVALID.value}: the answer holds characters that no text has"
    return Draft(question.kind, question.key, payload, entry.at, body=body)
