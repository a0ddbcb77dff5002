"""Confidence: how likely a space answers a question at all, whatever its best memory is.

A logistic function of how far the largest cosine of the question with any memory stands above the
average one, and of how well the memory that is nearest matches the word of the question that it
matches worst. Fitted once on small memories of thirty people, on notes and chats in seven
languages, and on long dialogues, on questions that a memory answers and on others (near the topic,
names exchanged, of nobody). One in twenty that the first memory answers is below
`recall_result.MAYBE_MIN` (docs/benchmarks.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...graph.view import Floats
from ...storage.vectors import Matrix
from ..candidates.pool import Mask, Pool
from ..candidates.postings import Postings
from ..query.question import ParsedQuestion
from .late_interaction import MaxSimilarities

#: Weights of (largest cosine above the average one, match of the worst matched word by the nearest
#: memory, 1). A question that is near as a whole and in all its words but one asks for something
#: else of the same topic.
_CLOSE = (5.73, 3.42, -3.08)
#: The average cosine of a question with what it does not ask for, and how many memories have to
#: be read before their own average counts as much.
_USUAL, _USUAL_COUNT = 0.1, 10
#: Where words were not compared one by one: of (largest cosine, 1).
_MEANING = (17.2, -6.9)
#: Where nothing is embedded: of (largest share of the question's rarity in one place, 1).
_WORDS = (7.8, -2.3)
#: The same where the encoder cannot read the question: in such scripts fewer words are shared.
_UNREADABLE = (5.35, -1.08)
#: So much less sure, where nothing of a space is read yet.
_UNREAD = 0.2
#: A question that only names a person who is known: there is nothing to judge it by.
UNDECIDED = 0.5
#: Where only a time is asked for, and something is of it, or nothing.
_OF_TIME, _NOT_OF_TIME = 0.9, 0.2
#: What the right time is worth, as cosine: the words that name it are far from any memory's.
_IN_TIME = 0.1


def confidence_of(
    question: ParsedQuestion,
    pool: Pool,
    postings: Postings,
    vector: Matrix | None,
    matched: MaxSimilarities | None = None,
    competence: float = 1.0,
) -> float:
    """Return the confidence, 0 to 1, that something in the pool answers the question.

    It is lower by the share of the space that is not read yet.

    `postings` are those of the question's terms, `vector` its embedding and `matched` its words as
    they were compared; None where that was not done. As far as the encoder cannot read the
    question (1 - `competence`), words decide.
    """
    if not len(pool.rows):
        return 0.0
    unread = pool.space.unread / len(pool.similarity)
    sure = competence * _confidence(pool, postings, vector, matched)
    if competence < 1:
        sure += (1 - competence) * _logistic(_UNREADABLE, [_covered(pool, postings)])
    sure *= 1 - _UNREAD * unread
    return max(UNDECIDED, sure) if question.people and not question.terms else sure


def with_time(
    sure: float,
    question: ParsedQuestion,
    pool: Pool,
    postings: Postings,
    matched: MaxSimilarities | None,
    then: Mask,
) -> float:
    """Return a confidence with the times that the question names; `then` is of them.

    Where it asks for a time and nothing else, something is of that time or it is not, unless a
    memory says the time itself.
    """
    if not question.asks_of_time:
        return max(sure, _in_time(question, pool, matched, then))
    if then.any():
        return max(sure, _OF_TIME)
    counts = np.zeros(len(then), np.int32)
    for term, rows in zip(postings.terms, postings.rows, strict=True):
        counts[rows] += term in question.time_terms
    says_it = 1 < len(question.time_terms) == counts.max(initial=0)
    return sure if says_it else min(sure, _NOT_OF_TIME)


def _in_time(
    question: ParsedQuestion, pool: Pool, matched: MaxSimilarities | None, then: Mask
) -> float:
    """Return the confidence in what is of the time that a question names, 0 where nothing is.

    Of the question's words without those that name the time: it is matched by `then`.
    """
    if matched is None or matched.rows is None or not pool.space.has_vectors:
        return 0.0
    of_then = then[matched.rows]
    of_words = np.array([stem not in question.time_terms for stem in matched.stems])
    weights = matched.weights * of_words
    if not weights.any() or not of_then.any():
        return 0.0
    own, similarity = matched.at[0][:, of_then], pool.similarity[matched.rows[of_then]]
    stems = [stem for stem, of in zip(matched.stems, of_words, strict=True) if of]
    worst = _worst_match(own[of_words], weights[of_words], similarity, stems)
    return _logistic(_CLOSE, [float(similarity.max()) + _IN_TIME - _average(pool), worst])


def _confidence(
    pool: Pool, postings: Postings, vector: Matrix | None, matched: MaxSimilarities | None
) -> float:
    if vector is None or not pool.space.has_vectors:
        return _logistic(_WORDS, [_covered(pool, postings)])
    cosine = float(pool.similarity[pool.rows].max())
    if matched is None or matched.rows is None or not len(matched.weights):
        return _logistic(_MEANING, [cosine])
    similarity = pool.similarity[matched.rows]
    worst = _worst_match(matched.at[0], matched.weights, similarity, matched.stems)
    return _logistic(_CLOSE, [cosine - _average(pool), worst])


def _average(pool: Pool) -> float:
    """Return the average cosine of the question with what the space has."""
    seen = pool.similarity[pool.space.visible]
    return float((seen.sum() + _USUAL * _USUAL_COUNT) / (len(seen) + _USUAL_COUNT))


def _worst_match(own: Floats, weights: Floats, similarity: Matrix, stems: Sequence[str]) -> float:
    """Return how well the nearest memory matches the word that it matches worst.

    `own` are the matches of each piece in each memory; the nearest is so by these and as a whole.
    A word is matched as well as the best of its pieces.
    """
    best = dict[str, float]()
    for stem, match in zip(stems, own[:, int(np.argmax(weights @ own + similarity))], strict=True):
        best[stem] = max(best.get(stem, 0.0), float(match))
    return min(best.values())


def _covered(pool: Pool, postings: Postings) -> float:
    """Return the largest share of the words' rarity that a memory and those beside it have."""
    whole = max(float(postings.rarity.sum()), 1e-9)
    share: Floats = np.zeros(len(pool.rows))
    for rows, rarity in zip(postings.rows, postings.rarity * postings.share, strict=True):
        has = pool.having(rows, (0, -1, 1))
        share += float(rarity) / whole * np.logical_or.reduce(list(has.values()))
    return float(share.max())


def _logistic(weights: Sequence[float], figures: Sequence[float]) -> float:
    *factors, constant = weights
    exponent = constant + sum(f * figure for f, figure in zip(factors, figures, strict=True))
    return 1 / (1 + math.exp(-exponent))
