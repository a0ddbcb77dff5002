"""What is said of a value that may be a secret, as features of a net: its look, its surroundings.

A feature is a short text; a net knows what each weighs (`language/data/secrets.npz`). The look of
a value is crossed with what stands around it. Nothing here decides.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ...language.analyser import stop_words
from ...models.tokens import bundled
from .rules import Ruled, split_name, words
from .value_shapes import Piece, shape_of

_LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 36, 40, 48, 64, 96, 128)
_FORM_SIGNS = "-_./+@!#$%&*:=~ ,'?"
_FORM_CHARS_MAX, _TURNS_SHOWN, _WORD_SHOWN, _GROUPED_MAX = 60, 7, 14, 12
#: So many letters of a name begin what is the same word, perhaps in another language.
_BEGINNING = 5
_BEFORE, _BEHIND, _CLOSE = 10, 9, 3
#: Places of words in the vocabulary, the usual ones first.
_USUAL = (2600, 3500, 5000, 8000, 13_000, 20_000)
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
    """The line of a value: where it ends, its first piece, the classes of its cues."""

    end: int
    first: int
    classes: Sequence[str]

    @classmethod
    def of(cls, text: str, pieces: Sequence[Piece], first: int, cues: Sequence[int]) -> Around:
        """Return what is said of the line of the piece `first`."""
        place = pieces[first].start if pieces else 0
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        named, at = [], bisect_left(cues, first)
        while at < len(cues) and pieces[cues[at]].start < end:
            named.append((pieces[cues[at]].cue or "").strip("~?"))
            at += 1
        return cls(end + 1, first, tuple(sorted({*named})))


def class_of(shape: str) -> str:
    """Return the class of a shape: `number`, `made`, `word` …; "none" for what stands for one."""
    if shape in _CLASSES:
        return _CLASSES[shape] or shape
    return next((name for begin, name in _BEGINNINGS if shape.startswith(begin)), "none")


@lru_cache(maxsize=16_384)
def look_of(value: str, sort: str) -> Look:
    """Return the look of a value; `sort` is that of its piece."""
    shape = shape_of(value)
    sorted_as, size = class_of(shape), len(value)
    form, turns = _written(value)
    digits, letters = sum(map(str.isdecimal, value)), sum(map(str.isalpha, value))
    signs = sorted({sign for sign in value if not sign.isalnum()})
    parts = [part for part in re.findall(r"[^\W\d_]+", value.lower()) if len(part) > 1]
    features = [
        *(f"shape {shape}", f"class {sorted_as}", f"sort {sort}", f"sort {sort} {sorted_as}"),
        *(f"length {next((most for most in _LENGTHS if size <= most), 999)}", f"written {form}"),
        f"turns {min(turns, 12)}",
        *(
            f"digits {int(9.9 * digits / size)}",
            f"signs {int(9.9 * (size - letters - digits) / size)}",
        ),
        *(f"capitals {int(9.9 * sum(map(str.isupper, value)) / size)}", f"signs of {len(signs)}"),
        *(f"sign {sign}" for sign in signs[:6]),
        *(f"word of it {part[:12]}" for part in parts[:6]),
        f"ends in {_written(value[-1:])[0]}",
        *((f"known {known}", f"known {known} {sorted_as}") if (known := _known(value)) else ()),
    ]
    if sorted_as in {"word", "none", "joined"}:
        features += [f"it is {value.lower()[:24]}", f"ends as {value[-3:].lower()}"]
    elif size > _GROUPED_MAX:
        features += [f"begins {value[:3]}", f"begins {value[:4]}"]
    return Look(shape, tuple(dict.fromkeys(features)))


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
def _known(value: str) -> str:
    """Return how usual a word is, or of how many pieces of words a value is made, and how long."""
    if len(value) > _FORM_CHARS_MAX:
        return ""
    pieces = bundled().encode(value).ids[1:-1]
    if len(pieces) == 1:
        return f"as {next((most for most in _USUAL if pieces[0] < most), 'rare')}"
    each = int(2 * len(value) / max(1, len(pieces)))
    return f"in {min(len(pieces), 9)} of {min(each, 12)}"


def is_usual(value: str) -> bool:
    """Return whether a value is one of the two thousand commonest words."""
    return _known(value) in {f"as {most}" for most in _USUAL[:2]}


def features_of(
    pieces: Sequence[Piece], place: int, near: tuple[int | None, int | None], line: Around
) -> list[str]:
    """Return what is said of a value: its look, its neighbours, the cues before and behind."""
    piece, (before, behind) = pieces[place], near
    look = look_of(piece.text, piece.sort)
    sort = class_of(look.shape)
    crossed = [*_of_field(pieces, place), "none before", "none behind"]
    crossed += [f"line has {name}" for name in line.classes or ("none",)]
    features = [*look.features, *_words_near(pieces, place), *_of_line(pieces, place, line)]
    features += _neighbours(pieces, place)
    crossed += features[-2:]
    if before is not None:
        crossed[crossed.index("none before")] = f"name {pieces[before].cue}"
        features += _named(pieces, before, place)
        crossed += features[-2:]
    if behind is not None:
        crossed[crossed.index("none behind")] = f"name behind {pieces[behind].cue}"
        features += _named_behind(pieces[place + 1 : behind])
    return [*features, *crossed, *(f"{feature} {sort}" for feature in crossed)]


def _neighbours(pieces: Sequence[Piece], place: int) -> Iterator[str]:
    """Yield what stands beside a value; what stands next to it comes last."""
    left3, left2, left = ("^", "^", "^", *(p.shown for p in pieces[max(0, place - 3) : place]))[-3:]
    right, right2 = (*(p.shown for p in pieces[place + 1 : place + 3]), "^", "^")[:2]
    yield from (f"after2 {left2}", f"after {left2} {left}", f"after3 {left3}", f"then2 {right2}")
    yield from (f"after {left3} {left2} {left}", f"then {right} {right2}", f"amid {left} {right}")
    if left == pieces[place].text.lower():
        yield "the same again"
    if left.startswith("-"):
        yield f"flag {pieces[place - 1].text[:_WORD_SHOWN]}"
    things = words("formats", "thing_words")
    for where, shown in (("after", left), ("after2", left2), ("then", right)):
        if shown in things:
            yield f"{where} a thing"
    yield from (f"after {left}", f"then {right}")


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


def _of_line(pieces: Sequence[Piece], place: int, line: Around) -> Iterator[str]:
    first = next((p.shown for p in pieces[line.first : place] if not p.is_sign), "^")
    left = pieces[place - 1].shown if place else "^"
    yield from (f"line {first}", f"line {first} {left}", f"at {min(place - line.first, 12)}")


def _of_field(pieces: Sequence[Piece], place: int) -> Sequence[str]:
    """Return what is said of the field that signs join to the value."""
    at = place - 1
    while at >= 0 and place - at <= 4 and pieces[at].is_sign and pieces[at].text != "\n":
        if not pieces[at].joins and pieces[at].text not in "([{":
            break
        at -= 1
    if at < 0 or at == place - 1 or len(pieces[at].text) >= 80:
        return ()
    parts = split_name(pieces[at].text)
    last = (f"field {parts[-1]}", f"field {' '.join(parts[-2:])}") if parts else ()
    return (*last, *(f"field has {part}" for part in parts[:6]))


def _named(pieces: Sequence[Piece], name: int, place: int) -> Iterator[str]:
    """Yield what is said of a cue before a value; what joins the two comes last."""
    cue, gap = pieces[name], pieces[name + 1 : place]
    joints, size = _joints(gap), min(len(gap), 8)
    yield f"name {cue.cue} gap {joints}"
    yield from (f"called {cue.text.lower()[:20]}", f"gap of {size}", f"gap of {size} {cue.cue}")
    yield from (f"between {piece.shown}" for piece in gap if not piece.is_sign)
    value = pieces[place].text.lower().rstrip(":")
    if value.isalpha() and value.startswith(cue.text.lower()[:_BEGINNING]):
        yield "the name again"
    joined = "joined" if any(piece.joins for piece in gap) else "loose"
    known = _known(pieces[place].text)
    yield from (f"{joined} {cue.cue} {known}", f"gap {joints} {known}")
    yield from (f"gap {joints}", f"{joined} {cue.cue}")


def _named_behind(gap: Sequence[Piece]) -> Iterator[str]:
    yield from (f"gap behind {_joints(gap)}", f"gap behind of {min(len(gap), 8)}")
    yield from (f"between behind {piece.shown}" for piece in gap[:5] if not piece.is_sign)
    yield f"behind first {' '.join(piece.shown for piece in gap[:2])}"


def _joints(gap: Sequence[Piece]) -> str:
    return " ".join(piece.joint for piece in gap[:4]) + ("+" if len(gap) > 4 else "")


def features_of_rest(
    text: str, pieces: Sequence[Piece], at: tuple[int, int], span: tuple[int, int]
) -> list[str]:
    """Return what is said of several words behind a cue and a joint, which stand at two places."""
    (name, joint), value = at, text[slice(*span)]
    cue, gap, written = pieces[name], pieces[name + 1 : joint + 1], value.split()
    common = sum(word.lower().strip(",.;") in stop_words("english") for word in written)
    share, count = int(4.9 * common / len(written)), min(len(written), 7)
    joints = _joints(gap)
    return [
        *("rest", f"rest of {count}", f"rest {cue.cue}", f"rest called {cue.text.lower()[:20]}"),
        *(f"rest gap {joints}", f"rest gap {cue.cue} {joints}", f"rest gap of {len(gap)}"),
        f"rest by {pieces[joint].text.lower()}",
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
