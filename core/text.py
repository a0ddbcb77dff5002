"""Texts as they are checked, shown and compared; what words mean is read in `language`."""

from __future__ import annotations

import json
import re

from .errors import InvalidInput

#: A quote of fewer words shows nothing.
_QUOTED_WORDS_MIN = 2
_QUOTE_MARKS = str.maketrans("‘’‚‛“”„‟«»", '\'\'\'\'""""""')

#: Signs that a reader does not see, and that tell a terminal or a model something all the same:
#: control characters but tab and line feed, direction marks, characters without width, tags. A
#: joiner is one of them where it joins nothing: it belongs between letters or pictures; so is a
#: variation selector that stands behind no such sign (or a digit that becomes a key), or another.
_SELECTORS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SIGNS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\ud800-\udfff"
)
_UNSEEN = re.compile(
    f"[{_SIGNS}]"
    "|(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f\u200c\u200d])"
    f"|(?<![^\x00-\x7f{_SELECTORS}])[{_SELECTORS}](?!\u20e3)"
)
_LINE_END = re.compile(r"\r\n?")
_BLANK = re.compile(rf"[\s\u200c\u200d{_SELECTORS}{_SIGNS}]*")
#: Makes single quotation marks of double ones: the words then end where the quotation does.
QUOTES = str.maketrans("“”„", "‘’‚")


def check_text(name: str, text: object) -> None:
    """Raise `InvalidInput` for what is no text, and for text that no file can hold."""
    if not isinstance(text, str):
        raise InvalidInput(f"{name} is {type(text).__name__}, not text: give a string")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise lone_surrogate(error) from None


def lone_surrogate(error: UnicodeEncodeError) -> InvalidInput:
    """Return the error of a text that is not UTF-8 and that no journal can keep."""
    return InvalidInput(
        f"text contains half of a surrogate pair (U+{ord(error.object[error.start]):04X}): "
        "decode it as UTF-8 before you pass it"
    )


def shorten(text: str, width: int) -> str:
    """Return a text on one line, cut at `width` characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def counted(number: int, thing: str, things: str = "") -> str:
    """Return a number and a noun, whose plural has an s or is given: `1 hop`, `2 hops`."""
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def is_blank(text: str) -> bool:
    """Return whether a reader sees nothing in a text."""
    return _BLANK.fullmatch(text) is not None


def printable(text: str) -> str:
    """Return a text with a mark in place of each sign that a reader would not see."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", _LINE_END.sub("\n", text))


def json_line(value: object, indent: int | None = None) -> str:
    """Return a value as JSON in which every sign that a reader would not see is escaped."""
    return escaped(json.dumps(value, ensure_ascii=False, indent=indent, default=str))


def escaped(written: str) -> str:
    """Return JSON text with every sign escaped that a reader would not see."""
    return _UNSEEN.sub(_escape, written)


def _escape(sign: re.Match[str]) -> str:
    code = ord(sign[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else json.dumps(sign[0])[1:-1]


def quote(text: str, width: int) -> str:
    """Return somebody's words in quotation marks, on one line, cut at `width` characters.

    The marks in them become single ones.
    """
    return f"“{shorten(text, width).translate(QUOTES)}”"


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Return where a quote stands in a text, whatever its white space and quotation marks."""
    wanted = " ".join(ascii_marks(quote).split()).strip().strip('"').strip()
    if len(re.findall(r"[^\W_]+", wanted)) < _QUOTED_WORDS_MIN:
        return None
    pattern = r"\s+".join(map(re.escape, wanted.split(" ")))
    bounded = rf"(?<!\w)(?:{pattern})(?!\w)"
    match = re.search(bounded, ascii_marks(text))
    return match and match.span()


def ascii_marks(text: str) -> str:
    """Return a text of the same length whose quotation marks and apostrophes are ASCII."""
    return text.translate(_QUOTE_MARKS)
