"""What every command uses: the shared options, the settings, and an open memory or journal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .. import memory as library
from ..core.errors import InvalidInput, NotFound, Refused, StorageFull, Unavailable
from ..core.settings_loader import (
    CONFIG,
    DATABASE,
    SPACE,
    LoadedSettings,
    default_database,
    keys,
    load,
    variable,
)
from ..core.time import read_point, read_time
from ..core.types import Space
from ..ingest.importers.import_record import parse_json
from ..storage.projections.catalog import LAST, SCHEME

if TYPE_CHECKING:
    from ..memory import Memory

_PREFIX = "MERIDIA_"
#: Not settings of ours: what tests and the local Neo4j read, and what a cluster tells its
#: containers of a service that is called meridia.
_OTHERS = (
    "MERIDIA_TEST_",
    "MERIDIA_REQUIRE_",
    "MERIDIA_THOROUGH",
    "MERIDIA_NEO4J_JARS",
    "MERIDIA_SERVICE_",
    "MERIDIA_PORT",
)


def unknown_variables(environment: Mapping[str, str] | None = None) -> dict[str, str | None]:
    """Return the variables that set nothing, in order, each with the nearest one that does.

    None where no name is near.
    """
    names = os.environ if environment is None else environment
    ours = sorted(n for n in names if n.startswith(_PREFIX) and not n.startswith(_OTHERS))
    recognised = [DATABASE, SPACE, CONFIG, *map(variable, keys())]
    unknown = [name for name in ours if name not in recognised]
    return {name: _nearest(name, recognised) for name in unknown}


def _nearest(name: str, candidates: Sequence[str]) -> str | None:
    """Return the name nearest by what follows the prefix, which is the same for all."""
    import difflib  # noqa: PLC0415 - only for a mistyped name

    bare = [candidate.removeprefix(_PREFIX) for candidate in candidates]
    near = difflib.get_close_matches(name.removeprefix(_PREFIX), bare, 1)
    return _PREFIX + near[0] if near else None


#: What to do where there is nothing.
_START = "capture or import something first, or name another with --db"
#: A condition on metadata: a key, how it is compared, and a value.
_CONDITION = re.compile(r"([^=<>!]+)(=|!=|<=|>=|<|>)(.*)", re.DOTALL)
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class SharedOptions:
    """The options that stand before or after a command's name."""

    db: str | None
    space: str | None
    config: str | None
    as_json: bool
    no_pager: bool = False

    @property
    def database(self) -> Path:
        """The journal's file: flag, environment, or the user's data folder."""
        return Path(self.db or os.environ.get(DATABASE) or default_database())

    @property
    def named_space(self) -> Space | None:
        """The space that was named by flag or environment, if any."""
        name = self.space or os.environ.get(SPACE)
        return Space(name) if name else None

    def load(self, flags: Mapping[str, Any] | None = None) -> LoadedSettings:
        """Gather the settings, with a command's own flags on top."""
        return load(flags, Path(self.config) if self.config else None)

    @contextmanager
    def memory(
        self, flags: Mapping[str, Any] | None = None, *, writes: bool = False
    ) -> Iterator[Memory]:
        """Open the memory. A writer makes it; a reader of none finds nothing, and is told so.

        A reader that names a file which does not exist raises `NotFound`.
        """
        space, settings = self.named_space or Space("default"), self.load(flags).settings
        if not writes and not self.has_journal():
            if self.db is not None:
                self.require_journal()
            click.echo(f"meridia: there is no journal at {self.database} yet: {_START}", err=True)
            with library.Memory.open(None, space, settings, enrich="manual") as nothing:
                yield nothing
            return
        with library.Memory.open(self.database, space, settings, enrich="manual") as memory:
            spaces = () if writes else memory.parts.journal.spaces()
            if spaces and space not in spaces:
                raise NotFound(f"space {space!r} does not exist: `meridia spaces` lists them")
            yield memory

    def has_journal(self) -> bool:
        """Say whether there is a journal; raise `Refused` where its file may not be seen.

        One that replicas share is there without a file.
        """
        try:
            return self.database.exists() or bool(self.load().settings.journal.url)
        except PermissionError:
            raise Refused(
                f"this user may not read {self.database}: check its permissions"
            ) from None

    def require_journal(self) -> None:
        """Raise `NotFound` when there is no journal yet."""
        if not self.has_journal():
            raise NotFound(f"there is no journal at {self.database}: {_START}")


