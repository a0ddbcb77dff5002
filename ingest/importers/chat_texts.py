"""What people said, as text: WhatsApp, KakaoTalk and LINE, of every phone and language; subtitles.

A message begins with its time and goes on over the lines that do not. What the app says of itself
is told by its shape, not by its words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from html import unescape
from itertools import takewhile
from pathlib import PurePosixPath
from typing import NamedTuple

from ...core.events import EventKind
from ...core.time import MONTH_PATTERN, WEEKDAYS, month_number
from ...core.types import Json
from ...language.analyser import stop_words
from .conversation_reader import ConversationReader, MessagePosition, content_id, stem
from .dialogue import speakers_of
from .import_record import (
    EMPTY,
    ImportRecord,
    ImportSource,
    TextPiece,
    reject,
    skip,
    text_pieces,
)
from .timestamps import DayOrder

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
_MORNING = ("a", "π", "de", "öö", "ص", "上", "오전", "午前")
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
_NO_ZONE = "its times name no timezone: taken as UTC"


# WhatsApp. The time stands in brackets (iOS) or before a dash (Android). Of the app are lines
# without a sender, what begins with the mark U+200E, and `<…>` that stands alone. Whether the day
# or the month comes first is decided over the whole file, and said where nothing decides it.


@dataclass(slots=True)
class _Survey:
    """What the whole file says: the order of its dates, and who sends."""

    order: DayOrder = field(default_factory=DayOrder)
    senders: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)

    def add(self, head: re.Match[str]) -> None:
        """Look at the head of one message."""
        if sender := _sender(head["rest"]):
            self.senders[sender[0]] += 1
            if self.senders.total() <= _SAMPLE:
                self.words.update(re.findall(r"[^\W\d_]+", sender[1].lower()))
        self.order.add(head)


def read_whatsapp(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by the id "<chat>/<digest of time, sender and text>"."""
    source.file()
    survey = _Survey()
    for _, line in source.lines():
        if head := _HEAD.match(line):
            survey.add(head)
    source.rewind()
    source.variant = language_of(survey.words)
    day_first, remark = survey.order.day_first()
    source.remarks += [remark] if remark else []
    source.remarks.append(_NO_ZONE)
    name = stem(source)
    generic = PurePosixPath(name).name == "_chat"
    key = source.container if generic and source.container else name
    chat = _Chat("whatsapp", key)
    for message in text_pieces(source.lines(), _HEAD.match, source.bytes_max):
        where = f"{source.name} line {message.line}"
        sender = _sender("\n".join([message.head["rest"], *message.more]).rstrip())
        if sender is None or _is_notice(sender[0], survey.senders):
            yield skip(where, "system lines")
        elif (at := _time(message.head, day_first=day_first)) is None:
            yield reject(where, "begins with a date that does not exist: mend it")
        else:
            content, left_out = _content(sender[1])
            yield from (
                [skip(where, left_out)] if left_out else chat.say(where, at, *sender, content)
            )


class _Chat:
    """One chat while it is read: what was said gets its id by its time, sender and text."""

    def __init__(self, name: str, key: str) -> None:
        self._key, self._reader = key, ConversationReader(name, key)
        self._minute, self._repeated = "", Counter[str]()

    def say(
        self, where: str, at: str, name: str, text: str, content: Json = None
    ) -> Iterator[ImportRecord]:
        """Yield the record of one message, which holds its text or other content."""
        if at != self._minute:
            self._minute = at
            self._repeated.clear()
        digest = content_id(at, name, text)
        self._repeated[digest] += 1
        number = self._repeated[digest]
        id = f"{self._key}/{digest}" + (f"-{number}" if number > 1 else "")
        yield from self._reader.message(
            MessagePosition(where, id, at), EventKind.USER_MESSAGE, content or text, person=name
        )


