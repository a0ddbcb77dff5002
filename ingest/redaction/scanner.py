"""Find and replace the secrets in one text.

Most texts hold none: a few searches for pieces without which no rule matches clear them. A secret
is replaced as a whole by a mark that names its kind, and nothing of it stays. This module knows no
events, fields or files, and asks no network whether a secret is in force.

Secrets recognised by where they stand: in a URL, a header, a cookie, a command line, an element.

The rules are in `data/contexts.toml`; here are the ways in which their matches are read. Names and
their values are read by `statements`.

The text behind escapes, with the way back to where each character stood.

A secret may be written as JSON inside JSON, percent-encoded, coloured by a terminal, broken by a
line continuation or added up from two strings. This module undoes that for the search only: nobody
ever stores the unescaped text, and it decides nothing.

Columns of secrets in tables that are written as text: CSV, TSV, Markdown.

A line of names, one of which is that of a secret, makes the same cell of the lines behind it
secret, as long as they have as many cells. Nothing here knows a rule.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from re import Match
from typing import NamedTuple, TypeAlias

from ...language.lazy_pattern import LazyPattern
from .cuts import CUT, MARK
from .rules import (
    RedactionRule,
    Ruled,
    SecretNames,
    SecretSpan,
    Spans,
    pattern,
    read_rules,
    rule_file,
    words,
)
from .statements import judge
from .token_formats import find_by_rule, find_formats, find_tokens, long_words
from .value_shapes import (
    CHECKS,
    decoded,
    is_key,
    is_mixed,
    is_random,
    looks_secret,
    stands_for_secret,
)

_DELIMITERS = "|\t;,"
_CELLS_MIN, _VALUE_CHARS_MIN, _LINE_CHARS_MAX = 2, 3, 4096
_NAME = re.compile(r"[^\W\d][\w.-]*(?: [\w.-]+){0,2}")
#: Columns that hold secrets where their cells look like some.
_UNSURE = {"key", "value"}
_SIGNS = " \t\r\"'`*"


def find_in_tables(text: str, lowered: str, names: SecretNames) -> Spans:
    """Yield the cells below the names of secrets in `text`; `lowered` has its letters small."""
    done = 0
    stems = "|".join(map(re.escape, names.stems_in(lowered)))
    for stem in re.finditer(stems, lowered) if stems else ():
        if stem.start() < done:
            continue
        start, done = text.rfind("\n", 0, stem.start()) + 1, _line_stop(text, stem.end())
        header = _header(text, start, done, names)
        if header is not None:
            for span in _rows(text, done + 1, *header):
                done = span.end
                yield span


def _rows(text: str, start: int, delimiter: str, count: int, kinds: dict[int, str]) -> Spans:
    """Yield the secret cells of the lines from `start` on that have `count` cells."""
    while start < len(text):
        end = _line_stop(text, start)
        cells = [*_cells(text, start, end, delimiter)]
        if len(cells) < count or end - start > _LINE_CHARS_MAX:
            return
        for place, kind in kinds.items():
            cell = text[slice(*cells[place])]
            if is_key(cell) if kind.endswith("?") else _is_value(cell, delimiter):
                yield SecretSpan(*cells[place], kind.rstrip("?"))
        start = end + 1


def _header(
    text: str, start: int, end: int, names: SecretNames
) -> tuple[str, int, dict[int, str]] | None:
    """Return the delimiter of a line of names, how many, and the kinds of secret by place."""
    line = text[start : min(end, start + _LINE_CHARS_MAX)]
    delimiter = next((sign for sign in _DELIMITERS if sign in line), "")
    cells = [text[slice(*span)] for span in _cells(text, start, end, delimiter)]
    # Something may stand before the first name; a comma and a space are prose.
    if len(cells) < _CELLS_MIN or not all(map(_NAME.fullmatch, cells[1:])) or ", " in line:
        return None
    sensitive = enumerate(names.of(cell.replace(" ", "_")) for cell in cells)
    kinds = {place: name.kind for place, name in sensitive if name and name.sure}
    kinds |= {place: "secret_key?" for place, cell in enumerate(cells) if cell.lower() in _UNSURE}
    return (delimiter, len(cells), kinds) if kinds else None


def _is_value(cell: str, delimiter: str) -> bool:
    """Return whether a cell holds a value: not a rule of the table, a placeholder or prose."""
    is_prose = delimiter in ",;" and len(cell.split()) > 1
    is_empty = len(cell.strip("-: ")) < _VALUE_CHARS_MIN
    return not (is_prose or is_empty or stands_for_secret(cell))


def _cells(text: str, start: int, end: int, delimiter: str) -> Iterable[tuple[int, int]]:
    """Return where the content of each cell of a line stands, without what encloses it."""
    return _spans(text, start, end, delimiter) if delimiter else ()


def _spans(text: str, start: int, end: int, delimiter: str) -> Iterator[tuple[int, int]]:
    line = text[start:end]
    if delimiter == "|" and line.strip().startswith("|") | line.rstrip().endswith("|"):
        start += line.index("|") + 1
        line = text[start:end].rstrip().removesuffix("|")
    for cell in line.split(delimiter):
        content = cell.strip(_SIGNS)
        begin = start + cell.index(content)
        yield begin, begin + len(content)
        start += len(cell) + 1


def _line_stop(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


class UnescapedText(NamedTuple):
    """Unescaped text; `span` leads from positions in it to positions in the original.

    `starts` are the positions of pieces in it, `pieces` their spans in the original, and whether
    the piece is written there as it is.
    """

    text: str
    starts: tuple[int, ...]
    pieces: tuple[tuple[int, int, bool], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that `start` to `end` (exclusive) was read from."""
        return self._at(start)[0], self._at(end - 1)[1]

    def _at(self, position: int) -> tuple[int, int]:
        piece = bisect_right(self.starts, position) - 1
        begin, end, verbatim = self.pieces[piece]
        if not verbatim:
            return begin, end
        begin += position - self.starts[piece]
        return begin, begin + 1


