"""Which values of a text are likely secrets: those that a rule names, and whatever looks made up.

One reader for settings, code, commands, logs and prose, in whatever language: the text is cut into
words and signs, and whatever may be a secret is weighed by what it looks like, what joins it to the
words around it, and what its line looks like (`weighing`, `language/data/secrets.npz`, `make
train-heads`). What a rule says is one more thing that is weighed: the surer the rule, the more.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ...language.analyser import stop_words
from ...language.heads import load_net
from .rules import Ruled, SecretNames, SecretSpan, Spans, pattern, split_name
from .value_shapes import Piece, cue_of, cut_pieces, stems_of_text
from .weighing import (
    Around,
    class_of,
    features_of,
    features_of_rest,
    features_of_span,
    is_usual,
    look_of,
)

#: So many pieces may stand between a value and a word for a secret before it, or behind it.
_BEFORE, _BEHIND, _GAP_MAX, _JOINTS_MAX = 14, 10, 9, 2
_PLACE_DIGITS_MAX = 10
#: A rule's finding of more characters, or of several lines, is taken as it is.
_WEIGHED_CHARS_MAX = 250
#: The log-odds from which on a value is a secret: what stays does more harm than what goes.
_LEAST = 0.3
#: By how much what looks so must be likelier: plain words are a part of a sentence. Letters with
#: digits beside a word for a secret may be less likely.
_MORE = {
    "word": 0.8,
    "none": 0.8,
    "rest": 0.4,
    "phrase": 0.3,
    "mix": -1.0,
    "made": -1.0,
    "usual": 2.5,
}
#: By how much what a rule found may be less likely, by how sure the rule is. What is only built as
#: a token numbers things as often.
_MARGINS = {"format": 3.0, "context": 3.0, "token": 0.0}
#: By how much what stands near no word for a secret, and no rule found, must be likelier, more
#: where it is a word with a number: real texts are full of names of users, libraries and things
#: that look made up. Shorter ones are names, and numbers are telephones, orders or amounts.
_UNNAMED, _UNNAMED_MIX, _UNNAMED_CHARS_MIN = 1.0, 3.5, 8
#: What stands for a mark while a text is searched.
_FILLER = "\x1a"
#: What stands around a word of prose.
_AROUND = ".,;:!?()\"'’“”…"
_REST_WORDS_MIN, _REST_WORDS_MAX, _WORD_CHARS_MAX = 2, 26, 24
_MADE = frozenset("random hexadecimal uuid digest made mix groups".split())
#: Shapes of a name itself, rather than of what it names.
_NAMES = frozenset("lower title label letters upper upper_words words dashed_words camel".split())
_WRITTEN = frozenset("title_words dashed_words dotted camel mixed_case".split())
#: Options that are a password's in many programs.
_OPTIONS = frozenset("-p /p -k -n -w -a -x -pw -pass".split())
#: Words for what may be several words.
_OF_WORDS = frozenset("password credential secret auth lock place demanded".split())
#: What a mark says of a value by the class of the word beside it.
_KINDS = {
    "demanded": "secret",
    **dict.fromkeys(["password", "login"], "password"),
    "key": "secret_key",
    **dict.fromkeys(["code", "lock", "place"], "access_code"),
    **dict.fromkeys(["auth", "who"], "secret"),
}


class Candidate(NamedTuple):
    """What may be a secret: its features, the class of its shape, and what rules found of it."""

    start: int
    end: int
    features: Sequence[str]
    kind: str
    sort: str
    ruled: Sequence[Ruled] = ()
    certain: bool = False
    is_named: bool = True


def judge(text: str, lowered: str, names: SecretNames, ruled: Iterable[Ruled]) -> Spans:
    """Yield the secrets of a text; `lowered` has its letters small, `ruled` is what rules found."""
    weighed = []
    for rule in ruled:
        if _is_sure(text, names, rule):
            yield SecretSpan(*rule[:3])
        else:
            weighed.append(rule)
    net = load_net("secrets")
    for each in candidates(text, lowered, names, weighed):
        least = _LEAST + _MORE.get(each.sort, 0.0)
        if not (each.is_named or each.ruled):
            least += _UNNAMED_MIX if each.sort == "mix" else _UNNAMED
        least -= max((_MARGINS[rule.sort] for rule in each.ruled), default=0.0)
        if each.certain or net.score(each.features) > least:
            for rule in each.ruled:
                yield SecretSpan(*rule[:3])
            yield SecretSpan(each.start, each.end, each.ruled[0].kind if each.ruled else each.kind)


def _is_sure(text: str, names: SecretNames, rule: Ruled) -> bool:
    """Return whether a rule's finding is a secret whatever stands around it."""
    is_long = rule.end - rule.start > _WEIGHED_CHARS_MAX
    is_sure = is_long or bool(names.own) or rule.sort not in _MARGINS
    return is_sure or "\n" in text[rule.start : rule.end]


