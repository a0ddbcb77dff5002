"""Stage sanitise: what must not be stored is replaced by a mark before anything is stored or sent.

Pure functions over JSON data. Every string is searched, keys and values, however deep, also in
JSON that stands in a string. Whole secrets are replaced, before any text is cut; what comes out
says how many of which kind, and never what. Nothing here judges whether an event is worth storing.

Tell whether a tool's call names a file whose content is not stored, and where paths stand.

Patterns are globs as in a list of ignored files: the last that fits decides, `!` makes an
exception, a pattern with a slash fits the end of a path, one without fits a file's name. Nothing
is opened or looked up.

An event that is too large for a journal is kept with its longest texts cut, never refused.

Its ids, its time and who speaks stay. Lists and objects of which no text is long become text.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from ...core.errors import InvalidInput
from ...core.events import bytes_of, encode
from ...core.ids import content_hash
from ...core.settings import SanitiseSettings
from ...core.text import shorten
from ...core.types import SPACE_CHARS_MAX, SPACE_PATTERN
from .cuts import CUT, cut
from .json_fields import JsonRedactor, map_texts, parse_json
from .rules import SecretNames, SecretSpan, rule_file, split, words
from .scanner import find_by_shape, find_personal, find_secrets

#: Words of a command, by what cannot stand in a path that is worth a look.
_WORD = re.compile(r"[^\s\"'`<>|;&()=,\[\]{}]+")
_STRING = re.compile(r"[\"'`]([^\"'`\n]{1,4096})[\"'`]")
_PATH_CHARS_MAX = 4096
#: What ends a sentence behind a path.
_AFTER = ".:!?"


class PathPatterns:
    """Globs for the paths of files: those of the rules, and `more`; or with `rules` off, `more`."""

    def __init__(self, more: Iterable[str] = (), *, rules: bool = True) -> None:
        self._globs = (*(split(rule_file("paths")["globs"]) if rules else ()), *more)
        self._literals = {_literal(glob) for glob in self._globs}

    @cached_property
    def _rules(self) -> list[tuple[re.Pattern[str], bool, bool]]:
        return [_rule(glob) for glob in self._globs]

    def fits(self, path: str) -> bool:
        """Return whether `path` is that of such a file."""
        whole = "/" + path.replace("\\", "/").casefold().lstrip("/")
        name = whole.rpartition("/")[2]
        fits = False
        for regex, deep, secret in self._rules:
            if fits != secret and regex.match(whole if deep else name):
                fits = secret
        return fits

    def named_in(self, arguments: Any) -> bool:
        """Return whether JSON data `arguments` name such a file: as a value, or in a command."""
        return any(
            self.fits(path)
            for name, value in _strings(arguments)
            if self._may_name(value)
            for path in _paths(name, value)
        )

    def spans_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where paths that fit stand in a text."""
        if not self._may_name(text):
            return
        for word in _WORD.finditer(text):
            path = word[0].rstrip(_AFTER)
            if path and self.fits(path.removeprefix("file://")):
                yield word.start(), word.start() + len(path)

    def _may_name(self, value: str) -> bool:
        lowered = value.replace("\\", "/").casefold()
        return any(map(lowered.__contains__, self._literals))


def _rule(glob: str) -> tuple[re.Pattern[str], bool, bool]:
    bare = glob.removeprefix("!").casefold().lstrip("/")
    deep = "/" in bare
    if bare.startswith("*."):
        bare = "?" + bare  # `.key` alone is a field, not a file
    pattern = translate(bare)
    return re.compile(rf".*/{pattern}" if deep else pattern), deep, not glob.startswith("!")


def _literal(glob: str) -> str:
    """Return the longest piece of a glob that stands in whatever it fits."""
    return max(re.split(r"[*?\[\]!]+", glob.casefold().lstrip("/!")), key=len)


def _strings(arguments: Any) -> Iterator[tuple[str, str]]:
    """Yield the strings in `arguments`, each with the name that it stands under."""
    todo: list[tuple[str, Any]] = [("", arguments)]
    while todo:
        name, value = todo.pop()
        if isinstance(value, str):
            yield name, value
        elif isinstance(value, Mapping):
            todo.extend((str(key).lower(), item) for key, item in value.items())
        elif isinstance(value, list | tuple):
            todo.extend((name, item) for item in value)


def _paths(name: str, value: str) -> Iterator[str]:
    if name in words("fields", "prose"):
        return
    code = name in words("fields", "code")
    if not code and len(value) <= _PATH_CHARS_MAX:
        yield value.strip().removeprefix("file://")
    for word in dict.fromkeys((_STRING if code else _WORD).findall(value)):
        if len(word) <= _PATH_CHARS_MAX:
            yield word.rpartition(":")[2]


Target: TypeAlias = Literal["graph", "vector"]
#: How long the fields of a payload may be by name; under "" the limit of every other field.
_Limits: TypeAlias = Mapping[str, int]

