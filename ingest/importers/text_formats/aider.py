"""Aider: the chat history that it writes in Markdown, one session a start.

What the person asks stands behind `####`, what the program reports behind `>`; the rest is the
answer. Commands of the program are nobody's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from ..conversation_reader import ConversationReader, MessagePosition, read_text, stem
from ..import_options import ASSISTANT, USER
from ..import_record import BOOKKEEPING, ImportFormat, ImportRecord, ImportSource
from ..timestamps import parse_timestamp

_START = re.compile(r"^# aider chat started at (?P<time>[-\d]+ [:\d]+)[ \t]*$", re.MULTILINE)
_REPORT = "report"
_MARKS = {"#### ": USER, "> ": _REPORT}
#: Commands that hand on what stands behind them.
_ASKING = re.compile(r"/(?:ask|code|architect|context)\s+(?=\S)")


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message; its id is "<file>/<start>/<number>"."""
    _, *runs = _START.split(read_text(source))
    for time, text in zip(runs[::2], runs[1::2], strict=True):
        key = f"{stem(source)}/{time}"
        conversation = ConversationReader("aider", key)
        for number, (role, lines) in enumerate(_turns(text)):
            words = _ASKING.sub("", "\n".join(lines).strip(), count=1)
            place = MessagePosition(source.name, f"{key}/{number}", parse_timestamp(time))
            if role == _REPORT or (role == USER and words.startswith("/")):
                conversation.leave_out(BOOKKEEPING, len(lines))
            elif words:
                yield from conversation.turn(place, role, words)
        yield from conversation.finish()


def _turns(text: str) -> Iterator[tuple[str, list[str]]]:
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


FORMAT = ImportFormat(
    name="aider",
    description="Aider: chat histories in Markdown (.aider.chat.history.md)",
    recognises=lambda keys: False,
    read=read,
    recognises_text=lambda head: _START.match(head.lstrip()) is not None,
)
