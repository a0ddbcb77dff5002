"""Stage sanitise: what must not be stored is replaced by a mark before anything is stored or sent.

Pure functions over JSON data. Every string is searched, keys and values, however deep, also in
JSON that stands in a string. Whole secrets are replaced, before any text is cut; what comes out
says how many of which kind, and never what. Nothing here judges whether an event is worth storing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from ...core.errors import InvalidInput
from ...core.events import encode
from ...core.ids import content_hash
from ...core.settings import SanitiseSettings
from ...core.text import shorten
from ...core.types import SPACE_CHARS_MAX, SPACE_PATTERN
from .cuts import cut
from .file_paths import PathPatterns
from .fitting import fit_event
from .json_fields import JsonRedactor, map_texts, parse_json
from .rules import SecretSpan, rule_file, split
from .scanner import find_by_shape, find_personal, find_secrets
from .secret_names import SecretNames

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
