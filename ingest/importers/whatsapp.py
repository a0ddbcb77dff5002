"""WhatsApp's export of a chat as text, as every phone, clock and language writes it.

A message begins with date and time, in brackets (iOS) or before a dash (Android), and goes on over
the lines that do not. What the app says of itself is told by its shape, not by its words: lines
without a sender, what begins with the mark U+200E, and `<…>` that stands alone. Whether the day or
the month comes first is decided over the whole file, and said where nothing decides it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath

from ...core.events import EventKind
from ...core.types import Json
from ...language.analyser import stop_words
from .conversation_reader import ConversationReader, MessagePosition, content_id, stem
from .import_record import EMPTY, ImportFormat, ImportRecord, ImportSource, reject, skip
from .text_formats.text_lines import text_lines

_BLANK = "[ \u00a0\u2009\u202f]"
#: What is not seen: marks of direction and of joining.
_UNSEEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_LEFT_TO_RIGHT = "\u200e"
_WORD = r"[^\W\d_][^\W\d_.]*"
_HALF = rf"{_WORD}\.?(?:{_BLANK}?{_WORD}\.)?"
_HEAD = re.compile(
    rf"""[\u200e\u200f\ufeff]*(?P<bracket>\[)?
    (?P<first>\d{{1,4}})(?P<mark>[./-]){_BLANK}?(?P<second>\d{{1,2}})(?P=mark){_BLANK}?
    (?P<third>\d{{1,4}})\.?(?P<comma>[,،])?{_BLANK}*(?:(?P<before>{_HALF}){_BLANK}*)?
    (?P<hour>\d{{1,2}})[:.](?P<minute>\d\d)(?:[:.](?P<seconds>\d\d))?
    (?:{_BLANK}*(?P<half>{_HALF}))?
    (?(bracket)\]{_BLANK}*|{_BLANK}+[-–]{_BLANK}+)(?P<rest>.*)$""",
    re.VERBOSE | re.DOTALL,
)
_SENDER = re.compile(rf"(?P<sender>[^:\n]{{1,100}}):(?:{_BLANK}|$)(?P<text>.*)$", re.DOTALL)
#: How words for the second half of the day begin, where they are no "p".
_AFTERNOON = ("p", "μ", "du", "ös", "م", "下", "오후", "午後", "ip")
_ALONE = re.compile(r"<[^<>\n]{1,80}>")
_EDITED = re.compile("\\s*(?:\u200e<[^<>\n]{1,80}>|<(?:[^\\s<>]+ ){2,}[^\\s<>]+>)$")
_ATTACHED = re.compile(
    r"(?:<[^<>:\n]{1,40}: )?(?P<name>[^\n<>:/]{1,200}\.\w{2,5})(?:>| \([^()\n]+\))"
)
#: Told by their function words.
_LANGUAGES = (
    *("english", "german", "spanish", "portuguese", "italian", "french", "dutch", "turkish"),
    *("danish", "swedish", "norwegian", "finnish", "polish", "russian", "indonesian", "romanian"),
)
#: The share of words that have to be function words of its language, and how many different ones.
_SHARE_MIN = 0.15
_DIFFERENT_MIN = 3
_QUOTES = (("“", "”"), ("„", "“"), ("«", "»"), ('"', '"'), ("‘", "’"))
_LABEL_WORDS = 4
_SAMPLE = 400


@dataclass(slots=True)
class _Survey:
    """What the whole file says: which of day and month comes first, and who sends."""

    days_first: int = 0
    months_first: int = 0
    dots: bool = False
    capital_halves: bool = False
    falls: Counter[bool] = field(default_factory=Counter)
    senders: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    _before: dict[bool, tuple[int, ...]] = field(default_factory=dict)
    example: str = ""

    def add(self, head: re.Match[str]) -> None:
        """Look at the head of one message."""
        if sender := _sender(head["rest"]):
            self.senders[sender[0]] += 1
            if self.senders.total() <= _SAMPLE:
                self.words.update(re.findall(r"[^\W\d_]+", sender[1].lower()))
        if len(head["first"]) == 4:
            return
        first, second = int(head["first"]), int(head["second"])
        self.days_first += first > 12
        self.months_first += second > 12
        self.dots |= head["mark"] == "."
        self.capital_halves |= (head["half"] or "").isupper() and (head["half"] or "").isascii()
        self.example = self.example or f"{first}{head['mark']}{second}{head['mark']}{head['third']}"
        for day_first in (True, False):
            day, month = (first, second) if day_first else (second, first)
            now = (int(head["third"]), month, day)
            self.falls[day_first] += now < self._before.get(day_first, ())
            self._before[day_first] = now

    def day_first(self) -> tuple[bool, str | None]:
        """Return whether the day comes first, and what has to be said where that is not sure."""
        if self.days_first != self.months_first:
            return self.days_first > self.months_first, None
        if self.dots or not self.example:
            return True, None
        if self.falls[True] != self.falls[False]:
            chosen, why = self.falls[True] < self.falls[False], "so the times ascend"
        else:
            chosen = not self.capital_halves
            why = "by its clock" if self.capital_halves else "as in most countries"
        order = "day/month" if chosen else "month/day"
        return chosen, f"dates such as {self.example} could be either: read as {order}, {why}"


@dataclass(slots=True)
class _WhatsAppMessage:
    line: int
    head: re.Match[str]
    more: list[str] = field(default_factory=list)

    @property
    def rest(self) -> str:
        return "\n".join([self.head["rest"], *self.more]).rstrip()


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by the id "<chat>/<digest of time, sender and text>"."""
    source.file()
    survey = _Survey()
    for _, line in text_lines(source):
        if head := _HEAD.match(line):
            survey.add(head)
    source.rewind()
    source.variant = language_of(survey.words)
    day_first, remark = survey.day_first()
    source.remarks += [remark] if remark else []
    source.remarks.append("its times name no timezone: taken as UTC")
    chat = _Chat(source, survey, day_first)
    for message in _messages(source):
        yield from chat.records(message)


