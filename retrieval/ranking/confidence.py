"""Confidence: how likely a space answers a question at all, whatever its best memory is.

A logistic function of a few figures of the first memory (`Figures`). It was learned at once on
questions to small memories of thirty people, to notes and chats in seven languages and to long
dialogues; half of them are answered by the first memory, the others by none: they are near the
topic, ask it of somebody else, or lost the memory that answered. The constant is such that of the
questions near the topic of small spaces one in ten is above one half, and of those that the first
memory answers one in twenty is below `recall_result.MAYBE_MIN` (docs/benchmarks.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.ids import fold
from ...language.analyser import is_english
from ...language.counterparts import (
    is_of_other_family,
    lacks_counterpart,
    names_within,
    subjects,
)
from ...language.questions.question import ParsedQuestion
from ...storage.projections.text_traits import Trait
from ...storage.vectors import SCREENED_MIN, Matrix
from ..candidates.pool import Mask, Pool
from ..candidates.postings import Postings
from .late_interaction import MaxSimilarities

#: A memory that matches a question this nearly as well as another one says the same again.
_SAME = 0.02
_MOST, _ALONE_MIN, _ALONE_MAX = 0.6, -0.5, 0.8
#: What the right time is worth, as an exponent: the words that name it are far from any memory's.
_IN_TIME = 0.6
#: The average cosine of a question with what it does not ask for, and how many memories have to
#: be read before their own average counts as much.
_USUAL, _USUAL_COUNT = 0.1, 10
#: Of many memories about so many stand for all.
_SEEN = 1_000
#: Where words were not compared one by one: of (largest cosine, 1).
_MEANING = (17.2, -6.9)
#: Where nothing is embedded: of (largest share of the question's rarity in one place, 1).
_WORDS = (7.8, -2.3)
#: The same where the encoder cannot read the question: in such scripts fewer words are shared.
_UNREADABLE = (4.3, -2.36)
#: So much less sure, where nothing of a space is read yet.
_UNREAD = 0.2
#: At most, where a question names what nobody ever named: a name has no other words.
_UNHEARD = 0.4
#: So near is something in a memory at least that is like what a question is of.
_LIKE = 0.5
#: A question that only names a person who is known: there is nothing to judge it by.
UNDECIDED = 0.5
#: Where only a time is asked for, and something is of it, or nothing.
_OF_TIME, _NOT_OF_TIME = 0.9, 0.2


#: The first memory of an answer: its row, and its text as it is remembered.
Answer = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Basis:
    """The inputs of a comparison: `postings` of the question's terms, `vector` its embedding.

    `matched` are its words as they were compared, `first` the first memory of the answer; None
    without such a comparison.
    """

    postings: Postings
    vector: Matrix | None = None
    matched: MaxSimilarities | None = None
    first: Answer | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of the first memory from which confidence is computed.

    `worst`: the match of the worst-matched word of the question. `most`: the match of all its
    words, at most `_MOST`. `alone`: how much better it fits than any other statement. `said`: the
    person asked about said it, and not as a question; `said_above`: if so, how far its cosine
    stands above the average of the space. `elsewhere`: it is neither by that person nor about them.
    `lacks`: it has no number, name or time, and the question asks for one. `one` is always 1.
    """

    worst: float
    most: float
    alone: float
    said: float
    said_above: float
    elsewhere: float
    lacks: float
    one: float = 1.0


#: The weight of each of them.
WEIGHTS = Figures(3.02, 2.08, 1.72, -0.44, 5.45, -4.38, -2.16, -3.6)