def _is_notice(sender: str, senders: Counter[str]) -> bool:
    """Whether what stands before a colon is a sentence of the app that holds one."""
    if any(_opened(sender, *pair) for pair in _QUOTES):
        return True
    is_long = senders[sender] == 1 and len(sender.split()) > _LABEL_WORDS
    return is_long and any(sender.startswith(f"{name} ") for name in senders if name != sender)


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
    half = head["half"] or (head["before"] if int(head["hour"]) <= 12 else None)
    return _instant((year, month, day), head, half)


def _instant(day: tuple[int, int, int], clock: re.Match[str], half: str | None) -> str | None:
    """Return a time of day by a clock of 12 or 24 hours; None where there is no such day."""
    hour, half = int(clock["hour"]), (half or "").lower()
    if half.startswith((*_AFTERNOON, *_MORNING)):
        hour = hour % 12 + (12 if half.startswith(_AFTERNOON) else 0)
    seconds = int(clock["seconds"] or 0)
    try:
        return datetime(*day, hour, int(clock["minute"]), seconds, tzinfo=UTC).isoformat()
    except ValueError:
        return None


def language_of(words: Mapping[str, int]) -> str | None:
    """Return the language of counted words in lower case, such as "German"; None when unsure."""
    hits = {language: stop_words(language) & words.keys() for language in _LANGUAGES}
    counts = {language: sum(words[word] for word in held) for language, held in hits.items()}
    best = max(counts, key=lambda language: counts[language])
    second = max(count for language, count in counts.items() if language != best)
    sure = len(hits[best]) >= _DIFFERENT_MIN and counts[best] > second
    return best.title() if sure and counts[best] >= _SHARE_MIN * sum(words.values()) else None


def recognises_whatsapp(head: str) -> bool:
    """Return whether a text begins as a chat of WhatsApp."""
    first = next((line for line in head.splitlines() if line.strip()), "")
    match = _HEAD.match(first)
    if match is None:
        return False
    # `[2026-03-01 10:00] Dana: …` is how dialogues are written by hand.
    by_hand = len(match["first"]) == 4 and match["mark"] == "-" and not match["comma"]
    return not (match["bracket"] and by_hand)


# KakaoTalk and LINE: the day stands on a line of its own, or before the time of each message.

_DAY = rf"""(?:
    (?P<year>\d{{4}})[년年./-]\ ?(?P<month>\d{{1,2}})[월月./-]\ ?(?P<day>\d{{1,2}})[일日.]?
  | (?:(?P<weekday>[A-Za-z]{{3,9}}),?\ )?(?:
        (?P<word>{MONTH_PATTERN})\.?\ (?P<day_2>\d{{1,2}}),\ (?P<year_2>\d{{4}})
      | (?P<first>\d{{1,2}})/(?P<second>\d{{1,2}})/(?P<year_3>\d{{4}}))
)"""
_CLOCK = rf"""(?:(?P<before>{_WORD}){_BLANK}*)?
    (?P<hour>\d{{1,2}}):(?P<minute>\d\d)(?::(?P<seconds>\d\d))?(?:{_BLANK}?(?P<half>[ap]\.?m\.?))?"""
_FLAGS = re.VERBOSE | re.DOTALL | re.IGNORECASE
#: A line that holds a day, and perhaps its weekday or a time, between dashes or not.
_DAY_LINE = re.compile(
    rf"[-\ ]*{_DAY}(?:\ ?\(?[^\W\d_]+\)?|（[^\W\d_]+）|,?\ {_CLOCK})?[-\ ]*", _FLAGS
)
#: `2026. 3. 1. 오후 8:28, Ji : text`; without a name, the app says it. Or `[Ji] [오후 8:28] text`.
_KAKAO_DATED = re.compile(
    rf"{_DAY},?\ {_CLOCK}(?:,\ (?P<name>[^:\n]{{1,100}}?)\ :\ ?|:\ )(?P<text>.*)$", _FLAGS
)
_KAKAO_TIMED = re.compile(rf"\[(?P<name>[^\n]{{1,100}}?)\]\ \[{_CLOCK}\]\ (?P<text>.*)$", _FLAGS)
_LINE_TIMED = re.compile(rf"{_CLOCK}\t(?:(?P<name>[^\t\n]*)\t)?(?P<text>.*)$", _FLAGS)
#: What stands for a picture or a sticker.
_KAKAO_MEDIA = re.compile(r"사진(?: \d+장)?|동영상|이모티콘|Photos?|Videos?|Emoticons?")
_LINE_MEDIA = re.compile(r"\[[^\[\]\n]{1,30}\]")
#: So early the first message of a chat stands.
_OPENING_LINES = 12


