"""The ranking formula: one function for each mechanism, which returns contributions to a pool.

The default profile is the additive formula of docs/recall.md. What a memory gets from its session,
from a neighbour in it, or from a shared word is a contribution along that edge. The context of a
message is its vector plus half of each neighbour's: the cosine with that sum is the sum of three
cosines divided by the length of the sum, which does not depend on the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...graph.schema import HAS_WORD
from ...graph.view import Experiences, Floats, GraphView, Ints
from ...language.questions.periods import Period
from ...language.questions.question import ParsedQuestion
from ...storage.projections.text_traits import Trait
from ...storage.sorted_arrays import distinct, places
from ...storage.vectors import Matrix, VectorIndex
from ..candidates.activation import ActivationResult
from ..candidates.pool import Cosines, FreshVectors, Mask, Pool
from ..candidates.postings import Postings
from ..candidates.query_targets import day_match, month_match, period_match
from .contributions import Contribution, Evidence, beside, scattered, total
from .ranking_weights import RankingWeights

_NEIGHBOUR = 0.5


def norms(pool: Pool) -> Floats:
    """Return |e + ½ before + ½ after| for each row of a pool; 1 without a vector.

    Neighbours that are not visible do not count. Where all are, they are kept for other questions.
    """
    space = pool.space
    usual = bool(space.visible.all()) and space.fresh is None
    lengths = space.norms[pool.rows] if usual else np.full(len(pool.rows), np.nan)
    new = np.isnan(lengths)
    if new.any() and space.index is not None:
        rows = [of[new] for of in (pool.rows, pool.neighbours(-1), pool.neighbours(1))]
        every = distinct(np.concatenate(rows))  # -1, which has no vector, may be the first
        vectors = first_vectors(space.view, space.index, every, space.fresh)
        own, before, after = (vectors[np.searchsorted(every, some)] for some in rows)
        summed = own + _NEIGHBOUR * (before + after)
        found = np.sqrt(np.einsum("ij,ij->i", summed, summed))
        lengths[new] = np.where(found > 0, np.maximum(found, 1e-6), 1.0)
    if usual:
        space.norms[pool.rows] = lengths
    return lengths


def first_vectors(
    view: GraphView, index: VectorIndex, rows: Ints, fresh: FreshVectors | None = None
) -> Matrix:
    """Return the first vector of each row's experience; zeros for -1 and without a vector."""
    rows_of = index.places(view.experiences.seqs[rows])
    rows_of = np.where(rows >= 0, rows_of, -1)
    vectors: Matrix = np.zeros((len(rows), index.rows.shape[1]), np.float32)
    if len(index.starts):
        vectors = index.rows[index.starts[rows_of]] * (rows_of >= 0)[:, None]
    if fresh is not None:
        there = places(fresh.rows, rows)
        vectors[there >= 0] = fresh.vectors[there[there >= 0]]
    return vectors


#: BM25 over whole sessions, and the raw score that counts as one.
_K1, _B, _SESSION_UNIT = 1.2, 0.6, 10.0
_WORDS_LONG = 60
#: So near its first or last message a session is going on, seconds.
_ABOUT_S = 120
#: A longer text has so many words a passage that no other one shares.
_WORDS_PASSAGE = 128
#: What nothing else of a question outweighs; of a time that was named without a year, those of the
#: years before the last have a little less.
ONLY_THEN, _YEARS_BEFORE, _A_YEAR_S = 14.0, 0.5, 300 * 86_400
#: The cosine of a sentence's vector, as a share of that of the mean of its words' (measured).
_SENTENCE = 0.73
#: What an identifier counts for that stands in a memory part by part.
_JOINED = 3.0
#: Experiences sampled for the 90th percentile of information in a space.
_SAMPLE = 512


