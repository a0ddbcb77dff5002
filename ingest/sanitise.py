"""Stage sanitise: what must not be kept is replaced by a mark before anything is stored or sent.

Pure functions over plain JSON. Every string is looked at, keys and values, however deep, also in
JSON that stands in a string. Whole secrets are replaced, before any text is cut; what comes out
says how many of which kind, and never what. Nothing here judges whether an event is worth keeping.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from ..core.errors import InvalidInput
from .personal_data import find_personal
from .secret_fields import Cleaner, parsed
from .secret_formats import Span
from .secret_names import Names
from .secret_paths import PATHS, PathPatterns
from .secrets import find_secrets
from .text_limits import CUT_CHARS, bounded

#: Finds personal data by a library: spans of start, end (exclusive) and kind.
FindPersonal: TypeAlias = Callable[[str], Iterable[tuple[int, int, str]]]
Target: TypeAlias = Literal["graph", "vector"]

#: Where a payload has a tool's arguments, and names in them for what goes into a file.
_ARGUMENTS = (
    "args", "arguments", "input", "params", "parameters", "toolArgs", "tool_input", "command",
    "cmd", "path", "file_path", "file", "filename",
)  # fmt: skip
_RESULTS = ("result", "results", "output", "toolResult", "stdout", "stderr")
_KIND = re.compile(r"[^a-z]+")
_ROUNDS_MAX = 8


@dataclass(frozen=True, slots=True)
class Policy:
    """What must not be kept, beyond what is known here, and how long texts may be.

    Lengths are characters; `text_chars_max` is what the journal keeps of one text (None: all of
    it), the others are what leaves for a sink. `personal` adds a library's findings there.
    """

    names_sensitive: tuple[str, ...] = ()
    names_allowed: tuple[str, ...] = ()
    paths: tuple[str, ...] = PATHS
    text_chars_max: int | None = None
    sink_args_chars_max: int = 3000
    sink_result_chars_max: int = 5000
    sink_text_chars_max: int = 4000
    sink_chars_max: int = 8000
    personal: FindPersonal | None = None

    def __post_init__(self) -> None:
        limits = (
            ("text_chars_max", self.text_chars_max),
            ("sink_args_chars_max", self.sink_args_chars_max),
            ("sink_result_chars_max", self.sink_result_chars_max),
            ("sink_text_chars_max", self.sink_text_chars_max),
            ("sink_chars_max", self.sink_chars_max),
        )
        for name, limit in limits:
            if limit is not None and limit < CUT_CHARS:
                raise InvalidInput(
                    f"sanitise policy: {name} is {limit}: give {CUT_CHARS} characters or more"
                )


@dataclass(frozen=True, slots=True)
class Sanitised:
    """The fields that may be kept, how much was replaced by kind, and how many texts were cut."""

    fields: dict[str, Any]
    counts: Mapping[str, int]
    cut: int = 0


#: The policy of one who has set none.
DEFAULT = Policy()


def sanitise(fields: Mapping[str, Any], policy: Policy = DEFAULT) -> Sanitised:
    """Return an event's plain JSON without secrets, fit to be stored.

    What identifies the event (`id`, `kind`, `ts`, `session.key`) changes only where it holds a
    secret of a known shape. Doing it twice changes nothing more.
    """
    names = _names(policy.names_sensitive, policy.names_allowed)
    limits = () if policy.text_chars_max is None else ((None, policy.text_chars_max),)
    cleaner = Cleaner(names, lambda text: find_secrets(text, names))
    return _sanitised(fields, cleaner, policy.paths, limits, each=True)


def clean_text(text: str, policy: Policy = DEFAULT) -> str:
    """Return a text without secrets, such as a question that is kept with its answer."""
    return str(sanitise({"payload": {"text": text}}, policy).fields["payload"]["text"])


def clean_for_sink(text: str, policy: Policy = DEFAULT) -> str:
    """Return a text as it may leave: also without addresses and numbers of people."""
    return str(sanitise_for_sink({"payload": {"text": text}}, policy).fields["payload"]["text"])


def sanitise_for_sink(
    fields: Mapping[str, Any], policy: Policy = DEFAULT, target: Target = "graph"
) -> Sanitised:
    """Return an event's plain JSON fit to leave for another system's graph or vector store.

    Beyond `sanitise`: no e-mail addresses, telephone, account and card numbers or home
    directories, and the sink's limits, in all for arguments, for a result, for the text and for
    any other part of the payload. A vector store embeds one text: no part is longer than that.
    """
    names = _names(policy.names_sensitive, policy.names_allowed)
    most = policy.sink_text_chars_max if target == "vector" else policy.sink_chars_max
    limits = (
        (_ARGUMENTS, min(most, policy.sink_args_chars_max)),
        (_RESULTS, min(most, policy.sink_result_chars_max)),
        (("text",), policy.sink_text_chars_max),
        (None, most),
    )
    cleaner = Cleaner(names, lambda text: _find_for_sink(text, names, policy.personal))
    return _sanitised(fields, cleaner, policy.paths, limits, each=False)


#: How long parts of the payload may be: by name, or None for every other part.
_Limits: TypeAlias = tuple[tuple[tuple[str, ...] | None, int], ...]


def _sanitised(
    fields: Mapping[str, Any],
    cleaner: Cleaner,
    paths: tuple[str, ...],
    limits: _Limits,
    *,
    each: bool,
) -> Sanitised:
    shown = _without_files(fields, paths, cleaner)
    if shown is fields and not limits and cleaner.finds_nothing(fields):
        return Sanitised(dict(fields), {})
    clean = cleaner.event(shown)
    cut = 0
    for _ in range(_ROUNDS_MAX):
        # A mark, or a cut, may lay bare what was no path and no secret as part of a longer word.
        bare = _without_files(clean, paths, cleaner)
        payload, more = _cut(bare.get("payload"), limits, each=each)
        if bare is clean and not more:
            break
        cut = max(cut, more)
        clean = cleaner.event({**bare, "payload": payload} if more else bare)
    return Sanitised(clean, {kind: n for kind, n in cleaner.counts.items() if n}, cut)


@lru_cache(maxsize=64)
def _names(sensitive: tuple[str, ...], harmless: tuple[str, ...]) -> Names:
    return Names(sensitive, harmless)


@lru_cache(maxsize=64)
def _patterns(paths: tuple[str, ...]) -> PathPatterns:
    return PathPatterns(paths)


def _find_for_sink(text: str, names: Names, library: FindPersonal | None) -> list[Span]:
    found = [*find_secrets(text, names), *find_personal(text)]
    if library is not None:
        for start, end, kind in library(text):
            label = _KIND.sub("_", kind.lower()).strip("_")[:40] or "personal"
            found.append(Span(max(0, start), min(len(text), end), label))
    return found


def _cut(payload: Any, limits: _Limits, *, each: bool) -> tuple[Any, int]:
    if not limits or not isinstance(payload, dict):
        return payload, 0
    by_name = {name: most for names, most in limits for name in names or ()}
    rest = next(most for names, most in limits if names is None)
    parts, cut = {}, 0
    for name, part in payload.items():
        parts[name], more = bounded(part, by_name.get(name, rest), each=each)
        cut += more
    return parts, cut


def _without_files(
    fields: Mapping[str, Any], paths: tuple[str, ...], cleaner: Cleaner
) -> Mapping[str, Any]:
    """Return `fields` without the content of files that the policy names, or themselves."""
    payload = fields.get("payload")
    if not isinstance(payload, Mapping) or not (fields.get("tool") or _is_result(fields)):
        return fields
    asked = {name: payload[name] for name in _ARGUMENTS if name in payload}
    arguments = {name: _arguments(part) for name, part in asked.items()}
    if not asked or not _patterns(paths).named_in(arguments):
        return fields
    before = cleaner.counts["file"]
    hidden = {
        name: cleaner.written(part) if name in asked else cleaner.hidden(part)
        for name, part in payload.items()
    }
    return {**fields, "payload": hidden} if cleaner.counts["file"] > before else fields


def _arguments(part: Any) -> Any:
    return parsed(part) if isinstance(part, str) else part


def _is_result(fields: Mapping[str, Any]) -> bool:
    return fields.get("kind") == "tool_result"
