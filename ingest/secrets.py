"""Find and replace the secrets in one text.

Most texts hold none: a few searches for pieces without which no secret is known clear them. What
is found is replaced as a whole by a mark that names its kind, and nothing of it is kept. This
module knows no events, fields or files, and asks no network whether a secret is in force.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from .secret_assignments import find_assignments
from .secret_escapes import plain_view
from .secret_formats import Span, find_formats
from .secret_names import Names
from .secret_surroundings import find_in_addresses, find_surrounded
from .secret_values import decoded

#: Finds what is to be replaced in a text.
Finder: TypeAlias = Callable[[str], Iterable[Span]]

#: What stands in the place of a secret, and at the end of a text that was cut.
MARK = re.compile(r"\[REDACTED:([a-z][a-z0-9_]{0,39})\]")
CUT = re.compile(r"… \[cut (\d+) characters\]\Z")

#: Shorter texts hold no secret that could be told from a word.
TEXT_CHARS_MIN = 5
_SIGNS = ("://", "<", "login", "identified", "sess", "sid=", "sig", "chpasswd", "sudo", "basic")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,65536}={0,2}")
_LONG_RUN = re.compile(r"[A-Za-z0-9+/_-]{24}")
_SMALL = {ord("A") + n: ord("a") + n for n in range(26)}
_NESTING_MAX = 3
_ROUNDS_MAX = 8


def mark(kind: str) -> str:
    """Return what stands in the place of a secret of `kind`."""
    return f"[REDACTED:{kind}]"


def is_marked(text: str) -> bool:
    """Return whether nothing but marks is left of `text`."""
    return not _alphanumeric(CUT.sub("", MARK.sub("", text)))


def find_secrets(text: str, names: Names, depth: int = 0) -> list[Span]:
    """Return every secret in `text`, in no order; spans may overlap."""
    found = list(find_formats(text))
    lowered = text.lower() if text.isascii() else text.translate(_SMALL)
    if any(stem in lowered for stem in names.stems) or any(sign in lowered for sign in _SIGNS):
        found.extend(find_surrounded(text, lowered, names))
        found.extend(find_assignments(text, lowered, names))
    if depth < _NESTING_MAX:
        found.extend(_behind_escapes(text, names, depth))
        found.extend(_behind_base64(text, names, depth))
    return found


def find_known(text: str) -> list[Span]:
    """Return the secrets that are known by their own shape, and passwords in addresses."""
    found = list(find_formats(text))
    if "://" in text:
        found.extend(find_in_addresses(text))
    return found


def redact(text: str, find: Finder) -> str:
    """Return `text` with a mark for everything that `find` finds, until it finds no more."""
    for _ in range(_ROUNDS_MAX):
        spans = _merged(text, find(text))
        if not spans:
            break
        parts, done = [], 0
        for span in spans:
            parts += [text[done : span.start], mark(span.kind)]
            done = span.end
        text = "".join((*parts, text[done:]))
    return text


def marks(text: str) -> Counter[str]:
    """Count the marks in `text` by kind."""
    return Counter(MARK.findall(text))


def _behind_escapes(text: str, names: Names, depth: int) -> Iterator[Span]:
    view = plain_view(text)
    if view is not None:
        for span in find_secrets(view.text, names, depth + 1):
            yield Span(*view.span(span.start, span.end), span.kind)


def _behind_base64(text: str, names: Names, depth: int) -> Iterator[Span]:
    if len(text) < 24 or _LONG_RUN.search(text) is None:
        return
    for run in _BASE64.finditer(text):
        plain = decoded(run[0])
        if plain is not None and find_secrets(plain, names, depth + 1):
            yield Span(*run.span(), "encoded_secret")


def _merged(text: str, found: Iterable[Span]) -> list[Span]:
    """Return spans in order that do not overlap: of those that do, the union.

    Its kind is that of the span found first, since the surest are looked for first. What is
    within a mark, or leaves nothing beside marks, is no secret.
    """
    masked = [match.span() for match in MARK.finditer(text)]
    spans: list[Span] = []
    ranked = [(span, rank) for rank, span in enumerate(found)]
    best = 0
    for span, rank in sorted(ranked, key=lambda pair: (pair[0].start, pair[0].end)):
        if not _adds(text, span, masked):
            continue
        if spans and span.start < spans[-1].end:
            last = spans[-1]
            kind = last.kind if best <= rank else span.kind
            best = min(best, rank)
            spans[-1] = Span(last.start, max(last.end, span.end), kind)
        else:
            spans.append(span)
            best = rank
    return [_whole_marks(span, masked) for span in spans]


def _adds(text: str, span: Span, masked: list[tuple[int, int]]) -> bool:
    rest, place = "", span.start
    for start, end in masked:
        if start < span.end and end > place:
            rest += text[place : max(place, start)]
            place = end
    rest += text[place : span.end]
    return _alphanumeric(CUT.sub("", rest))


def _whole_marks(span: Span, masked: list[tuple[int, int]]) -> Span:
    """Widen a span that ends within a mark to the whole of it."""
    for start, end in masked:
        if start < span.end and end > span.start:
            span = Span(min(start, span.start), max(end, span.end), span.kind)
    return span


def _alphanumeric(text: str) -> bool:
    return any(map(str.isalnum, text))