def command(**settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function: its first argument are the shared options, merged."""
    return lambda function: click.command(**settings)(_with_shared_options(function))


def _with_shared_options(command: F) -> F:

    @click.option("--db", metavar="FILE", help="The journal's file.")
    @click.option("--space", metavar="NAME", help="The space.")
    @click.option("--config", metavar="FILE", help="A settings file.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
    @click.option("--no-pager", is_flag=True, hidden=True, help="Print long output at once.")
    @click.pass_context
    def merged(ctx: click.Context, /, **given: Any) -> Any:
        _warn_of_variables()
        before = ctx.find_root().obj or {}
        names = [field.name for field in fields(SharedOptions)]
        chosen: dict[str, Any] = {name: given.pop(name) or before.get(name) for name in names}
        return ctx.invoke(command, SharedOptions(**chosen), **given)

    merged.__doc__ = command.__doc__
    merged.__name__ = command.__name__
    # Last first, as `click` holds them.
    merged.__click_params__ += getattr(command, "__click_params__", [])  # type: ignore[attr-defined]
    return merged  # type: ignore[return-value]


engine_option = click.option(
    "--engine", type=click.Choice(["embedded", "neo4j"]), help="The graph engine."
)


def pairs_option(flag: str, name: str, help: str, metavar: str = "K=V") -> Callable[[F], F]:
    """Give a command an option for pairs, which may be repeated: a mapping, or None for none."""
    return click.option(
        flag,
        name,
        multiple=True,
        metavar=metavar,
        callback=lambda _, __, pairs: key_values(pairs, flag) or None,
        help=help,
    )


wait_option = click.option(
    "--wait",
    "wait_s",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Wait at most this long for enrichment.  [default: 0]",
)


def _warn_of_variables() -> None:
    """Say on standard error which variables set nothing, and what they may have been meant for."""
    for name, near in unknown_variables().items():
        meant = f"did you mean {near}?" if near else "`meridia config` lists the settings."
        click.echo(f"meridia: {name} is not a setting and is ignored: {meant}", err=True)


def key_values(pairs: tuple[str, ...], option: str) -> dict[str, Any]:
    """Read `key=value` pairs; a value that is JSON is taken as such, anything else as text."""
    values: dict[str, Any] = {}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator or not key:
            raise InvalidInput(f"{option} {pair!r}: write it as key=value")
        try:
            values[key] = parse_json(value)
        except InvalidInput:
            values[key] = value
    return values


def conditions(texts: tuple[str, ...]) -> dict[str, Any] | None:
    """Read conditions on metadata, all of which hold; None for none.

    Each is a JSON object, or `key=value` (`!= < <= > >=`).
    """
    each = [_condition(text) for text in texts]
    return {"AND": each} if each else None


def _condition(text: str) -> dict[str, Any]:
    if text.lstrip().startswith("{"):
        return dict(parse_json(text))
    match = _CONDITION.fullmatch(text)
    if match is None or not match[3]:
        raise InvalidInput(
            f"--where {text!r}: write key=value, key>=value, key!=value, or a JSON object"
        )
    key, sign, _ = match.groups()
    (value,) = key_values((f"{key}={match[3]}",), "--where").values()
    return {key: {sign: value}}


def take_address(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the address that words begin with, and the words after it; `last 3` is two words."""
    if words[0] == LAST and len(words) > 1 and words[1].isascii() and words[1].isdecimal():
        return " ".join(words[:2]), words[2:]
    return words[0], words[1:]


def take_memory(
    memory: Memory, words: Sequence[str], shared: SharedOptions
) -> tuple[Memory, str, Sequence[str]]:
    """Return the memory at its space, the address that words begin with, and the words after it.

    An address is found in whichever space it is, when the user named none.
    """
    address, rest = take_address(words)
    if not address.removeprefix(SCHEME).strip("/ "):
        raise InvalidInput("an address has the form meridia://ID")
    if shared.named_space is None and not memory.holds(address):
        memory = _at_space_of(memory, address)
    if memory.space not in memory.parts.journal.spaces():
        raise NotFound(f"there is no memory {address!r}: space {memory.space!r} does not exist")
    return memory, address, rest


def _at_space_of(memory: Memory, address: str) -> Memory:
    """Return the memory looking at the space that holds an address or id; else as it was."""
    id = address.removeprefix(SCHEME).strip("/")
    if not id.startswith("@"):
        space = memory.parts.catalog.space_of(id)
        return memory if space is None else memory.in_space(space)
    spaces = map(memory.in_space, memory.parts.journal.spaces())
    return next((other for other in spaces if other.holds(address)), memory)


def take_hit(memory: Memory, words: Sequence[str]) -> tuple[str, str | None]:
    """Return the answer, and the memory of it, that words name: `last 3`, `last`, or `@12` alone.

    What is no answer is a memory of the newest one.
    """
    recall, rest = LAST, " ".join(words)
    is_memory = not words or words[0].startswith(("@", SCHEME))
    if not is_memory and (words[0] == LAST or len(words) > 1 or _is_recall(memory, words[0])):
        recall, rest = words[0], " ".join(words[1:])
    if len(rest.split()) > 1 and take_address(rest.split())[1]:
        raise InvalidInput(f"give one memory: remove {' '.join(words[2:])!r}")
    return recall, rest or None


def _is_recall(memory: Memory, word: str) -> bool:
    try:
        memory.reasons.record(word)
    except NotFound:
        return not memory.holds(word)
    return True


def time_of(text: str | None, option: str) -> datetime | None:
    """Return the time that an option gives; None where it is not given."""
    return read_time(text or None, option)


def instant_of(text: str | None, option: str) -> datetime | int | None:
    """Return the time or journal sequence that an option gives; None where it is not given."""
    return read_point(text, option)


def standard_input() -> str:
    """Read all of standard input as text."""
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"standard input is not UTF-8 text: {error}") from None


def text_of(file: str) -> str:
    """Return the text of a file, or of standard input where it is `-`."""
    if file == "-":
        return standard_input()
    try:
        return Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InvalidInput(f"{file} cannot be read: {why}") from None


def bring_up_to_date(memory: Memory) -> None:
    """Enrich what is missing before a list is shown; where nothing can be written, say so."""
    try:
        memory.enrich()
    except (Refused, StorageFull, Unavailable) as error:
        click.echo(f"listed without the newest memories: {error}", err=True)
