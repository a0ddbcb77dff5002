"""Values that stand beside a name in a text: `PGPASSWORD=x`, `token: "x"`, `--api-key x`.

A name is found by its stem, read back to where it begins, and judged; then the value behind it is
read as a quoted string or a bare word. Bare words are judged by their look wherever code or prose
would be as likely. Of JSON that parses, others take care.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from ..core.lazy_pattern import LazyPattern
from .secret_formats import Span
from .secret_names import Names, Sensitivity
from .secret_values import is_code, is_mixed, is_reference, looks_secret

_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "„": "“"}
_VALUE_CHARS_MAX = 8192
_LINE_CHARS_MAX = 512

#: The rest of a name behind its stem.
_REST = LazyPattern(r"\w{0,48}(?:[.-]\w{1,48}){0,8}")
#: Between a name and its value. Spaces alone count behind a flag and in a few grammars only.
_SEPARATOR = LazyPattern(
    r"(?P<closed>[\"'`\])]{0,3})"
    r"(?:\s{0,4}:\s{0,2}[\w.\[\]| ]{1,40}?(?P<typed>\s{0,2}=\s{0,2}(?=[\"'`]))"
    r"|\s{0,8}(?P<comma>,)\s{0,8}(?=[\"'])"
    r"|[ \t]{0,8}(?P<sign>:=|=>|===?|!==?|[=:：＝])[ \t]{0,8}(?:\n\s{0,80}(?=[\"'`]))?"
    r"|[ \t]{1,4}(?P<verb>is|was|are|ist|to)[ \t]{1,4}(?::[ \t]?)?"
    r"|(?P<space>[ \t]{1,4}))",
    re.IGNORECASE,
)
_NAME_SIGNS = frozenset("_.-$")
_NAME_CHARS_MAX = 64
_BARE = LazyPattern(
    r"(?:[^\s\"'`<>,;&|(){}\[\]]"
    r"|[,;&|](?!\s|\Z|[\"'`<>]|[\w.-]{1,40}[=:])"
    r"|[({\[]"
    r"|[)}\]](?![\s,;)}\]\"'`]|\Z))+"
)
_BLOCK = LazyPattern(r"[|>][-+\d]{0,2}[ \t]*\n([ \t]+)[^\n]*(?:\n\1[^\n]*)*")
_TYPE = LazyPattern(r"(?:[A-Z]\w*(?:Str|String|Text|Bytes)|[A-Z][a-z]+(?:[A-Z][a-z]+)*)\Z")
_TRAILING = ".,;:)]}"

#: What follows a flag or a word in prose: `the --password option`, `password to use`.
_PROSE = frozenset(
    "the a an to is are was be or and of in on for with if when can must may should will option "
    "options flag flags argument arguments parameter file from as at by it that this instead not "
    "which value string into before after has have does only field prompt manager reset policy "
    "here there so you your my its his her their our then than but because please"
    .split()
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Site:
    """A sensitive name in a text, and how the text goes on behind it."""

    text: str
    name: str
    begin: int
    flag: bool
    sensitivity: Sensitivity
    found: re.Match[str]

    @property
    def environment(self) -> bool:
        """Whether this is written as an environment variable: `DB_PASSWORD=x`."""
        return self.name.isupper() and self.found["sign"] == "=" and not self.spaced

    @property
    def header(self) -> bool:
        """Whether this is written as a header: `X-Auth-Token: x`."""
        return self.found["sign"] == ":" and "-" in self.name.strip("-")

    @property
    def spaced(self) -> bool:
        """Whether spaces stand around the sign."""
        return " " in self.found[0][len(self.found["closed"]) :]

    @property
    def compared(self) -> bool:
        """Whether the sign is a comparison."""
        return (self.found["sign"] or "").startswith(("==", "!="))


def find_assignments(text: str, lowered: str, names: Names, stems: Iterable[str]) -> Iterator[Span]:
    """Yield the values behind sensitive names in `text`; `lowered` has its ASCII letters small.

    `stems` are those of `names` that it has.
    """
    done = 0
    for place in _places(lowered, stems):
        if place < done:
            continue
        begin, end = _name_at(text, place)
        site = _site(text, begin, end, names)
        span = site and _value(site)
        done = max(end, span.end) if span else end
        if span:
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
    while begin > least and (text[begin - 1].isalnum() or text[begin - 1] in _NAME_SIGNS):
        begin -= 1
    rest = _REST.match(text, place)
    return begin, rest.end() if rest else place


def _site(text: str, begin: int, end: int, names: Names) -> _Site | None:
    name = text[begin:end]
    sensitivity = names.of(name)
    if sensitivity is None and "." in name:
        sensitivity = names.of(name.rpartition(".")[2])
    if sensitivity is None:
        return None
    found = _SEPARATOR.match(text, end)
    return _Site(text, name, begin, name.startswith("-"), sensitivity, found) if found else None


def _value(site: _Site) -> Span | None:
    start = site.found.end()
    quoted = _quoted(site, start)
    if quoted is not None:
        begin, end = quoted
        return Span(begin, end, site.sensitivity.kind) if _good_quoted(site, begin, end) else None
    if site.found["typed"] or site.found["comma"]:
        return None
    block = _BLOCK.match(site.text, start) if site.found["sign"] == ":" else None
    if block:
        return Span(block.start(1), block.end(), site.sensitivity.kind)
    bare = _BARE.match(site.text, start, start + _VALUE_CHARS_MAX)
    return _bare(site, bare) if bare else None


def _quoted(site: _Site, start: int) -> tuple[int, int] | None:
    """Return the span between quotes that open at `start`, or None where none do."""
    text = site.text
    while start < len(text) and text[start : start + 1] in "bBrRfFuU$@" and start < len(text) - 1:
        if text[start + 1] not in _QUOTES and text[start + 1] not in "bBrRfFuU":
            return None
        start += 1
    opening = text[start : start + 1]
    if not opening or opening not in _QUOTES or _ends_string(site, opening, start):
        return None
    closing = _QUOTES[opening]
    if opening in "\"'" and text.startswith(opening * 3, start):
        start, closing = start + 2, opening * 3
    stop = _closing(text, start + 1, closing, lines=len(closing) == 3 or site.environment)
    return start + 1, stop


def _ends_string(site: _Site, quote: str, start: int) -> bool:
    """Return whether the name stands in a string that `quote`, at `start`, ends: "Token: " + x."""
    following = site.text[start + 1 : start + 2]
    if site.found["closed"] or not (following.isspace() or following in ",)]}+;%."):
        return False
    line = site.text[max(0, site.begin - _LINE_CHARS_MAX) : site.begin].rpartition("\n")[2]
    return line.count(quote) % 2 == 1


def _closing(text: str, start: int, closing: str, *, lines: bool) -> int:
    """Return where `closing` stands, unescaped; where it does not, the end of the line."""
    limit = min(len(text), start + _VALUE_CHARS_MAX)
    content = _content(closing).match(text, start, limit)
    stop = content.end() if content else start
    if lines and text.startswith(closing, stop):
        return stop
    line_end = text.find("\n", start, stop)
    return line_end if line_end >= 0 else stop


@cache
def _content(closing: str) -> LazyPattern:
    return LazyPattern(rf"(?:(?!{re.escape(closing)})(?:[^\\]|\\.|\\\Z))*+", re.DOTALL)


def _good_quoted(site: _Site, begin: int, end: int) -> bool:
    value, found = site.text[begin:end], site.found
    if not value.strip() or is_reference(value):
        return False
    plain = not any(map(str.isspace, value))
    if found["comma"]:
        return looks_secret(value) if site.sensitivity.sure else is_mixed(value)
    if site.compared:
        return looks_secret(value, least=4)
    if found["space"]:
        return plain and (site.flag or site.name.isupper() or looks_secret(value))
    if found["verb"]:
        return plain and (site.sensitivity.kind == "password" or looks_secret(value))
    return site.sensitivity.sure or looks_secret(value, least=8)


def _bare(site: _Site, bare: re.Match[str]) -> Span | None:
    value = bare[0]
    if not site.environment:
        value = value.rstrip(_TRAILING)
    value = value.rstrip("\\")
    if not value or is_reference(value) or not _good_bare(site, value, bare.end()):
        return None
    return Span(bare.start(), bare.start() + len(value), site.sensitivity.kind)


#: A word with one of these is a variable's name rather than a secret.
_NAMESAKES = ("pass", "pwd", "pw", "token", "secret", "key", "cred", "auth")


def _good_bare(site: _Site, value: str, end: int) -> bool:
    found = site.found
    if not site.sensitivity.sure:
        least = 5 if site.sensitivity.kind == "password" else 8
        return not found["space"] and looks_secret(value, least)
    if site.environment:
        return site.name != "PWD" or value[0] not in "/~."
    if found["space"] or site.header or (site.flag and found["sign"] == "="):
        return (site.flag or site.header or _netrc(site)) and _good_argument(value)
    if is_code(value) or _names_itself(site, value):
        return False
    if looks_secret(value, least=4):
        return True
    judged = found["verb"] or site.compared
    return not judged and _alone(site, end) and _good_word(site, value)


def _good_argument(value: str) -> bool:
    """Judge what follows a flag: not the next flag, not prose, not a name in a usage line."""
    if value.startswith("-") or value.lower() in _PROSE:
        return False
    return not value.isupper() or looks_secret(value)


def _netrc(site: _Site) -> bool:
    start = site.found.start()
    return site.name == "password" and " login " in site.text[max(0, start - 80) : start]


def _names_itself(site: _Site, value: str) -> bool:
    """Return whether `value` is only the name again: `token=token`, `password = old_password`."""
    word = value.lower().replace("_", "")
    if site.sensitivity.kind != "password":
        word = word.rstrip("0123456789")
    return word.isalpha() and any(stem in word for stem in _NAMESAKES)


def _alone(site: _Site, end: int) -> bool:
    """Return whether nothing follows the value but the end of the line or a next pair."""
    rest = site.text[end : end + 2]
    if rest[:1] in {"", "\n", "\r", ";", "&"}:
        return True
    return not site.spaced and (rest[:1] == " " or (rest[:1] == "," and not rest[1:].isspace()))


def _good_word(site: _Site, value: str) -> bool:
    """Judge a plain word behind a sign: `password: letmein` is one, `token: str` is none."""
    if len(value) < 3 or value.lower() in _PROSE:
        return False
    if site.found["sign"] == ":" and _TYPE.match(value):
        return False
    return site.sensitivity.kind == "password" or (not site.spaced and len(value) >= 6)
