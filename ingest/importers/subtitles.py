"""Subtitles and transcripts of meetings: WebVTT and SRT.

Cues of one speaker that follow one another are one message. A speaker is named by a voice tag
(`<v Dana>`) or before a colon. Where nobody is named, what was said is a text of its own, in
groups of cues. Times count from the beginning of the recording; they are kept, and `--at` says
when that was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from itertools import takewhile

from ...core.events import EventKind
from .conversation_reader import ConversationReader, MessagePosition, content_id, stem
from .dialogue import speakers_of
from .import_record import EMPTY, ImportFormat, ImportRecord, ImportSource, skip, text_pieces

_CLOCK = r"(?:\d{1,3}:)?\d{1,2}:\d\d[.,]\d{3}"
_TIMING = re.compile(rf"[ \t]*(?P<start>{_CLOCK})[ \t]+-->[ \t]+(?P<end>{_CLOCK})")
_SPEAKER_TAG = re.compile(r"<v(?:\.[\w.]+)?[ \t]+(?P<name>[^<>]+)>")
_TAG = re.compile(r"</?[^<>\n]*>|\{\\[^{}]*\}")
_LABEL = re.compile(
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


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a speech, by the id "<file>/<digest of start, speaker and text>"."""
    source.file()
    texts = (_shown(text) for *_, texts in _cues(source) for text in texts)
    speakers = speakers_of([match["name"] for text in texts if (match := _LABEL.match(text))])
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
            label = _LABEL.match(text)
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


def _recognises_text(head: str) -> bool:
    lines = [line for line in head.splitlines()[:12] if line.strip()]
    if lines and re.match(r"WEBVTT(?:[ \t]|$)", lines[0]):
        return True
    return len(lines) > 2 and lines[0].strip().isdecimal() and bool(_TIMING.match(lines[1]))


FORMAT = ImportFormat(
    name="subtitles",
    description="subtitles: WebVTT and SRT, with or without speakers",
    read=read,
    recognises_text=_recognises_text,
)
