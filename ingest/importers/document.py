"""Notes and documents: Markdown, or any text that nobody says; one memory a section.

A section stands under its heading, whose path comes with it; a text without headings is cut into
groups of paragraphs. Front matter gives title and time, so does the date that a daily note or a
heading is called by. Wiki links are written as they read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .conversation_reader import ConversationReader, MessagePosition, content_id, stem
from .import_record import ImportRecord, ImportSource, skip
from .timestamps import find_time, parse_timestamp

#: A group of paragraphs is closed when it is so long, and a section is cut where it is longer.
_GROUP_CHARS = 1_000
_SECTION_CHARS_MAX = 4_000
_FRONT_LINES_MAX = 200
_HEADING = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<title>.*?)[ \t]*#*$")
_UNDERLINE = re.compile(r"(=+|-{2,})[ \t]*$")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_WIKI_LINK = re.compile(r"(?P<embed>!)?\[\[(?P<target>[^\[\]|\n]+)(?:\|(?P<label>[^\[\]\n]*))?\]\]")
_FRONT_FIELD = re.compile(r"(?P<name>[\w-]+):[ \t]*(?P<value>.*)$")
_DAY = re.compile(r"\d{4}([-_])\d\d\1\d\d")
_OBSERVATION = re.compile(r"[-*] \[(?P<category>[^\[\]]{2,40})\] (?P<text>.+)$")
_RELATION = re.compile(r"[-*] (?P<relation>[\w ]{1,60}?) \[\[(?P<target>[^\[\]]+)\]\](?P<text>.*)$")


@dataclass(slots=True)
class _Section:
    """The lines under one heading, or a part of them."""

    line: int
    path: tuple[str, ...]
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


@dataclass(slots=True)
class _Note:
    """What is known of a whole document, besides its sections."""

    title: str | None
    key: str
    at: str | None = None
    front: dict[str, Json] = field(default_factory=dict)


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a section, by the id "<file>/<digest of path and text>"."""
    reader = _SectionReader(source)
    for section in reader.sections():
        yield from _records(reader, section, [section.text])


