"""Spreads the question's words along `NEXT`, from the messages that have them to those around.

An edge is open with a probability: always after a question, often after anything else, less often
backwards. After a long message it is smaller, because the next message is about only part of it. A
word counts once: a message gets the best match in the cluster that open edges connect it with, and
the trace names the message that has this match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...graph.view import Floats
from ...storage.projections.text_traits import Trait
from ...traversal.open_clusters import (
    OFFSETS,
    Clusters,
    drawn_clusters,
    drawn_shares,
    expected_clusters,
    shares,
)
from ..candidates.pool import Pool
from ..candidates.postings import Postings
from .contributions import WORDING, Contribution, Evidence, beside, total
from .late_interaction import FUNCTION_WORD, SPECIAL_TOKEN, MaxSimilarities
from .ranking_weights import RankingWeights

#: How likely an edge to the next message is open: behind a question, behind anything else, and
#: against its direction.
ANSWER, FORWARD, BACKWARD = 1.0, 0.75, 0.6
#: A message of more words has so much less of its share in what comes after it.
_WORDS_WHOLE = 80
#: What has no session gets so much more than the others gain by theirs on average, and such a share
#: more of what it is worth by itself: nothing else tells of it.
_UNKNOWN, _OWN_SHARE = 0.3, 0.2


@dataclass(frozen=True, slots=True)
class Chains:
    """Which clusters of messages around those of a pool are open: drawn so often, if `draws`."""

    pool: Pool
    clusters: Clusters
    draws: int = 0

    def closed(self) -> Chains:
        """Return the same messages with all edges closed: each has only its own words."""
        return Chains(self.pool, {(0, 0): np.ones(len(self.pool.rows))})

    def spread(self, values: Mapping[int, Floats]) -> dict[int, tuple[Floats, Floats | None]]:
        """Return what each message of the pool gets from those around it, by offset, with errors.

        `values` are matches of a word, 0 to 1, in the messages around; their last axis is the pool.
        """
        if self.draws:
            return {**drawn_shares(values, self.clusters, self.draws)}
        return {offset: (value, None) for offset, value in shares(values, self.clusters).items()}


def chains(pool: Pool, draws: int = 0) -> Chains:
    """Return the clusters around the messages of a pool: expected, or from random draws."""
    traits, words = (getattr(pool.space.view.experiences, of) for of in ("traits", "words"))
    rows = {offset: pool.neighbours(offset) for offset in OFFSETS}
    asks = {offset: (traits[rows[offset]] & int(Trait.ASKS)) > 0 for offset in (-1, -2)}
    there = {offset: rows[offset] >= 0 for offset in OFFSETS}
    before: list[Floats] = [
        np.where(asks[o], ANSWER, FORWARD)
        * there[o]
        * _WORDS_WHOLE
        / np.maximum(words[rows[o]], _WORDS_WHOLE)
        for o in (-1, -2)
    ]
    after: list[Floats] = [BACKWARD * there[o].astype(np.float64) for o in (1, 2)]
    if not draws:
        return Chains(pool, expected_clusters(before, after))
    random = np.random.default_rng(pool.space.random_seed)
    # An edge is named by the message that it leads to.
    edges = ([rows[0], rows[-1]], [rows[1], rows[2]])
    return Chains(pool, drawn_clusters(before, after, edges, draws, random), draws)


def words(
    given: Chains, postings: Postings, weights: RankingWeights, lexical_confidence: float
) -> list[Contribution]:
    """Add each term of the question by its rarity, from the messages that have it."""
    pool, total = given.pool, float(postings.rarity.sum())
    if total <= 0 or not weights.words or not len(pool.rows):
        return []
    at = {o: has.astype(np.float64) for o, has in pool.having(postings.rows, OFFSETS).items()}
    spread, contributions = given.spread(at), list[Contribution]()
    for place, term in enumerate(postings.terms):
        rarity = float(postings.rarity[place] * postings.share[place])
        unit = lexical_confidence * weights.words * rarity / total
        of_term = {
            offset: (values[place], None if error is None else error[place])
            for offset, (values, error) in spread.items()
        }
        contributions += _beside(given, of_term, unit, "says", term)
    return contributions


def token_match(
    given: Chains,
    max_similarities: MaxSimilarities,
    weights: RankingWeights,
    lexical_confidence: float,
) -> list[Contribution]:
    """Give each word of the question by its rarity, from the nearest word around."""
    spread = given.spread(max_similarities.at)
    contributions = []
    for stem in dict.fromkeys(max_similarities.stems):
        pieces = np.array([s == stem for s in max_similarities.stems])
        counts = max_similarities.weights[pieces]
        of_stem = {
            offset: (counts @ values[pieces], None if error is None else counts @ error[pieces])
            for offset, (values, error) in spread.items()
        }
        unit = lexical_confidence * weights.token_match
        contributions += _beside(given, of_stem, unit, "says something like", stem)
    return contributions


def phrased(
    given: Chains,
    max_similarities: MaxSimilarities,
    weights: RankingWeights,
    lexical_confidence: float,
) -> list[Contribution]:
    """Add by the nearness of neighbouring words to a question in the first person, unweighted.

    A text near to "what did I do" says what somebody did, whatever its content words are. In the
    memory itself, function words count too; a text near to the question as a whole repeats it and
    answers nothing. Every text is near to some degree, so the average of all is subtracted.
    """
    kinds = np.array(list(max_similarities.stems))
    own, words = max_similarities.at[0], kinds != SPECIAL_TOKEN
    if not (weights.phrased_around or weights.phrased or weights.echo) or not words.any():
        return []
    at = {offset: values[words] for offset, values in max_similarities.at.items()}
    spread = {
        offset: (values.mean(axis=0), None if error is None else error.mean(axis=0))
        for offset, (values, error) in given.spread(at).items()
    }
    unit = lexical_confidence * weights.phrased_around
    around = [c for c in _beside(given, spread, unit, WORDING, None) if c.offset]
    here, error = spread[0]
    value = unit * here
    if (functions := kinds == FUNCTION_WORD).any():
        near = own[functions].mean(axis=0, dtype=np.float64)
        value = value + lexical_confidence * weights.phrased * near
    value = value - total([*around, Contribution("", Evidence.FORM, "", value)], len(value)).mean()
    if error is not None:  # what is taken away was drawn as well
        drawn = sum((c.error for c in around if c.error is not None), unit * error)
        error = np.hypot(unit * error, np.linalg.norm(drawn) / len(value))
    contributions = [
        Contribution("words", Evidence.OWN_WORDS, WORDING, value, error=error),
        *around,
    ]
    if (marks := kinds == SPECIAL_TOKEN).any():
        near = own[marks].mean(axis=0, dtype=np.float64)
        value = lexical_confidence * weights.echo * (near - near.mean())
        contributions.append(
            Contribution("words", Evidence.OWN_WORDS, "repeats the question", value)
        )
    return contributions


def _beside(
    given: Chains,
    spread: Mapping[int, tuple[Floats, Floats | None]],
    unit: float,
    label: str,
    stem: str | None,
) -> list[Contribution]:
    """Return the contributions from each neighbouring message that are not empty."""
    contributions = []
    for offset, (values, error) in spread.items():
        if values.any():
            deviation = None if error is None else unit * error
            value = unit * values
            contributions.append(
                beside(given.pool, offset, "words", label, value, stem=stem, error=deviation)
            )
    return contributions


def missing(
    pool: Pool, contributions: Sequence[Contribution], alone: Callable[[], Sequence[Contribution]]
) -> list[Contribution]:
    """Add to memories without a session as much as the others gain by theirs on average.

    An unknown session is no reason to prefer another memory. `contributions` are those that
    a session has a part in, `alone` returns the same as each memory would get them by itself.
    """
    has = pool.space.view.experiences.session[pool.rows] >= 0
    if has.all() or not has.any():
        return []
    by_itself = total(alone(), len(has))
    gain = total(contributions, len(has)) - by_itself
    usual = gain[has].mean() - gain[~has].mean() + _UNKNOWN
    value = usual + _OWN_SHARE * (by_itself - by_itself[has].mean())
    label = "no session is known: as others gain by theirs"
    return [Contribution("session", Evidence.SESSION, label, np.where(has, 0.0, value))]