class _Said(NamedTuple):
    """The first line of a message; `at` is None where there is no such time, as of a day alone."""

    at: str | None
    name: str | None
    text: str


def _read_days(
    name: str, heads: tuple[re.Pattern[str], ...], media: re.Pattern[str], source: ImportSource
) -> Iterator[ImportRecord]:
    """Yield one record a message, by the id "<chat>/<digest of time, sender and text>"."""
    source.remarks.append(_NO_ZONE)
    chat = _Chat(name, stem(source))
    for piece in _spoken(source.lines(), heads):
        where, said = f"{source.name} line {piece.line}", piece.head
        text = "\n".join([said.text, *piece.more]).strip()
        if piece.more and text.startswith('"') and text.endswith('"'):
            text = text[1:-1].replace('""', '"')
        if not said.name:
            yield skip(where, "system lines")
        elif said.at is None:
            yield reject(where, "begins with a time of a day that does not exist: mend it")
        elif media.fullmatch(text):
            yield skip(where, "'media omitted'")
        else:
            yield from chat.say(where, said.at, said.name, text)


def _spoken(
    lines: Iterable[tuple[int, str]], heads: tuple[re.Pattern[str], ...]
) -> Iterator[TextPiece[_Said]]:
    """Yield what is said from the first day or dated message on."""
    day: tuple[int, int, int] | None = None
    day_line = _Said(None, None, "")

    def said(line: str) -> _Said | None:
        nonlocal day
        bare = _UNSEEN.sub("", line)
        if is_day := _DAY_LINE.fullmatch(bare):
            day = _day_of(is_day)
            return day_line
        head = next(filter(None, (head.match(bare) for head in heads)), None)
        if head and "year" in head.groupdict():
            day = _day_of(head)
        if head is None or day is None:
            return None
        at = _instant(day, head, head["half"] or head["before"])
        return _Said(at, (head["name"] or "").strip(), head["text"])

    return (piece for piece in text_pieces(lines, said) if piece.head is not day_line)


def _day_of(date: re.Match[str]) -> tuple[int, int, int]:
    if date["year"]:
        return int(date["year"]), int(date["month"]), int(date["day"])
    if date["word"]:
        return int(date["year_2"]), month_number(date["word"]), int(date["day_2"])
    year, first, second = (int(date[name]) for name in ("year_3", "first", "second"))
    for month, day in ((first, second), (second, first)):
        with suppress(ValueError):
            weekday = WEEKDAYS[datetime(year, month, day, tzinfo=UTC).weekday()]
            if not date["weekday"] or weekday.startswith(date["weekday"].lower()):
                return year, month, day
    return year, first, second


def _recognises_days(heads: tuple[re.Pattern[str], ...], head: str) -> bool:
    lines = [line for line in head.splitlines() if line.strip()]
    said = next(_spoken(enumerate(lines), heads), None)
    return said is not None and said.line < _OPENING_LINES and said.head.at is not None


_KAKAO = (_KAKAO_DATED, _KAKAO_TIMED)
read_kakaotalk = partial(_read_days, "kakaotalk", _KAKAO, _KAKAO_MEDIA)
recognises_kakaotalk = partial(_recognises_days, _KAKAO)
read_line = partial(_read_days, "line", (_LINE_TIMED,), _LINE_MEDIA)
recognises_line = partial(_recognises_days, (_LINE_TIMED,))