def candidates(
    text: str, lowered: str, names: SecretNames, ruled: Sequence[Ruled]
) -> Iterator[Candidate]:
    """Yield what may be a secret, and what rules found, with its features."""
    ruled = sorted(ruled)
    done: set[Ruled] = set()
    others = _others(text, lowered)
    for start, end in _windows(text, lowered, names, ruled):
        pieces = cut_pieces(text, start, end, names)
        for each in _candidates(text, pieces, names, ruled):
            at = bisect_left(others, (each.start + 1,)) - 1
            if at < 0 or each.start >= others[at][1]:
                done.update(each.ruled)
                yield each
        for rule in _touching(ruled, start, end):
            if rule not in done:
                done.add(rule)
                features = features_of_span(text, pieces, rule)
                yield Candidate(rule.start, rule.end, features, rule.kind, "span", (rule,))


def _others(text: str, lowered: str) -> list[tuple[int, int]]:
    """Return what everybody may read, and answers to puzzles, in order."""
    spans = []
    if "-----BEGIN" in text:
        spans += [match.span() for match in pattern("statements", "public").finditer(text)]
    if "{" in text and any(word in lowered for word in ("ctf", "flag", "htb", "thm")):
        spans += [match.span() for match in pattern("values", "flag").finditer(text)]
    return sorted(spans)


def _touching(ruled: Sequence[Ruled], start: int, end: int) -> Sequence[Ruled]:
    """Return what rules found between two places; `ruled` is in order."""
    first = bisect_left(ruled, start - _WEIGHED_CHARS_MAX, key=_start)
    last = bisect_left(ruled, end, key=_start)
    return [rule for rule in ruled[first:last] if rule.end > start]


def _start(rule: Ruled) -> int:
    return rule.start


def _names_some(text: str, lowered: str, stem: str, names: SecretNames) -> bool:
    """Return whether a stem stands in a word that names a secret, as far as one word tells."""
    place = lowered.find(stem)
    while place >= 0:
        end = lowered.find(" ", place)
        word = text[lowered.rfind(" ", 0, place) + 1 : end if end >= 0 else len(text)]
        word = word.strip(_AROUND)
        if not word.isalpha() or cue_of(word, names):
            return True
        place = lowered.find(stem, place + 1)
    return False


