"""What is said of a value that may be a secret, as features of a head: its look, its surroundings.

A feature is a short text; a net knows what each weighs (`language/data/secrets.npz`). The look of
a value is crossed with what stands around it. Nothing here decides.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from ...language.analyser import stop_words
from .rules import Ruled, rule_file, split_name, words
from .value_shapes import Piece, shape_of

_LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 36, 40, 48, 64, 96, 128)
_FORM_SIGNS = "-_./+@!#$%&*:=~ ,'?"
_FORM_CHARS_MAX, _TURNS_SHOWN, _WORD_SHOWN = 60, 7, 14
_BEFORE, _BEHIND, _CLOSE = 10, 9, 3
_LINE_CHARS_MAX, _CHAT_LINES_MAX, _CHAT_DIGITS_MAX = 400, 6, 24
#: Classes of shapes, for features that cross the look with something else.
_CLASSES = {
    **dict.fromkeys("random hexadecimal digest uuid groups phrase".split()),
    **dict.fromkeys("number numbers year".split(), "number"),
    **dict.fromkeys("lower title letters upper camel mixed_case".split(), "word"),
    **dict.fromkeys("words dashed_words title_words upper_words dotted".split(), "joined"),
}
_BEGINNINGS = (
    ("digits", "number"), ("built", "made"), ("mixed", "mix"), ("numbered", "mix"),
    ("dotted_", "mix"),
)  # fmt: skip


class Look(NamedTuple):
    """What a value looks like: its shape, and all that is said of it by itself."""

    shape: str
    features: Sequence[str]


class Around(NamedTuple):
    """The line of a value: where it ends, its first piece, its form, the classes of its cues."""

    end: int
    first: int
    form: str
    is_chat: bool
    classes: Sequence[str]

    @classmethod
    def of(
        cls,
        text: str,
        pieces: Sequence[Piece],
        first: int,
        cues: Sequence[int],
        lines: int,
    ) -> Around:
        """Return what is said of the line of the piece `first`, in a text of so many lines."""
        place = pieces[first].start if pieces else 0
        start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
        end = len(text) if end < 0 else end
        line = text[start : min(end, start + _LINE_CHARS_MAX)]
        named, at = [], bisect_left(cues, first)
        while at < len(cues) and pieces[cues[at]].start < end:
            named.append((pieces[cues[at]].cue or "").strip("~?"))
            at += 1
        is_chat = end - start < _LINE_CHARS_MAX and lines < _CHAT_LINES_MAX
        is_chat = is_chat and sum(map(str.isdecimal, line)) <= _CHAT_DIGITS_MAX
        return cls(end + 1, first, _form(line[:300]), is_chat, tuple(sorted({*named})))


def class_of(shape: str) -> str:
    """Return the class of a shape: `number`, `made`, `word` …; "none" for what stands for one."""
    if shape in _CLASSES:
        return _CLASSES[shape] or shape
    return next((name for begin, name in _BEGINNINGS if shape.startswith(begin)), "none")


@cache
def _forms() -> list[tuple[str, re.Pattern[str]]]:
    return [(form, re.compile(rule)) for form, rule in rule_file("statements")["forms"].items()]


@lru_cache(maxsize=4096)
def _form(line: str) -> str:
    """Return what a line is: a command, a setting, a line of a log, of code, of prose."""
    line = line.strip()
    return next((form for form, rule in _forms() if rule.search(line)), "short")


@lru_cache(maxsize=16_384)
def look_of(value: str, sort: str) -> Look:
    """Return the look of a value; `sort` is that of its piece."""
    shape = shape_of(value)
    sorted_as, size = class_of(shape), len(value)
    length = next((most for most in _LENGTHS if size <= most), 999)
    form, turns = _written(value)
    digits, letters = sum(map(str.isdecimal, value)), sum(map(str.isalpha, value))
    wordlike = _wordlike(value)
    signs = sorted({sign for sign in value if not sign.isalnum()})
    features = [
        *(f"shape {shape}", f"class {sorted_as}", f"length {length}", f"sort {sort}"),
        *(f"class {sorted_as} {length}", f"shape {shape} {length}", f"sort {sort} {sorted_as}"),
        *(f"written {form}", f"wordlike {wordlike}", f"wordlike {sorted_as} {wordlike}"),
        *(f"wordlike {wordlike} {min(length, 40)}", f"turns {min(turns, 12)}"),
        *(f"turns {sorted_as} {min(turns, 12) // 2}", f"digits {int(9.9 * digits / size)}"),
        f"capitals {int(9.9 * sum(map(str.isupper, value)) / size)}",
        f"signs {int(9.9 * (size - letters - digits) / size)}",
        f"signs {sorted_as} {min(4, len(signs))}",
        *(f"sign {sign}" for sign in signs[:6]),
        *_beginning(value, sorted_as),
        *(f"word of it {word[:12]}" for word in _words_of(value)[:6]),
    ]
    if sorted_as in {"word", "none", "joined"} and size < 25:
        features.append(f"it is {value.lower()}")
    if sorted_as == "word":
        features += [f"ends as {value[-2:].lower()}", f"ends as {value[-3:].lower()}"]
    if digits:
        features.append("ends in a digit" if value[-1].isdecimal() else "has a digit")
    if value and not value[-1].isalnum():
        features.append(f"ends in {value[-1]}")
    return Look(shape, tuple(dict.fromkeys((*features, *_of_numbers(value, sorted_as, digits)))))


def _words_of(value: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", value.lower()) if len(word) > 1]


def _beginning(value: str, sorted_as: str) -> Iterator[str]:
    if sorted_as not in {"number", "word", "phrase"} and len(value) >= 8:
        yield f"begins {value[:3]}"
        yield f"begins {value[:4]}"
    prefix = re.match(r"([A-Za-z]{1,12}\d{0,2})([_.:/-]+)", value)
    if prefix:
        yield f"prefix {prefix[1].lower()}"
        yield f"prefix of {len(prefix[1])} {prefix[2][0]} {sorted_as}"
    prefixes = re.match(r"([A-Za-z]{2,12}[_-]){2,4}", value)
    if prefixes:
        yield f"prefixes {prefixes[0].lower()}"
    if not words("formats", "thing_words").isdisjoint(_words_of(value)):
        yield f"of a thing {sorted_as}"
    if not words("formats", "token_words").isdisjoint(_words_of(value)):
        yield f"of a token {sorted_as}"


def _of_numbers(value: str, sorted_as: str, digits: int) -> Iterator[str]:
    if sorted_as in {"number", "groups", "none"} and digits:
        signs = (
            "9" if sign.isdecimal() else "A" if sign.isalpha() else sign for sign in value[:24]
        )
        yield f"grouped {''.join(signs)}"
    if sorted_as == "number":
        yield f"first {value[0]} {digits}"
        yield f"digits of {min(20, digits)}"


@lru_cache(maxsize=16_384)
def _written(value: str) -> tuple[str, int]:
    """Return how a value is written, runs of a sort as one sign, and how many runs there are."""
    runs: list[str] = []
    for sign in value[:_FORM_CHARS_MAX]:
        run = "9" if sign.isdecimal() else "A" if sign.isupper() else "a" if sign.isalpha() else "~"
        run = sign if run == "~" and sign in _FORM_SIGNS else run
        if not runs or runs[-1] != run:
            runs.append(run)
    more = "+" if len(runs) > _TURNS_SHOWN else ""
    return "".join(runs[:_TURNS_SHOWN]) + more, len(runs)


@lru_cache(maxsize=16_384)
def _wordlike(value: str) -> str:
    """Return in tenths how many pairs of letters are those of words; "few" where there are few."""
    pairs = [
        pair
        for word in "".join(sign if sign.isalpha() else " " for sign in value).lower().split()
        for pair in map("".join, pairwise(word))
    ]
    known = sum(pair in words("statements", "pairs") or not pair.isascii() for pair in pairs)
    return "few" if len(pairs) < 3 else str(int(9.99 * known / len(pairs)))


def features_of(
    pieces: Sequence[Piece], place: int, near: tuple[int | None, int | None], line: Around
) -> list[str]:
    """Return what is said of a value: its look, its neighbours, the cues before and behind."""
    piece, (before, behind) = pieces[place], near
    look = look_of(piece.text, piece.sort)
    sort = class_of(look.shape)
    features = [*look.features, *_neighbours(pieces, place, sort), *_words_near(pieces, place)]
    features += [f"form {line.form}", f"form {line.form} {sort}", f"form {line.form} {look.shape}"]
    features += _of_line(pieces, place, line, sort)
    features += [f"line has {name}" for name in line.classes]
    features += [f"line has {name} {sort}" for name in line.classes]
    if not line.classes:
        features += ["no name", f"no name {sort}", f"no name {look.shape}"]
        features.append(f"no name {line.form} {sort}")
    if before is None:
        features += ["none before", f"none before {sort}"]
    else:
        features += _before(pieces, before, place, look.shape)
    if behind is None:
        features += ["none behind", f"none behind {sort}"]
    else:
        features += _behind(pieces, place, behind, look.shape)
    features += _of_field(pieces, place, sort)
    return features + (_of_address(pieces, place, sort) if piece.sort == "address" else [])


def _neighbours(pieces: Sequence[Piece], place: int, sort: str) -> list[str]:
    left3, left2, left = ("^", "^", "^", *(p.shown for p in pieces[max(0, place - 3) : place]))[-3:]
    right, right2 = (*(p.shown for p in pieces[place + 1 : place + 3]), "^", "^")[:2]
    features = [
        *(f"after {left}", f"after {left} {sort}", f"after2 {left2}", f"after2 {left2} {sort}"),
        *(f"after {left2} {left}", f"after3 {left3}", f"after {left3} {left2} {left}"),
        *(f"then {right}", f"then {right} {sort}", f"then2 {right2}", f"then {right} {right2}"),
        *(f"amid {left} {right}", f"amid {left} {right} {sort}"),
    ]
    if left == pieces[place].text.lower():
        features.append("the same again")
    if left.startswith("-"):
        features += [f"flag {pieces[place - 1].text[:_WORD_SHOWN]}", f"flag {sort}"]
    things = words("formats", "thing_words")
    sides = (("after", left), ("after2", left2), ("then", right))
    return features + [f"{where} a thing {sort}" for where, shown in sides if shown in things]


def _words_near(pieces: Sequence[Piece], place: int) -> list[str]:
    first = max(0, place - _BEFORE)
    features: list[str] = []
    for at, piece in enumerate(pieces[first : place + _BEHIND], first):
        if at != place and piece.sort != "sign":
            side = "before" if at < place else "behind"
            features += _word_near(piece.text, side, abs(at - place) <= _CLOSE)
    return features


@lru_cache(maxsize=16_384)
def _word_near(text: str, side: str, close: bool) -> Sequence[str]:
    if len(text) > 24 or not any(map(str.isalpha, text)):
        return ()
    word = text.lower()
    shown = word[:_WORD_SHOWN]
    features = [f"{side} {shown}", f"near {shown}"]
    features += [f"near {word[:5]}-"] if len(word) > 6 else []
    return (*features, f"close {side} {shown}") if close else tuple(features)


def _of_line(pieces: Sequence[Piece], place: int, line: Around, sort: str) -> Iterator[str]:
    first = next((p.shown for p in pieces[line.first : place] if not p.is_sign), "^")
    left = pieces[place - 1].shown if place else "^"
    at = place - line.first
    yield from (f"line {first}", f"line {first} {sort}", f"line {first} {left}")
    yield from (f"at {min(at, 12)}", f"at {min(at, 4)} {sort}")


def _of_field(pieces: Sequence[Piece], place: int, sort: str) -> list[str]:
    """Return what is said of the field that signs join to the value."""
    at = place - 1
    while at >= 0 and place - at <= 4 and pieces[at].is_sign and pieces[at].text != "\n":
        if not pieces[at].joins and pieces[at].text not in "([{":
            break
        at -= 1
    if at < 0 or at == place - 1 or len(pieces[at].text) >= 80:
        return []
    name, parts = pieces[at], split_name(pieces[at].text)
    if not parts:
        return []
    return [
        *(f"field {parts[-1]}", f"field {parts[-1]} {sort}", f"field {' '.join(parts[-2:])}"),
        *(f"field as {_look(name.text)} {sort}", f"field of {name.cue} {sort}"),
        *(f"field has {part}" for part in parts[:6]),
    ]


def _of_address(pieces: Sequence[Piece], place: int, sort: str) -> list[str]:
    at = place
    while at > 0 and not pieces[at].text.endswith("://"):
        at -= 1
    signs = [piece.text for piece in pieces[at + 1 : place] if piece.is_sign]
    part = "query" if "?" in signs else "fragment" if "#" in signs else "path" if signs else "host"
    return [
        *(f"address {part}", f"address {part} {sort}", f"address {part} {len(signs)} {sort}"),
        *(f"host {pieces[at + 1].text[:24]}", f"scheme {pieces[at].text[:12]}"),
    ]


def _before(pieces: Sequence[Piece], name: int, place: int, shape: str) -> Iterator[str]:
    cue, gap, sort = pieces[name], pieces[name + 1 : place], class_of(shape)
    joints, looks = _joints(gap), _look(cue.text) + ("_quoted" if cue.sort == "quoted" else "")
    joined = "joined" if any(piece.joins for piece in gap) else "loose"
    size = min(len(gap), 8)
    for crossed in ("", f" {sort}", f" {shape}"):
        yield from (f"name {cue.cue}{crossed}", f"gap {joints}{crossed}", f"{joined}{crossed}")
        if crossed:
            yield f"{joined} {cue.cue}{crossed}"
    yield from (f"name {cue.cue} gap {joints}", f"look {looks}", f"look {looks} {sort}")
    yield from (f"look {looks} gap {joints}", f"called {cue.text.lower()[:20]}", f"gap of {size}")
    yield from (f"gap of {size} {sort}", f"gap of {size} {cue.cue}")
    yield from (f"between {piece.shown}" for piece in gap if not piece.is_sign)
    if name:
        yield f"name after {pieces[name - 1].shown}"
    signs = {piece.text for piece in gap if piece.is_sign}
    if "\n" in signs:
        yield from ("over a line", f"over a line {sort}")
    if signs & set(".?!"):
        yield from ("over a stop", f"over a stop {sort}")
    if pieces[place].text.lower() == cue.text.lower():
        yield "the name again"


def _behind(pieces: Sequence[Piece], place: int, name: int, shape: str) -> Iterator[str]:
    cue, gap, sort = pieces[name], pieces[place + 1 : name], class_of(shape)
    joints, size = _joints(gap), min(len(gap), 8)
    yield from (f"name behind {cue.cue}{crossed}" for crossed in ("", f" {sort}", f" {shape}"))
    yield from (f"gap behind {joints}", f"gap behind {joints} {sort}", f"gap behind of {size}")
    yield from (f"gap behind of {size} {sort}", f"name behind {cue.cue} {size}")
    yield from (f"between behind {piece.shown}" for piece in gap[:5] if not piece.is_sign)
    if gap:
        yield f"behind first {gap[0].shown} {sort}"
        yield f"behind first {' '.join(piece.shown for piece in gap[:2])}"


def _joints(gap: Sequence[Piece]) -> str:
    return " ".join(piece.joint for piece in gap[:4]) + ("+" if len(gap) > 4 else "")


@lru_cache(maxsize=4096)
def _look(name: str) -> str:
    """Return how a name is written."""
    if name[:1] in {"-", "$"} or "$" in name:
        return "flag" if name.startswith("--") else "option" if name[0] == "-" else "variable"
    if name.isupper() and len(name) > 3:
        return "UPPER_CASE" if "_" in name else "UPPER"
    for sign, look in (("_", "snake"), ("-", "snake"), (".", "dotted")):
        if sign in name:
            return look
    return "camel" if name[:1].islower() != name.islower() else "Title" if name.istitle() else "low"


def features_of_rest(
    text: str, pieces: Sequence[Piece], at: tuple[int, int], span: tuple[int, int]
) -> list[str]:
    """Return what is said of several words behind a cue and a joint, which stand at two places."""
    (name, joint), value = at, text[slice(*span)]
    cue, gap, written = pieces[name], pieces[name + 1 : joint + 1], value.split()
    start, end = text.rfind("\n", 0, span[0]) + 1, text.find("\n", span[0])
    form = _form(text[start : end if end >= 0 else len(text)][:300])
    common = sum(word.lower().strip(",.;") in stop_words("english") for word in written)
    share, count = int(4.9 * common / len(written)), min(len(written), 7)
    joints = _joints(gap)
    return [
        *("rest", f"rest of {count}", f"rest {cue.cue}", f"rest called {cue.text.lower()[:20]}"),
        *(f"rest look {_look(cue.text)}", f"rest gap {joints}", f"rest gap {cue.cue} {joints}"),
        *(f"rest by {pieces[joint].text.lower()}", f"rest form {form}", f"rest gap of {len(gap)}"),
        *(f"rest first {written[0].lower()}", f"rest first {' '.join(written[:2]).lower()}"),
        *(f"rest last {written[-1].lower()}", f"rest small {value.islower()}"),
        *(f"rest letters {all(map(str.isalpha, written))}", f"rest common {min(4, common)}"),
        *(f"rest share {share}", f"rest share {share} {cue.cue}", f"rest share {share} {count}"),
        *(f"rest signs {not set(',.;:?!').isdisjoint(value)}", f"rest words {_mean(written)}"),
        *(
            f"rest digit {any(map(str.isdecimal, value))}",
            f"rest then {text[span[1] :][:1] or '$'}",
        ),
        f"rest begins line {name == 0 or pieces[name - 1].text == chr(10)}",
        *(f"rest word {word.lower()[:12]}" for word in written[:8]),
        *(f"rest between {piece.shown}" for piece in gap),
        *(f"rest before {piece.shown}" for piece in pieces[max(0, name - 3) : name]),
    ]


def _mean(written: Sequence[str]) -> int:
    return min(9, sum(map(len, written)) // len(written))


def features_of_span(text: str, pieces: Sequence[Piece], rule: Ruled) -> list[str]:
    """Return what is said of a rule's finding that is no piece by itself."""
    look = look_of(text[rule.start : rule.end], "span")
    sort, at = class_of(look.shape), bisect_left(pieces, rule.start, key=lambda p: p.start)
    features = [*look.features, "span", f"span {rule.kind}", f"span {rule.kind} {sort}"]
    features += [f"by {rule.kind}", f"by a {rule.sort}", f"by {rule.kind} {look.shape}"]
    for gap, piece in enumerate(reversed(pieces[max(0, at - 4) : at]), 1):
        features.append(f"after{gap} {piece.shown}" if gap > 1 else f"after {piece.shown}")
        features += [] if piece.is_sign else [f"near {piece.text.lower()[:_WORD_SHOWN]}"]
    return features