def estimate_lexical_confidence(
    pool: Pool, question: ParsedQuestion, postings: Postings, competence: float
) -> float:
    """Return G in [0, 1]: how far words can be trusted for this question.

    1 when it names somebody; else by the largest fraction of its rarity in one place. What the
    encoder cannot read is left to words.
    """
    if question.people:
        return 1.0
    best = _covered(pool, postings)
    return float(np.clip(max((best - 0.20) / 0.25, 2 * (1 - competence)), 0.0, 1.0))


def _covered(pool: Pool, postings: Postings) -> float:
    """Return the largest share of the rarity that one place covers.

    Two thirds of it by a memory and the one before, a third by those and the one after.
    """
    total = float(postings.rarity.sum())
    if total <= 0 or not len(pool.rows):
        return 0.0
    has = pool.having(postings.rows, (0, -1, 1))
    here = has[0] | has[-1]
    shares = postings.rarity * postings.share / total
    return float((shares @ (2.0 * here + (here | has[1])) / 3).max())


def meaning(
    pool: Pool, weights: RankingWeights, lexical_confidence: float, competence: float
) -> list[Contribution]:
    """Cosine with the question, alone and in the context of the neighbouring messages.

    In context: cos(q, e + ½ before + ½ after), which splits into what each of the three gives. All
    count as far as the encoder can read the question.
    """
    space = pool.space
    if space.index is None or not len(pool.rows) or not competence:
        return []
    norm, in_context = norms(pool), competence * weights.meaning_in_context
    own: Floats = pool.similarity[pool.rows].astype(np.float64)
    contributions = [
        Contribution("meaning", Evidence.MEANING, label, values)
        for label, values in _by_vector_source(pool, in_context * own / norm)
    ]
    for offset in (-1, 1):
        value = in_context * 0.5 * pool.at(pool.similarity, offset) / norm
        contributions.append(beside(pool, offset, "meaning", "is close", value))
    if lexical_confidence < 1:
        alone = competence * (1 - lexical_confidence) * weights.meaning_alone * own
        contributions.append(
            Contribution("meaning", Evidence.MEANING, "close in meaning by itself", alone)
        )
    return contributions


def own_meaning(
    pool: Pool, weights: RankingWeights, lexical_confidence: float, competence: float
) -> Contribution:
    """Cosine with the question, as if no message stood beside any."""
    weight = weights.meaning_in_context + (1 - lexical_confidence) * weights.meaning_alone
    value: Floats = competence * weight * pool.similarity[pool.rows].astype(np.float64)
    return Contribution("meaning", Evidence.MEANING, "close in meaning", value)


def nearest_sentence(
    nearer: Floats, weights: RankingWeights, lexical_confidence: float, competence: float
) -> Contribution:
    """Give for the nearest sentence of a long text, whose passage's vector is diluted by others.

    `nearer` is by how much it is nearer to the question than by chance. Where words are trusted,
    they find the sentence.
    """
    weight = competence * (1 - lexical_confidence) * weights.meaning_alone
    label, values = "a sentence of it is close in meaning", weight * _SENTENCE * nearer
    return Contribution("meaning", Evidence.MEANING, label, values)


def _by_vector_source(pool: Pool, values: Floats) -> list[tuple[str, Floats]]:
    """Return two contributions: to those that a vector source names, and to the others."""
    candidates, label = pool.space.candidates, "close in meaning"
    if candidates is None:
        is_screened = isinstance(pool.similarity, Cosines)
        return [(f"{label}, past the screen" if is_screened else label, values)]
    seqs = pool.space.view.experiences.seqs[pool.rows]
    named = np.isin(seqs, np.array(candidates.seqs, np.int64))
    return [
        (f"{label}, a candidate of {candidates.source}", np.where(named, values, 0.0)),
        (label, np.where(named, 0.0, values)),
    ]


