"""Values that stand beside a name in a text: `PGPASSWORD=x`, `token: "x"`, `--api-key x`.

The stem of a name is searched, the name is read back to where it begins, and judged; then the value
behind it is read as a quoted string or a bare word. Bare words are judged by their look wherever
code or prose would be as likely. Of JSON that parses, others take care.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from .rules import SecretSpan, Spans, kinds, pattern, words
from .secret_names import SecretNames, Sensitivity
from .secret_values import (
    is_code,
    is_folder,
    is_key,
    is_measure,
    is_mixed,
    is_password,
    is_reference,
    looks_secret,
)

_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "„": "“"}
_NAME_CHARS_MAX, _LINE_CHARS_MAX, _VALUE_CHARS_MAX = 64, 512, 8192
_VALUE_CHARS_MIN = 2


class _Assignment(NamedTuple):
    """A sensitive name in a text, and how the text joins it to what may be its value."""

    text: str
    begin: int
    name: str
    sensitivity: Sensitivity
    #: Which joins: "sign", "verb", "space", "comma", or "typed" for a sign behind a type.
    joint: str | None
    sign: str
    closed: bool
    spaced: bool
    #: Where the value begins.
    start: int

    @property
    def is_password(self) -> bool:
        """Whether the name is that of a password."""
        return self.sensitivity.kind == "password"

    @property
    def is_flag(self) -> bool:
        """Whether the name is written as that of an option: `--password`."""
        return self.name.startswith("-") and "$" not in self.name

    @property
    def is_environment(self) -> bool:
        """Whether this is written as an environment variable: `DB_PASSWORD=x`."""
        return self.name.isupper() and self.sign == "=" and not self.spaced

    @property
    def is_header(self) -> bool:
        """Whether this is written as a header: `X-Auth-Token: x`."""
        return self.sign == ":" and "-" in self.name.strip("-")


def find_assignments(text: str, lowered: str, names: SecretNames, stems: Iterable[str]) -> Spans:
    """Yield the values behind sensitive names in `text`; `lowered` has its ASCII letters small.

    `stems` are those of `names` that it has.
    """
    done = 0
    for place in _places(lowered, stems):
        if place >= done:
            begin, done = _name_at(text, place)
            assignment = _assignment(text, begin, done, names)
            span = _value(assignment) if assignment else None
            if span:
                done = max(done, span.end)
                yield span


def _places(lowered: str, stems: Iterable[str]) -> list[int]:
    places = []
    for stem in stems:
        place = lowered.find(stem)
        while place >= 0:
            places.append(place)
            place = lowered.find(stem, place + 1)
    return sorted(places)


def _name_at(text: str, place: int) -> tuple[int, int]:
    """Return from where to where a name reaches that has a stem at `place`."""
    begin, least = place, max(0, place - _NAME_CHARS_MAX)
    while begin > least and (text[begin - 1].isalnum() or text[begin - 1] in "_.-$"):
        begin -= 1
    rest = pattern("assignments", "rest").match(text, place)
    return begin, rest.end() if rest else place


def _assignment(text: str, begin: int, end: int, names: SecretNames) -> _Assignment | None:
    name = text[begin:end]
    sensitivity = names.of(name) or (names.of(name.rpartition(".")[2]) if "." in name else None)
    join = pattern("assignments", "separator").match(text, end) if sensitivity else None
    if sensitivity is None or join is None:
        return None
    closed, sign = join["closed"], join["sign"] or ""
    spaced = " " in join[0][len(closed) :]
    if sign == ":" and not spaced and text[max(0, begin - 1) : begin] == ":":
        return None  # a part of an address: `arn:aws:secretsmanager:…:secret:name`
    joint = "verb" if join.lastgroup == "closed" else join.lastgroup
    return _Assignment(
        text, begin, name, sensitivity, joint, sign, bool(closed), spaced, join.end()
    )


def _value(site: _Assignment) -> SecretSpan | None:
    text, start, kind = site.text, site.start, site.sensitivity.kind
    quoted = _quoted(site)
    if quoted:
        return SecretSpan(*quoted, kind) if _is_quoted_secret(site, text[slice(*quoted)]) else None
    if site.joint in {"typed", "comma"} or _is_pair(site):
        return None
    block = pattern("assignments", "block").match(text, start) if site.sign == ":" else None
    if block:
        return SecretSpan(block.start(1), block.end(), kind)
    bare = pattern("assignments", "bare").match(text, start, start + _VALUE_CHARS_MAX)
    if bare is None:
        return None
    value = (bare[0] if site.is_environment else bare[0].rstrip(".,;:)]}")).rstrip("\\")
    if not value or is_reference(value) or not _is_bare_secret(site, value, bare.end()):
        return None
    return SecretSpan(start, start + len(value), kind)


def _is_pair(site: _Assignment) -> bool:
    """Return whether a pair with a name of its own follows: `auth: method=oauth2`."""
    pair = pattern("assignments", "pair")
    return site.sign == ":" and not site.is_password and bool(pair.match(site.text, site.start))


def _is_docstring(site: _Assignment) -> bool:
    """Return whether a line of code ends with the name of a type, and its docstring follows."""
    between = site.text[site.begin : site.start]
    triple = site.text.startswith(('"""', "'''"), site.start)
    return triple and site.sign == ":" and "\n" in between


