"""The look of a value in one word: `digits4`, `uuid`, `path`, `lower`, `random`, `numbered`.

A head weighs it together with what stands around the value (`statements`); a shape alone decides
nothing.

A text cut into words, quotations, numbers in groups, parts of addresses, and signs.

A word that names secrets carries what it names: the cue. Nothing here judges a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from ...models.wordpiece import is_common
from .rules import SecretNames, kinds, pattern, rule_file, split_name, words
from .secret_values import is_measure, is_numbered_word, is_random, is_reference

_STRANGE = frozenset("!@#$%^&*~?+=|")
_LABEL_CHARS_MAX, _LABEL_WORDS_MAX = 60, 6
#: A stem of so many letters begins a word; a longer one may end it. Behind both stands an ending.
_SHORT_STEM, _ENDING_CHARS_MAX = 3, 4
_ENDINGS = frozenset(["", "s"])
#: What vendors write into the values of their documents, `AKIAIOSFODNN7EXAMPLE`.
_DOCUMENTED = "EXAMPLE"


@lru_cache(maxsize=8192)
def shape_of(value: str) -> str:
    """Return what a value looks like; "none" if it has no letter and no digit."""
    if not any(map(str.isalnum, value)):
        return "none"
    shape = _first("shapes", value)
    if shape:
        return f"digits{len(value)}" if shape == "digits" else shape
    for other, is_such in _OTHERS.items():
        if is_such(value):
            return other
    return _shape_of_letters(value) if value.isalpha() else _shape_of_signs(value)


def names_secrets(value: str) -> bool:
    """Return whether a value only names a secret, in whatever language: `Clave de API`."""
    parts = re.findall(r"[^\W\d_]+", value.lower())
    has_digit = any(map(str.isdecimal, value))
    if len(value) > _LABEL_CHARS_MAX or (
        has_digit and pattern("statements", "variable").fullmatch(value) is None
    ):
        return False
    return len(parts) <= _LABEL_WORDS_MAX and any(map(stem_in, parts))


def stands_for_secret(value: str) -> bool:
    """Return whether a value is none, but says where one is, or how one is called on a screen."""
    return is_title(value) or is_reference(value) or shape_of(value) in {"placeholder", "address"}


def is_title(value: str) -> bool:
    """Return whether a value is what a form calls a secret; a small word may be a password."""
    in_words = value[:1].isupper() or " " in value or not value.isascii()
    return in_words and shape_of(value) == "label"


@lru_cache(maxsize=8192)
def stem_in(word: str) -> str | None:
    """Return the class of the stem of a secret's name that a word of small letters is built on.

    It begins with the stem, or ends with it, endings of a few letters aside. A usual word that
    happens to hold one, such as "finished" and "author", is none.
    """
    for found in _stems().finditer(word):
        before, ending = found.start(), word[found.end() :]
        built = (not before or len(found[0]) > _SHORT_STEM) and len(ending) <= _ENDING_CHARS_MAX
        is_other = word in words("statements", "others") or (
            (before > 0 or ending not in _ENDINGS) and is_common(word)
        )
        if (built or not word.isascii()) and not is_other:
            return kinds("statements", "stems")[found[0]]
    return None


@cache
def _stems() -> re.Pattern[str]:
    longest = sorted(kinds("statements", "stems"), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest)))


@cache
def stems_of_text(*, ascii_only: bool) -> tuple[str, ...]:
    """Return the stems that a text may have, without those that hold another."""
    stems = [stem for stem in kinds("statements", "stems") if stem.isascii() or not ascii_only]
    return tuple(s for s in stems if not any(t in s for t in stems if t != s))


@cache
def _table(name: str) -> list[tuple[str, re.Pattern[str]]]:
    return [(shape, re.compile(rule)) for shape, rule in rule_file("statements")[name].items()]


def _first(table: str, value: str) -> str | None:
    return next((shape for shape, rule in _table(table) if rule.fullmatch(value)), None)


def _is_placeholder(value: str) -> bool:
    found = " " not in value and pattern("statements", "placeholder").search(value)
    return bool(found) and (_DOCUMENTED in value or not is_random(value))


def _shape_of_letters(value: str) -> str:
    if not value.isascii():
        return "letters"
    if is_random(value):
        return "random"
    if value.islower() or value.isupper() or value.istitle():
        return "lower" if value.islower() else "upper" if value.isupper() else "title"
    return "camel" if pattern("values", "camel_case").fullmatch(value) else "mixed_case"


def _shape_of_signs(value: str) -> str:
    shape = _first("shapes_of_signs", value)
    if shape != "file" and is_random(value):
        return "random"
    if shape:
        return shape + (_has(value, "digit") + _has(value, "upper") if shape == "dotted" else "")
    if is_numbered_word(value):
        return "numbered"
    signs = {sign for sign in value if not sign.isalnum() and sign != "_"}
    if not signs and _has(value, "digit") and value.upper() != value:
        wordy = pattern("values", "wordy").fullmatch(value)
        return f"mixed{_has(value, 'upper')}{'_words' if wordy else ''}"
    strange = "_strange" if signs & _STRANGE else "_signs" if signs else ""
    return f"built{_has(value, 'digit')}{_has(value, 'upper')}{_has(value, 'lower')}{strange}"


def _has(value: str, sort: str) -> str:
    there = {
        "digit": any(map(str.isdecimal, value)),
        "upper": value.lower() != value,
        "lower": value.upper() != value,
    }[sort]
    return f"_{sort}" if there else ""


#: Shapes that a function tells, after those of the data file.
_OTHERS: Mapping[str, Callable[[str], bool]] = {
    "reference": is_reference,
    "placeholder": _is_placeholder,
    "measure": is_measure,
    "label": names_secrets,
    "phrase": lambda value: " " in value,
}


_NAME_CHARS_MAX, _SHOWN_CHARS_MAX = 80, 12
#: A quotation of more words is a sentence.
_QUOTED_WORDS_MAX = 8
#: What stems name only in words of letters.
_OF_PROSE = frozenset("lock place who code auth login".split())
_STRIP = ".,;:!?*)]}…\\"
#: Behind these a value may be `a=b`; others name several such pairs.
_NAMED = frozenset(["password", "secret"])
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
        if "?" in address[0] and pieces[-1].sort == "address":  # its value may stand behind it
            pieces[-1].cue = cue_of(pieces[-1].text, names)
        done = address.end()
    pieces += _words(text, done, end, names)
    return _rejoined(text, pieces)


def _rejoined(text: str, pieces: list[Piece]) -> list[Piece]:
    """Return pieces with `a=b` as one where it is what a word for a secret is joined to."""
    done: list[Piece] = []
    for piece in pieces:
        done.append(piece)
        if len(done) > 4 and _are_one(*done[-5:]):
            start = done[-3].start
            done[-3:] = [Piece(start, piece.end, "word", text[start : piece.end])]
    return done


def _are_one(name: Piece, joint: Piece, word: Piece, sign: Piece, last: Piece) -> bool:
    is_value = (name.cue or "").strip("~?") in _NAMED and joint.joins and word.cue is None
    is_whole = word.end == sign.start and sign.end == last.start
    return is_value and is_whole and sign.text == "=" and word.sort == last.sort == "word"


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
            if _is_sentence(piece.text, names):
                yield Piece(match.start(), piece.start, "sign", match[0][0])
                yield from _words(text, piece.start, piece.end, names)
                yield Piece(piece.end, match.end(), "sign", match[0][-1])
                continue
        elif piece.sort == "word":
            piece, behind = _bare(piece)
        if piece.sort in {"word", "unspaced"} or (piece.sort == "quoted" and " " not in piece.text):
            piece.cue = cue_of(piece.text, names)
        yield piece
        if behind:
            yield Piece(piece.end, match.end(), "sign", behind[0])


def _is_sentence(quoted: str, names: SecretNames) -> bool:
    """Return whether a quotation is a text of its own rather than a value: it names, and says."""
    written = quoted.split()
    if "=" in quoted and any(cue_of(part, names) for part in quoted.split("=")):
        return True
    return len(written) > _QUOTED_WORDS_MAX or (
        len(written) > 2
        and any(map(str.isdecimal, quoted))
        and any(cue_of(word.strip(_STRIP), names) for word in written)
    )


def _bare(piece: Piece) -> tuple[Piece, str]:
    """Return a word without the signs around it, and those behind it; a mask stays whole."""
    word = piece.text.rstrip(f"{_STRIP}&")
    if "***" in piece.text:
        return piece, ""
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
    whole = () if word.isascii() else (word.lower(),)  # its marks may be no letters
    stems = map(stem_in, (*whole, *reversed(split_name(word))))
    stem = next(filter(None, stems), None)
    if stem is None or names.allows(word):
        return None
    is_name = word.replace("-", "").replace("_", "").strip(":*'’").isalpha()
    return f"~{stem}" if is_name or stem not in _OF_PROSE else None
