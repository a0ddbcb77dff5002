"""The purpose of a tool call: decides which later call shows that a failure was solved.

A later call shows it when it succeeded and had the same purpose: the same tool on the same thing,
the same program on at least as much, or another tool of the same kind ("find user by name"). A
smaller part does not: one passing test does not show that all pass. Purposes are stored as hashes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import Field

from ...core.ids import content_hash, fold
from ...core.json_values import Flag
from ...core.types import Json
from .command_lines import commands_of, is_shell, only_looks
from .failure_signs import is_error
from .tool_calls import Event, args_of, leaves, tool_of
from .tool_result import read_result

_BREAKS = re.compile(r"[\s'\"`<>|;&=(),_/#{}\[\]]+")
#: Longest command read; of a call's words, so many at most.
_COMMAND_CHARS, _WORDS_MAX, _NAMES_MAX = 2_000, 40, 20
#: Longest argument whose words are compared; of a longer one, its beginning.
_ARGUMENT_CHARS = 400
_HASH_CHARS = 16
#: What says that a thing is not there, or is called otherwise.
_MISSING = re.compile(
    r"not found|no such|not exist|n['’]t exist|did not match|cannot find|can['’]t (?:find|open)"
    r"|could not find|unknown|invalid|unable to open|404",
    re.IGNORECASE,
)
_PATH = re.compile(r"[/\\]")
#: Signs that are taken for each other; and how many a name has at least that is known by its form.
_CONFUSED, _FORM_SIGNS_MIN = str.maketrans("oil", "011"), 4
#: The share of both calls' words that is the same.
_SAME_WORDS = 0.5
#: The same of what acts on nothing that it names: "book", tried again with other parts.
_SAME_WORDS_OF_DEEDS = 1 / 3
#: Names of arguments that say on what a tool works, whatever the tool is called.
_PLACES = frozenset("path file filename file_path filepath url uri notebook_path".split())
#: Tools that change a file: whichever of them worked on it, the file was changed.
_EDITS = re.compile(r"(?:^|_)(?:edit|write|create|replace|patch|multiedit|insert)(?:_|$)")
#: Programs that check parts of a whole: on more targets than before they check less.
_CHECKS = (
    *"pytest unittest tox nox make npm yarn pnpm jest vitest mocha eslint mypy ruff".split(),
    *"pyright flake8 tsc rspec phpunit".split(),
    *("npm test", "npm run", "yarn test", "cargo test", "go test", "mvn test", "gradle test"),
)
#: Programs whose target names the whole: "go test ./...", "git commit file".
_NAMED_WHOLES = ("go test", "go build", "go run", "git commit")
#: Programs that cannot work while what a program did still fails: program → others that show it.
_SHOWN_BY = {
    "cargo build": ("cargo test", "cargo run", "cargo check"),
    "cargo check": ("cargo build", "cargo test", "cargo run"),
    "go build": ("go test", "go run"),
    "go vet": ("go test", "go build"),
    "npm test": ("jest", "vitest", "mocha"),
    "pytest": ("tox", "nox"),
    "git merge": ("git commit",),
    "git rebase": ("git commit",),
    "git cherry-pick": ("git commit",),
    "git pull": ("git commit",),
    "npm install": ("yarn install", "pnpm install"),
    "npm run": ("yarn build", "yarn run", "pnpm build", "pnpm run"),
    "pip install": ("conda install", "uv pip", "uv add", "poetry add"),
}
#: What one program does in steps: one step that works shows nothing of another.
_STEPS = {
    "apt": "install remove update upgrade search",
    "apt-get": "install remove update upgrade download",
    "docker": "build compose exec login pull push rm run stop tag",
    "git": "add checkout cherry-pick clean clone commit fetch merge pull push rebase reset restore"
    " rm stash switch tag",
    "kubectl": "apply create delete describe exec get rollout",
    "npm": "audit ci exec install publish run test update",
    "pip": "download install list show uninstall",
}
#: Programs that ask a host or a cluster, and what share of what they ask for must be the
#: same: the answer of another one shows nothing.
_SAME_ASKED = 0.6
_QUERYING = ("ssh", "scp", "rsync", "ping", "kubectl get", "kubectl describe")
#: Programs that run the file they are given.
_RUNNERS = ("bash", "sh", "zsh")
#: Who the user is: of one conversation there is one.
_USERS = re.compile(r"(?:^|_)(?:user|customer|account|client|member|patient|guest)(?:_|$)")


@dataclass(frozen=True, slots=True)
class ToolIntent:
    """What one tool call was out for, and whether it failed; all but the tool is hashes.

    `near` are the forms by which a mistyped thing or a moved file is known again; of a call that
    failed, only where it found nothing by that name. `programs` are those of a shell, `targets`
    what each works on, with the program's hash before. Of another tool, `targets` name the thing
    and `words` the rest. `topics` are the caller's own.
    """

    tool: str
    programs: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
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
    if is_shell(tool):
        lines = [arg for arg in args_of(event) if len(arg) <= _COMMAND_CHARS]
        commands = [command for line in lines for command in commands_of(line)]
        programs = [command.program for command in commands]
        return ToolIntent(
            tool=tool,
            programs=_hashes(programs),
            topics=_hashes(topics),
            targets=tuple(
                dict.fromkeys(
                    _hash(command.program) + _hash(target)
                    for command in commands
                    for target in command.targets
                )
            )[:_WORDS_MAX],
            words=() if programs else _hashes([w for line in lines for w in _words(line)]),
            near=_near([t for command in commands for t in command.targets], event, failed=failed),
            read_only=only_looks(tool, programs),
            failed=failed,
        )
    args = (event.get("payload") or {}).get("args")
    fields = args if isinstance(args, Mapping) else {"": args}
    things = [
        (value, _is_place(name))
        for name in fields
        if _names_thing(name, tool)
        for value in leaves(fields[name])
    ]
    targets = [
        word for value, place in things for word in (_path(value) if place else _words(value))
    ]
    others = [
        word for name in fields if not _names_thing(name, tool) for word in _texts(fields[name])
    ]
    return ToolIntent(
        tool=tool,
        topics=_hashes(topics),
        targets=_hashes(targets),
        words=_hashes(others, _WORDS_MAX),
        near=_near([value for value, _ in things], event, failed=failed),
        read_only=only_looks(tool, ()),
        failed=failed,
    )


def solves(success: ToolIntent, failure: ToolIntent, *, at_once: bool = False) -> bool:
    """Say whether a call that worked shows that an earlier failure is solved: see the module.

    `at_once`: it was the next that was tried, so that other words for the same thing count too.
    """
    least = 0.0 if at_once else _SAME_WORDS
    if not success.read_only and {*success.topics} & {*failure.topics}:
        return True
    if success.tool != failure.tool:
        return _same_kind(success, failure)
    if success.programs or failure.programs:
        covers = any(_covers(success, failure, program, least) for program in failure.programs)
        return covers or _shows(success, failure) or (at_once and _same_targets(success, failure))
    if not failure.targets and not success.targets:
        enough = least if failure.read_only else min(least, _SAME_WORDS_OF_DEEDS)
        return _share(success.words, failure.words, min) >= enough
    if _share(success.targets, failure.targets) < _SAME_WORDS and not _is_near(success, failure):
        return bool(_USERS.search(success.tool)) and not (success.words or failure.words)
    return not _EDITS.search(success.tool) or _share(success.words, failure.words) >= least


def _covers(success: ToolIntent, failure: ToolIntent, program: str, least: float) -> bool:
    """Say whether a shell ran a program again, on as much as before and on the same."""
    if program not in success.programs:
        return False
    now = {target for target in success.targets if target.startswith(program)}
    before = {target for target in failure.targets if target.startswith(program)}
    narrower = program in _hashed(_CHECKS) and bool(now - before) and before <= now
    if program in _hashed(_CHECKS) or success.read_only:
        least = _SAME_WORDS  # another file is another question, unless the first was mistyped
    if program in _hashed(_QUERYING):
        least = _SAME_ASKED
    same = not now or not before or len(now & before) >= least * len(before)
    return (same or _is_near(success, failure)) and not narrower


def _shows(success: ToolIntent, failure: ToolIntent) -> bool:
    """Say whether another program worked, on the whole, that could not before: see `_SHOWN_BY`."""
    showing = {other for program in failure.programs for other in _shown_by().get(program, ())}
    showing &= {*success.programs}
    return any(
        program in _hashed(_NAMED_WHOLES) or not any(t.startswith(program) for t in success.targets)
        for program in showing
    )


def _is_near(success: ToolIntent, failure: ToolIntent) -> bool:
    """Say whether a call names the thing that another one missed by a slip: see `ToolIntent`."""
    return not {*success.near}.isdisjoint(failure.near)


def _same_targets(success: ToolIntent, failure: ToolIntent) -> bool:
    """Say whether another program was tried, and worked, on the same things, or ran the first."""
    now, before = (
        {target[_HASH_CHARS:] for target in intent.targets} for intent in (success, failure)
    )
    if (
        not failure.targets
        and now & {*failure.programs}
        and _hashed(_RUNNERS) & {*success.programs}
    ):
        return True  # "bash deploy.sh" after "./deploy.sh"
    now_of, before_of = (
        {_step_of().get(program) for program in intent.programs} - {None}
        for intent in (success, failure)
    )
    if now_of & before_of or _hashed(_QUERYING) & {*success.programs} & {*failure.programs}:
        return False  # "git pull" after "git push", "ssh web2" after "ssh web1"
    looks = success.read_only and not failure.read_only
    return not looks and bool(before) and len(now & before) >= _SAME_WORDS * len(before)


@cache
def _hashed(programs: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(_hash, programs))


@cache
def _step_of() -> Mapping[str, str]:
    """Return by program, such as `git pull`, of which one it is a step."""
    return {_hash(f"{name} {s}"): name for name, steps in _STEPS.items() for s in steps.split()}


@cache
def _shown_by() -> Mapping[str, frozenset[str]]:
    return {_hash(name): frozenset(map(_hash, others)) for name, others in _SHOWN_BY.items()}


def _same_kind(success: ToolIntent, failure: ToolIntent) -> bool:
    """Say whether two tools do the same: by their names up to "by", or both changed one file."""
    kinds = [tool.partition("_by_") for tool in (success.tool, failure.tool)]
    if kinds[0][0] == kinds[1][0] and any(way for _, way, _ in kinds):
        return True
    if success.read_only and failure.read_only and _is_near(success, failure):
        return True  # "cat docs/plan.md" after a tool that found no "plan.md"
    both_act = not (success.read_only or failure.read_only or success.programs or failure.programs)
    if both_act and success.targets and success.words and failure.words:
        same_thing = _share(success.targets, failure.targets) >= _SAME_WORDS
        if same_thing and _share(success.words, failure.words, min) >= _SAME_WORDS:
            return True  # "exchange" of a delivered order where "modify" was refused
    both_edit = _EDITS.search(success.tool) and _EDITS.search(failure.tool)
    return bool(both_edit and success.targets and success.targets == failure.targets)


def _share(
    first: tuple[str, ...], second: tuple[str, ...], of: Callable[[int, int], int] = max
) -> float:
    if not first or not second:
        return 1.0 if first == second else 0.0
    return len({*first} & {*second}) / of(len(first), len(second))


def _names_thing(name: str, tool: str) -> bool:
    """Say whether an argument says on what a tool works, such as `order_id` of `get_order`."""
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


def _near(things: list[str], event: Event, *, failed: bool) -> tuple[str, ...]:
    """Return by what each thing is known again; nothing of a failure but that it is not there."""
    if failed and not any(map(_MISSING.search, read_result(event).texts)):
        return ()
    forms = (_form(_path(thing)[-1]) for thing in things)
    return _hashes([form for form in forms if form])


def _form(name: str) -> str:
    """Return the letters of a name in the order of the alphabet, once each, and its digits.

    A slip of two letters, of O for 0 or of a sign between keeps it. A short name has none.
    """
    signs = [sign for sign in name.casefold().translate(_CONFUSED) if sign.isalnum()]
    letters = sorted({sign for sign in signs if not sign.isdigit()})
    digits = sorted(sign for sign in signs if sign.isdigit())
    return "".join([*letters, *digits]) if len(signs) >= _FORM_SIGNS_MIN else ""


def _hashes(names: list[str], most: int = _NAMES_MAX) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_hash, names)))[:most]


def _hash(name: str) -> str:
    return content_hash(name)[:_HASH_CHARS]