def bm25_by_word(pool: Pool, postings: Postings) -> list[Contribution]:
    """Give each memory its BM25, shared by rarity among the question's terms that it has."""
    bm25: Floats = pool.words[pool.rows]
    stems = zip(postings.terms, postings.rows, postings.rarity, strict=True)
    has = {term: rarity * np.isin(pool.rows, rows) for term, rows, rarity in stems}
    sum_ = np.sum([np.zeros(len(bm25)), *has.values()], axis=0)
    unit = np.divide(bm25, sum_, out=np.zeros(len(bm25)), where=sum_ > 0)
    rest = np.where(sum_ > 0, 0.0, bm25)
    return [
        *(Contribution("words", Evidence.OWN_WORDS, "says", has[t] * unit, stem=t) for t in has),
        Contribution("words", Evidence.OWN_WORDS, "the question's words", rest),
    ]


def merge_reranked(
    far: Sequence[Contribution], near: Sequence[Contribution], places: Ints, count: int
) -> list[Contribution]:
    """Return the contributions to a pool of `count`, of which those at `places` were reranked.

    The others come after them: what that takes from them is a contribution too.
    """
    sources: dict[int, Ints] = {}  # most are the same few arrays
    for given in near:
        if given.source is not None and id(given.source) not in sources:
            sources[id(given.source)] = scattered(given.source, places, count, -1)
    close = np.zeros((len(near), count))
    close[:, places] = np.reshape([given.values for given in near], (len(near), len(places)))
    contributions = [
        given.moved(
            values,
            sources.get(id(given.source)),
            None if given.error is None else scattered(given.error, places, count),
        )
        for given, values in zip(near, close, strict=True)
    ]
    rest = np.ones(count, bool)
    rest[places] = False
    if not rest.any():
        return contributions
    others = np.reshape([given.values for given in far], (len(far), count))
    others[:, places] = 0.0
    contributions += [
        given.moved(values, given.source, given.error)
        for given, values in zip(far, others, strict=True)
        if values.any()
    ]
    lowest = float(np.min(total(near, len(places)), initial=np.inf))
    highest = float(np.max(total(far, count)[rest]))
    behind = min(0.0, lowest - highest - 1e-6)
    contributions.append(
        Contribution(
            "form", Evidence.FORM, "was not looked at closely", np.where(rest, behind, 0.0)
        )
    )
    return contributions


def pairs(
    pool: Pool, rows_of_pairs: Sequence[Ints], weights: RankingWeights, lexical_confidence: float
) -> list[Contribution]:
    """Adjacent words of the question that are adjacent in the memory; two pairs count in full."""
    if not rows_of_pairs:
        return []
    counts = np.zeros(len(pool.similarity), np.int32)
    for rows in rows_of_pairs:
        counts[rows] += 1
    value = lexical_confidence * weights.pairs * np.minimum(counts[pool.rows], 2) / 2
    return [Contribution("words", Evidence.OWN_WORDS, "words stand together as asked", value)]


def joined(pool: Pool, rows_of_joined: Sequence[Ints]) -> list[Contribution]:
    """Give to memories that have an identifier of several parts (3-14) as the question has it."""
    if not rows_of_joined:
        return []
    counts = np.zeros(len(pool.similarity), np.int32)
    for rows in rows_of_joined:
        counts[rows] += 1
    value = _JOINED * counts[pool.rows] / len(rows_of_joined)
    return [Contribution("words", Evidence.OWN_WORDS, "has the number as it is asked for", value)]


def matches(
    pool: Pool, weights: RankingWeights, lexical_confidence: float, competence: float
) -> list[Contribution]:
    """BM25 of the memory by itself, as a share of the best of all.

    Where the encoder cannot read the question, it stands in for all that compares meanings.
    """
    best = float(pool.words.max(initial=0.0))
    weight = lexical_confidence * weights.matches + weights.matches_unread * (1 - competence) ** 4
    if not weight or best <= 0:
        return []
    value = weight * pool.words[pool.rows] / best
    return [Contribution("words", Evidence.OWN_WORDS, "matches the words asked for (BM25)", value)]


