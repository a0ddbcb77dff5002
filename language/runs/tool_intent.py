"""The purpose of a tool call: decides which later call shows that a failure was solved.

A later call shows it when it succeeded in the same directory and had the same purpose: the same
tool on the same thing, the same program on the same and no less, or another tool of the same kind
("find user by name"). One passing test does not show that all pass. Purposes are stored as hashes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from ...core.ids import content_hash, fold
from ...core.json_values import Flag
from ...core.types import Json
from .command_lines import commands_of, directories_of, is_shell, only_looks
from .failure_signs import is_error
from .tool_calls import DIRECTORIES, Event, command_lines, leaves, tool_of
from .tool_result import read_result

#: Names of tools that look things up.
_SEARCHES = re.compile(
    r"(?:^|[_\W])(?:search|research|lookup|browse|crawl|scrape|fetch|retrieve|google|bing"
    r"|wikipedia)(?:[_\W]|$)"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BREAKS = re.compile(r"[\s'\"`<>|;&=(),_/#{}\[\]]+")
#: Longest command read; of a call's words, so many at most.
_COMMAND_CHARS, _WORDS_MAX, _NAMES_MAX = 2_000, 40, 20
#: Longest argument whose words are compared; of a longer one, its beginning.
_ARGUMENT_CHARS = 400
_HASH_CHARS = 16
_PATH = re.compile(r"[/\\]")
#: The share of both calls' targets or words that is the same, and that of the words of what acts
#: on nothing that it names: "book", tried again with other parts.
_SAME, _SAME_OF_DEEDS = 0.5, 1 / 3
#: Names of arguments that say on what a tool works.
_PLACES = frozenset("path file filename file_path filepath url uri notebook_path".split())
#: Tools that change a file: whichever of them worked on it, the file was changed.
_EDITS = re.compile(r"(?:^|_)(?:edit|write|create|replace|patch|multiedit|insert)(?:_|$)")
#: Programs that check parts of a whole: on more targets than before they check less.
_CHECKS = (
    *"pytest unittest tox nox make npm yarn pnpm jest vitest mocha eslint mypy ruff".split(),
    *"pyright flake8 tsc rspec phpunit".split(),
    *("npm test", "npm run", "yarn test", "cargo test", "go test", "mvn test", "gradle test"),
)
#: The file that an editor in a shell has open, as it prints it.
_OPEN_FILE = re.compile(r"\[File: (\S+)")


@dataclass(frozen=True, slots=True)
class ToolIntent:
    """What one tool call was out for, and whether it failed; all but the tool is hashes.

    `programs` are those of a shell, `targets` what each works on, with the program's hash before.
    Of another tool, `targets` name the thing and `words` the rest. `topics` are the caller's own,
    `directory` is where it ran, "" where nothing says so.
    """

    tool: str
    programs: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    directory: str = ""
    read_only: Annotated[Flag, Field(alias="looks")] = False
    failed: Flag = False

    @property
    def checks(self) -> bool:
        """Whether it ran a program that checks parts of a whole, such as tests."""
        return not _hashed(_CHECKS).isdisjoint(self.programs)


def tool_intent_of(event: Event, failed: bool | None = None) -> ToolIntent:
    """Return what a tool result's call was out for; `failed` where it was asked before."""
    tool, topic = tool_of(event), (event.get("metadata") or {}).get("topic")
    topics = [fold(topic)] if isinstance(topic, str) and topic.strip() else []
    failed = is_error(event) if failed is None else failed
    intent = ToolIntent(tool, topics=_hashes(topics), failed=failed)
    if is_shell(tool):
        return _of_shell(intent, event)
    args = (event.get("payload") or {}).get("args")
    fields = args if isinstance(args, Mapping) else {"": args}
    targets, others = list[str](), list[str]()
    for name, value in fields.items():
        if not _names_thing(name, tool):
            others += _texts(value)
        elif _is_place(name):
            targets += [word for leaf in leaves(value) for word in _path(leaf)]
        else:
            targets += _words(value)
    return replace(
        intent,
        targets=_hashes(targets),
        words=_hashes(others, _WORDS_MAX),
        directory=_directory(event, ()),
        read_only=only_looks(tool, ()),
    )


def _of_shell(intent: ToolIntent, event: Event) -> ToolIntent:
    lines = [line for line in command_lines(event) if len(line) <= _COMMAND_CHARS]
    commands = [command for line in lines for command in commands_of(line)]
    programs = [command.program for command in commands]
    targets = [
        _hash(command.program) + _hash(target)
        for command in commands
        for target in command.targets or _open_files(command.program, event)
    ]
    return replace(
        intent,
        programs=_hashes(programs),
        targets=tuple(dict.fromkeys(targets))[:_WORDS_MAX],
        words=() if programs else _hashes([w for line in lines for w in _words(line)]),
        directory=_directory(event, lines),
        read_only=only_looks(intent.tool, programs),
    )