# Subtitles and transcripts of meetings: WebVTT and SRT.
#
# Cues of one speaker that follow one another are one message. A speaker is named by a voice tag
# (`<v Dana>`) or before a colon. Where nobody is named, what was said is a text of its own, in
# groups of cues. Times count from the beginning of the recording; they are kept, and `--at` says
# when that was.

_CUE_CLOCK = r"(?:\d{1,3}:)?\d{1,2}:\d\d[.,]\d{3}"
_TIMING = re.compile(rf"[ \t]*(?P<start>{_CUE_CLOCK})[ \t]+-->[ \t]+(?P<end>{_CUE_CLOCK})")
_SPEAKER_TAG = re.compile(r"<v(?:\.[\w.]+)?[ \t]+(?P<name>[^<>]+)>")
_TAG = re.compile(r"</?[^<>\n]*>|\{\\[^{}]*\}")
_SPEAKER_LABEL = re.compile(
    r"(?:>> ?|- )?(?P<name>[^\W\d_][\w.'’ -]{0,40}?):[ \t]+(?P<text>.*)$", re.DOTALL
)
_GROUP_CHARS = 1_000


@dataclass(slots=True)
class _Speech:
    """What somebody says in cues that follow one another."""

    line: int
    start: str
    name: str | None
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


def read_subtitles(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a speech, by the id "<file>/<digest of start, speaker and text>"."""
    source.file()
    texts = (_shown(text) for *_, texts in _cues(source) for text in texts)
    speakers = speakers_of(
        [match["name"] for text in texts if (match := _SPEAKER_LABEL.match(text))]
    )
    source.rewind()
    key = stem(source)
    conversation = ConversationReader("subtitles", key)
    for speech in _speeches(source, speakers):
        where = f"{source.name} line {speech.line}"
        if not speech.text:
            yield skip(where, EMPTY)
            continue
        id = f"{key}/{content_id(speech.start, speech.name or '', speech.text)}"
        place = MessagePosition(where, id, None, {"from_start": speech.start})
        kind = EventKind.USER_MESSAGE if speech.name else EventKind.MANUAL_INGEST
        yield from conversation.message(place, kind, speech.text, person=speech.name)


def _cues(source: ImportSource) -> Iterator[tuple[int, str, list[str]]]:
    """Yield line, start and texts of each cue; a blank line ends it."""
    for cue in text_pieces(source.lines(), _TIMING.match):
        start = cue.head["start"].replace(",", ".")
        yield cue.line, start, [*takewhile(str.strip, cue.more)]


def _shown(line: str) -> str:
    return unescape(_TAG.sub("", line)).strip()


def _speeches(source: ImportSource, speakers: frozenset[str]) -> Iterator[_Speech]:
    speech: _Speech | None = None
    for number, start, texts in _cues(source):
        name: str | None = None
        for line in texts:
            tagged = _SPEAKER_TAG.search(line)
            text = _shown(line)
            label = _SPEAKER_LABEL.match(text)
            if tagged:
                name = " ".join(tagged["name"].split())
            elif label and label["name"] in speakers:
                name, text = label["name"], label["text"].strip()
            elif name is None and speech is not None:
                name = speech.name  # goes on, unless the cue says otherwise
            is_long = speech is not None and speech.name is None and len(speech.text) > _GROUP_CHARS
            if speech is None or speech.name != name or is_long:
                if speech is not None:
                    yield speech
                speech = _Speech(number, start, name)
            if text and text not in speech.texts[-1:]:
                speech.texts.append(text)
    if speech is not None:
        yield speech


def recognises_subtitles(head: str) -> bool:
    """Return whether a text begins as subtitles."""
    lines = [line for line in head.splitlines()[:12] if line.strip()]
    if lines and re.match(r"WEBVTT(?:[ \t]|$)", lines[0]):
        return True
    return len(lines) > 2 and lines[0].strip().isdecimal() and bool(_TIMING.match(lines[1]))
