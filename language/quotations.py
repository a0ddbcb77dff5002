"""Quotation: an event's own words, sentence by sentence, and a call, told in one line.

What is quoted is what was said, without markup and code blocks, shortened where it is long. Nothing
is put into other words.
"""

from __future__ import annotations

import re

from ..core.events import EventKind, text_of
from ..core.text import shorten
from .runs.tool_calls import Event, is_result, leaves, tool_of
from .sentences import split_sentences, without_quotations

#: Longest quotation with its speaker, and longest line, characters.
QUOTE_CHARS_MAX, LINE_CHARS_MAX = 280, 240
#: How much is shown of a call's arguments, and of a name.
_ARGS_CHARS_MAX, _NAME_CHARS_MAX = 60, 40
#: Of one text at most so much is read: a session may hold whole files.
_CHARS_MAX = 6_000
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_MARKUP = re.compile(r"#{2,}\w*#*|\*{1,3}|__+|`+|^\s*#+\s", re.MULTILINE)
_WORD = re.compile(r"[^\W_]")


def quotable_sentences(text: str) -> list[str]:
    """Return what a text says in sentences, in order, without quotations and markup."""
    unlinked = _LINK.sub(r"\1", without_quotations(text[:_CHARS_MAX]))
    sentences = split_sentences(_MARKUP.sub("", unlinked))
    return [sentence for sentence in sentences if _WORD.search(sentence)]


def speaker_label(event: Event) -> str:
    """Return who speaks, by name or by part; nothing for what nobody said."""
    name = event.get("person")
    if isinstance(name, str) and name.strip():
        return shorten(name, _NAME_CHARS_MAX)
    roles = {EventKind.USER_MESSAGE: "User", EventKind.ASSISTANT_MESSAGE: "Agent"}
    return next((role for kind, role in roles.items() if kind == event["kind"]), "")


def spoken_text(event: Event) -> str:
    """Return what was said; nothing for a tool's result and for a session's boundary."""
    silent = is_result(event) or event["kind"] == EventKind.SESSION_BOUNDARY
    return "" if silent else text_of(event)


def quote(event: Event, sentence: str, chars_max: int = QUOTE_CHARS_MAX) -> str:
    """Return a sentence of an event in quotation marks and behind its speaker's name."""
    speaker = speaker_label(event)
    before = f"{speaker}: " if speaker else ""
    return f"{before}“{shorten(sentence, chars_max - len(before) - 2)}”"


def describe_call(event: Event) -> str:
    """Return a call in short: its tool and what it was given."""
    args = [" ".join(arg.split()) for arg in leaves(event["payload"].get("args"))]
    short = shorten(" ".join(arg for arg in args if arg), _ARGS_CHARS_MAX)
    tool = shorten(tool_of(event), _NAME_CHARS_MAX)
    return f"{tool} ({short})" if short else tool
