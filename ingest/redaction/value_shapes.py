"""The look of a value in one word: `digits4`, `uuid`, `path`, `lower`, `random`, `numbered`.

A head weighs it together with what stands around the value (`statements`); a shape alone decides
nothing.

A text cut into words, quotations, numbers in groups, parts of addresses, and signs.

A word that names secrets carries what it names: the cue. Nothing here judges a value.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from ...language.analyser import stop_words
from ...models.tokens import is_common
from .rules import SecretNames, kinds, pattern, rule_file, split_name, words

_STRANGE = frozenset("!@#$%^&*~?+=|")
#: From so many letters on, chance is seen without a digit among them.
_LETTERS_CHARS_MIN = 28
#: A random value has a run without signs of so many characters, longer where there is one case.
_MIXED_RUN_MIN, _RUN_MIN = 8, 16
#: Shorter runs tell nothing of words and chance.
_LONG_RUN_MIN = 6
#: So much of a value that reads as words makes it none of chance.
_WORDS_SHARE_MAX = 0.7


def is_mixed(text: str) -> bool:
    """Return whether letters and digits follow each other as by chance, not as words do."""
    mixed = any(map(str.isalpha, text)) and any(map(str.isdecimal, text))
    return mixed and pattern("values", "wordy").fullmatch(text) is None


def is_random(value: str, least: int = 20) -> bool:
    """Return whether `least` characters or more stand together as a generator puts them.

    Words in a row, with a date or a version, are not random; nor is a number. Large and small
    letters in turn show it best; without them there must be digits in several places of one run.
    """
    if len(value) < least:
        return False
    runs = pattern("values", "runs").findall(value)
    longest = max(map(len, runs), default=0)
    if value.lower() != value != value.upper():
        digits_needed = len(value) < _LETTERS_CHARS_MIN
        if longest < _MIXED_RUN_MIN or (digits_needed and not any(map(str.isdecimal, value))):
            return False
        return not _reads_as_words([run for run in runs if len(run) >= _LONG_RUN_MIN])
    groups = [len(pattern("values", "digit_groups").findall(run)) for run in runs]
    return longest >= _RUN_MIN and max(groups) > 1


def _reads_as_words(runs: list[str]) -> bool:
    """Return whether most of what stands in runs of letters and digits reads as words."""
    words = sum(len(word) for run in runs for word in pattern("values", "words").findall(run))
    return words >= _WORDS_SHARE_MAX * sum(map(len, runs))


def is_key(value: str) -> bool:
    """Return whether `value`, beside the word "key" or "token", is one: random, or in groups."""
    if pattern("values", "key_groups").fullmatch(value):
        return True
    is_named = pattern("values", "address").match(value)
    return is_random(value) and not is_named


def is_measure(value: str) -> bool:
    """Return whether `value` is a version, a time, a size or an algorithm: no plain number."""
    return not value.isdecimal() and pattern("values", "known").fullmatch(value) is not None


def is_reference(value: str) -> bool:
    """Return whether `value` stands for a secret, or for none, without being one."""
    value = value.strip()
    placeholder = value.lower() in words("values", "placeholders")
    return placeholder or pattern("values", "reference").fullmatch(value) is not None


def is_folder(name: str, value: str) -> bool:
    """Return whether a name such as `PWD` stands beside a folder rather than a password."""
    return name.lower() == "pwd" and value[:1] in {"/", "~", "."}


def is_code(value: str) -> bool:
    """Return whether `value` reads as an expression: a call, an item, a dotted name."""
    return pattern("values", "code").match(value) is not None


def looks_secret(value: str, least: int = 6) -> bool:
    """Return whether one who meets `value` behind a name like `token` would take it for a secret.

    True from `least` characters on for what mixes letters with digits or odd signs, for long
    digits, and for letters without end; false for words, references and code.
    """
    if pattern("values", "app_password").fullmatch(value):
        return True
    if len(value) < least or any(map(str.isspace, value)) or is_reference(value) or is_code(value):
        return False
    letters = sum(map(str.isalpha, value))
    digits = sum(map(str.isdecimal, value))
    if digits == len(value) or (letters and digits):
        return True
    if letters == len(value):
        endless = len(value) >= 20 and value.isascii()
        return endless and pattern("values", "camel_case").fullmatch(value) is None
    return letters > 0 and not _STRANGE.isdisjoint(value.rstrip("!?"))


def decoded(value: str) -> str | None:
    """Return the ASCII text that `value` is the base64 form of, or None."""
    digits = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True).decode("ascii")
    except ValueError:
        return None
    return text if re.fullmatch(r"[\t\n\r -~]+", text) else None


def _are_rare_words(value: str) -> bool:
    """Return whether words are drawn rather than said: few of them hold a sentence together."""
    words_of = re.findall(r"[^\W\d_]+", value.lower())
    return 4 * sum(word in stop_words("english") for word in words_of) <= len(words_of)


def _is_iban(account: str) -> bool:
    """ISO 13616: moved to the end and read as a number, the country and check digits leave 1."""
    account = account.replace(" ", "")
    moved = account[4:] + account[:4]
    return len(account) >= 15 and int("".join(str(int(sign, 36)) for sign in moved)) % 97 == 1


def _is_card(number: str) -> bool:
    """ISO/IEC 7812 (Luhn): every second digit doubled, the sum ends in 0."""
    digits = [int(digit) for digit in number if digit.isdecimal()]
    doubled = [2 * digit - 9 if digit > 4 else 2 * digit for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(doubled) + sum(digits[-1::-2])) % 10 == 0


#: The checks that rules name.
CHECKS: Mapping[str, Callable[[str], bool]] = {
    "any": bool,
    "key": is_key,
    "mixed": is_mixed,
    "secret": looks_secret,
    "dotted": lambda value: "." in value,
    "user_and_password": lambda value: ":" in (decoded(value) or ""),
    "rare_words": _are_rare_words,
    "random": is_random,
    "unbroken": lambda value: (
        is_random(value)
        or any(
            is_random(run, 14) or (len(run) >= _RUN_MIN and not run.isalpha())
            for run in pattern("values", "runs").findall(value)
        )
    ),
    "with_key": lambda value: any(
        is_random(name, 16) or pattern("values", "path_key").fullmatch(name)
        for name in re.split("[/@]", value)
    ),
    "iban": _is_iban,
    "card": _is_card,
    "phone": lambda number: 9 <= sum(map(str.isdecimal, number)) <= 15,
}


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
    if pattern("values", "numbered_word").fullmatch(value) is not None:
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
