"""Dialogues in plain text or Markdown, `Name: text`; tau-bench's few-shot examples are some, too.

A turn begins with a label (`Dana:`, `**Dana:**`, a heading such as `## Dana`) and goes on to the
next one; a time may stand before the label, in ISO 8601. A label is a role (user, assistant, tool,
system), or else a person. Where roles are labels, other words before a colon are text, unless they
are mapped; what is mapped to `text` opens no turn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ....core.errors import InvalidInput
from ....core.types import Json
from ..conversation_reader import ConversationReader, MessagePosition, read_text, stem
from ..import_options import ASSISTANT, TOOL, USER, role_of
from ..import_record import (
    ImportFormat,
    ImportRecord,
    ImportSource,
    json_type,
    refusing,
    reject,
)
from ..json_pieces import read_objects
from ..timestamps import parse_timestamp
from .speakers import is_talk, may_be_name

_TIME = r"(?P<time>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)"
_NAME = r"(?P<name>[^\W\d_][\w.'’-]*(?: [\w.'’()-]+){0,3})"
#: `[2026-03-01 10:00] **Dana**: text`, with or without its time and its marks; `10:00 Dana: text`.
_LABEL = re.compile(
    rf"^(?:[-*] )?(?:\[{_TIME}\]|{_TIME.replace('<time>', '<bare>')}|\[?\d\d?:\d\d(?::\d\d)?\]?)?"
    rf"[ ,-]*(?P<bold>\*\*|__)?{_NAME}(?(bold)(?::(?:\*\*|__)|(?:\*\*|__):)|(?::(?=\s|$)|：))"
    rf"\s*(?P<text>.*)$"
)
_HEADING = re.compile(rf"^#{{1,6}} +(?:\*\*)?{_NAME}(?:\*\*)?:?\s*$")
#: A label alone on its line, in bold: a turn of a role where it names one.
_BOLD = re.compile(rf"^(?:\*\*|__){_NAME}(?:\*\*|__)\s*$")
#: Who talks with one other and is called so talks with a program.
_USERS = frozenset({"user", "human", "you"})
#: What stands between turns, at the end of one.
_RULE = re.compile(r"\n[ \t]*(?:-{3,}|\*{3,})\s*\Z")
#: The mapping of words before a colon that are no name.
_TEXT = "text"
#: What stands for a message that only called a tool.
_NO_WORDS = "None"
_FEW_SHOT = "messages_display"


@dataclass(slots=True)
class _Turn:
    """What one label opened, line by line."""

    line: int
    label: str
    time: str | None
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return _RULE.sub("", "\n".join(self.texts)).strip()


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a turn; the file is one session and its turns are "<file>/<number>"."""
    yield from _dialogue(read_text(source), source.name, stem(source), source.mapping)


