"""Find and replace the secrets in one text.

Most texts hold none: a few searches for pieces without which no secret is known clear them. What
is found is replaced as a whole by a mark that names its kind, and nothing of it is kept. This
module knows no events, fields or files, and asks no network whether a secret is in force.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from ..core.lazy_pattern import LazyPattern
from .secret_assignments import find_assignments
from .secret_escapes import plain_view
from .secret_formats import Span, find_formats, long_words
from .secret_names import Names
from .secret_surroundings import find_in_addresses, find_surrounded
from .secret_values import decoded

#: Finds what is to be replaced in a text.
Finder: TypeAlias = Callable[[str], Iterable[Span]]

#: What stands in the place of a secret, and at the end of a text that was cut.
MARK = re.compile(r"\[REDACTED:([a-z][a-z_]{0,39})\]")
CUT = re.compile(r"… \[cut (\d+) characters\]\Z")

_BASE64 = LazyPattern(r"[A-Za-z0-9+/_-]{20,65536}={0,2}")
_SMALL = {ord("A") + n: ord("a") + n for n in range(26)}
#: Stands for marks while a text is searched: no letter, no space, no quote.
_FILLER = "\x1a"
_NESTING_MAX = 3
_ROUNDS_MAX = 8


def mark(kind: str) -> str:
    """Return what stands in the place of a secret of `kind`."""
    return f"[REDACTED:{kind}]"


def find_secrets(text: str, names: Names) -> list[Span]:
    """Return every secret in `text`, in no order; spans may overlap."""
    return _find(text, names, _NESTING_MAX)


def _find(text: str, names: Names, nesting: int, *, escapes: bool = True) -> list[Span]:
    words = long_words(text)
    lowered = text.lower()
    if len(lowered) != len(text):  # some letters have a small form of two
        lowered = text.translate(_SMALL)
    stems = names.stems_in(lowered)
    found = list(find_formats(text, words))
    found += find_surrounded(text, lowered, names, stems)
    if stems:
        found += find_assignments(text, lowered, names, stems)
    if words and nesting:
        found += _behind_base64(text, names, nesting - 1)
    view = plain_view(text) if escapes else None
    if view is not None:
        for span in _find(view.text, names, nesting, escapes=False):
            found.append(Span(*view.span(span.start, span.end), span.kind))
    return found


def find_known(text: str) -> list[Span]:
    """Return the secrets that are known by their own shape, and passwords in addresses."""
    found = list(find_formats(text, long_words(text)))
    if "://" in text:
        found.extend(find_in_addresses(text))
    return found


def holds(text: str, find: Finder) -> bool:
    """Say whether `find` finds anything in `text`, marks aside."""
    return any(True for _ in find(_mask(text)))


def redact(text: str, find: Finder) -> str:
    """Return `text` with a mark for everything that `find` finds, until it finds no more."""
    for _ in range(_ROUNDS_MAX):
        masked = _mask(text)
        found = list(find(masked))
        spans = _merged(masked, found) if found else ()
        if not spans:
            break
        parts, done = [], 0
        for span in _around_marks(text, spans):
            parts += [text[done : span.start], mark(span.kind)]
            done = span.end
        text = "".join((*parts, text[done:]))
    return text


def marks(text: str) -> Counter[str]:
    """Count the marks in `text` by kind."""
    return Counter(MARK.findall(text))


def _behind_base64(text: str, names: Names, nesting: int) -> Iterator[Span]:
    for run in _BASE64.finditer(text):
        plain = decoded(run[0])
        if plain is not None and _find(plain, names, nesting):
            yield Span(*run.span(), "encoded_secret")


def _mask(text: str) -> str:
    """Return `text` with a filler of equal length for marks and for what says that it was cut."""
    if "[REDACTED:" in text:
        text = MARK.sub(_fill, text)
    return CUT.sub(_fill, text) if text.endswith(" characters]") else text


def _fill(match: re.Match[str]) -> str:
    return _FILLER * len(match[0])


def _merged(masked: str, found: Iterable[Span]) -> list[Span]:
    """Return spans in order that do not overlap: of those that do, the union.

    Its kind is that of the span found first, since the surest are looked for first. A span with
    no letter or digit is no secret.
    """
    ranked = [
        (span, rank)
        for rank, span in enumerate(found)
        if any(map(str.isalnum, masked[span.start : span.end]))
    ]
    spans: list[Span] = []
    best = 0
    for span, rank in sorted(ranked):
        if spans and span.start < spans[-1].end:
            last = spans.pop()
            kind = last.kind if best < rank else span.kind
            spans.append(Span(last.start, max(last.end, span.end), kind))
            best = min(best, rank)
        else:
            spans.append(span)
            best = rank
    return spans


def _around_marks(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Yield the spans, each widened to the whole of a mark that it begins or ends within."""
    masked = [match.span() for match in MARK.finditer(text)] if "[REDACTED:" in text else []
    done = 0
    for span in spans:
        for start, end in masked:
            if start < span.end and end > span.start:
                span = Span(min(start, span.start), max(end, span.end), span.kind)  # noqa: PLW2901
        if span.start >= done:
            yield span
            done = span.end