_ACCOUNT_NUMBERS = frozenset({"iban", "card_number", "social_security_number"})
_ROUNDS_MAX = 8
#: What leaves for a sink, characters: of all arguments, of a result, of the text, of anything else.
SINK_CHARS_MAX: Mapping[str, int] = MappingProxyType(
    {"arguments": 3000, "results": 5000, "text": 4000, "": 8000}
)
#: What the settings say where nobody has set anything.
DEFAULT = SanitiseSettings()


@dataclass(frozen=True, slots=True)
class Sanitised:
    """The fields that may be stored, how much was replaced by kind, and how many texts were cut.

    `gone` is the same for the same texts that were cut: two that differ in what is gone differ.
    """

    fields: dict[str, Any]
    counts: Mapping[str, int]
    cut: int = 0
    gone: str = ""


def sanitise(
    fields: Mapping[str, Any],
    policy: SanitiseSettings = DEFAULT,
    event_bytes_max: int = sys.maxsize,
) -> Sanitised:
    """Return an event's JSON data without secrets, fit to be stored.

    Of a text much longer than `event_bytes_max` only the ends are searched, and kept.
    What identifies the event (`id`, `kind`, `ts`, `session.key`) loses only secrets that are
    recognised by their shape. Doing it twice changes nothing more.
    """
    names = _names(policy.names_sensitive, policy.names_allowed)
    limits = {} if policy.text_chars_max is None else {"": policy.text_chars_max}

    def find(text: str) -> Iterator[SecretSpan]:
        yield from find_secrets(text, names)
        yield from _hidden_paths(text, policy)
        if policy.account_numbers:
            yield from find_personal(text, _ACCOUNT_NUMBERS)

    redactor = JsonRedactor(names, find, text_chars_max=event_bytes_max)
    return _sanitised(fields, redactor, policy.paths, limits, each=True)


def fitted(clean: Sanitised, event_bytes_max: int, policy: SanitiseSettings = DEFAULT) -> Sanitised:
    """Return an event whose JSON has at most so many bytes, as far as cutting texts can do it."""
    fields, number = fit_event(clean.fields, event_bytes_max)
    for _ in range(_ROUNDS_MAX):  # a cut may lay bare a secret within a longer word
        again = sanitise(fields, policy, event_bytes_max)
        if again.fields == fields:
            break
        fields, _ = fit_event(again.fields, event_bytes_max)
    gone = content_hash(f"{clean.gone}{encode(clean.fields)}")
    return Sanitised(fields, clean.counts, max(clean.cut, number), gone)


def clean_text(text: str, policy: SanitiseSettings = DEFAULT) -> str:
    """Return a text without secrets, such as a question that is stored with its answer."""
    return str(sanitise({"payload": {"text": text}}, policy).fields["payload"]["text"])


@lru_cache(maxsize=1024)
def check_space(name: str) -> None:
    """Raise `InvalidInput` for what names no new space.

    It has 1 to 200 characters, none of them a control character, and no secret: names are never
    cleaned.
    """
    if len(name) > SPACE_CHARS_MAX or re.fullmatch(SPACE_PATTERN, name) is None:
        raise InvalidInput(
            f"{shorten(name, 80)!r} is not a valid name for a space: give 1 to {SPACE_CHARS_MAX} "
            "characters, without control characters"
        )
    if find_by_shape(name):
        raise InvalidInput(
            "the name of the space looks like a secret, and would be stored unredacted: "
            "choose another name"
        )


def clean_for_sink(text: str, policy: SanitiseSettings = DEFAULT) -> str:
    """Return a text as it may leave: also without addresses and numbers of people."""
    return str(sanitise_for_sink({"payload": {"text": text}}, policy).fields["payload"]["text"])


def sanitise_for_sink(
    fields: Mapping[str, Any], policy: SanitiseSettings = DEFAULT, target: Target = "graph"
) -> Sanitised:
    """Return an event's JSON data fit to leave for another system's graph or vector store.

    Beyond `sanitise`: no e-mail addresses, telephone, account and card numbers or home
    directories, and the sink's limits, in all for arguments, for a result, for the text and for
    any other field of the payload. A vector store embeds one text: no field is longer than that.
    """
    names = _names(policy.names_sensitive, policy.names_allowed)
    most = SINK_CHARS_MAX["text" if target == "vector" else ""]
    limits = {
        **{
            field: min(most, SINK_CHARS_MAX[kind])
            for kind in ("arguments", "results")
            for field in _listed(kind)
        },
        "text": SINK_CHARS_MAX["text"],
        "": most,
    }

    def find(text: str) -> Iterator[SecretSpan]:
        yield from find_secrets(text, names)
        yield from _hidden_paths(text, policy)
        yield from find_personal(text)

    return _sanitised(fields, JsonRedactor(names, find), policy.paths, limits, each=False)