class _Chat:
    """One chat while it is read."""

    def __init__(self, source: ImportSource, survey: _Survey, day_first: bool) -> None:
        name = stem(source)
        generic = PurePosixPath(name).name == "_chat"
        self._key = source.container if generic and source.container else name
        self._where, self._survey, self._day_first = source.name, survey, day_first
        self._reader = ConversationReader("whatsapp", self._key)
        self._minute, self._repeated = "", Counter[str]()

    def records(self, message: _WhatsAppMessage) -> Iterator[ImportRecord]:
        """Yield the record of one message, or of what the app says of itself."""
        where = f"{self._where} line {message.line}"
        sender = _sender(message.rest)
        if sender is None or self._is_notice(sender[0]):
            yield skip(where, "system lines")
            return
        at = _time(message.head, day_first=self._day_first)
        if at is None:
            yield reject(where, "begins with a date that does not exist: mend it")
            return
        name, text = sender
        content, left_out = _content(text)
        if left_out:
            yield skip(where, left_out)
            return
        place = MessagePosition(where, self._id(at, name, text), at)
        yield from self._reader.message(place, EventKind.USER_MESSAGE, content, person=name)

    def _is_notice(self, sender: str) -> bool:
        """Whether what stands before a colon is a sentence of the app that holds one."""
        if any(_opened(sender, *pair) for pair in _QUOTES):
            return True
        is_long = self._survey.senders[sender] == 1 and len(sender.split()) > _LABEL_WORDS
        return is_long and any(
            sender.startswith(f"{name} ") for name in self._survey.senders if name != sender
        )

    def _id(self, at: str, name: str, text: str) -> str:
        if at != self._minute:
            self._minute = at
            self._repeated.clear()
        digest = content_id(at, name, text)
        self._repeated[digest] += 1
        number = self._repeated[digest]
        return f"{self._key}/{digest}" + (f"-{number}" if number > 1 else "")