def session(
    pool: Pool,
    postings: Postings,
    weights: RankingWeights,
    lexical_confidence: float,
    draws: int = 0,
) -> list[Contribution]:
    """BM25 of the whole session (k1 1.2, b .6), for what one message leaves unsaid.

    Said n times, a word arrives at its session with probability n / (n + k): expected, or drawn so
    often; then each value has its standard error.
    """
    experiences = pool.space.view.experiences
    count, lengths = len(pool.space.view.sessions), pool.space.session_words
    if not count or not len(pool.rows):
        return []
    mine, given = pool.space.during[pool.rows], list[Contribution]()
    own, then = experiences.session[pool.rows] >= 0, np.zeros(len(pool.rows))
    weight = lexical_confidence * weights.session_words / _SESSION_UNIT
    random = np.random.default_rng([pool.space.random_seed, count])
    long = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1e-9))
    for term, rows, share in zip(postings.terms, postings.rows, postings.share, strict=True):
        where = experiences.session[rows]
        often = np.bincount(where[where >= 0], minlength=count).astype(np.float64)
        holding = np.count_nonzero(often)
        rarity = np.log(1 + (count - holding + 0.5) / (holding + 0.5))
        arrives = often / np.maximum(often + long, 1e-9)
        unit, error = weight * share * rarity * (_K1 + 1), None
        if draws:
            arrives = random.binomial(draws, arrives) / draws
            deviation = unit * np.sqrt(arrives * (1 - arrives) / draws)
            error = np.where(mine >= 0, deviation[mine], 0.0)
        value = np.where(mine >= 0, (unit * arrives)[mine], 0.0)
        then += np.where(own, 0.0, value)
        value = np.where(own, value, 0.0)
        said = Contribution("session", Evidence.SESSION, "session says", value, "IN_SESSION")
        given.append(replace(said, error=error, stem=term))
    label = "the session that was going on says"
    return [*given, Contribution("session", Evidence.SESSION, label, then)] if then.any() else given


def priors(
    pool: Pool, information: Floats, weights: RankingWeights, lexical_confidence: float
) -> list[Contribution]:
    """Give by the form of a message: rare words, asking back, length.

    The best of k passages is by chance √(2 ln k) above the average (of values that are normally
    distributed, and for large k), so a long text is compared with a short one as if it were one.
    """
    experiences = pool.space.view.experiences
    traits = experiences.traits[pool.rows]
    words = experiences.words[pool.rows]
    length = np.minimum(words, _WORDS_LONG) / _WORDS_LONG
    by_chance = np.sqrt(2 * np.log(np.maximum(words / _WORDS_PASSAGE, 1.0)))
    return [
        Contribution("form", Evidence.FORM, label, lexical_confidence * weight * values)
        for label, weight, values in (
            ("says much", weights.information, information),
            ("asks back", weights.asks_back, _has(traits, Trait.ENDS_AS_QUESTION)),
            ("is long", weights.length, length),
            ("is the best of many passages", weights.passages, by_chance),
        )
    ]


def times(
    pool: Pool, question: ParsedQuestion, periods: Sequence[Period], weights: RankingWeights
) -> list[Contribution]:
    """Add to memories that name a time, if the question asks when, and to those of named times."""
    experiences = pool.space.view.experiences
    fits: list[tuple[str, Floats]] = []
    if question.asks_when:
        timed = _has(experiences.traits[pool.rows], Trait.NAMES_A_TIME)
        fits.append(("names a time, as asked", weights.when * timed))
    at = experiences.at[pool.rows]
    for named in question.dates:
        fits.append(("happened in that month", weights.month * month_match(named, at)))
        if named.day is not None:
            near = weights.day * day_match(named, at)
            fits.append(("happened on or near that day", near))
    fits += [
        (f"happened “{period.label}”", weights.period * period_match(period, at))
        for period in periods
    ]
    return [Contribution("time", Evidence.TIME, label, values) for label, values in fits]