def _open_files(program: str, event: Event) -> list[str]:
    """Return the file that an editor's command without one worked on, as its result says."""
    texts = read_result(event).others if _EDITS.search(program) else ()
    return [match[1] for text in texts for match in _OPEN_FILE.finditer(text)][:1]


def _directory(event: Event, lines: Sequence[str]) -> str:
    args = (event.get("payload") or {}).get("args")
    given = (event.get("metadata"), args)
    named = [
        fields[name]
        for fields in given
        if isinstance(fields, Mapping)
        for name in DIRECTORIES
        if isinstance(fields.get(name), str)
    ][-1:]
    changes = [path for line in lines for path in directories_of(line)]
    path = PurePosixPath(*named, *changes)
    return _hash(str(path)) if named or changes else ""


def solves(success: ToolIntent, failure: ToolIntent) -> bool:
    """Return whether a call that worked shows that an earlier failure is solved: see the module."""
    if success.directory and failure.directory and success.directory != failure.directory:
        return False
    if not success.read_only and {*success.topics} & {*failure.topics}:
        return True
    if success.tool != failure.tool:
        return _same_kind(success, failure)
    if success.programs or failure.programs:
        return any(_covers(success, failure, program) for program in failure.programs)
    if not failure.targets and not success.targets:
        least = _SAME if failure.read_only else _SAME_OF_DEEDS
        return _share(success.words, failure.words, min) >= least
    same_words = not _EDITS.search(success.tool) or _share(success.words, failure.words) >= _SAME
    return same_words and _share(success.targets, failure.targets) >= _SAME


def _covers(success: ToolIntent, failure: ToolIntent, program: str) -> bool:
    """Return whether a shell ran a program again, on the same and on no less."""
    if program not in success.programs:
        return False
    now = {target for target in success.targets if target.startswith(program)}
    before = {target for target in failure.targets if target.startswith(program)}
    if program in _hashed(_CHECKS) and before <= now and now - before:
        return False
    return not now or not before or len(now & before) > _SAME * len(before)


@cache
def _hashed(programs: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(_hash, programs))


def _same_kind(success: ToolIntent, failure: ToolIntent) -> bool:
    """Return whether two tools do the same: by their names up to "by", or both to one thing."""
    kinds = [tool.partition("_by_") for tool in (success.tool, failure.tool)]
    if kinds[0][0] == kinds[1][0] and any(way for _, way, _ in kinds):
        return True
    if success.read_only or failure.read_only or not (success.targets and failure.targets):
        return False
    if _EDITS.search(success.tool) and _EDITS.search(failure.tool):
        return success.targets == failure.targets
    same_thing = _share(success.targets, failure.targets) >= _SAME
    return (
        same_thing
        and bool(success.words and failure.words)
        and _share(success.words, failure.words, min) >= _SAME
    )


def _share(
    first: tuple[str, ...], second: tuple[str, ...], of: Callable[[int, int], int] = max
) -> float:
    if not first or not second:
        return 1.0 if first == second else 0.0
    return len({*first} & {*second}) / of(len(first), len(second))


def _names_thing(name: str, tool: str) -> bool:
    """Return whether an argument says on what a tool works, such as `order_id` of `get_order`."""
    thing = name.casefold().removesuffix("_id").removesuffix("_number")
    return _is_place(name) or (thing != name.casefold() and f"_{thing}" in f"_{tool}")


def _is_place(name: str) -> bool:
    return name.casefold() in _PLACES


def _path(value: str) -> list[str]:
    """Return a path and the name at its end."""
    path = value[:_ARGUMENT_CHARS].casefold().removeprefix("./").rstrip("/")
    return [path, _PATH.split(path)[-1]]


def _texts(value: Json) -> Iterator[str]:
    """Yield the words of texts; a number is how much, and says little of what for."""
    if isinstance(value, (int, float)):
        return
    if isinstance(value, (Mapping, list, tuple)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)
    else:
        yield from _words(value)


def _words(value: Json) -> list[str]:
    texts = (leaf[:_ARGUMENT_CHARS].casefold() for leaf in leaves(value))
    return [word for text in texts for piece in _BREAKS.split(text) if (word := piece.strip(".:"))]


def _hashes(names: list[str], most: int = _NAMES_MAX) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_hash, names)))[:most]


def _hash(name: str) -> str:
    return content_hash(name)[:_HASH_CHARS]


def is_search(tool: str) -> bool:
    """Return whether a tool looks things up, by its name: `search_flights`, `WebFetch`."""
    return bool(_SEARCHES.search(_HUMP.sub("_", tool).casefold()))
