"""Values that a text states beside a word for a secret: `pw: x`, `x is the code of the gate`.

One reader for settings, code, commands and prose, in whatever language: the line is cut into words
and signs, and every word near a name of a secret is weighed by what it looks like, what joins it
to the name, and what stands around (`language/data/secrets.json`, `make train-heads`). No rule
knows a vendor, a program or a sentence.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from ...language.analyser import stop_words
from ...language.heads import load_heads, ones
from .rules import SecretSpan, Spans, pattern, words
from .secret_names import SecretNames, split_name
from .value_shapes import shape_of, stem_in, stems_of_text

#: So many words may stand between a value and a name before it, or behind it.
_WORDS_BEFORE, _WORDS_BEHIND = 12, 9
_CHARS_BEFORE, _CHARS_BEHIND = 120, 160
_NAME_CHARS_MAX, _SHOWN_CHARS_MAX, _VALUE_CHARS_MIN = 80, 12, 2
_REST_WORDS_MAX = 12
_WORD_CHARS_MAX = 8192
_WORD = re.compile(r"\S*")
_STRIP = ".,;:!?*)]}…\\"
#: What stands for a mark while a text is searched.
_FILLER = "\x1a"
#: How likely a secret is: one that stays does more harm than one word that goes.
_LIKELY = 1 / (1 + math.exp(0.5))
_LENGTHS = (3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 64, 128)
#: Shapes of what is a secret only where it is joined to a name.
_PLAIN = frozenset(
    "lower letters title none reference placeholder path url file host mail date measure code flag "
    "label dotted address".split()
)
#: Shapes of what stands for a value.
_NO_VALUES = frozenset("none reference placeholder code".split())
#: Shapes of what was drawn or made up; behind the name of a secret and a sign it is one.
_DRAWN = frozenset("random mixed mixed_upper numbered".split()) | {
    f"built_digit{case}_lower_strange" for case in ("", "_upper")
}
_CERTAIN = frozenset({"demanded", "drawn behind a sign"})
#: A name itself, rather than what it names.
_NAMES = frozenset("lower title label letters upper upper_words words dashed_words camel".split())
#: What a mark says of a value by the class of the word beside it.
_KINDS = {
    "demanded": "secret",
    **dict.fromkeys(["password", "login"], "password"),
    "key": "secret_key",
    "code": "access_code",
    "lock": "access_code",
    "auth": "secret",
}


@dataclass(slots=True)
class Piece:
    """A word, a quotation or a sign of a line; `cue` is what it names if it names secrets."""

    start: int
    end: int
    sort: str
    text: str
    cue: str | None = None

    @property
    def is_sign(self) -> bool:
        """Whether it is no word: a sign, or the end of a line."""
        return self.sort == "sign"

    @property
    def shown(self) -> str:
        """The piece as a feature names it."""
        if self.is_sign:
            return self.text
        if self.sort not in {"word", "unspaced"}:
            return f"<{self.sort}>"
        return self.text.lower() if len(self.text) <= _SHOWN_CHARS_MAX else "<long>"

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


_SIGNS = frozenset(["=", ":", "->", "=>", "→", ":=", "：", "=="])


def find_statements(text: str, lowered: str, names: SecretNames) -> Spans:
    """Yield the values in `text` that are likely secrets; `lowered` has its letters small."""
    head = load_heads("secrets")
    for value, features, kind in candidates(text, lowered, names):
        likely = head.likelihoods(ones(features))["secret"] > _LIKELY
        if likely or not _CERTAIN.isdisjoint(features):
            yield SecretSpan(value.start, value.end, kind)


def candidates(
    text: str, lowered: str, names: SecretNames
) -> Iterator[tuple[Piece, list[str], str]]:
    """Yield what may be a secret, with its features and the kind that it would be."""
    windows = _windows(lowered, names)
    elsewhere = pattern("statements", "elsewhere").finditer(text) if windows else ()
    others = [match.span() for match in elsewhere]
    for start, end in windows:
        pieces = _cut(text, start, end, names)
        cues = [n for n, piece in enumerate(pieces) if piece.cue and not _lies_in(others, piece)]
        if not cues:
            continue
        for value, features, kind in _candidates(text, pieces, cues):
            if not _lies_in(others, value) and _FILLER not in value.text:
                yield value, features, kind


def _lies_in(spans: Sequence[tuple[int, int]], piece: Piece) -> bool:
    """Return whether a piece begins in one of the spans, which are in order."""
    at = bisect_left(spans, (piece.start + 1,)) - 1
    return at >= 0 and piece.start < spans[at][1]


def _windows(lowered: str, names: SecretNames) -> list[tuple[int, int]]:
    """Return the parts of a text around the stems of names: their lines, and the line behind."""
    places = []
    stems = (*stems_of_text(ascii_only=lowered.isascii()), *names.own)
    for stem in [stem for stem in stems if stem in lowered]:
        place = lowered.find(stem)
        while place >= 0:
            places.append((place, place + len(stem)))
            place = lowered.find(stem, place + 1)
    windows: list[tuple[int, int]] = []
    for begin, end in sorted(places):
        start = max(lowered.rfind("\n", 0, begin) + 1, begin - _CHARS_BEFORE)
        line_end = lowered.find("\n", end)
        next_end = lowered.find("\n", line_end + 1) if line_end >= 0 else -1
        stop = min(len(lowered) if next_end < 0 else next_end, end + _CHARS_BEHIND)
        if windows and start <= windows[-1][1]:
            start, stop = windows[-1][0], max(windows.pop()[1], stop)
        windows.append((start, stop))
    return [(_word_start(lowered, start), _word_end(lowered, stop)) for start, stop in windows]


def _word_start(text: str, place: int) -> int:
    before = text[max(0, place - _WORD_CHARS_MAX) : place]
    return place - len(before) + max(before.rfind(sign) for sign in " \n\t") + 1


def _word_end(text: str, place: int) -> int:
    word = _WORD.match(text, place, place + _WORD_CHARS_MAX)
    return word.end() if word else place


def _cut(text: str, start: int, end: int, names: SecretNames) -> list[Piece]:
    """Return the pieces of a part of a text, quotations without their quotes."""
    pieces = []
    for match in pattern("statements", "token").finditer(text, start, end):
        piece = Piece(*match.span(), str(match.lastgroup), match[0])
        behind = ""
        if piece.sort == "quoted":
            piece = Piece(piece.start + 1, piece.end - 1, "quoted", match[0][1:-1])
        elif piece.sort == "word":
            piece, behind = _bare(piece)
        if piece.sort in {"word", "unspaced"} or (piece.sort == "quoted" and " " not in piece.text):
            piece.cue = _cue_of(piece.text, names)
        pieces.append(piece)
        if behind:
            pieces.append(Piece(piece.end, match.end(), "sign", behind[0]))
    return pieces


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
def _cue_of(word: str, names: SecretNames) -> str | None:
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


def _candidates(
    text: str, pieces: Sequence[Piece], cues: Sequence[int]
) -> Iterator[tuple[Piece, list[str], str]]:
    for place in cues:
        value = _rest_of_line(text, pieces, place)
        if value:
            yield value, _features_of_rest(text, pieces, place, value), _kind(pieces[place])
    for place, piece in enumerate(pieces):
        if piece.is_sign or piece.sort == "unspaced" or len(piece.text) < _VALUE_CHARS_MIN:
            continue
        before, behind = _near(cues, place)
        if (before is None and behind is None) or _is_of_place(pieces, place):
            continue
        shape = shape_of(piece.text)
        if _may_be_secret(pieces, place, (before, behind), shape):
            named = pieces[behind if before is None else before]  # type: ignore[index]
            yield piece, _features(pieces, place, (before, behind), shape), _kind(named)


def _is_of_place(pieces: Sequence[Piece], place: int) -> bool:
    """Return whether a value of digits opens a door or a safe: people have that remembered."""
    if any(map(str.isalpha, pieces[place].text)):
        return False
    near = pieces[max(0, place - _WORDS_BEFORE) : place + _WORDS_BEHIND]
    return any((piece.cue or "").strip("~?") == "lock" for piece in near)


def _near(cues: Sequence[int], place: int) -> tuple[int | None, int | None]:
    """Return the nearest names before and behind a place, where they are near enough."""
    at = bisect_left(cues, place)
    before = cues[at - 1] if at and place - cues[at - 1] <= _WORDS_BEFORE else None
    at += at < len(cues) and cues[at] == place
    behind = cues[at] if at < len(cues) and cues[at] - place <= _WORDS_BEHIND else None
    return before, behind


def _kind(named: Piece) -> str:
    cue = (named.cue or "").strip("~?")
    return _KINDS.get(cue, cue)


def _may_be_secret(
    pieces: Sequence[Piece], place: int, near: tuple[int | None, int | None], shape: str
) -> bool:
    """Return whether a piece is worth weighing: plain words are where something joins them."""
    piece, (before, behind) = pieces[place], near
    if shape == "none" or (piece.cue and piece.sort == "word" and shape in _NAMES):
        return False
    if shape not in _PLAIN or piece.sort == "quoted":
        return True
    if before is not None and (place - before == 1 or _is_joined(pieces[before + 1 : place])):
        return True
    return behind is not None and behind - place <= 4


def _is_joined(gap: Sequence[Piece]) -> bool:
    return len(gap) < 5 and any(
        piece.text != "\n" if piece.is_sign else piece.joins for piece in gap
    )


def _features(
    pieces: Sequence[Piece], place: int, near: tuple[int | None, int | None], shape: str
) -> list[str]:
    """Return what is said of a value: its shape, its neighbours, the names before and behind."""
    piece, (before, behind) = pieces[place], near
    length = next((str(most) for most in _LENGTHS if len(piece.text) <= most), "more")
    features = [f"shape {shape}", f"length {length}", f"shape {shape} {length}", piece.sort]
    features += [f"{piece.sort} {shape}"] if piece.sort == "quoted" else []
    left = pieces[place - 1] if place else None
    right = pieces[place + 1] if place + 1 < len(pieces) else None
    features += [f"after {left.shown if left else '^'}", f"then {right.shown if right else '$'}"]
    features.append(f"after {left.joint if left else '^'} {shape}")
    features.append(f"then {right.joint if right else '$'} {shape}")
    features += [f"after2 {pieces[place - 2].shown}"] if place > 1 else []
    features += [f"then2 {pieces[place + 2].shown}"] if place + 2 < len(pieces) else []
    around = pieces[max(0, place - 8) : place + 7]
    features += [f"near {each.shown}" for each in around if each is not piece and not each.is_sign]
    features += ["no name before", f"no name before {shape}"] if before is None else []
    if before is not None:
        features += _features_before(pieces, before, place, shape)
    if before is not None and pieces[before].cue == "demanded" and shape not in _NO_VALUES:
        features += ["demanded"] if _is_joined(pieces[before + 1 : place]) else []
    return features + (
        ["no name behind"] if behind is None else _behind(pieces, place, behind, shape)
    )


def _features_before(pieces: Sequence[Piece], name: int, place: int, shape: str) -> list[str]:
    cue, gap = pieces[name], pieces[name + 1 : place]
    joints, looks = _joints(gap), _look(cue.text) + ("_quoted" if cue.sort == "quoted" else "")
    joined = "joined" if any(piece.joins for piece in gap) else "loose"
    features = [
        *(f"name {cue.cue}", f"name {cue.cue} {shape}", f"gap {joints}", f"gap {joints} {shape}"),
        *(f"name {cue.cue} gap {joints}", f"look {looks}", f"look {looks} gap {joints}"),
        *(f"called {cue.text.lower()[:20]}", f"look {looks} {shape}"),
        *(f"look {looks} gap {joints} {shape}", f"gap of {min(len(gap), 8)}"),
        *(joined, f"{joined} {shape}", f"{joined} {cue.cue} {shape}"),
    ]
    features += [f"between {piece.shown}" for piece in gap if not piece.is_sign]
    if name:
        features += [f"name after {pieces[name - 1].shown}"]
        features += [f"name after joint {pieces[name - 1].joint}"]
    signs = {piece.text for piece in gap if piece.is_sign}
    features += ["over a line", f"over a line {shape}"] if "\n" in signs else []
    features += ["over a stop", f"over a stop {shape}"] if signs & set(".?!") else []
    is_sure = cue.cue is not None and cue.cue.isidentifier()
    if is_sure and joints in {"=", ":", ": ="} and shape in _DRAWN:
        features.append("drawn behind a sign")
    same = pieces[place].text.lower() == cue.text.lower()
    return [*features, "the name again"] if same else features


def _behind(pieces: Sequence[Piece], place: int, name: int, shape: str) -> list[str]:
    cue, gap = pieces[name], pieces[place + 1 : name]
    joints = _joints(gap)
    features = [f"name behind {cue.cue}", f"name behind {cue.cue} {shape}"]
    features += [f"gap behind {joints}", f"gap behind {joints} {shape}"]
    features += [f"between behind {piece.shown}" for piece in gap[:5] if not piece.is_sign]
    if gap:
        first = gap[0].shown
        features += [f"behind {first}", f"behind {first} {shape}"]
        features += [f"behind {' '.join(piece.shown for piece in gap[:2])}"]
    return [*features, f"gap behind of {min(len(gap), 8)}"]


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


def _rest_of_line(text: str, pieces: Sequence[Piece], place: int) -> Piece | None:
    """Return several words that the name of a password has as its value, or None."""
    name = pieces[place]
    cue = (name.cue or "").strip("~?")
    if cue not in {"password", "credential"} and "phrase" not in name.text.lower():
        return None
    rest = pattern("statements", "rest").match(text, name.end + (name.sort == "quoted"))
    if rest is None or not 2 <= len(rest[1].split()) <= _REST_WORDS_MAX:
        return None
    if not _begins_line(text, name) and rest[0].lstrip()[:1] not in {":", "="}:
        return None
    return Piece(*rest.span(1), "rest", rest[1])


def _begins_line(text: str, name: Piece) -> bool:
    before = text[max(0, name.start - 24) : name.start].rpartition("\n")[2]
    return not before or before.isspace()


def _features_of_rest(text: str, pieces: Sequence[Piece], place: int, value: Piece) -> list[str]:
    name, written = pieces[place], value.text.split()
    join = text[name.end : value.start].strip("\"' \t") or "space"
    start = "begins line" if _begins_line(text, name) else "within line"
    ends = "ends line" if text[value.end : value.end + 1] in {"", "\n"} else "stops"
    common = sum(word.lower() in _common() for word in written)
    return [
        *("rest", f"rest of {min(len(written), 6)}", f"rest {name.cue}", f"rest {start}"),
        *(f"rest called {name.text.lower()[:20]}", f"rest {_look(name.text)}", f"rest by {join}"),
        *(f"rest by {join} {_look(name.text)}", f"rest by {join} {start}", f"rest {ends}"),
        *(f"rest first {written[0].lower()}", f"rest last {written[-1].lower()}"),
        f"rest of letters {all(map(str.isalpha, written))}",
        *(f"rest small {value.text.islower()}", f"rest common {min(3, common)}"),
        f"rest signs {not set(',.;:?!').isdisjoint(value.text)}",
        *(f"rest word {word.lower()[:12]}" for word in written),
    ]


@cache
def _common() -> frozenset[str]:
    return stop_words("english")