def _quoted(site: _Assignment) -> tuple[int, int] | None:
    """Return the span between quotes that open where the value begins, or None."""
    text, start = site.text, site.start
    while start < len(text) - 1 and text[start] in "bBrRfFuU$@":
        if text[start + 1] not in _QUOTES and text[start + 1] not in "bBrRfFuU":
            return None
        start += 1
    opening = text[start : start + 1]
    if opening not in _QUOTES or _ends_string(site, opening, start):
        return None
    closing = _QUOTES[opening]
    if opening in "\"'" and text.startswith(opening * 3, start):
        start, closing = start + 2, opening * 3
    content = _content(closing).match(text, start + 1, start + 1 + _VALUE_CHARS_MAX)
    stop = content.end() if content else start + 1
    if text.startswith(closing, stop) and (len(closing) == 3 or site.is_environment):
        return start + 1, stop
    line_end = text.find("\n", start + 1, stop)
    return start + 1, line_end if line_end >= 0 else stop


def _ends_string(site: _Assignment, quote: str, start: int) -> bool:
    """Return whether the name stands in a string that `quote`, at `start`, ends: "Token: " + x."""
    following = site.text[start + 1 : start + 2]
    if site.closed or not (following.isspace() or following in ",)]}+;%."):
        return False
    line = site.text[max(0, site.begin - _LINE_CHARS_MAX) : site.begin].rpartition("\n")[2]
    return line.count(quote) % 2 == 1


@cache
def _content(closing: str) -> re.Pattern[str]:
    """Return a pattern for what stands before a closing quote that is not escaped."""
    return re.compile(rf"(?:(?!{re.escape(closing)})(?:[^\\]|\\.|\\\Z))*+", re.DOTALL)


def _is_quoted_secret(site: _Assignment, value: str) -> bool:
    if len(value.strip()) < _VALUE_CHARS_MIN or is_reference(value) or _is_docstring(site):
        return False
    if site.joint == "comma":
        return looks_secret(value) if site.sensitivity.sure else is_mixed(value)
    if site.sign.startswith(("==", "!=")):
        return looks_secret(value, least=4)
    if site.joint in {"space", "verb"}:
        if site.is_flag:
            return True
        named = site.is_password if site.joint == "verb" else site.name.isupper()
        return not any(map(str.isspace, value)) and (named or looks_secret(value))
    return site.sensitivity.sure or looks_secret(value, least=8)


def _is_bare_secret(site: _Assignment, value: str, end: int) -> bool:
    if is_folder(site.name, value):
        return False
    if site.joint == "space" and not site.closed and _is_given_by_name(site, value):
        return True
    if not site.sensitivity.sure:
        return site.joint != "space" and looks_secret(value, 5 if site.is_password else 8)
    if site.is_environment:
        return True
    if site.joint == "space" or site.is_header or (site.is_flag and site.sign == "="):
        return (site.is_flag or site.is_header or _is_netrc(site)) and _is_argument(value)
    return not _is_code_or_prose(site, value) and _is_secret_behind_sign(site, value, end)


def _is_code_or_prose(site: _Assignment, value: str) -> bool:
    """Return whether code or prose would be as likely: a call, a slug, a version."""
    is_slug = site.name.lower() == "secret" and pattern("assignments", "slug").fullmatch(value)
    is_version = site.joint == "verb" and is_measure(value)
    return bool(is_slug) or is_version or is_code(value) or _is_variable(site, value)


def _is_secret_behind_sign(site: _Assignment, value: str, end: int) -> bool:
    judged = site.joint == "verb" or site.sign.startswith(("==", "!="))
    return looks_secret(value, least=4) or (
        not judged and _is_alone(site, end) and _is_secret_word(site, value)
    )


def _is_argument(value: str) -> bool:
    """Judge what follows a flag: not the next flag, not prose, not a name in a usage line."""
    if value.startswith("-") or value.lower() in words("assignments", "prose"):
        return False
    is_name = value.isidentifier() and value.lower() not in kinds("names", "heads")
    is_name = is_name and SecretNames().of(value) is not None
    return not is_name and (not value.isupper() or looks_secret(value))


def _is_given_by_name(site: _Assignment, value: str) -> bool:
    """Return whether a command sets a value by name: `setx DB_PASSWORD x1`, `rootpw x1`."""
    if is_key(value):
        return True
    is_word = site.name.lower() in kinds("names", "heads") or "-" in site.name
    if is_word or not site.sensitivity.sure or "@" in value:
        return False
    return any(map(str.isdecimal, value)) and is_password(value)


def _is_netrc(site: _Assignment) -> bool:
    end = site.begin + len(site.name)
    return site.name == "password" and " login " in site.text[max(0, end - 80) : end]


def _is_variable(site: _Assignment, value: str) -> bool:
    """Return whether `value` is only the name again: `token=token`, `password = old_password`."""
    word = value.lower().replace("_", "")
    if not site.is_password:
        word = word.rstrip("0123456789")
    return word.isalpha() and any(name in word for name in words("assignments", "variables"))


def _is_alone(site: _Assignment, end: int) -> bool:
    """Return whether nothing follows the value but the end of the line or a next pair."""
    rest = site.text[end : end + 2]
    if rest[:1] in {"", "\n", "\r", ";", "&"}:
        return True
    return not site.spaced and (rest[:1] == " " or (rest[:1] == "," and not rest[1:].isspace()))


def _is_secret_word(site: _Assignment, value: str) -> bool:
    """Judge a word behind a sign: `password: letmein` is a secret, `token: str` is none."""
    if len(value) < 3 or value.lower() in words("assignments", "prose"):
        return False
    if site.sign == ":" and pattern("assignments", "type").match(value):
        return False
    return site.is_password or (not site.spaced and len(value) >= 6)