def confidence_of(
    question: ParsedQuestion, pool: Pool, basis: Basis, competence: float = 1.0
) -> float:
    """Return the confidence, 0 to 1, that something in the pool answers the question.

    It is lower by the share of the space that is not read yet. As far as the encoder cannot read
    the question (1 - `competence`), words decide.
    """
    if not len(pool.rows):
        return 0.0
    unread = pool.space.unread / len(pool.similarity)
    sure = competence * _confidence(question, pool, basis)
    if competence < 1:
        sure += (1 - competence) * _logistic(_UNREADABLE, [_covered(pool, basis.postings)])
    sure *= 1 - _UNREAD * unread
    if _names_unheard(question, basis.postings) or _is_of_another(question, basis):
        sure = min(sure, _UNHEARD)
    return max(UNDECIDED, sure) if question.people and not question.terms else sure


def _names_unheard(question: ParsedQuestion, postings: Postings) -> bool:
    """Return whether a question in English names somebody or something that no memory names."""
    if not is_english(question.text):
        return False
    heard = {term for term, rows in zip(postings.terms, postings.rows, strict=True) if len(rows)}
    names = set(names_within(question.text))
    return any(
        question.spell(term) in names
        for term in question.terms
        if term not in heard and term not in question.time_terms
    )


def _is_of_another(question: ParsedQuestion, basis: Basis) -> bool:
    """Return whether the first memory has all words of a question in English but whom it is of.

    "Our cat is called Pixel" for "What is our dog called?": nothing in it is like the dog.
    """
    matched, (row, text) = basis.matched, basis.first or (-1, "")
    if matched is None or matched.rows is None or not is_english(question.text):
        return False
    if is_of_other_family(question.text, text):
        return True
    postings = basis.postings
    has = {t for t, rows in zip(postings.terms, postings.rows, strict=True) if row in rows}
    of, asked_by = subjects(question.text)
    others = {question.spell(t).lower(): t for t in question.terms if t not in has}
    others = {word: stem for word, stem in others.items() if word not in asked_by}
    if len(others) != 1 or not others.keys() & of or row not in matched.rows:
        return False
    pieces = [piece for piece, stem in enumerate(matched.stems) if stem in others.values()]
    at = matched.at[0][pieces][:, matched.rows == row]
    return bool(len(at)) and float(at.max()) < _LIKE


def with_time(sure: float, question: ParsedQuestion, pool: Pool, basis: Basis, then: Mask) -> float:
    """Return a confidence with the times that the question names; `then` is of them.

    Where it asks for a time and nothing else, something is of that time or it is not, unless a
    memory says the time itself.
    """
    if not (question.asks_of_time or question.happened_around):
        return max(sure, _in_time(question, pool, basis, then))
    if then.any():
        return max(sure, _OF_TIME)
    counts = np.zeros(len(then), np.int32)
    for term, rows in zip(basis.postings.terms, basis.postings.rows, strict=True):
        counts[rows] += term in question.time_terms
    says_it = 1 < len(question.time_terms) == counts.max(initial=0)
    return max(sure, _OF_TIME) if says_it else min(sure, _NOT_OF_TIME)


def _in_time(question: ParsedQuestion, pool: Pool, basis: Basis, then: Mask) -> float:
    """Return the confidence in memories of the time that a question names, 0 if there are none.

    Of the question's words without those that name the time: it is matched by `then`.
    """
    matched = basis.matched
    if matched is None or matched.rows is None or not pool.space.has_vectors:
        return 0.0
    of_then = then[matched.rows]
    of_words = np.array([stem not in question.time_terms for stem in matched.stems])
    weights = matched.weights * of_words
    if not weights.any() or not of_then.any():
        return 0.0
    stems = [stem for stem, of in zip(matched.stems, of_words, strict=True) if of]
    asked = MaxSimilarities(
        stems, weights[of_words], {0: matched.at[0][of_words][:, of_then]}, matched.rows[of_then]
    )
    return _judged(_figures(question, pool, asked, basis.first), _IN_TIME)