def unescape(text: str) -> UnescapedText | None:
    """Return `text` without its escapes, or None where it has none."""
    if not _may_have_escapes(text):
        return None
    pieces: list[tuple[str, tuple[int, int, bool]]] = []
    done = 0
    for escape in pattern("escapes", "escape").finditer(text):
        begin, end = escape.span()
        pieces += [(text[done:begin], (done, begin, True)), (_meaning(escape), (begin, end, False))]
        done = end
    if not done:
        return None
    pieces.append((text[done:], (done, len(text), True)))
    pieces = [piece for piece in pieces if piece[0]]
    texts = [piece[0] for piece in pieces]
    starts = accumulate(map(len, texts[:-1]), initial=0)
    return UnescapedText("".join(texts), tuple(starts), tuple(piece[1] for piece in pieces))


def _may_have_escapes(text: str) -> bool:
    if "\\" in text or "%" in text or "&" in text or "\x1b" in text or not text.isascii():
        return True
    if ('"' in text or "'" in text) and pattern("escapes", "summed").search(text):
        return True
    return "=" in text and ("=3" in text or "=\n" in text or "=\r" in text)


def _meaning(escape: re.Match[str]) -> str:
    """Return the character that an escape stands for; colours and breaks stand for none."""
    name = escape.lastgroup
    if name is None:
        return ""
    value = escape[name]
    if name in {"control", "literal", "entity"}:
        return str(rule_file("escapes")["characters"].get(value, value))
    if "%" in value:  # a letter of several bytes
        return bytes.fromhex(value.replace("%", "")).decode("utf-8", "replace")[:1]
    return chr(int(value, 10 if name == "decimal" else 16))


_Reader: TypeAlias = Callable[[RedactionRule, str, str, SecretNames], Spans]


def find_in_context(text: str, lowered: str, names: SecretNames, section: str = "rules") -> Spans:
    """Yield the secrets in `text` that their context shows; `lowered` has its letters small."""
    for rule in read_rules("contexts", section):
        if any(map(lowered.__contains__, rule.anchors)):
            yield from _READERS[rule.reader](rule, text, lowered, names)


def find_in_addresses(text: str) -> Spans:
    """Yield passwords and tokens between `://` and `@`, and paths that open what they name."""
    lowered, names = text.lower(), SecretNames()
    for rule in read_rules("contexts"):
        if rule.reader == "address" or rule.kind == "url_key":
            yield from _READERS[rule.reader](rule, text, lowered, names)


def _read_addresses(rule: RedactionRule, text: str, *_: object) -> Spans:
    port = pattern("contexts", "port")
    for match in rule.regex.finditer(text):
        rest, place, start = match[1], match.start(), match.start(1)
        scheme = re.search(r"[A-Za-z][A-Za-z0-9+.-]{0,30}\Z", text[max(0, place - 32) : place])
        web = scheme is not None and scheme[0].lower() in words("contexts", "web_schemes")
        credentials = (re.split(r"[/?#]", rest, maxsplit=1)[0] if web else rest).rpartition("@")[0]
        user, colon, password = credentials.partition(":")
        kind = "url_password" if web or not colon else "connection_string"
        if not colon and is_mixed(user) and len(user) >= 16:
            yield SecretSpan(start, start + len(user), kind)
        elif user.lower() in words("contexts", "placeholder_users") and (
            password.lower() in words("contexts", "placeholder_passwords")
        ):
            continue  # the form of such an address
        elif (
            password
            and "/" not in user
            and not (port.match(password) or stands_for_secret(password))
        ):
            begin = start if is_random(user) else start + len(user) + 1
            yield SecretSpan(begin, start + len(credentials), kind)


def _read_values(rule: RedactionRule, text: str, lowered: str, _: SecretNames) -> Spans:
    done = 0
    for match in rule.regex.finditer(lowered):
        start, end = match.span(1)
        if start < done:  # within a secret: the check of a long value is not done again
            continue
        value = text[start:end]
        if not stands_for_secret(value) and CHECKS[rule.accept](value):
            done = start + len(value)
            yield SecretSpan(start, done, rule.kind)


def _read_parameters(rule: RedactionRule, text: str, lowered: str, names: SecretNames) -> Spans:
    for match in rule.regex.finditer(lowered):
        name, (start, end) = text[slice(*match.span(1))], match.span(2)
        sensitivity, value = names.of(name), text[start:end]
        sure = name.lower() in words("contexts", "parameters")
        sure = sure or (sensitivity is not None and sensitivity.sure)
        unsure = sensitivity is not None or name.lower() in words("contexts", "parameters_unsure")
        secret = sure or (unsure and looks_secret(value, least=8))
        if secret and not stands_for_secret(value):
            yield SecretSpan(start, end, rule.kind)


_READERS: Mapping[str, _Reader] = {
    "value": _read_values,
    "parameters": _read_parameters,
    "address": _read_addresses,
}


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
    if not lowered.isascii():
        spans += find_in_context(text, lowered, names, "unspaced")
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
    shown = find_in_context(text, lowered, names)
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