def _windows(
    text: str, lowered: str, names: SecretNames, ruled: Sequence[Ruled]
) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text, in whole lines, where something may be a secret."""
    stems = [s for s in (*stems_of_text(ascii_only=lowered.isascii()), *names.own) if s in lowered]
    hot = pattern("statements", "hot")
    if not (
        ruled or hot.search(lowered) or any(_names_some(text, lowered, s, names) for s in stems)
    ):
        return
    if "\n" not in lowered:
        yield 0, len(lowered)
        return
    begin, at, left = None, 0, 0
    for line in lowered.splitlines(keepends=True):
        named = any(stem in line for stem in stems)
        if named or hot.search(line) or _touching(ruled, at, at + len(line)):
            begin = at if begin is None else begin
            left = max(left, 1 + named)
        if left == 0 and begin is not None:
            yield begin, at
            begin = None
        left = max(0, left - 1)
        at += len(line)
    if begin is not None:
        yield begin, len(lowered)


def _candidates(
    text: str, pieces: Sequence[Piece], names: SecretNames, ruled: Sequence[Ruled]
) -> Iterator[Candidate]:
    cues = [place for place, piece in enumerate(pieces) if piece.cue]
    line = Around.of(text, pieces, 0, cues)
    for place, piece in enumerate(pieces):
        if piece.start >= line.end:
            line = Around.of(text, pieces, place, cues)
        if piece.is_sign or piece.sort == "unspaced" or len(piece.text) < 2:
            continue
        if _FILLER in piece.text:
            continue
        near, shape = _near(cues, place), look_of(piece.text, piece.sort).shape
        mine = [r for r in _touching(ruled, piece.start, piece.end) if _is_same(r, piece)]
        if not mine and not _may_be_secret(pieces, place, near):
            continue
        if _is_of_place(pieces, place):
            continue
        if _is_allowed(pieces, place, names) or (not mine and _is_id(pieces, place, shape)):
            continue
        features = features_of(pieces, place, near, line)
        features += [f for rule in mine for f in _of_rule(rule, shape)] or ["by none"]
        named = near[1] if near[0] is None else near[0]
        kind = "secret" if named is None else _kind(pieces[named])
        certain = _is_certain(pieces, near[0], place, names)
        is_named = named is not None
        sort = class_of(shape)
        sort = "usual" if sort == "word" and is_usual(piece.text) else sort
        yield Candidate(piece.start, piece.end, features, kind, sort, mine, certain, is_named)
    for name, joint in _joints(pieces, cues):
        rest = pattern("statements", "rest").match(text, pieces[joint].end)
        if rest and _are_words(rest[1].split()):
            features = features_of_rest(text, pieces, (name, joint), rest.span(1))
            yield Candidate(*rest.span(1), features, _kind(pieces[name]), "rest")


def _is_certain(pieces: Sequence[Piece], name: int | None, place: int, names: SecretNames) -> bool:
    """Return whether the policy names a value, or a sure name and a sign one that is random."""
    shape = look_of(pieces[place].text, pieces[place].sort).shape
    if shape in {"random", "uuid"} and place > 1 and pieces[place - 1].text in {"=", "%3D"}:
        sensitivity = names.of(pieces[place - 2].text)
        return sensitivity is not None and sensitivity.sure
    return name is not None and pieces[name].cue == "demanded" and place - name < 5


def _are_words(written: Sequence[str]) -> bool:
    is_some = _REST_WORDS_MIN <= len(written) <= _REST_WORDS_MAX
    return is_some and max(map(len, written)) <= _WORD_CHARS_MAX


def _of_rule(rule: Ruled, shape: str) -> list[str]:
    return [f"by {rule.kind}", f"by a {rule.sort}", f"by {rule.kind} {shape}"]


def _is_same(rule: Ruled, piece: Piece) -> bool:
    """Return whether a rule's finding and a piece are the same, but for their ends."""
    shared = min(rule.end, piece.end) - max(rule.start, piece.start)
    return shared * 2 >= max(rule.end - rule.start, piece.end - piece.start)


def _kind(named: Piece) -> str:
    cue = (named.cue or "").strip("~?")
    return _KINDS.get(cue, cue)


def _is_of_place(pieces: Sequence[Piece], place: int) -> bool:
    """Return whether a value opens a door or a safe: people have that remembered.

    One that is no number does only where nothing else names it, such as a password.
    """
    near = pieces[max(0, place - _BEFORE) : place + _BEHIND]
    cues = {(piece.cue or "").strip("~?") for piece in near} - {""}
    text = pieces[place].text
    is_number = not any(map(str.isalpha, text)) and _digits(text) <= _PLACE_DIGITS_MAX
    return "place" in cues and (is_number or cues <= {"place", "code"})


def _is_allowed(pieces: Sequence[Piece], place: int, names: SecretNames) -> bool:
    if not names.allows_some:
        return False
    before = [piece for piece in pieces[max(0, place - 3) : place] if not piece.is_sign]
    return bool(before) and names.allows(before[-1].text)


