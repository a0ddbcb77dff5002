"""LongMemEval and BEAM: conversations of a user with an assistant, and questions about them.

LongMemEval is a file, that with the evidence alone (oracle) or S: each question has a history of
its own. BEAM is a folder for each conversation (`chat.json`, and beside it
`probing_questions/probing_questions.json`), or a folder of such folders. Every conversation is a
space. A question whose right answer is that nothing is known has no evidence: it is only answered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..core.errors import InvalidInput
from ..core.time import MONTHS
from .scores import EvaluationQuestion

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
