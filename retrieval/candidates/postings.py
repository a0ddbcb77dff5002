"""The postings of a question's words: which experiences have them, and how rare each word is.

A word of the question that no memory has is replaced by similar words of the space: written
together or apart, a part of another word, with another ending, or misspelled. Clock times and
telephone numbers have several forms. A substitute counts less the more it differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np
from rapidfuzz.distance import OSA

from ...core.ids import word_id
from ...graph.adjacency import Adjacency
from ...graph.schema import HAS_WORD
from ...graph.view import Floats, GraphView, Ints
from ...language.analyser import Analyser
from ...language.questions.question import ParsedQuestion
from ...models.tokens import is_common
from ...storage.search.term_index import Vocabulary, letters_of, signs_of
from ...storage.sorted_arrays import distinct
from ...storage.store import Store
from .pool import SpaceView, StandIns


@dataclass(frozen=True, slots=True)
class Postings:
    """Where a question's terms occur: rows of experiences by term, and each term's rarity.

    `share` is how much a term counts in each row: less than 1 for a substitute.
    """

    terms: Sequence[str]
    rows: Sequence[Ints]
    rarity: Floats
    share: Floats

    @property
    def absent(self) -> frozenset[str]:
        """The terms that occur nowhere."""
        return frozenset(t for t, rows in zip(self.terms, self.rows, strict=True) if not len(rows))

    def standing_in(
        self, rows: Mapping[str, Ints], share: Mapping[str, float], count: int
    ) -> Postings:
        """Return these postings with those of substitutes, in a space of `count` experiences."""
        if not rows:
            return self
        by_term = {**dict(zip(self.terms, self.rows, strict=True)), **rows}
        everywhere, shares = [*by_term.values()], [share.get(term, 1.0) for term in by_term]
        return Postings([*by_term], everywhere, rarity_of(everywhere, count), np.array(shares))


def rows_of(view: GraphView, seqs: Sequence[int]) -> Ints:
    """Return the rows of experiences by their sequences; those that a view lacks are left out."""
    rows = view.experiences.index_of(np.array(seqs, np.int64))
    return rows[rows >= 0]


def rarity_of(rows: Sequence[Ints], count: int) -> Floats:
    """Return ln(1 + (n - df + .5)/(df + .5)) of terms in df of n experiences each."""
    frequency = np.array([len(of_term) for of_term in rows], np.float64)
    rarity: Floats = np.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
    return rarity


def postings(
    view: GraphView, terms: Sequence[str], nodes: Sequence[int], unread: Sequence[Ints] = ()
) -> Postings:
    """Look up the experiences that have each term; a node of -1 is a term nobody used.

    `unread` are rows that have each term besides, of experiences whose words the view lacks.
    """
    having = view.links(HAS_WORD, outgoing=False)
    rows = [
        view.experience_of[having.of(np.array([node], np.int64)).target]
        if node >= 0
        else np.zeros(0, np.int64)
        for node in nodes
    ]
    if unread:
        rows = [distinct(np.concatenate(both)) for both in zip(rows, unread, strict=True)]
    rarity = rarity_of(rows, len(view.experiences.seqs))
    return Postings(terms, rows, rarity, np.ones(len(terms)))


#: What the same in another form counts, and at most what is only like the word.
_SAME, _LIKE = 0.95, 0.9
#: Words that are looked at, and words that may stand for one.
_COMPARED_MAX, _STAND_MAX = 400, 8
#: Letters that a part has at least, and the share of the longer of two words that begin alike.
_STEM_MIN, _ALIKE_MIN = 4, 0.65
#: Of words of so many letters, one may be wrong, or missing, or two of them exchanged; or two.
_SINGLE_ERROR_MIN, _DOUBLE_ERROR_MIN = 4, 8
#: What stands for a word is at least so near, as a share of the nearest.
_NEAREST = 0.9
#: Words written together that are written apart elsewhere, and the other way round.
_TOGETHER_MAX, _PIECE_MIN = 4, 3
#: By so many last digits, a telephone number is known; shorter numbers are grouped in threes.
_NUMBER_MIN, _THOUSAND = 7, 3
_CLOCK = re.compile(
    r"\b(?P<hour>[01]?\d|2[0-3])(?:[:.h](?P<minute>[0-5]\d))?\s*(?P<half>[ap])\.?m\b"
    r"|\b(?P<hour24>[01]?\d|2[0-3])[:h](?P<minute24>[0-5]\d)\b",
    re.IGNORECASE,
)


def stand_ins(
    text: str,
    absent: frozenset[str],
    vocabulary: Callable[[], Vocabulary],
    is_common: Callable[[str], bool],
    analyser: Analyser,
) -> dict[str, tuple[list[str], float]]:
    """Return the substitutes of a question's words that no memory has, and of clock times.

    `is_common` says whether a word is known: then it is not misspelled, and similar words are
    found by meaning.
    """
    stands = {form: (forms, 1.0) for form, forms in _clock_times(text, analyser)}
    if not absent:
        return stands
    analyser = analyser.of(text)
    words = list(analyser.words(text))
    words_there = vocabulary()
    for place, (surface, stem) in enumerate(words):
        if stem is None or stem not in absent or stem in stands:
            continue
        forms = [
            *_together(words, place, words_there, analyser),
            *_apart(surface, words_there, analyser),
            *_same_number(words, place, words_there),
        ]
        if forms:
            stands[stem] = (forms[:_STAND_MAX], _SAME)
        elif not is_common(surface) and not any(letter.isdigit() for letter in surface):
            like = _like({stem, surface}, words_there)
            if like:
                stands[stem] = ([word for word, _ in like], _LIKE * like[0][1])
    return stands


def _together(
    words: Sequence[tuple[str, str | None]], place: int, vocabulary: Vocabulary, analyser: Analyser
) -> Iterator[str]:
    """Yield a word and its neighbours written together."""
    for count in range(2, _TOGETHER_MAX + 1):
        for start in range(max(0, place - count + 1), place + 1):
            joined = "".join(surface for surface, _ in words[start : start + count])
            terms = analyser.terms(joined) if start + count <= len(words) else []
            if len(terms) == 1 and terms[0] in vocabulary.words:
                yield terms[0]


def _apart(surface: str, vocabulary: Vocabulary, analyser: Analyser) -> Iterator[str]:
    """Yield the phrases that a word is, written apart: fewest words first."""
    readings = islice(_pieces(surface, vocabulary, analyser, _TOGETHER_MAX + 1), _COMPARED_MAX)
    short_number = surface.isdigit() and len(surface) < _NUMBER_MIN
    for pieces in sorted(readings, key=len):
        in_thousands = all(len(piece) == _THOUSAND for piece in pieces[1:])  # 1,249
        if len(pieces) > 1 and (in_thousands or not short_number):
            yield " ".join(pieces)


def _pieces(
    surface: str, vocabulary: Vocabulary, analyser: Analyser, most: int
) -> Iterator[tuple[str, ...]]:
    if not most:
        return
    if len(terms := analyser.terms(surface)) == 1 and terms[0] in vocabulary.words:
        yield (terms[0],)
    has_digits, size = any(letter.isdigit() for letter in surface), len(surface)
    for end in range(1 if has_digits else _PIECE_MIN, size):
        piece = surface[:end]
        terms = analyser.terms(piece)
        if len(terms) == 1 and terms[0] in vocabulary.words:
            yield from (
                (terms[0], *rest) for rest in _pieces(surface[end:], vocabulary, analyser, most - 1)
            )


def _same_number(
    words: Sequence[tuple[str, str | None]], place: int, vocabulary: Vocabulary
) -> Iterator[str]:
    """Yield the numbers that end as the run of digits around a word does."""
    start = end = place
    while start > 0 and words[start - 1][0].isdigit():
        start -= 1
    while end < len(words) and words[end][0].isdigit():
        end += 1
    digits = "".join(surface for surface, _ in words[start:end])
    if len(digits) < _NUMBER_MIN:
        return
    yield from vocabulary.ending(digits[-_NUMBER_MIN:])
    for skipped in range(1, len(digits) - _NUMBER_MIN + 1):
        for zero in ("", "0"):
            for pieces in _digit_groups(zero + digits[skipped:], vocabulary, _TOGETHER_MAX + 1):
                yield " ".join(pieces)


def _digit_groups(digits: str, vocabulary: Vocabulary, most: int) -> Iterator[tuple[str, ...]]:
    if most and digits in vocabulary.words:
        yield (digits,)
    for end in range(2, len(digits) - 1 if most else 0):
        if digits[:end] in vocabulary.words:
            yield from (
                (digits[:end], *rest) for rest in _digit_groups(digits[end:], vocabulary, most - 1)
            )


def _like(forms: Collection[str], vocabulary: Vocabulary) -> list[tuple[str, float]]:
    """Return the words of a space that are most like a word, with how much: 0 to 1.

    `forms` are the word as it is written, and its stem.
    """
    near: dict[str, float] = {}
    for word in forms:
        letters = letters_of(word)
        for other in islice(_comparable(letters, vocabulary), _COMPARED_MAX):
            spelled = letters_of(other)
            wrong = {(word, other), (letters, spelled)}  # the same, where no sign has an accent
            likeness = max(_likeness(letters, spelled), *(_misspelled(*pair) for pair in wrong))
            near[other] = max(near.get(other, 0.0), likeness)
    best = sorted(near.items(), key=lambda item: (-item[1], item[0]))[:_STAND_MAX]
    return [(other, like) for other, like in best if like >= max(_NEAREST * best[0][1], 1e-9)]


def _comparable(word: str, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the words that may be like one: they share their first letters, or the last ones."""
    size = len(word)
    if size >= _STEM_MIN:
        yield from vocabulary.beginning(word)
        yield from vocabulary.ending(word)
        yield from vocabulary.around(word)
    for end in range(size - 1, max(_STEM_MIN, size // 2) - 1, -1):
        for piece in (word[:end], word[size - end :]):
            if piece in vocabulary.words:
                yield piece
    if size >= _SINGLE_ERROR_MIN:
        signs = signs_of(word)  # an error in one leaves one of the halves as it is
        half = max(2, (len(signs) - 1) // 2)
        yield from vocabulary.beginning("".join(signs[:half]))
        yield from vocabulary.ending("".join(signs[-half:]))


def _likeness(word: str, other: str) -> float:
    """Return how much a word is like another: a part of it, or begun alike; 0 to 1."""
    short, long = sorted((word, other), key=len)
    if any(letter.isdigit() for letter in other) or not short:
        return 0.0
    likeness = 0.0
    if len(short) >= _STEM_MIN and (long.startswith(short) or long.endswith(short)):
        likeness = (len(short) / len(long)) ** 0.5
    elif len(word) >= _STEM_MIN and word in other:
        likeness = 0.9 * (len(short) / len(long)) ** 0.5
    same = next(
        (n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short)
    )
    if same >= max(_STEM_MIN, _ALIKE_MIN * len(long)):
        likeness = max(likeness, same / len(long))
    return likeness


def _misspelled(word: str, other: str) -> float:
    """Return what share of a word is right, where another one may be meant; else 0."""
    if any(letter.isdigit() for letter in other):
        return 0.0
    wrong = (len(word) >= _SINGLE_ERROR_MIN) + (len(word) >= _DOUBLE_ERROR_MIN)
    distance = OSA.distance(word, other, score_cutoff=wrong)
    return 1 - distance / len(word) if distance <= wrong else 0.0


def _clock_times(text: str, analyser: Analyser) -> Iterator[tuple[str, list[str]]]:
    """Yield the clock times of a question as one writes them, with their forms as phrases."""
    for match in _CLOCK.finditer(text):
        hour, minute = int(match["hour"] or match["hour24"]), match["minute"] or match["minute24"]
        if match["half"]:
            if not 1 <= hour <= 12:
                continue
            hour = hour % 12 + 12 * (match["half"].lower() == "p")
        minute = minute or "00"
        half, short = "ap"[hour >= 12], (hour - 1) % 12 + 1
        written = [f"{hour}:{minute}", f"{hour:02}:{minute}", f"{hour}h{minute}"]
        if match["half"] or hour >= 13 or hour == 0:
            hours = [f"{short}:{minute}", f"{short:02}:{minute}"] + [f"{short}"] * (minute == "00")
            written += [form for each in hours for form in (f"{each} {half}m", f"{each}{half}m")]
        forms = dict.fromkeys(" ".join(analyser.terms(form)) for form in written)
        yield f"{hour:02}:{minute}", [form for form in forms if " " in form or len(form) > 2]


class WordLookup:
    """Looks words up in the views of a file's spaces, and in their full text."""

    def __init__(self, file: Store, adjacency: Adjacency) -> None:
        self._file = file
        self._adjacency = adjacency

    def postings(self, space: SpaceView, terms: Sequence[str]) -> Postings:
        """Return where terms occur, and how rare each is."""
        ids = [word_id(space.name, term) for term in terms]
        numbers = self._adjacency.numbers(space.name, ids)
        nodes = space.view.nodes_of(np.array([numbers.get(id, -1) for id in ids], np.int64))
        seqs, unread = space.view.experiences.seqs, list[Ints]()
        if len(seqs) and seqs[-1] > space.read:
            unread = [self._having(space, term, space.read) for term in terms]
        everywhere = postings(space.view, terms, nodes.tolist(), unread)
        # What a long memory says in another place than the rest of the question is not said here.
        apart = space.full_text.scattered(terms, everywhere.rarity.tolist())
        rows = [
            np.setdiff1d(having, rows_of(space.view, seqs)) if seqs else having
            for having, seqs in zip(everywhere.rows, apart, strict=True)
        ]
        return replace(everywhere, rows=rows)

    def look_up(self, space: SpaceView, question: ParsedQuestion) -> tuple[SpaceView, Postings]:
        """Return where the words of a question occur, and the space with their substitutes.

        A replay uses the stored substitutes: `space.stand_ins`.
        """
        postings_of_terms = self.postings(space, question.terms)
        given = space.stand_ins
        if given is None:
            given = self._stand_ins(space, question, postings_of_terms.absent)
        rows = {
            term: distinct(np.concatenate([self._having(space, form) for form in forms]))
            for term, (forms, _) in given.items()
        }
        shares = {term: share for term, (_, share) in given.items()}
        count = len(space.view.experiences.seqs)
        return replace(space, stand_ins=given), postings_of_terms.standing_in(rows, shares, count)

    def _stand_ins(
        self, space: SpaceView, question: ParsedQuestion, absent: frozenset[str]
    ) -> StandIns:
        vocabulary = partial(self._file.space(space.name).full_text.vocabulary, space.full_text)
        candidates = stand_ins(question.text, absent, vocabulary, is_common, self._file.analyser)
        there = {
            term: ([form for form in forms if len(self._having(space, form))], share)
            for term, (forms, share) in candidates.items()
        }
        return {term: (forms, share) for term, (forms, share) in there.items() if forms}

    def _having(self, space: SpaceView, form: str, after: int = 0) -> Ints:
        """Return the rows with a term, or with the terms of a phrase next to each other."""
        return rows_of(space.view, space.full_text.phrase(form.split(), after))


def searched_terms(space: SpaceView, question: ParsedQuestion) -> list[str]:
    """Return the terms of a question, and the substitutes of those that no memory has."""
    forms = [form for mine, _ in (space.stand_ins or {}).values() for form in mine]
    return list(dict.fromkeys([*question.terms, *" ".join(forms).split()]))