def read_observations(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record an observation or relation of a note of basic-memory, or else a section."""
    reader = _SectionReader(source)
    for section in reader.sections():
        items: list[str] = []
        rest: list[str] = []
        for line in section.lines:
            fact = _fact(reader.document.title or "", line.strip())
            (items if fact else rest).append(fact or line)
        text = "\n".join(rest).strip()
        yield from _records(reader, section, [*([text] if text else []), *items])


def _fact(title: str, line: str) -> str | None:
    if observed := _OBSERVATION.match(line):
        return f"{observed['category']}: {observed['text']}"
    if related := _RELATION.match(line):
        return f"{title} {related['relation']} {related['target']}{related['text']}".strip()
    return None


def _records(reader: _SectionReader, section: _Section, texts: list[str]) -> Iterator[ImportRecord]:
    where = f"{reader.source.name} line {section.line}"
    document = reader.document
    if not any(texts):
        yield skip(where, "empty sections")
        return
    for text in filter(None, texts):
        links = list(dict.fromkeys(match["target"].strip() for match in _WIKI_LINK.finditer(text)))
        metadata: dict[str, Json] = {"links": links} if links else {}
        if reader.front_to_tell:
            metadata |= reader.front_to_tell
            reader.front_to_tell = {}
        path = " › ".join(section.path)
        shown = _WIKI_LINK.sub(_as_read, text)
        id = f"{document.key}/{content_id(path, text)}"
        place = MessagePosition(where, id, _time(section, document), metadata)
        content = f"{path}\n{shown}" if path else shown
        yield from reader.conversation.message(place, EventKind.MANUAL_INGEST, content)


def _as_read(match: re.Match[str]) -> str:
    target = match["target"].strip()
    return match["label"] or target.partition("#")[0] or target.removeprefix("#")


def _time(section: _Section, document: _Note) -> str | None:
    """Return when a section was: the day that its heading is called by, or the document's time."""
    for title in reversed(section.path):
        if day := _DAY.search(title):
            try:
                return parse_timestamp(day[0].replace("_", "-"))
            except InvalidInput:
                continue
    return document.at


class _SectionReader:
    """One document while it is read."""

    def __init__(self, source: ImportSource) -> None:
        key = stem(source)
        name = PurePosixPath(key).name
        in_folder = source.key is not None
        self.source = source
        self.conversation = ConversationReader("document", key)
        self.document = _Note(name if in_folder else None, key)
        self.front_to_tell: dict[str, Json] = {}
        if day := _DAY.search(name):
            self.document.at = _day_or_none(day[0].replace("_", "-"))

    def sections(self) -> Iterator[_Section]:
        """Yield the sections in their order; long ones come in several pieces."""
        lines = self.source.lines()
        headings: list[tuple[int, str]] = []
        section = _Section(1, self._path(headings))
        size, fenced, is_first = 0, False, True
        for number, line in lines:
            if is_first and line.strip() == "---":
                self._read_front(lines)
                section = _Section(number, self._path(headings))
                is_first = False
                continue
            is_first &= not line.strip()
            fenced ^= _FENCE.match(line) is not None
            heading = None if fenced else _heading(line, section.lines)
            if heading:
                if heading[0] < 0:  # underlined: its words were taken for the text before
                    section.lines.pop()
                    heading = (-heading[0], heading[1])
                yield from _closed(section, keep_empty=bool(headings))
                headings = [*(h for h in headings if h[0] < heading[0]), heading]
                section, size = _Section(number, self._path(headings)), 0
                continue
            if self._is_full(section, size, line, fenced=fenced):
                yield section
                section, size = _Section(number, section.path), 0
            section.lines.append(line)
            size += len(line) + 1
        yield from _closed(section, keep_empty=bool(headings))

    def _is_full(self, section: _Section, size: int, line: str, *, fenced: bool) -> bool:
        if fenced or not any(map(str.strip, section.lines)):
            return False
        has_headings = len(section.path) > (self.document.title is not None)
        limit = _SECTION_CHARS_MAX if has_headings else _GROUP_CHARS
        between = not line.strip() or not section.lines[-1].strip()
        return size > limit if between else size > _SECTION_CHARS_MAX

    def _path(self, headings: list[tuple[int, str]]) -> tuple[str, ...]:
        titles = [title for _, title in headings]
        own = self.document.title
        return tuple(dict.fromkeys([*([own] if own else []), *titles]))

    def _read_front(self, lines: Iterator[tuple[int, str]]) -> None:
        """Read the fields before the text: names with a value, or with a list below them."""
        fields: dict[str, Json] = {}
        last = ""
        for _, (_number, line) in zip(range(_FRONT_LINES_MAX), lines, strict=False):
            if line.strip() in ("---", "..."):
                break
            if match := _FRONT_FIELD.match(line):
                last = match["name"]
                fields[last] = _front_value(match["value"])
            elif last and line.strip().startswith("- "):
                listed = fields.get(last)
                item = line.strip()[2:].strip("\"' ")
                fields[last] = [*(listed if isinstance(listed, list) else []), item]
        ts, name = find_time(fields, "modified")
        title = fields.get("title")
        self.document.at = ts or self.document.at
        self.document.title = title if isinstance(title, str) and title else self.document.title
        self.front_to_tell = {
            field: value
            for field, value in fields.items()
            if value and field not in (name, "title")
        }


def _closed(section: _Section, *, keep_empty: bool) -> Iterator[_Section]:
    if section.text or keep_empty:
        yield section


def _heading(line: str, before: list[str]) -> tuple[int, str] | None:
    """Return level and title of a heading; a negative level for one that its line underlines."""
    if match := _HEADING.match(line):
        return len(match["marks"]), match["title"].strip("* ")
    alone = before and before[-1].strip() and (len(before) < 2 or not before[-2].strip())
    if alone and _UNDERLINE.match(line) and not before[-1].lstrip().startswith(("-", "|", ">")):
        return (-1 if line.startswith("=") else -2), before[-1].strip()
    return None


def _front_value(value: str) -> Json:
    text = value.strip()
    if text.startswith("[") and text.endswith("]"):
        return [item.strip("\"' ") for item in text[1:-1].split(",") if item.strip()]
    return text.strip("\"'")


def _day_or_none(text: str) -> str | None:
    try:
        return parse_timestamp(text)
    except InvalidInput:
        return None


def recognises_markdown(head: str) -> bool:
    """Return whether a text begins as Markdown."""
    text = head.lstrip()
    front = re.match(r"---[ \t]*\n(?:.*\n)*?---[ \t]*(?:\n|$)", text)
    return front is not None or re.search(r"^#{1,6} \S", text, re.MULTILINE) is not None


def recognises_basic_memory(head: str) -> bool:
    """Return whether a text begins as a note of basic-memory."""
    front, _, rest = head.lstrip().removeprefix("---").partition("\n---")
    return head.lstrip().startswith("---") and "\npermalink:" in front and bool(rest)


def is_prose(head: str) -> bool:
    """Return whether a text has a letter."""
    return any(letter.isalpha() for letter in head)