def _sanitised(
    fields: Mapping[str, Any],
    redactor: JsonRedactor,
    paths: tuple[str, ...],
    limits: _Limits,
    *,
    each: bool,
) -> Sanitised:
    shown = _without_files(fields, paths, redactor)
    if shown is fields and not limits and redactor.is_clean(fields):
        return Sanitised(dict(fields), {})
    clean = redactor.event(shown)
    number, gone = redactor.cut, redactor.gone
    for _ in range(_ROUNDS_MAX):
        # A mark, or a cut, may lay bare what was no path and no secret within a longer word.
        bare = _without_files(clean, paths, redactor)
        payload, more = _bounded_payload(bare.get("payload"), limits, each=each)
        if bare is clean and not more:
            break
        if more and each:
            gone = content_hash(gone + encode(bare))
        number = max(number, more)
        clean = redactor.event({**bare, "payload": payload} if more else bare)
    return Sanitised(clean, {kind: n for kind, n in redactor.counts.items() if n}, number, gone)


def _listed(names: str) -> tuple[str, ...]:
    return split(rule_file("fields")[names])


@lru_cache(maxsize=64)
def _names(sensitive: tuple[str, ...], allowed: tuple[str, ...]) -> SecretNames:
    return SecretNames(sensitive, allowed)


@lru_cache(maxsize=64)
def _patterns(paths: tuple[str, ...], *, rules: bool = True) -> PathPatterns:
    return PathPatterns(paths, rules=rules)


def _hidden_paths(text: str, policy: SanitiseSettings) -> Iterator[SecretSpan]:
    if policy.paths_hidden:
        for start, end in _patterns(policy.paths_hidden, rules=False).spans_in(text):
            yield SecretSpan(start, end, "path")


def bounded(value: Any, most: int, *, each: bool) -> tuple[Any, int]:
    """Return JSON data with its texts cut to `most` characters each, or in all, and how many were.

    In all, the first texts stay whole and the later ones pay. Keys are not counted.
    """
    left, number = most, 0

    def shorten(text: str, _: None) -> str:
        nonlocal left, number
        shorter = cut(text, most if each else left)
        number += shorter is not text
        left = max(0, left - len(shorter))
        return shorter

    return map_texts(value, shorten, None), number


def _bounded_payload(payload: Any, limits: _Limits, *, each: bool) -> tuple[Any, int]:
    if not limits or not isinstance(payload, dict):
        return payload, 0
    fields, number = {}, 0
    for name, value in payload.items():
        fields[name], more = bounded(value, limits.get(name, limits[""]), each=each)
        number += more
    return fields, number


def _without_files(
    fields: Mapping[str, Any], paths: tuple[str, ...], redactor: JsonRedactor
) -> Mapping[str, Any]:
    """Return `fields` without the content of files that the policy names, or themselves."""
    payload = fields.get("payload")
    is_tool = fields.get("tool") or fields.get("kind") == "tool_result"
    if not isinstance(payload, Mapping) or not is_tool:
        return fields
    arguments = {name: payload[name] for name in _listed("arguments") if name in payload}
    parsed = {n: parse_json(v) if isinstance(v, str) else v for n, v in arguments.items()}
    if not arguments or not _patterns(paths).named_in(parsed):
        return fields
    before = redactor.counts["file"]
    hidden = {
        name: redactor.hide(value, content_only=name in arguments)
        for name, value in payload.items()
    }
    return {**fields, "payload": hidden} if redactor.counts["file"] > before else fields


#: Fields that are never cut; all others may be.
_WHOLE = frozenset({"id", "kind", "ts", "session", "person", "tool"})
#: Texts are not cut shorter than this while there is another way.
_TEXT_CHARS_MIN = 512


def fit_event(fields: Mapping[str, Any], bytes_max: int) -> tuple[dict[str, Any], int]:
    """Return an event of at most `bytes_max` bytes as far as that can be, and how many were cut."""
    parts = {name: value for name, value in fields.items() if name not in _WHOLE}
    cut_parts = _with_shorter_texts(fields, parts, bytes_max)
    if _size({**fields, **cut_parts}) > bytes_max:
        flat = {name: _flat(value) for name, value in cut_parts.items()}
        cut_parts = _with_shorter_texts(fields, flat, bytes_max)
    fitted = {**fields, **cut_parts}
    return fitted, sum(1 for text in _texts(cut_parts) if CUT.search(text))


def _with_shorter_texts(
    fields: Mapping[str, Any], parts: dict[str, Any], bytes_max: int
) -> dict[str, Any]:
    """Return the parts of an event with their longest texts cut until they fit, or are short."""
    most = max(map(len, _texts(parts)), default=0)
    while most > _TEXT_CHARS_MIN and (size := _size({**fields, **parts})) > bytes_max:
        most = max(_TEXT_CHARS_MIN, int(most * min(0.9, 0.95 * bytes_max / size)))
        parts = map_texts(parts, cut, most)
    return parts


def _size(fields: Mapping[str, Any]) -> int:
    return bytes_of(encode(fields))


def _flat(value: Any) -> Any:
    """Return an object with each of its lists and objects as JSON text."""
    if not isinstance(value, dict):
        return value
    return {
        name: json.dumps(item, ensure_ascii=False) if isinstance(item, (dict, list)) else item
        for name, item in value.items()
    }


def _texts(root: Any) -> Iterator[str]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, (dict, list)):
            waiting.extend(node.values() if isinstance(node, dict) else node)
