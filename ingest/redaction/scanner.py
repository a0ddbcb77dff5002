"""Find and replace the secrets in one text.

Most texts hold none: a few searches for pieces without which no rule matches clear them. A secret
is replaced as a whole by a mark that names its kind, and nothing of it stays. This module knows no
events, fields or files, and asks no network whether a secret is in force.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from re import Match
from typing import TypeAlias

from ...language.lazy_pattern import LazyPattern
from .contexts import find_in_addresses, find_in_context
from .cuts import CUT, MARK
from .escapes import unescape
from .rules import Ruled, SecretSpan, pattern, read_rules
from .secret_names import SecretNames
from .secret_values import decoded
from .statements import judge
from .tables import find_in_tables
from .token_formats import find_by_rule, find_formats, find_tokens, long_words

#: Finds what is to be replaced in a text.
Finder: TypeAlias = Callable[[str], Iterable[SecretSpan]]

_BASE64 = LazyPattern(r"[A-Za-z0-9+/_-]{20,65536}={0,2}")
_SMALL = {ord("A") + n: ord("a") + n for n in range(26)}
#: Stands for marks while a text is searched: no letter, no space, no quote.
_FILLER = "\x1a"
_NESTING_MAX = 3
_ROUNDS_MAX = 6


def mark(kind: str) -> str:
    """Return what stands in the place of a secret of `kind`."""
    return f"[REDACTED:{kind}]"


def count_marks(text: str) -> Counter[str]:
    """Count the marks in `text` by kind."""
    return Counter(MARK.findall(text))


def find_secrets(
    text: str, names: SecretNames, nesting: int = _NESTING_MAX, *, escapes: bool = True
) -> list[SecretSpan]:
    """Return every secret in `text`, in no order; spans may overlap.

    `nesting` says how often base64 within base64 is decoded, `escapes` whether escapes are undone.
    """
    words = long_words(text)
    lowered = text.lower()
    if len(lowered) != len(text):  # some letters have a small form of two
        lowered = text.translate(_SMALL)
    spans = [*judge(text, lowered, names, find_by_rules(text, lowered, names, words))]
    if words and nesting:
        for run in _BASE64.finditer(text):
            content = decoded(run[0])
            if content is not None and find_secrets(content, names, nesting - 1):
                spans.append(SecretSpan(*run.span(), "encoded_secret"))
    view = unescape(text) if escapes else None
    if view is not None:
        for start, end, kind in find_secrets(view.text, names, nesting, escapes=False):
            spans.append(SecretSpan(*view.span(start, end), kind))
    return sorted(spans, key=lambda span: span.kind == "secret")  # who knows the kind says it


def find_by_rules(text: str, lowered: str, names: SecretNames, words: str) -> list[Ruled]:
    """Return what the rules find, the surest first; `words` are the `long_words` of the text."""
    shown = find_in_context(text, lowered, names, names.stems_in(lowered))
    tables = find_in_tables(text, lowered, names) if "\n" in text else ()
    return [
        *(Ruled(*span, "table") for span in tables),
        *(Ruled(*span, "format") for span in find_formats(text, words)),
        *(Ruled(*span, "token") for span in find_tokens(text, words, sure=False)),
        *(Ruled(*span, "context") for span in _outside_flags(text, [*shown])),
    ]


def _outside_flags(text: str, spans: list[SecretSpan]) -> list[SecretSpan]:
    """Return the spans that do not lie within the answer to a puzzle, `picoCTF{…password=…}`."""
    if not spans or "{" not in text:
        return spans
    flags = [match.span() for match in pattern("values", "flag").finditer(text)]
    return [s for s in spans if not any(start <= s.start and s.end <= end for start, end in flags)]


def find_by_shape(text: str) -> list[SecretSpan]:
    """Return the secrets that are recognised by their own shape, and passwords in addresses."""
    addresses = find_in_addresses(text) if "://" in text else ()
    words = long_words(text)
    return [*find_formats(text, words), *find_tokens(text, words, sure=True), *addresses]


def find_personal(text: str, kinds: Collection[str] = ()) -> Iterator[SecretSpan]:
    """Yield the personal data in `text`, of some kinds or of all, the surest first.

    Spans may overlap.
    """
    for rule in read_rules("personal"):
        if kinds and rule.kind not in kinds:
            continue
        if not rule.anchors or any(anchor in text for anchor in rule.anchors):
            yield from find_by_rule(rule, text)


def has_match(text: str, find: Finder) -> bool:
    """Return whether `find` finds anything in `text`, marks aside."""
    return any(True for _ in find(_mask(text)))


def redact(text: str, find: Finder) -> str:
    """Return `text` with a mark for everything that `find` finds, until it finds no more."""
    for _ in range(_ROUNDS_MAX):
        masked = _mask(text)
        spans = _merged(masked, find(masked))
        if not spans:
            break
        pieces, done = [], 0
        for span in _around_marks(text, spans):
            pieces += [text[done : span.start], mark(span.kind)]
            done = span.end
        text = "".join((*pieces, text[done:]))
    return text


def _mask(text: str) -> str:
    """Return `text` with a filler of equal length for marks and for what says that it was cut."""
    if "[REDACTED:" in text:
        text = MARK.sub(_fill, text)
    return CUT.sub(_fill, text) if "… [cut " in text else text


def _fill(match: Match[str]) -> str:
    return _FILLER * len(match[0])


def _merged(masked: str, matches: Iterable[SecretSpan]) -> list[SecretSpan]:
    """Return spans in order that do not overlap: of those that do, the union.

    Its kind is that of the first of `matches`, since the surest are searched first. A span with no
    letter or digit is no secret.
    """
    ranked = sorted(
        (span, rank)
        for rank, span in enumerate(matches)
        if any(map(str.isalnum, masked[span.start : span.end]))
    )
    spans: list[SecretSpan] = []
    best = 0
    for span, rank in ranked:
        if spans and span.start < spans[-1].end:
            last = spans.pop()
            kind = last.kind if best < rank else span.kind
            spans.append(SecretSpan(last.start, max(last.end, span.end), kind))
            best = min(best, rank)
        else:
            spans.append(span)
            best = rank
    return spans


def _around_marks(text: str, spans: Sequence[SecretSpan]) -> Iterator[SecretSpan]:
    """Yield the spans, each widened to the whole of a mark that it begins or ends within."""
    masked = [match.span() for match in MARK.finditer(text)] if "[REDACTED:" in text else []
    done = 0
    for span in spans:
        for start, end in masked:
            if start < span.end and end > span.start:
                span = SecretSpan(min(start, span.start), max(end, span.end), span.kind)  # noqa: PLW2901
        if span.start >= done:
            yield span
            done = span.end
