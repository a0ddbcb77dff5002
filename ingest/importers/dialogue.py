"""Dialogues in plain text or Markdown, `Name: text`: who speaks, and whether anybody does; Aider.

A turn begins with a label (`Dana:`, `**Dana:**`, a heading such as `## Dana`, `[10:02] <dana>`,
or a name and a time alone on a line) and goes on to the next one; a time may stand before the
label. A label is a role (user, assistant, tool, system), or else a person. Where roles are labels,
other words before a colon are text, unless they are mapped; what is mapped to `text` opens no turn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from ...core.entities.common_words import CALENDAR
from ...core.errors import InvalidInput
from ...core.types import Json
from ...language.word_lists import word_list
from .conversation_reader import ConversationReader, MessagePosition, read_text, stem
from .import_options import ASSISTANT, TOOL, USER, role_of
from .import_record import (
    BOOKKEEPING,
    ImportRecord,
    ImportSource,
    json_type,
    refusing,
    reject,
)
from .json_pieces import read_objects
from .timestamps import parse_timestamp

# Whether lines `word: text` are what people say to each other: few labels that recur plausibly.
#
# A log, a recipe, a list of settings and a page of notes have such lines too. Nobody says those:
# their labels are many, or keys, or nothing in them is said to anybody.

#: Words before a colon that open a remark, an entry or a line of a log, not a turn.
_KEYS = word_list("keys")
#: Words that somebody says to somebody, in the languages that many write; and of oneself, which
#: people say in a list too.
_ADDRESSES = word_list("addresses")
_SELF = word_list("of_oneself")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
#: Whole sentences, of three words at least: what is said, not what is filled in. Scripts without
#: blanks have a stop of their own.
_SENTENCES = re.compile(r"[A-ZÀ-ÞА-Я](?:\S*\s+){2,}\S*[.!?…]|\S.*[。？！]", re.DOTALL)
#: One turn in so many has to speak to somebody; of oneself does not do where labels come in order.
_TURNS_PER_ADDRESS = 8


def speakers_of(labels: Sequence[str]) -> frozenset[str]:
    """Return the labels, each as often as it stands there, if they are few that may be names."""
    counts = Counter(labels)
    names = Counter({label: n for label, n in counts.items() if may_be_name(label, n)})
    return frozenset(names) if _are_few(names) else frozenset()


def may_be_name(label: str, times: int) -> bool:
    """Whether a label may be a person: written as a name, or a word that stands there again."""
    words = label.split()
    if len(label) < 2 or label.lower() in _KEYS or (label.lower() in CALENDAR and times < 2):
        return False
    is_title = not words[0][0].islower() and not words[-1][0].islower()
    return is_title or (len(words) == 1 < times)


def is_talk(turns: Sequence[tuple[str, str]], dated: int) -> bool:
    """Whether turns, each a label and a text, are a dialogue; `dated` have a time before them."""
    roles = {role for label, _ in turns if (role := role_of(label))}
    if len(roles) > 1:
        return True
    labels = [label for label, _ in turns if not role_of(label)]
    counts = Counter(labels)
    names = Counter({label: n for label, n in counts.items() if may_be_name(label, n)})
    if len(names) + len(roles) < 2 or names.total() * 2 < len(labels):
        return False
    if not _are_few(names) or all(name.lower() in CALENDAR for name in names):
        return False
    if all(_SENTENCES.fullmatch(text.strip()) for _, text in turns):
        return True
    follows = set(pairwise(labels))
    in_order = len(follows) == len({label for label, _ in follows})
    words = _ADDRESSES if in_order else _ADDRESSES | _SELF
    addressing = sum(_speaks_to_somebody(text, names, words) for _, text in turns)
    asked = len(turns) == 2 and _asks(turns[0][1])
    goes_on = asked or roles or len(counts) < len(turns)  # somebody answers, or speaks again
    enough = _TURNS_PER_ADDRESS if goes_on else 1
    return dated * 2 >= len(turns) or addressing * enough >= len(turns)


def _are_few(counts: Counter[str]) -> bool:
    return bool(counts) and len(counts) <= max(2, (counts.total() + 1) // 2)


def _speaks_to_somebody(text: str, names: Counter[str], addresses: frozenset[str]) -> bool:
    words = {word.lower().replace("’", "'") for word in _WORD.findall(text)}
    called = any(name.split()[0].lower() in words for name in names)
    return called or _asks(text) or not words.isdisjoint(addresses)


def _asks(text: str) -> bool:
    return not {"?", "？", "؟"}.isdisjoint(text)


# Dialogues, and the few-shot examples of tau-bench.

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
#: A time of day, or how far a recording is.
_CLOCK = r"\d\d?:\d\d(?::\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?"
_STAMP = rf"\[?(?:{_TIME}|{_CLOCK})\]?"
#: `[10:02] <dana> text`, and `10:02<tab>dana<tab>text`, as programs write chats.
_NICK = re.compile(
    rf"^(?:{_STAMP}\s+<[ @+%&~]?(?P<name>[^<>\s]{{1,40}})>\s"
    rf"|{_TIME.replace('<time>', '<full>')}\t[@+%&~]?(?P<nick>\w[^\s]{{0,40}})\t)\s*(?P<text>.*)$"
)
_STAMPED = re.compile(rf"{_STAMP}\s")
_CLOCK_LINE = re.compile(rf"\s*\[?(?:{_CLOCK})\]?\s*")
#: A name and a time alone on a line, as transcripts of meetings and copied chats have them.
_AT = rf"\[?\(?(?:(?:[Tt]oday|[Yy]esterday|[\d./-]{{6,10}}),? (?:at )?)?{_CLOCK}\)?\]?"
_TIMED = (
    re.compile(rf"^{_NAME}(?:\s*[-–—|,·]|\s)\s*{_AT}\s*$"),
    re.compile(rf"^\[?{_CLOCK}\]?[\s,–—-]+{_NAME}\s*$"),
)
#: The same on two lines, with the time in words or not; it is read as one.
_TIME_BELOW = re.compile(
    rf"^{_NAME}\s*\n(?:{_CLOCK}|(?:\d+ (?:hours?|minutes?|seconds?)\s*){{1,3}})\s*$", re.MULTILINE
)
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
    is_chat: bool = False

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
    if any(turn.is_chat for turn in opened.values()):
        opened = {at: turn for at, turn in opened.items() if turn.is_chat}
        return _closed(lines, opened, _STAMPED.match)
    if timed := _timed(text):
        return timed
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
    opened = {at: turn for at, turn in opened.items() if turn.label in labels}
    stamps = [at - 1 for at in opened if at and _CLOCK_LINE.fullmatch(lines[at - 1])]
    for at in stamps:
        lines[at] = ""
    return _closed(lines, opened)


def _closed(
    lines: Sequence[str],
    opened: Mapping[int, _Turn],
    is_left_out: Callable[[str], object] = lambda _: False,
) -> list[_Turn]:
    """Return the opened turns, each with the lines up to the next one but those left out."""
    turns: list[_Turn] = []
    fenced = False
    for at, line in enumerate(lines):
        fenced ^= line.lstrip().startswith("```")
        if (turn := opened.get(at)) and not fenced:
            turns.append(turn)
        elif turns and (fenced or not is_left_out(line)):
            turns[-1].texts.append(line)
    return turns


def _timed(text: str) -> list[_Turn] | None:
    """Return the turns of a text where each begins with a name and a time on a line, or None.

    Somebody speaks again there, and nobody says nothing: a programme of a day is no talk.
    """
    lines = _TIME_BELOW.sub(lambda match: f"{match['name']} 0:00\n", text).split("\n")
    matches = ((at, form.match(line)) for at, line in enumerate(lines) for form in _TIMED)
    labels = {at: head["name"].rstrip(" -(") for at, head in matches if head}
    counts = Counter(labels.values())
    is_talk = 1 < len(counts) < len(labels) and _are_few(counts)
    if not is_talk or not all(may_be_name(label, times) for label, times in counts.items()):
        return None
    turns = _closed(lines, {at: _Turn(at + 1, label, None) for at, label in labels.items()})
    return turns if all(turn.text for turn in turns) else None


def _opening(number: int, line: str) -> _Turn | None:
    if heading := _HEADING.match(line) or _BOLD.match(line):
        return _Turn(number, heading["name"], None)
    if nick := _NICK.match(line):
        name = nick["name"] or nick["nick"]
        return _Turn(number, name, nick["time"] or nick["full"], [nick["text"]], is_chat=True)
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


def recognises_text(head: str) -> bool:
    """Whether people talk there, and the first turn stands before any other text."""
    lines = [line for line in head.replace("\r\n", "\n").split("\n") if line.strip()]
    turns = _turns("\n".join(lines), {})
    leading = (line for line in lines if not line.startswith(("#", "---")))
    opening = next((line for line in leading if not _CLOCK_LINE.fullmatch(line)), "")
    if turns and (turns[0].is_chat or _timed("\n".join(lines))):
        return len(turns) > 1
    heading = any(_HEADING.match(line) for line in lines)
    if len(turns) < 2 or not (heading or _opening(1, opening)):
        return False
    dated = sum(turn.time is not None for turn in turns)
    return is_talk([(turn.label, turn.text) for turn in turns], dated)


# Aider: the chat history that it writes in Markdown, one session a start.
#
# What the person asks stands behind `####`, what the program reports behind `>`; the rest is the
# answer. Commands of the program are nobody's words.

_START = re.compile(r"^# aider chat started at (?P<time>[-\d]+ [:\d]+)[ \t]*$", re.MULTILINE)
_REPORT = "report"
_MARKS = {"#### ": USER, "> ": _REPORT}
#: Commands that hand on what stands behind them.
_ASKING = re.compile(r"/(?:ask|code|architect|context)\s+(?=\S)")


def read_aider(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message; its id is "<file>/<start>/<number>"."""
    _, *runs = _START.split(read_text(source))
    for time, text in zip(runs[::2], runs[1::2], strict=True):
        key = f"{stem(source)}/{time}"
        conversation = ConversationReader("aider", key)
        for number, (role, lines) in enumerate(_aider_turns(text)):
            words = _ASKING.sub("", "\n".join(lines).strip(), count=1)
            place = MessagePosition(source.name, f"{key}/{number}", parse_timestamp(time))
            if role == _REPORT or (role == USER and words.startswith("/")):
                conversation.leave_out(BOOKKEEPING, len(lines))
            elif words:
                yield from conversation.turn(place, role, words)
        yield from conversation.finish()


def _aider_turns(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield runs of lines of one role, without their marks; fenced lines are the answer's."""
    fenced = False
    marked: list[tuple[str, str]] = []
    for line in text.split("\n"):
        mark = next((mark for mark in _MARKS if line.startswith(mark) and not fenced), "")
        fenced ^= line.startswith("```")
        role = _MARKS.get(mark, ASSISTANT)
        if not mark and not line.strip() and marked and not fenced:
            role = marked[-1][0]  # a blank line goes on
        marked.append((role, line.removeprefix(mark).rstrip()))
    for role, run in groupby(marked, key=lambda each: each[0]):
        yield role, [line for _, line in run]


def recognises_aider(head: str) -> bool:
    """Whether a text begins as Aider does."""
    return _START.match(head.lstrip()) is not None