def _confidence(question: ParsedQuestion, pool: Pool, basis: Basis) -> float:
    matched = basis.matched
    if basis.vector is None or not pool.space.has_vectors:
        return _logistic(_WORDS, [_covered(pool, basis.postings)])
    if matched is None or matched.rows is None or not len(matched.weights):
        return _logistic(_MEANING, [float(pool.similarity[pool.rows].max())])
    return _judged(_figures(question, pool, matched, basis.first))


def _judged(figures: Figures, more: float = 0.0) -> float:
    """Return the confidence by a memory, whose figures are worth so much `more`."""
    for name in Figures.__slots__:
        more += getattr(WEIGHTS, name) * getattr(figures, name)
    return 1 / (1 + math.exp(-more))


def _figures(
    question: ParsedQuestion, pool: Pool, matched: MaxSimilarities, first: Answer | None
) -> Figures:
    """Return the figures of the first memory, or of the nearest where its words were not compared.

    A word is matched as well as the best of its pieces.
    """
    assert matched.rows is not None
    similarity, pieces = pool.similarity[matched.rows], dict[str, list[int]]()
    for piece, stem in enumerate(matched.stems):
        pieces.setdefault(stem, []).append(piece)
    own = np.array([matched.at[0][of_word].max(axis=0) for of_word in pieces.values()])
    counts = np.array([matched.weights[of_word].sum() for of_word in pieces.values()])
    covered = counts / counts.sum() @ own
    fits = covered + similarity
    row, text = first or (-1, "")
    there = np.flatnonzero(matched.rows == row)
    place = int(there[0]) if len(there) else int(np.argmax(fits))
    again = np.abs(own - own[:, [place]]).max(axis=0) < _SAME
    again &= np.abs(similarity - similarity[place]) < _SAME
    alone = float(fits[place] - fits[~again].max(initial=0.0))
    above = float(similarity[place]) - _average(pool)
    text = text if len(there) else ""
    traits, theirs = _of_row(question, pool, int(matched.rows[place]))
    said = theirs and Trait.ENDS_AS_QUESTION not in traits
    named = any(fold(person.name).split()[0] in fold(text) for person in question.people)
    lacks = lacks_counterpart(
        question.text,
        text,
        asks_when=question.asks_when,
        names_time=Trait.NAMES_A_TIME in traits,
    )
    return Figures(
        worst=float(own[:, place].min()),
        most=min(float(covered[place]), _MOST),
        alone=min(max(alone, _ALONE_MIN), _ALONE_MAX),
        said=float(said),
        said_above=above * said,
        elsewhere=float(bool(question.people) and not theirs and not named),
        lacks=float(bool(text) and lacks),
    )


def _of_row(question: ParsedQuestion, pool: Pool, row: int) -> tuple[Trait, bool]:
    """Return the figures of a memory, and whether the person asked about said it."""
    view = pool.space.view
    speaker = int(view.experiences.person[row])
    theirs = speaker >= 0 and view.people[speaker] in {person.id for person in question.people}
    return Trait(int(view.experiences.traits[row])), theirs


def _average(pool: Pool) -> float:
    """Return the average cosine of the question with what the space has; of much, with some."""
    rows = np.flatnonzero(pool.space.visible)
    seen = pool.similarity[rows[:: 1 if len(rows) < SCREENED_MIN else len(rows) // _SEEN]]
    return float((seen.sum() + _USUAL * _USUAL_COUNT) / (len(seen) + _USUAL_COUNT))


def _covered(pool: Pool, postings: Postings) -> float:
    """Return the largest share of the words' rarity that a memory and those beside it have."""
    whole = max(float(postings.rarity.sum()), 1e-9)
    has = np.logical_or.reduce([*pool.having(postings.rows, (0, -1, 1)).values()])
    return float((postings.rarity * postings.share / whole @ has).max())


def _logistic(weights: Sequence[float], figures: Sequence[float]) -> float:
    *factors, constant = weights
    exponent = constant + sum(f * figure for f, figure in zip(factors, figures, strict=True))
    return 1 / (1 + math.exp(-exponent))
