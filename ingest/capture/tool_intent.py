"""Errands: what a tool call was out for, so that a success can be matched to an earlier failure.

Two calls share an errand when they use the same tool or touch the same topic. A shell is not one
tool but many: there the programs it runs are compared, so that looking around after a failed
build does not count as having built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from ...core.ids import content_hash, fold
from ...core.json_values import Flag
from .event_view import EventView

_SHELLS = re.compile(r"(?:^|_)(?:bash|sh|zsh|shell|exec|execute|terminal|cmd|powershell|command)$")
_SEGMENTS = re.compile(r"&&|\|\||[;|\n]")
_ASSIGNMENT = re.compile(r"^\w+=")
#: Run something else, or only prepare: they are not what a command is out for.
_WRAPPERS = frozenset("sudo env time nohup command exec then do else".split())
_NO_PROGRAMS = frozenset(
    "cd export source . set echo printf true sleep fi done for if while".split()
)
#: Programs whose next word says what they do.
_TWO_WORDS = frozenset(
    "apt apt-get cargo docker gh git go kubectl mvn node npm npx pip pip3 pnpm poetry python "
    "python3 ruby terraform uv yarn".split()
)
#: Tools that only look: what they find solves nothing else.
_READ_ONLY_TOOLS = re.compile(
    r"(?:^|_)(?:read|get|list|search|find|view|cat|head|tail|ls|glob|rg|grep|tree|status|show|think)"
    r"(?:_|$)"
)
_ARGUMENT_BREAKS = re.compile(r"[\s'\"`<>|;&=(),]+")
#: Longest command read, longest argument of other tools in which paths are looked for.
_COMMAND_CHARS, _ARGUMENT_CHARS = 2_000, 200
_ARGUMENTS_MAX, _NAMES_MAX, _WORDS_MAX = 20, 20, 12


@dataclass(frozen=True, slots=True)
class ToolIntent:
    """What one tool call was out for, and whether it failed; programs and topics are hashes."""

    tool: str
    programs: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    read_only: Annotated[Flag, Field(alias="looks")] = False
    failed: Flag = False


def tool_intent_of(event: EventView) -> ToolIntent:
    """Return what a tool result's call was out for."""
    shell = _SHELLS.search(event.tool) is not None
    longest = _COMMAND_CHARS if shell else _ARGUMENT_CHARS
    args = [arg for arg in event.args if len(arg) <= longest][:_ARGUMENTS_MAX]
    topic = event.metadata.get("topic")
    topic_names = [fold(topic)] if isinstance(topic, str) and topic.strip() else []
    programs = _programs(args) if shell else []
    return ToolIntent(
        tool=event.tool,
        programs=_hashes(programs),
        topics=_hashes([*topic_names, *_paths(args)]),
        read_only=all(_READ_ONLY_TOOLS.search(name) for name in programs or [event.tool]),
        failed=event.is_error,
    )


def solves(success: ToolIntent, failure: ToolIntent) -> bool:
    """Say whether a success is the solution of a failure: the same tool, or the same topic."""
    if success.tool == failure.tool:
        both_have_programs = success.programs and failure.programs
        if not both_have_programs or {*success.programs} & {*failure.programs}:
            return True
    return not success.read_only and bool({*success.topics} & {*failure.topics})


def _paths(args: list[str]) -> list[str]:
    words = [word.rstrip(".:").casefold() for arg in args for word in _ARGUMENT_BREAKS.split(arg)]
    paths = [word.removeprefix("./") for word in words if "/" in word.strip("/")]
    return [path for path in paths if not path.startswith("/dev/")]


def _programs(args: list[str]) -> list[str]:
    segments = [segment.split()[:_WORDS_MAX] for arg in args for segment in _SEGMENTS.split(arg)]
    return [program for words in segments if (program := _program(words))]


def _hashes(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(content_hash(name)[:16] for name in names))[:_NAMES_MAX]


def _program(words: list[str]) -> str | None:
    """Return the program that one segment of a command line runs, such as `git push`."""
    while words and (words[0] in _WRAPPERS or _ASSIGNMENT.match(words[0])):
        words = words[1:]
    if not words or words[0] in _NO_PROGRAMS:
        return None
    program = PurePosixPath(words[0].strip("'\"()")).name.casefold()
    if program not in _TWO_WORDS:
        return program or None
    if "-m" in words[:-1] and program.startswith("python"):
        return words[words.index("-m") + 1]
    words_after = [PurePosixPath(word).name for word in words[1:] if not word.startswith("-")]
    return f"{program} {words_after[0]}" if words_after else program