def _messages(source: ImportSource) -> Iterator[_WhatsAppMessage]:
    message: _WhatsAppMessage | None = None
    size = 0
    for number, line in text_lines(source):
        if head := _HEAD.match(line):
            if message:
                yield message
            message, size = _WhatsAppMessage(number, head), 0
        elif message and size <= source.bytes_max:
            size += len(line)
            message.more.append(line)
    if message:
        yield message


def _sender(rest: str) -> tuple[str, str] | None:
    """Return who sends, and what; None where nobody does."""
    match = _SENDER.match(rest)
    if match is None:
        return None
    sender = " ".join(_UNSEEN.sub("", match["sender"]).split()).removeprefix("~").strip()
    return (sender, match["text"]) if sender else None


def _content(text: str) -> tuple[Json, str | None]:
    """Return what a message holds, or what it is where it is left out."""
    if (edited := _EDITED.search(text)) and _UNSEEN.sub("", text[: edited.start()]).strip():
        text = text[: edited.start()]
    marked = text.lstrip().startswith(_LEFT_TO_RIGHT)
    bare = _UNSEEN.sub("", text).strip()
    if attached := _ATTACHED.match(bare):
        caption = bare[attached.end() :].strip()
        file = {"type": "file", "filename": attached["name"].strip()}
        return [*([caption] if caption else []), file], None
    if _ALONE.fullmatch(bare) or bare == "null":
        return None, "'media omitted'"
    if marked and "\n" not in bare and "://" not in bare:
        short = len(bare.split()) <= _LABEL_WORDS and not bare.endswith((".", "。"))
        return None, "'media omitted'" if short else "system lines"
    return (bare, None) if bare else (None, EMPTY)


def _opened(text: str, opening: str, closing: str) -> bool:
    if opening == closing:
        return text.count(opening) % 2 == 1
    return text.count(opening) > text.count(closing)


def _time(head: re.Match[str], *, day_first: bool) -> str | None:
    first, second, third = (int(head[name]) for name in ("first", "second", "third"))
    if len(head["first"]) == 4:
        year, month, day = first, second, third
    else:
        day, month = (first, second) if day_first else (second, first)
        year = third if third > 99 else 2000 + third
    hour = int(head["hour"])
    if half := (head["half"] or (head["before"] if hour <= 12 else None) or "").lower():
        is_half = half.startswith((*_AFTERNOON, "a", "π", "de", "öö", "ص", "上", "오전", "午前"))
        if is_half:
            hour = hour % 12 + (12 if half.startswith(_AFTERNOON) else 0)
    try:
        at = datetime(
            year, month, day, hour, int(head["minute"]), int(head["seconds"] or 0), tzinfo=UTC
        )
    except ValueError:
        return None
    return at.isoformat()


def language_of(words: Mapping[str, int]) -> str | None:
    """Return the language of counted words in lower case, such as "German"; None when unsure."""
    hits = {language: stop_words(language) & words.keys() for language in _LANGUAGES}
    counts = {language: sum(words[word] for word in held) for language, held in hits.items()}
    best = max(counts, key=lambda language: counts[language])
    second = max(count for language, count in counts.items() if language != best)
    sure = len(hits[best]) >= _DIFFERENT_MIN and counts[best] > second
    return best.title() if sure and counts[best] >= _SHARE_MIN * sum(words.values()) else None


def _recognises_text(head: str) -> bool:
    first = next((line for line in head.splitlines() if line.strip()), "")
    match = _HEAD.match(first)
    if match is None:
        return False
    # `[2026-03-01 10:00] Dana: …` is how dialogues are written by hand.
    by_hand = len(match["first"]) == 4 and match["mark"] == "-" and not match["comma"]
    return not (match["bracket"] and by_hand)


FORMAT = ImportFormat(
    name="whatsapp",
    description="WhatsApp: a chat exported as text, of any phone, clock and language",
    read=read,
    recognises_text=_recognises_text,
)
