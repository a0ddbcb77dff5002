"""Questions with what answers them: from a user's file, from LoCoMo's, or drawn from a memory.

A drawn question is some of the words of one memory, the rarer the likelier, in their order: it
tells whether the memory can be found at all by what it says, not how well questions are understood.
"""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ..core.errors import InvalidInput, NotFound
from ..core.types import memories_of
from ..language.analyser import Analyser
from ..memory import Memory
from .scores import EvaluationQuestion

#: LoCoMo's multi-hop, temporal, open and single-hop; the fifth has no answer in the conversation.
CATEGORIES = (1, 2, 3, 4)
_TURN = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_\d+")
#: A memory of fewer words gives no question; a question has so many words of it at most.
_WORDS_MIN, _WORDS_ASKED = 4, 6


def _several(value: Any) -> Any:
    """Take one text, or several in one cell of a table, for a list."""
    return [part.strip() for part in value.split("|")] if isinstance(value, str) else value


_Texts = Annotated[list[Annotated[str, Field(min_length=1)]], BeforeValidator(_several)]


class QuestionRow(BaseModel):
    """One line of a file of questions: what is asked, and what answers it."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(min_length=1)
    id: _Texts = []
    text: _Texts = []
    answer: str = ""
    group: str = ""
    space: str | None = None


def read_questions(path: Path, memory: Memory) -> list[EvaluationQuestion]:
    """Read a JSONL or CSV file of `QuestionRow`s; `InvalidInput` names the line that is wrong.

    An `id` is any address of a memory; a `text` stands for the memories that contain it. What is
    in no memory stays in the evidence as it is written, and is never found.
    """
    asked, texts = [], _SpaceTexts()
    for where, fields in _rows(path):
        try:
            row = QuestionRow.model_validate({k: v for k, v in fields.items() if v})
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            key = ".".join(map(str, problem["loc"]))
            raise InvalidInput(f"{where}: {key}: {problem['msg']}") from None
        if not (row.id or row.text):
            raise InvalidInput(f"{where}: id or text is missing: name the memory that answers")
        here = memory if row.space is None else memory.in_space(row.space)
        evidence = {_own_id(here, id) for id in row.id}
        for text in row.text:
            evidence |= texts.holding(here, text)
        groups = (row.group,) if row.group else ()
        asked.append(
            EvaluationQuestion(
                row.question, frozenset(evidence), groups, row.answer, str(here.space)
            )
        )
    if not asked:
        raise InvalidInput(f"{path} contains no question: each line is an object with a `question`")
    return asked


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read as UTF-8 text: {error}") from None
    if path.suffix.lower() == ".csv":
        table = csv.DictReader(text.splitlines(keepends=True), restkey="more cells than columns")
        for fields in table:
            yield f"{path} line {table.line_num}", fields
        return
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except ValueError as error:
            raise InvalidInput(f"{path} line {number} is not JSON: {error}") from None
        if not isinstance(fields, dict):
            raise InvalidInput(f"{path} line {number}: an object with a question is needed")
        yield f"{path} line {number}", fields


def _own_id(memory: Memory, address: str) -> str:
    try:
        return memory.get(address).event_id
    except NotFound:
        return address


class _SpaceTexts:
    """The texts of spaces, each read once."""

    def __init__(self) -> None:
        self._by_space: dict[str, list[tuple[str, str]]] = {}

    def holding(self, memory: Memory, text: str) -> set[str]:
        """Return the ids of the memories that contain a text, or the text itself where none do."""
        texts = self._by_space.get(memory.space)
        if texts is None:
            texts = [(m.event_id, _plain(m.text)) for m in memories_of(memory.list)]
            self._by_space[memory.space] = texts
        wanted = _plain(text)
        return {id for id, said in texts if wanted in said} or {text}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def locomo_samples(path: Path) -> list[dict[str, Any]]:
    """Return the conversations of LoCoMo's file, or nothing where it is no such file."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return []
    try:
        samples = json.loads(path.read_text("utf-8"))
    except ValueError:
        return []
    listed = samples if isinstance(samples, list) else [samples]
    needed = {"sample_id", "conversation", "qa"}
    return listed if all(isinstance(s, dict) and needed <= s.keys() for s in listed) else []


def locomo_questions(sample: Mapping[str, Any]) -> list[EvaluationQuestion]:
    """Return a conversation's questions that have evidence among its turns, by category."""
    turns = {
        turn["dia_id"]
        for key, session in sample["conversation"].items()
        if _SESSION.fullmatch(key)
        for turn in session
    }
    questions = []
    for question in sample["qa"]:
        references = _TURN.findall(" ".join(question.get("evidence") or ()))
        evidence = frozenset(f"D{int(session)}:{int(turn)}" for session, turn in references) & turns
        if question["category"] in CATEGORIES and evidence:
            groups = (f"c{question['category']}",)
            answer, space = str(question.get("answer", "")), sample["sample_id"]
            questions.append(
                EvaluationQuestion(question["question"], evidence, groups, answer, space)
            )
    return questions


def draw_questions(memory: Memory, count: int, seed: int = 0) -> list[EvaluationQuestion]:
    """Draw up to `count` memories of a space, and make of the words of each a question for it."""
    analyser, chance = Analyser(memory.settings.analysis.language), random.Random(seed)  # noqa: S311
    records = list(memories_of(memory.list))
    spellings = [analyser.spellings(record.text) for record in records]
    common = Counter(stem for words in spellings for stem in words)
    texts = Counter(_plain(record.text) for record in records)
    usable = [
        place
        for place, record in enumerate(records)
        if len(spellings[place]) >= _WORDS_MIN and texts[_plain(record.text)] == 1
    ]
    drawn = sorted(chance.sample(usable, min(count, len(usable))))
    return [
        EvaluationQuestion(
            _some_words(spellings[place], common, chance),
            frozenset({records[place].event_id}),
            (records[place].role,),
            space=memory.space,
        )
        for place in drawn
    ]


def _some_words(words: Mapping[str, str], common: Mapping[str, int], chance: random.Random) -> str:
    """Return half of the words of a text in their order, the rarer the likelier."""
    size = min(_WORDS_ASKED, max(2, len(words) // 2))
    keys = {stem: chance.random() ** common[stem] for stem in words}
    taken = set(islice(sorted(words, key=lambda stem: -keys[stem]), size))
    return " ".join(written for stem, written in words.items() if stem in taken)


def some_of(
    questions: Sequence[EvaluationQuestion], count: int | None, seed: int
) -> list[EvaluationQuestion]:
    """Return `count` of the questions, drawn by `seed`, in their order; all of them for None."""
    if count is None or count >= len(questions):
        return list(questions)
    places = random.Random(seed).sample(range(len(questions)), count)  # noqa: S311
    return [questions[place] for place in sorted(places)]
