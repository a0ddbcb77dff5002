"""One tool call and its result, read off an event in the native form. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.events import EventKind
from ...core.ids import fold
from ...core.types import Json

Event = Mapping[str, Any]

_RESULT = EventKind.TOOL_RESULT.value


def is_result(event: Event) -> bool:
    """Return whether the event is a tool's result."""
    kind: str = event["kind"]
    return kind == _RESULT


def tool_of(event: Event) -> str:
    """Return the folded name of the tool, or nothing."""
    return fold((event.get("tool") or {}).get("name") or "")


def args_of(event: Event) -> list[str]:
    """Return the texts among a tool call's arguments, in order."""
    return leaves(event["payload"].get("args"))


#: Names of arguments that say in which directory a call runs.
DIRECTORIES = ("cwd", "workdir", "working_directory", "directory")


def command_lines(event: Event) -> list[str]:
    """Return what a shell was given to run: its arguments but the directory."""
    args = event["payload"].get("args")
    if not isinstance(args, Mapping):
        return leaves(args)
    return leaves({name: value for name, value in args.items() if name not in DIRECTORIES})


def leaves(value: Json) -> list[str]:
    """Return every text and number inside plain JSON values, as text, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [] if value is None else [str(value)]
