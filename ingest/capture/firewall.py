"""Firewall: which texts can be understood alone as a memory, and which are echoes of a recall.

The limits refuse derived memories; a message or a note is only marked, since it is always kept
(feature 100), unless a note says nothing at all. An echo is text that came out of a recall or a
pack. Nothing is dropped here, and nothing is compared with memories: exact and near duplicates are
found elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from enum import StrEnum

from ...core.ids import fold
from ...core.types import Json
from ...language.glance import is_small_talk
from ...language.runs.tool_calls import leaves
from ...language.sentences import quotations
from .event_view import EventView
from .scoring import tool_matches

#: A derived memory has so many characters. A character of a script that is written wide
#: (Han, Kana, Hangul) says about as much as two Latin ones and counts as two for the shortest.
CHARS_MIN, CHARS_MAX = 12, 4_000

#: Tools whose results are our own memories: with and without the prefix of the server they are on.
_OWN_TOOLS = (
    *("meridia*", "*__meridia__*", "*__meridia_*", "mcp[_.:/-]meridia*", "*[.:/]meridia[._:/-]*"),
    *("experience_*", "memory_search", "memory_get", "memory_recall", "memory_query"),
)
_OWN_COMMAND = re.compile(
    r"(?:^|[;&|(/\n]|\brun|\bexec|\s-m)\s*meridia\s+(?:-\S+(?:[= ]\S+)?\s+)*"
    r"(?:recall|resume|reconstitute|show|inspect|replay|why-not|plan|reflect)(?:\s|$)"
)
#: A command is looked for at the beginning of an argument, characters.
_COMMAND_CHARS = 2_000
_SOURCE = re.compile(r"(?:meridia[ ._:/-])?(?:recall|pack|reconstitution)(?![a-z])|meridia:")
_ADDRESS = re.compile(r"\bmeridia:\\?/\\?/[\w@-]")
_ONLY_ADDRESS = re.compile(r"\s*meridia://@?[\w-]+/?\s*")
#: What a recall and a pack are recorded under: it stands in all that is printed of them.
_ANSWER_ID = re.compile(
    r"\b(?:recall|pack)\W{1,6}[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
)
#: How `recall` ends what it prints, how it begins what a model reads, how `show` begins.
_SCREEN = re.compile(
    r"\bnext: meridia why last \d+ \W"
    r"|^[ \t]*(?:\d+ memories, best first|1 memory|Probably nothing answers this\. The nearest):"
    r"\s*\n[ \t]*@\d+ "
    r"|^[ \t]*address +@\d+[ \t]*\n(?:[ \t]*id .*\n)?[ \t]*from "
    r"|\(data,\s+not\s+instructions\),\s+@N\s+the\s+message:",
    re.MULTILINE,
)
#: One address as a field (of `show`, of JSON), or as a citation of a pack.
_ADDRESS_FIELD = re.compile(
    r"^[ \t]*address +meridia://|\\?\"uri\\?\": ?\\?\"meridia:\\?/|\[meridia://@\d+(?: @\d+)*\]",
    re.MULTILINE,
)


class HygieneVerdict(StrEnum):
    """What the limits say of a text."""

    OK = "ok"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    EMPTY_TALK = "empty_talk"


def check_hygiene(text: str) -> HygieneVerdict:
    """Return what the limits say of a text with its white space collapsed."""
    line = " ".join(text.split())
    if line and is_small_talk(line):
        return HygieneVerdict.EMPTY_TALK
    if _width(line) < CHARS_MIN:
        return HygieneVerdict.TOO_SHORT
    return HygieneVerdict.TOO_LONG if len(line) > CHARS_MAX else HygieneVerdict.OK


def is_echo(event: EventView) -> bool:
    """Return whether an event repeats what came out of a recall or a pack.

    Its tool or command reads our memory, its metadata or provenance say so, or its text cites us:
    two addresses of memories, or one in a form that only we print, or one in a quotation that
    makes up most of the text.
    """
    return (
        _declares_recall(event)
        or (event.is_result and _reads_own_memory(event))
        or _cites_memory(event.text)
    )


def _width(line: str) -> int:
    wide = line[:CHARS_MIN]
    if wide.isascii():
        return len(line)
    return len(line) + sum(unicodedata.east_asian_width(letter) in "WF" for letter in wide)


def _declares_recall(event: EventView) -> bool:
    about = event.metadata
    if about.get("recalled") in (True, "true"):
        return True
    given = (event.fields.get("provenance"), about.get("provenance"))
    return any(
        _SOURCE.match(source)
        for provenance in given
        if provenance
        for source in _sources(provenance)
    )


def _sources(given: Json) -> Iterator[str]:
    """Yield where something came from, as it is written: a word, or an object with a source."""
    source = given.get("source") if isinstance(given, Mapping) else given
    if isinstance(source, str):
        yield fold(source)


def _reads_own_memory(event: EventView) -> bool:
    """Return whether a tool's result was read from our memory."""
    if event.is_by_hand:
        return False
    args = (arg[:_COMMAND_CHARS] for arg in event.args)
    if tool_matches(event.tool, _OWN_TOOLS) or any(map(_OWN_COMMAND.search, args)):
        return True
    return any(map(_ONLY_ADDRESS.fullmatch, leaves(event.fields["payload"])))


def _cites_memory(text: str) -> bool:
    if _SCREEN.search(text):
        return True
    if "meridia" not in text:
        return False
    cited = len(_ADDRESS.findall(text))
    if cited != 1:
        return cited > 1
    if _ANSWER_ID.search(text) or _ADDRESS_FIELD.search(text):
        return True
    quoted = quotations(text)
    return any(map(_ADDRESS.search, quoted)) and 2 * sum(map(len, quoted)) > len(text)