def only_then(pool: Pool, question: ParsedQuestion, then: Mask) -> list[Contribution]:
    """Add to memories of the time that a question asks for, if it asks for nothing else.

    They rank above everything else. Of a recurring time, the last occurrence counts most.
    """
    if not question.asks_of_time or not then.any():
        return []
    at = pool.space.view.experiences.at
    latest = np.where(at > at[then].max() - _A_YEAR_S, 1.0, _YEARS_BEFORE)
    values = (ONLY_THEN * latest * then)[pool.rows]
    return [Contribution("time", Evidence.TIME, "is of the time asked for", values)]


def _has(traits: Ints, trait: Trait) -> Floats:
    return ((traits & int(trait)) > 0).astype(np.float64)


def information(view: GraphView, rows: Ints) -> Floats:
    """Return the summed rarity ln(1 + n/df) of each experience's words."""
    words = view.links(HAS_WORD).of(view.experiences.node[rows])
    degree = view.links(HAS_WORD, outgoing=False).degrees(words.target)
    count = len(view.experiences.seqs)
    rarity = np.log(1 + (count - degree + 0.5) / (degree + 0.5))
    total: Floats = np.bincount(words.position, rarity, minlength=len(rows)).astype(np.float64)
    return total


def information_high(view: GraphView, read: int) -> float:
    """Return the 90th percentile of `information` over a space, from rows spread evenly over it.

    Over those up to the sequence `read`, whose words are in the view. A function of the view and
    of that alone, so that every process gives the same scores.
    """
    count = int(np.searchsorted(view.experiences.seqs, read, side="right"))
    rows = distinct(np.linspace(0, max(count - 1, 0), min(count, _SAMPLE)).astype(np.int64))
    return quantile(information(view, rows), 0.9) if count else 1.0


def quantile(values: Floats, share: float) -> float:
    """Return a quantile bit by bit as `np.quantile`, which would load all of `np.ma`."""
    ordered, place = np.sort(values), (len(values) - 1) * share
    low, above = int(place), place - int(place)
    start, end = ordered[low], ordered[min(low + 1, len(ordered) - 1)]
    step = end - start
    return float(end - step * (1 - above) if above >= 0.5 else start + step * above)


def session_lengths(view: GraphView) -> Floats:
    """Return the words of each session."""
    experiences, count = view.experiences, len(view.sessions)
    inside = experiences.session >= 0
    words, session = experiences.words[inside], experiences.session[inside]
    total: Floats = np.bincount(session, words, minlength=count).astype(np.float64)
    return total


def sessions_then(experiences: Experiences, count: int) -> Ints:
    """Return the session of each experience; without one, the only session that was going on then.

    -1 where none was, or several were.
    """
    at, session = experiences.at, experiences.session
    has = session >= 0
    if has.all() or not has.any():
        return session
    begin, end = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(begin, session[has], at[has])
    np.maximum.at(end, session[has], at[has])
    known = distinct(session[has])
    begun, over = known[np.argsort(begin[known])], known[np.argsort(end[known])]
    first = np.searchsorted(begin[begun], at + _ABOUT_S, side="right")
    last = np.searchsorted(end[over], at - _ABOUT_S, side="left")
    # Of one that has begun and is not over, the numbers of all begun less those over is its own.
    numbers = [np.cumsum([0, *each.tolist()]) for each in (begun, over)]
    return np.where(
        has, session, np.where(first - last == 1, numbers[0][first] - numbers[1][last], -1)
    )


def walk(
    pool: Pool, activation: ActivationResult | None, weights: RankingWeights
) -> list[Contribution]:
    """Give the signal with which the source's walk arrived."""
    if activation is None or not len(activation.rows):
        return []
    kind = ("activation", Evidence.TOPIC, "recalled by a walk")
    values = weights.walk * activation.at(pool.rows)
    return [Contribution(*kind, values, paths=activation.paths, unit=weights.walk)]
