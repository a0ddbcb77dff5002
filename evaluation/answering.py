"""Have a model answer questions from what a memory recalls, and a model judge the answers.

Every answer is a line of a file as soon as it is judged: run again over the same file, only what
is missing is asked for. Prompts of one's own stand in the place of the built-in ones, as files
`answer.md` and `judge.md` of the same form and variables.
"""

from __future__ import annotations

import json
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from ..core.errors import InvalidInput, Unavailable
from ..core.settings import ModelSettings, Settings
from ..core.settings_loader import changed, keys
from ..core.text import json_line
from ..core.types import memories_of
from ..ingest.redaction.sanitise import clean_for_sink
from ..memory import Memory
from ..models.answer_types import JudgeAnswer, QuestionAnswer
from ..models.model_factory import open_model
from ..models.model_types import Model, Prompt, load, read
from ..resume.layout import estimate_tokens
from .questions import ALL, EvaluationQuestion, Measures, means, measure_places

# Ask questions of a memory and count what it finds, how sure it is, how long and how much it is.
#
# Asking changes nothing: no answer is kept. Other settings are tried on a copy of the journal.

CUTS = (1, 5, 10, 20)
#: What is said of a memory in the report.
_TEXT_CHARS = 200
#: Sections of settings that change what a question finds.
_TRIED = ("recall", "embedding")


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """What came of one question; `places` are the ranks at which its evidence stands."""

    asked: EvaluationQuestion
    places: Mapping[str, int]
    shown: Sequence[str]
    confidence: float
    certainty: str
    ms: float
    tokens: int

    @property
    def rank(self) -> int | None:
        """The rank of the first memory that answers; None where none was found."""
        return min(self.places.values(), default=None)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "question": self.asked.question,
            "space": self.asked.space,
            "groups": list(self.asked.groups),
            "rank": self.rank,
            "expected": {id: self.places.get(id) for id in sorted(self.asked.evidence)},
            "confidence": self.confidence,
            "certainty": self.certainty,
            "ms": round(self.ms, 3),
            "tokens": self.tokens,
        }


Progress = Callable[[int, int], None]


def ask_all(
    memory: Memory,
    questions: Sequence[EvaluationQuestion],
    limit: int,
    progress: Progress = lambda done, total: None,
) -> list[AskedQuestion]:
    """Ask each question in its space for `limit` memories."""
    found = []
    for done, question in enumerate(questions, 1):
        here = memory if question.space is None else memory.in_space(question.space)
        started = time.perf_counter()
        recall = here.recall(question.question, limit=limit)
        took = time.perf_counter() - started
        places: dict[str, int] = {}
        for hit in recall.hits:
            names = {hit.event_id, *(repeat.event_id for repeat in hit.repeats)}
            places |= dict.fromkeys(names & question.evidence - places.keys(), hit.rank)
        found.append(
            AskedQuestion(
                question,
                places,
                [hit.event_id for hit in recall.hits],
                recall.confidence,
                recall.certainty,
                took * 1000,
                estimate_tokens(recall.to_text()),
            )
        )
        progress(done, len(questions))
    return found


def scores_of(asked: Sequence[AskedQuestion], limit: int) -> dict[str, Measures]:
    """Return the mean recall at each cut up to `limit` and the mean reciprocal rank, by group."""
    cuts = sorted({*(cut for cut in CUTS if cut < limit), limit})
    return means(
        (one.asked.groups, measure_places([*one.places.values()], len(one.asked.evidence), cuts))
        for one in asked
    )


def report(memory: Memory, asked: Sequence[AskedQuestion], limit: int) -> dict[str, Any]:
    """Return all that the questions say of a memory, as plain JSON values."""
    spaces = dict.fromkeys(one.asked.space or memory.space for one in asked)
    records = {
        (space, record.event_id): record
        for space in spaces
        for record in memories_of(memory.in_space(space).list)
    }
    shown = {(one.asked.space or memory.space, id) for one in asked for id in one.shown}
    wanted: dict[tuple[str, str], list[str]] = {}
    found = set()
    for one in asked:
        for id in one.asked.evidence:
            key = (one.asked.space or memory.space, id)
            wanted.setdefault(key, []).append(one.asked.question)
            found |= {key} if id in one.places else set()
    missed = [key for key in records if key in wanted and key not in found]
    ms = sorted(one.ms for one in asked)
    right, wrong = ([one for one in asked if (one.rank == 1) == first] for first in (True, False))
    counts = Counter(group for one in asked for group in one.asked.groups)
    return {
        "questions": len(asked),
        "limit": limit,
        "memories": len(records),
        "never_shown": len(records.keys() - shown),
        "scores": {
            group: {"questions": counts.get(group, len(asked)), **measures}
            for group, measures in scores_of(asked, limit).items()
        },
        "confidence": {"right_first": _certainties(right), "other": _certainties(wrong)},
        "ms": {"median": statistics.median(ms), "p95": ms[int(0.95 * (len(ms) - 1))]},
        "tokens": statistics.mean(one.tokens for one in asked),
        "never_found": [
            {
                "space": space,
                "id": id,
                "address": records[space, id].address,
                "text": records[space, id].text[:_TEXT_CHARS],
                "questions": wanted[space, id],
            }
            for space, id in missed
        ],
        "in_no_memory": sorted({id for space, id in wanted.keys() - records.keys()}),
        "asked": [one.as_json() for one in asked],
    }


def _certainties(asked: Sequence[AskedQuestion]) -> dict[str, Any]:
    """Return how sure the memory was of some answers: the mean, and how often it said what."""
    said = [one.certainty for one in asked]
    mean = statistics.mean(one.confidence for one in asked) if asked else None
    words = ("sure", "maybe", "probably nothing")
    return {"count": len(asked), "mean": mean, **{word: said.count(word) for word in words}}


def settings_to_ask(settings: Settings, values: Mapping[str, Any] | None = None) -> Settings:
    """Return settings that keep no answer, with some values in the place of theirs.

    Raises `InvalidInput` for a setting that changes nothing that a question finds.
    """
    for key in values or {}:
        if key not in keys() or key.partition(".")[0] not in _TRIED:
            raise InvalidInput(
                f"--with {key}: give a setting of {' or '.join(_TRIED)}, as recall.profile=simple; "
                "`meridia config` lists them"
            )
    return changed(settings, {"recall.keep": False, **(values or {})})


@contextmanager
def opened_with(
    memory: Memory, values: Mapping[str, Any], spaces: Sequence[str]
) -> Iterator[Memory]:
    """Yield a memory over a copy of the journal whose settings have other values, enriched."""
    settings = settings_to_ask(memory.settings, values)
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        memory.upkeep.backup(copy)
        with Memory.open(copy, memory.space, settings, enrich="manual") as other:
            for space in spaces:
                other.in_space(space).enrich()
            yield other


def compare(
    before: Sequence[AskedQuestion], after: Sequence[AskedQuestion], limit: int
) -> dict[str, Any]:
    """Return how other settings do on the same questions, and which are found more or less."""
    pairs = list(zip(before, after, strict=True))
    return {
        "scores": scores_of(after, limit),
        "ms": statistics.median(one.ms for one in after),
        "gained": [new.asked.question for old, new in pairs if len(new.places) > len(old.places)],
        "lost": [new.asked.question for old, new in pairs if len(new.places) < len(old.places)],
    }


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
