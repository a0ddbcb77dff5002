"""A text cut into words, quotations, numbers in groups, parts of addresses, and signs.

A word that names secrets carries what it names: the cue. Nothing here judges a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from .rules import pattern, words
from .secret_names import SecretNames, split_name
from .value_shapes import stem_in

_NAME_CHARS_MAX, _SHOWN_CHARS_MAX = 80, 12
_STRIP = ".,;:!?*)]}…\\"
_SIGNS = frozenset(["=", ":", "->", "=>", "→", ":=", "：", "=="])


@dataclass(slots=True)
class Piece:
    """A word, a quotation or a sign of a line; `cue` is what it names if it names secrets.

    `shown` is the piece as a feature names it; a sign (`is_sign`) may be the end of a line.
    """

    start: int
    end: int
    sort: str
    text: str
    cue: str | None = None

    shown: str = field(init=False)
    is_sign: bool = field(init=False)

    def __post_init__(self) -> None:
        self.is_sign = self.sort == "sign"
        self.shown = self.text if self.is_sign else _shown(self.sort, self.text)

    @property
    def joint(self) -> str:
        """The piece as a part of what joins a name to its value."""
        if self.is_sign:
            return self.text
        return "verb" if self.is_verb else "w"

    @property
    def is_verb(self) -> bool:
        """Whether it is a word that joins a name to its value, like a sign."""
        return self.text.lower() in words("statements", "verbs")

    @property
    def joins(self) -> bool:
        """Whether it joins by itself."""
        return self.text in _SIGNS if self.is_sign else self.is_verb


@lru_cache(maxsize=16_384)
def _shown(sort: str, text: str) -> str:
    if sort not in {"word", "unspaced"}:
        return f"<{sort}>"
    return text.lower() if len(text) <= _SHOWN_CHARS_MAX else "<long>"


def cut_pieces(text: str, start: int, end: int, names: SecretNames) -> list[Piece]:
    """Return the pieces of a part of a text, quotations without their quotes."""
    pieces: list[Piece] = []
    done = start
    for address in pattern("statements", "address").finditer(text, start, end):
        pieces += _words(text, done, address.start(), names)
        pieces += _parts(address)
        done = address.end()
    pieces += _words(text, done, end, names)
    return pieces


def _parts(match: re.Match[str]) -> Iterator[Piece]:
    """Yield the parts of an address: what stands before `://`, and between its signs."""
    at = match[0].index("://") + 3
    place = match.start()
    yield Piece(place, place + at, "word", match[0][:at])
    for sign in pattern("statements", "address_sign").finditer(match[0].rstrip(_STRIP) + "\n", at):
        if sign.start() > at:
            part = match[0][at : sign.start()]
            yield Piece(place + at, place + sign.start(), "address", part)
        if sign[0] != "\n":
            yield Piece(place + sign.start(), place + sign.end(), "sign", sign[0])
        at = sign.end()


def _words(text: str, start: int, end: int, names: SecretNames) -> Iterator[Piece]:
    for match in pattern("statements", "token").finditer(text, start, end):
        piece = Piece(*match.span(), str(match.lastgroup), match[0])
        behind = ""
        if piece.sort == "quoted":
            piece = Piece(piece.start + 1, piece.end - 1, "quoted", match[0][1:-1])
        elif piece.sort == "word":
            piece, behind = _bare(piece)
        if piece.sort in {"word", "unspaced"} or (piece.sort == "quoted" and " " not in piece.text):
            piece.cue = cue_of(piece.text, names)
        yield piece
        if behind:
            yield Piece(piece.end, match.end(), "sign", behind[0])


def _bare(piece: Piece) -> tuple[Piece, str]:
    """Return a word without the signs around it, and those behind it."""
    word = piece.text.rstrip(_STRIP)
    if not word:
        return Piece(piece.start, piece.end, "sign", piece.text), ""
    if any(map(str.isdecimal, word)):  # a sign at the end may belong to it
        word = piece.text.rstrip(_STRIP.replace("!", "").replace("?", ""))
    core = word.lstrip("*_(~")
    start = piece.start + len(word) - len(core)
    return Piece(start, start + len(core), "word", core), piece.text[len(word) :]


@lru_cache(maxsize=8192)
def cue_of(word: str, names: SecretNames) -> str | None:
    """Return which secrets a word names; with `?` where it need not, `~` where prose may."""
    if len(word) > _NAME_CHARS_MAX:
        return None
    sensitivity = names.of(word) or (names.of(word.rpartition(".")[2]) if "." in word else None)
    if names.demands(word):
        return "demanded"
    if sensitivity:
        return sensitivity.kind if sensitivity.sure else f"{sensitivity.kind}?"
    stems = map(stem_in, reversed(split_name(word) or (word.lower(),)))
    stem = next(filter(None, stems), None)
    if stem is None or names.allows(word):
        return None
    is_name = word.replace("-", "").replace("_", "").strip(":*'’").isalpha()
    return f"~{stem}" if is_name or stem not in {"lock", "code", "auth", "login"} else None
