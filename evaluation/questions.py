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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ..core.errors import InvalidInput, NotFound
from ..core.time import MONTHS
from ..core.types import memories_of
from ..language.analyser import Analyser
from ..memory import Memory

# Scores of rankings: recall, all evidence found, reciprocal rank; and their means by group.
#
# Evidence is the ids that answer the question. What was not ranked counts as not found.

#: Measures of one question, or their means, by name; each is 0 to 1.
Measures = Mapping[str, float]
ALL = "all"


@dataclass(frozen=True, slots=True)
class EvaluationQuestion:
    """A question, the ids of the memories that answer it, and the groups it is counted in.

    `answer` is what a right answer says, where that is known; `space` is where it is asked (None:
    wherever the asker looks), and `day` when, where that matters to the answer.
    """

    question: str
    evidence: frozenset[str]
    groups: Sequence[str] = ()
    answer: str = ""
    space: str | None = None
    day: str = ""


def measure_places(places: Collection[int], count: int, cuts: Sequence[int]) -> Measures:
    """Return recall at each cut, whether all stand in the last cut, and the reciprocal rank.

    `places` are those, from 1, at which so much of `count` memories was found. The rank is that of
    the first of them; without any, its reciprocal is 0.
    """
    hits = {cut: sum(place <= cut for place in places) for cut in cuts}
    last = max(cuts)
    return {
        **{f"recall@{cut}": hits[cut] / count for cut in cuts},
        f"all@{last}": float(hits[last] == count),
        "MRR": 1 / min(places) if places else 0.0,
    }


def means(measured: Iterable[tuple[Sequence[str], Measures]]) -> dict[str, Measures]:
    """Return the means of questions' measures by group; the group `all` has every question."""
    by_group: dict[str, list[Measures]] = {ALL: []}
    for groups, measures in measured:
        for group in (ALL, *groups):
            by_group.setdefault(group, []).append(measures)
    return {
        group: {name: fmean(row[name] for row in rows) for name in (rows[0] if rows else ())}
        for group, rows in by_group.items()
    }


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


# LongMemEval and BEAM: conversations of a user with an assistant, and questions about them.
#
# LongMemEval is a file, that with the evidence alone (oracle) or S: each question has a history of
# its own. BEAM is a folder for each conversation (`chat.json`, and beside it
# `probing_questions/probing_questions.json`), or a folder of such folders. Every conversation is a
# space. A question whose right answer is that nothing is known has no evidence: it is only
# answered.

_DATE = re.compile(r"(\d{4})/(\d\d?)/(\d\d?)\b.*?(\d\d?):(\d\d)")
_ANCHOR = re.compile(r"([A-Za-z]+)-(\d\d?)-(\d{4})")
#: What BEAM's generator leaves behind a message: the number of the bullet that it is made from.
_BULLET = re.compile(r"\s*->->\s*[\d,\s]*$")
#: Where BEAM's kinds of questions have what a right answer says.
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")
_ABSTAINS = "_abs"
_QUESTIONS = Path("probing_questions/probing_questions.json")


@dataclass(frozen=True, slots=True)
class Sample:
    """A conversation, as messages for `remember_many`, and the questions about it."""

    space: str
    messages: Sequence[Mapping[str, Any]]
    questions: Sequence[EvaluationQuestion]


def samples_of(path: Path) -> list[Sample]:
    """Return the conversations of a file or folder; none where it is of neither data set.

    Raises `InvalidInput` where something in it is not as the data set has it.
    """
    try:
        if path.is_dir():
            chats = sorted(path.rglob("chat.json"))
            return [_beam(c.parent) for c in chats if (c.parent / _QUESTIONS).is_file()]
        return [*map(_longmemeval, _instances(path))]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(
            f"{path} does not have the form of LongMemEval or BEAM: {error!r}"
        ) from None


def _instances(path: Path) -> list[dict[str, Any]]:
    """Return the questions of LongMemEval's file; none where the file is another one."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return []
    with path.open("rb") as file:
        if b'"haystack_sessions"' not in file.read(1 << 20):
            return []
    read: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return read


def _longmemeval(instance: Mapping[str, Any]) -> Sample:
    space, messages, evidence = str(instance["question_id"]), [], set()
    sessions = zip(
        instance["haystack_session_ids"],
        instance["haystack_dates"],
        instance["haystack_sessions"],
        strict=True,
    )
    for number, (name, date, turns) in enumerate(sessions):
        for place, turn in enumerate(turns):
            id = f"{number}.{place}"
            told = {"id": id, "session": f"{number} {name}", "at": _time(date)}
            messages.append(told | {"role": turn["role"], "text": turn["content"]})
            evidence |= {id} if turn.get("has_answer") else set()
    abstains = space.endswith(_ABSTAINS)
    groups = (instance["question_type"], *(["abstention"] if abstains else []))
    question = EvaluationQuestion(
        instance["question"],
        frozenset() if abstains else frozenset(evidence),
        groups,
        str(instance["answer"]),
        space,
        instance["question_date"],
    )
    return Sample(space, messages, [question])


def _time(date: str) -> datetime:
    match = _DATE.search(date)
    if match is None:
        raise ValueError(f"{date!r} is not a time: write it like '2023/05/20 (Sat) 02:21'")
    year, month, day, hour, minute = map(int, match.groups())
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


def _beam(folder: Path) -> Sample:
    space = f"{folder.parent.name} {folder.name}"
    asked = json.loads((folder / _QUESTIONS).read_text("utf-8"))
    messages = list(_turns(json.loads((folder / "chat.json").read_text("utf-8"))))
    there = {message["id"] for message in messages}
    questions = [
        EvaluationQuestion(
            one["question"],
            frozenset(_ids(one.get("source_chat_ids")) & there),
            (kind,),
            _expected(one),
            space,
        )
        for kind, listed in asked.items()
        for one in listed
    ]
    return Sample(space, messages, questions)


def _turns(batches: Any) -> Iterator[dict[str, Any]]:
    """Yield the messages; each has the date that was named last."""
    at = None
    for batch in batches:
        for turn in batch["turns"]:
            for message in turn:
                match = _ANCHOR.fullmatch(message.get("time_anchor") or "")
                if match is not None and match[1].lower() in MONTHS:
                    month = MONTHS.index(match[1].lower()) + 1
                    at = datetime(int(match[3]), month, int(match[2]), tzinfo=UTC)
                text = _BULLET.sub("", message["content"])
                told = {"id": str(message["id"]), "role": message["role"], "text": text}
                yield told | {"session": str(batch["batch_number"])} | ({"at": at} if at else {})


def _ids(given: Any) -> set[str]:
    """Return the ids in lists, and in objects of lists."""
    if isinstance(given, Mapping):
        return _ids([*given.values()])
    if isinstance(given, list):
        return {id for each in given for id in _ids(each)}
    return set() if given is None else {str(given)}


def _expected(question: Mapping[str, Any]) -> str:
    """Return what a right answer says: in one text, and point by point where it is judged so."""
    said = next((str(question[name]) for name in _ANSWERS if question.get(name)), "")
    points = "\n".join(f"- {point}" for point in question.get("rubric") or ())
    return "\n".join(filter(None, [said, points]))
