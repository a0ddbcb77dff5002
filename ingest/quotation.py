"""Quotation: an event's own words, sentence by sentence, and a call's outcome, told in one line.

What is quoted is what was said, without markup and code blocks, shortened where it is long. Nothing
is put into other words.
"""

from __future__ import annotations

import re

from ..core.events import EventKind, text_of
from ..core.text import shorten
from .reading import Event, is_result, leaves, tool_of

#: Longest quotation with its speaker, and longest line of an outcome, characters.
QUOTE_CHARS_MAX, LINE_CHARS_MAX = 280, 240
#: How much is shown of a call's arguments, of a name, and of the reason of a failure.
_ARGS_CHARS_MAX, _NAME_CHARS_MAX, _REASON_CHARS_MAX = 60, 40, 160
#: Of one text at most so much is read: a session may hold whole files.
_CHARS_MAX = 6_000
_CODE = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_MARKUP = re.compile(r"#{2,}\w*#*|\*{1,3}|__+|`+|^\s*#+\s")
_BULLET = re.compile(r"\A\s*(?:[-•–]|\d{1,2}[.)]|[a-z][.)])\s+")
_END = re.compile(r"(?<=[.!?…])[\"”’)]*\s+(?=[\"“‘(]?[A-Z0-9À-ÞА-Я])|(?<=[。！？])")
#: Behind these a full stop ends no sentence.
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|vs|approx|e\.g|i\.e|a\.m|p\.m|(?<![-'’])[b-hj-z])|\A\d{1,2})\.\Z",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]")
_TELLS = re.compile(r"error|fail|denied|not found", re.IGNORECASE)


def sentences_of(text: str) -> list[str]:
    """Return what a text says in sentences, in order, each on one line and without markup."""
    found: list[str] = []
    for line in _CODE.sub("\n", text[:_CHARS_MAX]).splitlines():
        bare = _LINK.sub(r"\1", _BULLET.sub("", line, count=1))
        plain = " ".join(_MARKUP.sub("", bare).split())
        held = ""
        for part in _END.split(plain):
            held = f"{held} {part}" if held else part
            if not _ABBREVIATION.search(held):
                found.append(held)
                held = ""
        if held:
            found.append(held)
    return [sentence for sentence in found if _WORD.search(sentence)]


def is_listed(text: str) -> bool:
    """Say whether a text is mostly a list: lines with bullets or numbers."""
    lines = [line for line in text.splitlines() if line.strip()]
    return 2 * sum(_BULLET.match(line) is not None for line in lines) > len(lines)


def speaker_of(event: Event) -> str:
    """Return who speaks, by name or by part; nothing for what nobody said."""
    name = event.get("person")
    if isinstance(name, str) and name.strip():
        return shorten(name, _NAME_CHARS_MAX)
    parts = {EventKind.USER_MESSAGE: "User", EventKind.ASSISTANT_MESSAGE: "Agent"}
    return next((part for kind, part in parts.items() if kind == event["kind"]), "")


def words_of(event: Event) -> str:
    """Return what was said; nothing for a tool's result and for a session's boundary."""
    silent = is_result(event) or event["kind"] == EventKind.SESSION_BOUNDARY
    return "" if silent else text_of(event)


def quote(event: Event, sentence: str, chars_max: int = QUOTE_CHARS_MAX) -> str:
    """Return a sentence of an event in quotation marks and behind its speaker's name."""
    speaker = speaker_of(event)
    before = f"{speaker}: " if speaker else ""
    return f"{before}“{shorten(sentence, chars_max - len(before) - 2)}”"


def call_of(event: Event) -> str:
    """Return a call in short: its tool and what it was given."""
    args = [" ".join(arg.split()) for arg in leaves(event["payload"].get("args"))]
    short = shorten(" ".join(arg for arg in args if arg), _ARGS_CHARS_MAX)
    tool = shorten(tool_of(event), _NAME_CHARS_MAX)
    return f"{tool} ({short})" if short else tool


def failure_of(event: Event) -> str:
    """Return which call failed, and the last line of its result that says why."""
    lines = [
        line
        for leaf in leaves(event["payload"].get("result"))
        for line in map(str.strip, leaf[-_CHARS_MAX:].splitlines())
        if line
    ]
    telling = [line for line in lines if _TELLS.search(line)]
    why = shorten((telling or lines or [""])[-1], _REASON_CHARS_MAX)
    tool = shorten(tool_of(event), _NAME_CHARS_MAX)
    return f"{tool} failed: “{why}”" if why else f"{call_of(event)} failed"