def _is_id(pieces: Sequence[Piece], place: int, shape: str) -> bool:
    """Return whether a field for an id, `user_id`, holds words and numbers rather than chance."""
    before = [piece for piece in pieces[max(0, place - 4) : place] if not piece.is_sign]
    is_field = bool(before) and not before[-1].cue and not pieces[place - 1].text.isalnum()
    return is_field and class_of(shape) == "mix" and split_name(before[-1].text)[-1:] == ("id",)


def _near(cues: Sequence[int], place: int) -> tuple[int | None, int | None]:
    """Return the nearest words for a secret before and behind a place that are near enough."""
    at = bisect_left(cues, place)
    before = cues[at - 1] if at and place - cues[at - 1] <= _BEFORE else None
    at += at < len(cues) and cues[at] == place
    behind = cues[at] if at < len(cues) and cues[at] - place <= _BEHIND else None
    return before, behind


def _may_be_secret(
    pieces: Sequence[Piece],
    place: int,
    near: tuple[int | None, int | None],
) -> bool:
    """Return whether a piece is worth weighing: plain words are where something joins them."""
    piece, (before, behind) = pieces[place], near
    shape = look_of(piece.text, piece.sort).shape
    sort = class_of(shape)
    is_unnamed = before is None and behind is None
    is_usual = is_unnamed and (sort == "number" or len(piece.text) < _UNNAMED_CHARS_MIN)
    is_name = piece.cue and piece.sort == "word" and shape in _NAMES
    if shape == "none" or is_name or is_usual or _is_called(pieces, place):
        return False
    if sort in _MADE:
        return len(piece.text) >= 4
    is_behind = place > 0 and pieces[place - 1].text.lower() in _OPTIONS
    is_option = is_behind and class_of(shape) != "number"
    if is_unnamed or is_option:
        return is_option or piece.sort == "address"
    if sort == "number" or shape in {"measure", "date", "host"}:
        is_said = shape == "year" and not pieces[place - 1].joins
        return _digits(piece.text) >= 3 and not is_said
    if sort == "phrase" or piece.sort in {"quoted", "address"} or shape in _WRITTEN:
        return piece.sort != "address" or len(piece.text) >= 8
    is_said = piece.text.lower() in stop_words("english")
    return not is_said and _is_beside(pieces, place, near)


def _is_called(pieces: Sequence[Piece], place: int) -> bool:
    """Return whether a word is code: a function that is called, a list of which an item is read."""
    piece, behind = pieces[place], pieces[place + 1 : place + 2]
    opens = bool(behind) and behind[0].start == piece.end and behind[0].text in {"(", "["}
    return opens and piece.sort == "word"


def _is_beside(pieces: Sequence[Piece], place: int, near: tuple[int | None, int | None]) -> bool:
    """Return whether something joins a plain word to a word for a secret."""
    before, behind = near
    is_behind = before is not None and (
        place - before <= 2 or pieces[place - 1].joins or _is_joined(pieces[before + 1 : place])
    )
    return is_behind or (behind is not None and behind - place <= 4)


def _is_joined(gap: Sequence[Piece]) -> bool:
    return len(gap) < 5 and any(
        piece.text != "\n" if piece.is_sign else piece.joins for piece in gap
    )


def _joints(pieces: Sequence[Piece], cues: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield words for a secret, and what joins them to several words behind."""
    for name in cues:
        if (pieces[name].cue or "").strip("~?") not in _OF_WORDS:
            continue
        found = 0
        for joint in range(name + 1, min(name + 1 + _GAP_MAX, len(pieces))):
            piece = pieces[joint]
            is_break = piece.text == "\n"
            is_said = any(not between.is_sign for between in pieces[name + 1 : joint])
            if found == _JOINTS_MAX or (is_break and is_said):
                break
            if piece.cue and piece.sort == "word" and joint > name + 1:
                break  # the next name speaks for what is behind it
            if piece.joins or is_break:
                found += 1
                yield name, joint


@lru_cache(maxsize=8192)
def _digits(text: str) -> int:
    return sum(map(str.isdecimal, text))