def read_few_shot(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a turn; each example is a session, "<file>/<number>"."""

    def read_example(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        text = fields.get(_FEW_SHOT)
        if not isinstance(text, str):
            raise InvalidInput(f"{_FEW_SHOT} is {json_type(text)}: text is needed")
        return _dialogue(text, f"{where} text", f"{stem(source)}/{number + 1}", source.mapping)

    return read_objects(source, read_example)


def _dialogue(
    text: str, where: str, key: str, mapping: Mapping[str, str]
) -> Iterator[ImportRecord]:
    turns = _turns(text, mapping)
    if not turns and text.strip():
        yield reject(where, "no line begins with a name and a colon: write `Name: text`")
    program = _program({turn.label for turn in turns})
    conversation = ConversationReader("text", key)
    for number, turn in enumerate(turns):
        place = MessagePosition(f"{where} line {turn.line}", f"{key}/{number}")
        role = ASSISTANT if turn.label == program else role_of(turn.label)
        role = None if turn.label in mapping else role
        yield from refusing(place.where, _turn(conversation, place, turn, role))
    yield from conversation.finish()


def _program(given: Iterable[str]) -> str | None:
    """Return the label of a program: who alone talks with one that is called "User"."""
    labels = set(given)
    others = {label for label in labels if label.lower() not in _USERS}
    return min(others) if len(others) == 1 < len(labels) else None


def _turn(
    conversation: ConversationReader, place: MessagePosition, turn: _Turn, role: str | None
) -> Iterator[ImportRecord]:
    place = MessagePosition(place.where, place.id, parse_timestamp(turn.time))
    name = None if role in (USER, ASSISTANT) else turn.label
    if role == TOOL:
        name = turn.label.lower()
    if role != ASSISTANT or turn.text != _NO_WORDS:
        yield from conversation.turn(place, role or USER, turn.text, name)


def _turns(text: str, mapping: Mapping[str, str]) -> list[_Turn]:
    """Return the turns of a text; what stands before the first one is no turn."""
    lines = text.split("\n")
    opened = {at: turn for at, line in enumerate(lines) if (turn := _opening(at + 1, line))}
    counts = Counter(turn.label for turn in opened.values())
    program = _program(counts)
    titles = {
        at
        for at, turn in opened.items()
        if lines[at].startswith("#") and counts[turn.label] < 2 and turn.label != program
    }
    opened = {
        at: turn
        for at, turn in opened.items()
        if at not in titles or role_of(turn.label) or turn.label in mapping
    }
    bold = {turn.label for at, turn in opened.items() if _BOLD.match(lines[at])}
    if bold and not _program(bold):  # words in bold for another reason
        opened = {at: turn for at, turn in opened.items() if not _BOLD.match(lines[at])}
    labels = _speakers([turn.label for turn in opened.values()], mapping)
    turns: list[_Turn] = []
    fenced = False
    for at, line in enumerate(lines):
        fenced ^= line.lstrip().startswith("```")
        turn = opened.get(at)
        if turn is not None and turn.label in labels and not fenced:
            turns.append(turn)
        elif turns:
            turns[-1].texts.append(line)
    return turns


def _opening(number: int, line: str) -> _Turn | None:
    if heading := _HEADING.match(line) or _BOLD.match(line):
        return _Turn(number, heading["name"], None)
    if label := _LABEL.match(line):
        return _Turn(number, label["name"], label["time"] or label["bare"], [label["text"]])
    return None


def _speakers(labels: list[str], mapping: Mapping[str, str]) -> frozenset[str]:
    """Return the labels that open a turn, of all that stand before a colon."""
    counts = Counter(label for label in labels if mapping.get(label) != _TEXT)
    roles = {label for label in counts if role_of(label)}
    speakers = roles | (counts.keys() & mapping.keys())
    if len({role_of(label) for label in roles}) > 1:
        return frozenset(speakers)
    people = {label for label, times in counts.items() if may_be_name(label, times)}
    return frozenset(speakers | people)


def _recognises_text(head: str) -> bool:
    """Whether people talk there, and the first turn stands before any other text."""
    lines = [line for line in head.replace("\r\n", "\n").split("\n") if line.strip()]
    turns = _turns("\n".join(lines), {})
    opening = next((line for line in lines if not line.startswith(("#", "---"))), "")
    heading = any(_HEADING.match(line) for line in lines)
    if len(turns) < 2 or not (heading or _opening(1, opening)):
        return False
    dated = sum(turn.time is not None for turn in turns)
    return is_talk([(turn.label, turn.text) for turn in turns], dated)


FORMAT = ImportFormat(
    name="text",
    description="dialogue: plain text or Markdown, lines `Name: text`, or a heading a turn",
    read=read,
    recognises_text=_recognises_text,
)
FEW_SHOT = ImportFormat(
    name="tau-bench-few-shot",
    description="tau-bench's few-shot examples: one object a line with messages_display",
    recognises=lambda keys: _FEW_SHOT in keys,
    read=read_few_shot,
)
