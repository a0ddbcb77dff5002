"""Have a model answer questions from what a memory recalls, and a model judge the answers.

Every answer is a line of a file as soon as it is judged: run again over the same file, only what
is missing is asked for. Prompts of one's own stand in the place of the built-in ones, as files
`answer.md` and `judge.md` of the same form and variables.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from ..core.errors import InvalidInput, Unavailable
from ..core.settings import ModelSettings
from ..core.text import json_line
from ..ingest.redaction.sanitise import clean_for_sink
from ..memory import Memory
from ..models.answer_types import JudgeAnswer, QuestionAnswer
from ..models.model_factory import open_model
from ..models.model_types import Model, Prompt, load, read
from .scores import ALL, EvaluationQuestion

#: As many failures in a row end a run: the server is down, or does not know the model.
_FAILURES_MAX = 3
_ENDLESS = 10**9


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """One line of the file; `tokens` are those that both models read and wrote."""

    space: str
    question: str
    group: str
    expected: str
    answer: str
    correct: bool
    reason: str
    model: str
    judge: str
    tokens: int
    ms: int


@dataclass(frozen=True, slots=True)
class Answerer:
    """The models and prompts that answer and judge."""

    model: Model
    judge: Model
    prompts: tuple[Prompt, Prompt]
    time_limit_s: float
    names: tuple[str, str]

    def answer(self, memory: Memory, asked: EvaluationQuestion, limit: int) -> JudgedAnswer | str:
        """Recall `limit` memories, have the question answered and judged; or say why not."""
        memories = memory.recall(asked.question, limit=limit).to_text()
        day = f" (asked on {asked.day})" if asked.day else ""
        cleaned = clean_for_sink(memories, memory.settings.sanitise)
        given = {"question": asked.question + day, "memories": cleaned}
        first = self.model.ask(self.prompts[0], given, QuestionAnswer, self.time_limit_s)
        if first.value is None:
            return first.problem
        said = first.value.answer
        given = {"question": asked.question, "expected": asked.answer, "answer": said}
        second = self.judge.ask(self.prompts[1], given, JudgeAnswer, self.time_limit_s)
        if second.value is None:
            return second.problem
        return JudgedAnswer(
            space=str(memory.space),
            question=asked.question,
            group=", ".join(asked.groups),
            expected=asked.answer,
            answer=said,
            correct=second.value.correct,
            reason=second.value.reason,
            model=self.names[0],
            judge=self.names[1],
            tokens=(first.usage + second.usage).tokens,
            ms=first.duration_ms + second.duration_ms,
        )


@contextmanager
def opened_models(
    settings: ModelSettings, judge: str | None, prompts: Path | None
) -> Iterator[Answerer]:
    """Yield what answers with the model of the settings, and judges with that named `judge`.

    The budget of the settings is for what a memory asks by itself: here it does not count. Raises
    `InvalidInput` where no model is set up, or a prompt is not one.
    """
    if settings.dialect == "none":
        raise InvalidInput('answers need a model: set model.dialect = "openai" and model.name')
    limits = ("calls_per_hour", "calls_per_day", "tokens_per_hour", "tokens_per_day")
    unlimited = settings.model_copy(update=dict.fromkeys(limits, _ENDLESS))
    chosen = (_prompt("answer", prompts), _prompt("judge", prompts))
    names = (settings.name, judge or settings.name)
    with ExitStack() as opened:
        first, second = (
            opened.enter_context(closing(open_model(unlimited.model_copy(update={"name": name}))))
            for name in names
        )
        yield Answerer(first, second, chosen, settings.session_s, names)


def _prompt(name: str, folder: Path | None) -> Prompt:
    """Return a prompt from the folder, or the built-in one; it must take the same variables."""
    own, file = load(name), folder and folder / f"{name}.md"
    if file is None or not file.exists():
        return own
    prompt = read(name, file.read_text("utf-8"))
    if prompt.variables != own.variables:
        needed = ", ".join(sorted(own.variables))
        raise InvalidInput(f"prompt {file}: it must have the variables {needed}, and no others")
    return prompt


def answer_all(
    memory: Memory,
    answerer: Answerer,
    questions: Sequence[EvaluationQuestion],
    file: Path,
    limit: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[JudgedAnswer]:
    """Return the judged answers of all questions with a known answer; write each to `file`.

    Raises `Unavailable` after three failures in a row; what was answered is kept.
    """
    known = {(one.space, one.question): one for one in _read(file)}
    asked = [question for question in questions if question.answer]
    failures = 0
    with file.open("a", encoding="utf-8") as lines:
        for done, question in enumerate(asked, 1):
            here = memory if question.space is None else memory.in_space(question.space)
            key = (str(here.space), question.question)
            if key not in known:
                judged = answerer.answer(here, question, limit)
                if isinstance(judged, str):
                    failures += 1
                    if failures == _FAILURES_MAX:
                        raise Unavailable(f"{judged}; run the same command again to go on")
                    continue
                failures, known[key] = 0, judged
                lines.write(json_line(asdict(judged)) + "\n")
                lines.flush()
            progress(done, len(asked))
    keys = [(str(question.space or memory.space), question.question) for question in asked]
    return [known[key] for key in dict.fromkeys(keys) if key in known]


def _read(file: Path) -> Iterator[JudgedAnswer]:
    if file.exists():
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            try:
                yield JudgedAnswer(**json.loads(line))
            except (TypeError, ValueError):
                raise InvalidInput(
                    f"{file} line {number} is not an answer of `meridia bench`: name another file"
                ) from None


def summary(judged: Sequence[JudgedAnswer], asked: int) -> dict[str, Any]:
    """Return how many answers are right, by group, what they cost, and those that are not.

    `asked` questions had a known answer; what no model answered counts nowhere but in `unanswered`.
    """
    groups = dict.fromkeys([ALL, *(one.group for one in judged if one.group)])
    by_group = {
        group: [one.correct for one in judged if group in (ALL, one.group)] for group in groups
    }
    return {
        "scores": {
            group: {"questions": len(right), "correct": mean(right) if right else None}
            for group, right in by_group.items()
        },
        "unanswered": asked - len(judged),
        "tokens": sum(one.tokens for one in judged),
        "ms": mean(one.ms for one in judged) if judged else None,
        "wrong": [
            {"question": one.question, "expected": one.expected, "answer": one.answer}
            for one in judged
            if not one.correct
        ],
    }
