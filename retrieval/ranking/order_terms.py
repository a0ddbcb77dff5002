"""Order among memories that say the same: the current, the last or the first one; repeats.

Statements of one speaker are about the same thing if they match the question nearly equally well,
or are close in meaning; less is enough if a later one tells of a change, or takes something back.
The one that the question asks for is raised above the others by the smallest sufficient amount, and
each trace names the other memory. Feedback "wrong" prevents that. Of texts that are equal except
for case, punctuation and white space, all but the best fall behind everything else; they are still
found by id and in lists.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...core.entries import combined_by_experience, enrichment_keys
from ...core.time import DAY_S
from ...core.types import EntryKind, MemoryRecord
from ...graph.view import Floats, Ints
from ...language.questions.question import ParsedQuestion, joined_stems
from ...language.questions.time_order import (
    StemsOf,
    TimeOrder,
    denies,
    replaces,
    side_told,
    tells_of_change,
)
from ...storage.projections.catalog import Catalog
from ...storage.projections.text_traits import Trait
from ...storage.store import Store
from ..candidates.pool import Pool, SpaceView
from ..candidates.postings import Postings
from ..candidates.query_targets import asker, target_person
from .contributions import Contribution, Evidence, best_first, total
from .formula import ONLY_THEN, first_vectors
from .late_interaction import MaxSimilarities
from .optional_terms import IGNORED_MIN, strength
from .ranking_weights import RankingWeights

_WORD = re.compile(r"\w+")
#: How many of the best of one speaker are compared.
_COMPARED = 30
#: How far above the other statement the one asked for is raised.
_MARGIN = 0.01
#: Up to so many words, a text says one thing; two longer ones are easily alike.
_SHORT = 15
#: Least shares of score and of match of the question's words (the lower of two statements against
#: the higher), and how alike the texts are at least, short and longer, for statements of the same
#: thing: in the same frame, and with a word of change.
_FRAME, _CHANGED = (0.8, 0.85), (0.5, 0.45)
_ALIKE, _ALIKE_LONG, _ALIKE_FRAMED = 0.5, 0.6, 0.4
#: The same for short ones, and where the later one tells of a change, or may tell of what went
#: wrong or take something back; how likely that is.
_ANEW, _ALIKE_ANEW = (0.67, 0.5), 0.55
_ENDS, _ALIKE_TAKEN, _LIKELY = (0.2, 0.2), 0.47, 0.3
#: A change in few words need not be alike, where it matches so much, and so much of what only the
#: earlier one has of the question's words: "moved" for "live", "renamed" for "called".
_BRIEF, _BRIEF_LEAST, _IN_PLACE = (0.5, 0.5), 0.3, 0.5
#: The same for reports of one kind of event.
_EVENT, _ALIKE_EVENT = (0.5, 0.5), 0.3
#: A memory of an event has all of the words that name it; so many, where it is asked what happened.
_EVENT_WORDS = 0.6
#: What came soon after an event: a third is left so many days later.
_SOON_DAYS = 21.0
#: Share of the words that two statements in the same frame have in common (Dice).
_SAME_FRAME = 0.5


@dataclass(frozen=True, slots=True)
class _Statement:
    """A memory of the pool: its place there, its score, and how well it matches the question.

    `matches` are of each word of the question, by how rare it is; `kinds` reads what enrichment
    found that a sentence of it does, and how likely.
    """

    place: int
    score: float
    match: float
    matches: Mapping[str, float]
    memory: MemoryRecord
    kinds: Callable[[], Mapping[str, float]]
    stems: frozenset[str]
    words: frozenset[str]
    joined: frozenset[tuple[str, ...]]
    vector: Floats

    @property
    def when(self) -> tuple[float, int]:
        return self.memory.at.timestamp(), self.memory.seq


def newest(space: SpaceView, question: ParsedQuestion) -> Ints:
    """Return the rows of the newest memories, where a question asks for news and nothing else."""
    if question.order is not TimeOrder.LAST or question.terms:
        return np.zeros(0, np.int64)
    asked, experiences = target_person(space, question), space.view.experiences
    theirs = space.allowed if asked is None else space.allowed & (experiences.person == asked)
    rows = np.flatnonzero(theirs)
    return np.sort(rows[np.lexsort((rows, experiences.at[rows]))][-_COMPARED // 3 :])


def contributions(
    file: Store,
    pool: Pool,
    given: Sequence[Contribution],
    question: ParsedQuestion,
    words: tuple[Postings, MaxSimilarities | None],
    weights: RankingWeights,
) -> list[Contribution]:
    """Return contributions that raise the statements that a question asks for, beyond `given`.

    `words` are those of the question: where they stand, and the nearest to them.
    """
    before = _keywords(pool, given, question, words[0])
    before += _around(file, pool, given, question, words[0], weights)
    return [*before, *_ordered(file, pool, [*given, *before], question, words)]


def _ordered(
    file: Store,
    pool: Pool,
    given: Sequence[Contribution],
    question: ParsedQuestion,
    words: tuple[Postings, MaxSimilarities | None],
) -> list[Contribution]:
    if question.order is None or not len(pool.rows):
        return []
    scores, matches = total(given, len(pool.rows)), _matches(pool, *words)
    if question.order is TimeOrder.LAST and not question.terms:
        places = np.searchsorted(pool.rows, newest(pool.space, question))
        chosen = _statements(file, pool, scores, matches, question, places)
    else:
        best = _best_of_speaker(file, pool, scores, matches, question)
        chosen = _about_the_same(best, question, file.analyser.terms)
    for said in (each for each in given if each.term == "feedback"):
        least = said.unit * strength(0, IGNORED_MIN)
        chosen = [each for each in chosen if said.values[each.place] >= least]
    return _raised(_in_order(chosen, question.order), len(pool.rows), question.order)


def _matches(pool: Pool, postings: Postings, nearest: MaxSimilarities | None) -> dict[str, Floats]:
    """Return how well each memory of a pool itself matches each word of a question.

    By rarity, together 0 to 1; a word that it does not have counts as its nearest one.
    """
    rows_of = dict(zip(postings.terms, postings.rows, strict=True))
    weights = dict(zip(postings.terms, postings.rarity.tolist(), strict=True))
    if nearest is not None and nearest.rows is not None:
        weights = dict(zip(nearest.stems, nearest.weights.tolist(), strict=True))
        compared = np.searchsorted(pool.rows, nearest.rows)
    matches, whole = dict[str, Floats](), max(sum(weights.values()), 1e-9)
    for stem, weight in weights.items():
        value = np.zeros(len(pool.rows))
        if nearest is not None and nearest.rows is not None:
            value[compared] = nearest.at[0][[each == stem for each in nearest.stems]].mean(axis=0)
        value[np.isin(pool.rows, rows_of.get(stem, ()))] = 1.0
        matches[stem] = weight / whole * value
    return matches


def _keywords(
    pool: Pool, given: Sequence[Contribution], question: ParsedQuestion, postings: Postings
) -> list[Contribution]:
    """Put what only asks with the keywords looked for, and its answer, behind what states them."""
    if not question.is_keywords or not len(pool.rows):
        return []
    experiences, rows = pool.space.view.experiences, pool.rows
    has = np.logical_and.reduce([np.isin(np.arange(len(experiences.at)), r) for r in postings.rows])
    asks = has & (experiences.traits & Trait.ASKS > 0)
    answers = has & (experiences.person < 0) & asks[experiences.before] & (experiences.before >= 0)
    scores, idle = total(given, len(rows)), (asks | answers)[rows]
    best = float(scores[has[rows] & ~idle].max(initial=-np.inf))
    behind = np.where(idle & np.isfinite(best), np.minimum(0.0, best - _MARGIN - scores), 0.0)
    return [Contribution("order", Evidence.OWN_WORDS, "only asks with it, or answers that", behind)]


def _around(
    file: Store,
    pool: Pool,
    given: Sequence[Contribution],
    question: ParsedQuestion,
    postings: Postings,
    weights: RankingWeights,
) -> list[Contribution]:
    """Add to memories soon after, or before, an event that the question names, or between two.

    Within three weeks of one, a third is left. What says of itself that it was then counts in full.
    Where a question asks for whatever that was, of nobody, and the event is told in all its words,
    hardly anything counts as much.
    """
    named = zip([name for _, name in question.around], question.event_terms, strict=True)
    told = [_telling(file, pool, given, question, postings, event) for event in named]
    if not all(sides for _, sides in told) or not told:
        return []
    whole = question.happened_around and min(share for share, _ in told) == 1
    unit = ONLY_THEN if whole and not question.people else weights.period
    values = np.full(len(pool.rows), unit * (question.anchored_period is None))
    events, labels, says = list[int](), list[str](), list[int]()
    experiences = pool.space.view.experiences
    at, seqs = experiences.at[pool.rows], experiences.seqs[pool.rows]
    for (after, name), (_, sides) in zip(question.around, told, strict=True):
        event = next((place for place, side in sides.items() if side is None), next(iter(sides)))
        days = (at - at[event]) / DAY_S * (1 if after else -1)
        soon = np.exp(-np.maximum(days, 0) / _SOON_DAYS) if len(told) == 1 else 1.0
        values *= np.where(days >= 0, soon, 0.0)
        says += [place for place, side in sides.items() if side is after]
        events.append(event)
        labels.append(f"{'after' if after else 'before'} “{name}” (@{seqs[event]})")
    values[says] = unit
    near = Contribution("time", Evidence.TIME, " and ".join(labels), values)
    if not question.happened_around:
        return [near]
    values[events] = 0.0  # it is asked for what came then, and not for the event itself
    scores, behind = total([*given, near], len(pool.rows)), np.zeros(len(pool.rows))
    best = float(scores[values > 0].max(initial=-np.inf))
    behind[events] = np.where(
        np.isfinite(best), np.minimum(0.0, best - _MARGIN - scores[events]), 0.0
    )
    return [near, Contribution("order", Evidence.HISTORY, "is what it is asked around", behind)]


def _telling(
    file: Store,
    pool: Pool,
    given: Sequence[Contribution],
    question: ParsedQuestion,
    postings: Postings,
    event: tuple[str, Sequence[str]],
) -> tuple[float, dict[int, bool | None]]:
    """Return the memories that have the words of an event, the best first: a name, and its stems.

    With the share of its words that they have, and whether each says of itself that it was after
    the event, else before; None: neither.
    """
    rows_of, (name, terms) = dict(zip(postings.terms, postings.rows, strict=True)), event
    has = np.sum([np.isin(pool.rows, rows_of.get(term, ())) for term in terms], 0)
    least = _EVENT_WORDS if question.happened_around else 1.0
    if not terms or np.max(has, initial=0) < least * len(terms):
        return 0.0, {}
    scores, places = total(given, len(pool.rows)), np.flatnonzero(has == has.max())
    places = places[np.argsort(-scores[places], kind="stable")][:_COMPARED]
    seqs = pool.space.view.experiences.seqs[pool.rows[places]].tolist()
    told = file.catalog.fetch(pool.space.name, seqs)
    sides = [side_told(told[seq].text, name) for seq in seqs]
    return has.max() / len(terms), dict(zip(places.tolist(), sides, strict=True))


def _best_of_speaker(
    file: Store,
    pool: Pool,
    scores: Floats,
    matches: Mapping[str, Floats],
    question: ParsedQuestion,
) -> list[_Statement]:
    """Return the best that the person asked about says; else who says the best of all."""
    person, order = pool.space.view.experiences.person[pool.rows], best_first(pool.rows, scores)
    asked = target_person(pool.space, question)
    asked = asker(pool.space, question) if asked is None else asked
    speaker = person[order[0]] if asked is None else asked
    places = order[person[order] == speaker][:_COMPARED]
    return _statements(file, pool, scores, matches, question, places)


def _statements(
    file: Store,
    pool: Pool,
    scores: Floats,
    matches: Mapping[str, Floats],
    question: ParsedQuestion,
    places: Ints,
) -> list[_Statement]:
    seqs = pool.space.view.experiences.seqs[pool.rows[places]].tolist()
    memories = file.catalog.fetch(pool.space.name, seqs)
    space, vectors = pool.space, np.zeros((len(places), 1))
    if space.index is not None:
        vectors = first_vectors(space.view, space.index, pool.rows[places], space.fresh).astype(
            np.float64
        )
    return [
        _Statement(
            place,
            float(scores[place]),
            float(sum(values[place] for values in matches.values())),
            {stem: float(values[place]) for stem, values in matches.items()},
            memories[seq],
            partial(_kinds, file, space, memories[seq].id),
            frozenset(file.analyser.terms(memories[seq].text)),
            frozenset(_WORD.findall(memories[seq].text.casefold())),
            frozenset(joined_stems(memories[seq].text, file.analyser) if question.joined else ()),
            vectors[number],
        )
        for number, (place, seq) in enumerate(zip(places.tolist(), seqs, strict=True))
        if seq in memories
    ]


def _kinds(file: Store, space: SpaceView, id: str) -> dict[str, float]:
    """Return what the sentences of a memory do, each kind as likely as that of the likeliest."""
    kind, keys = EntryKind.EXPERIENCE_ENRICHED, enrichment_keys([id])
    entries = file.journal.by_keys(space.name, kind, keys)
    read = combined_by_experience(each.payload for each in entries if each.seq <= space.view.until)
    sentences = read[id].utterances or () if id in read else ()
    return dict(sorted(pair for each in sentences for pair in each.kinds.items()))


def _about_the_same(
    best: Sequence[_Statement], question: ParsedQuestion, stems: StemsOf
) -> list[_Statement]:
    """Return the best statement and those about the same thing."""
    if not best:
        return []
    first, *others = best
    reports = question.order in (TimeOrder.LAST, TimeOrder.FIRST)
    if reports and any(not denies(each.memory.text) for each in best):
        first, *others = [each for each in best if not denies(each.memory.text)]
    same = [first]
    for other in others:
        earlier, later = sorted((first, other), key=lambda each: each.when)
        if _follows(earlier, later, question, stems) or (
            reports
            and _near(first, other, _EVENT, _ALIKE_EVENT, _ALIKE_LONG)
            and _says_in_place(first, other)
        ):
            same.append(other)
    return same


def _follows(
    earlier: _Statement, later: _Statement, question: ParsedQuestion, stems: StemsOf
) -> bool:
    """Return whether the later of two statements is about the same as the earlier."""
    about, linked = {*question.terms}, earlier.stems & later.stems
    asked = earlier.stems & about
    numbers = {stem for stem in asked if any(map(str.isdigit, stem))}
    if not numbers <= later.stems or not earlier.joined & {*question.joined} <= later.joined:
        return False
    if linked and _says_anew(earlier, later, about):
        return True
    if replaces(later.memory.text, linked - about, stems):
        return True
    return (
        len(later.words) <= _SHORT
        and tells_of_change(later.memory.text)
        and (
            _near(earlier, later, _CHANGED, _ALIKE, _ALIKE_LONG)
            or (_is_brief_change(earlier, later, question) and _near(earlier, later, _BRIEF))
        )
    )


def _says_anew(earlier: _Statement, later: _Statement, about: AbstractSet[str]) -> bool:
    """Return whether a later statement says another thing of the same, without a word of change.

    In half of the same words, or with a value of the same kind for the same of the question's
    words; or both are short and so alike that one follows the other, less where it takes back.
    """
    if "?" in earlier.memory.text + later.memory.text:
        return False
    asked, words = earlier.stems & about, len(earlier.words) + len(later.words)
    is_short = max(len(earlier.words), len(later.words)) <= _SHORT
    framed = 2 * len(earlier.words & later.words) >= _SAME_FRAME * words
    if is_short and asked == later.stems & about:
        framed = framed or bool(_values(earlier, later) & _values(later, earlier))
    if framed and asked and asked <= later.stems and _near(earlier, later, _FRAME, _ALIKE_FRAMED):
        return True
    session = earlier.memory.session  # what follows in the same one answers, or goes on
    apart = is_short and (session is None or session != later.memory.session)
    if apart and _near(earlier, later, _ANEW, _ALIKE_ANEW):
        return True
    if not is_short or not _near(earlier, later, _ENDS, _ALIKE_TAKEN):
        return False
    kinds = later.kinds()
    if tells_of_change(later.memory.text) or kinds.get("withdrawal", 0.0) >= _LIKELY:
        return True
    return apart and "setback" in kinds and _likeness(earlier, later) >= _ALIKE_ANEW


def _values(this: _Statement, other: _Statement) -> set[str]:
    """Return of which kinds the values are that one statement has and another has not."""
    _, *words = _WORD.findall(this.memory.text)
    values = [word for word in words if word.casefold() not in other.words]
    kinds = {"number": str.isdigit, "name": str.istitle}
    return {kind for kind, fits in kinds.items() if any(map(fits, values))}


def _is_brief_change(earlier: _Statement, later: _Statement, question: ParsedQuestion) -> bool:
    """Return whether a short statement matches what the earlier one says beyond what both say.

    "My daughter has a new coat now" does not say how old she is. If a question asks for an earlier
    state, a statement with all of its words is enough.
    """
    if question.order is not TimeOrder.NOW and earlier.match == later.match:
        return True
    return _says_in_place(earlier, later, _BRIEF_LEAST)


def _says_in_place(this: _Statement, other: _Statement, least: float = 0.0) -> bool:
    """Return whether another statement has something like each word asked for that it lacks."""
    rest = (other.matches.keys() & this.stems) - other.stems
    said, instead = (sum(each.matches[stem] for stem in rest) for each in (this, other))
    return instead >= max(least, _IN_PLACE * said)


def _near(
    this: _Statement,
    other: _Statement,
    shares: tuple[float, float],
    alike: float = -1.0,
    alike_long: float = -1.0,
) -> bool:
    """Return whether two statements match the question about equally well, and are alike."""
    scores, matches = sorted((this.score, other.score)), sorted((this.match, other.match))
    if scores[0] < shares[0] * scores[1] or scores[0] <= 0 or matches[0] < shares[1] * matches[1]:
        return False
    long = max(len(this.words), len(other.words)) > _SHORT
    return _likeness(this, other) >= (max(alike, alike_long) if long else alike)


def _likeness(this: _Statement, other: _Statement) -> float:
    """Return the cosine of two texts; where one has no vector, their common stems (Dice)."""
    if this.vector.any() and other.vector.any():
        return float(this.vector @ other.vector)
    return 2 * len(this.stems & other.stems) / max(len(this.stems) + len(other.stems), 1)


def _in_order(same: Sequence[_Statement], order: TimeOrder) -> list[_Statement]:
    """Return statements with the one first that is asked for."""
    by_time = sorted(same, key=lambda each: each.when, reverse=order is not TimeOrder.FIRST)
    if order in (TimeOrder.LAST, TimeOrder.FIRST) or len(by_time) < 2:
        return by_time
    wanted = by_time.pop(0 if order is TimeOrder.NOW else 1)
    return [wanted, *sorted(by_time, key=lambda each: -each.score)]


def _raised(ordered: Sequence[_Statement], count: int, order: TimeOrder) -> list[Contribution]:
    """Return contributions that put statements in this order: each above those after it.

    The others lose a little, so that their traces name the one that is asked for.
    """
    given: list[Contribution] = []
    if len(ordered) < 2:
        return given
    wanted, least = ordered[0], -np.inf
    for each in reversed(ordered):
        score = max(least, each.score if each is wanted else each.score - _MARGIN)
        least = score + _MARGIN
        values = np.zeros(count)
        values[each.place] = score - each.score
        label = _label(each, ordered[1] if each is wanted else wanted)
        if each is wanted and order is TimeOrder.NOW:
            label = f"what holds now, {label}"
        given.append(Contribution("order", Evidence.HISTORY, label, values))
    return given


def _label(this: _Statement, other: _Statement) -> str:
    return f"said {'after' if other.when < this.when else 'before'} @{other.memory.seq}"


_WORDS_OF = re.compile(r"\w+")

#: What says the same, in the order of time, by the best of it: sequences of the journal.
Repeats = Mapping[int, Sequence[int]]


def fold(
    pool: Pool,
    given: Sequence[Contribution],
    informativeness: Floats,
    catalog: Catalog,
    limit: int,
) -> tuple[dict[int, list[int]], list[Contribution]]:
    """Return the repeats among the best `limit`, and contributions that put them behind the rest.

    `informativeness` has a value for every row of the view.
    """
    seqs, scores = pool.space.view.experiences.seqs[pool.rows], total(given, len(pool.rows))
    groups = _word_for_word(pool, scores, informativeness, catalog, limit)
    rest, again = np.ones(len(pool.rows), bool), dict[int, list[int]]()
    for group in groups:
        best = max(group, key=lambda place: scores[place])
        again[best] = [place for place in group if place != best]
        rest[again[best]] = False
    lowest, behind = float(np.min(scores[rest], initial=np.inf)) - 1e-6, []
    for best, places in again.items():
        values = np.zeros(len(pool.rows))
        values[places] = np.minimum(0.0, lowest - scores[places])
        label = f"repeats @{seqs[best]} word for word"
        behind.append(Contribution("repeats", Evidence.OWN_WORDS, label, values))
    repeated = {int(seqs[best]): seqs[places].tolist() for best, places in again.items()}
    return repeated, behind


def _word_for_word(
    pool: Pool, scores: Floats, informativeness: Floats, catalog: Catalog, limit: int
) -> list[list[int]]:
    """Return the places of a pool where somebody says the same, each group in the order of time.

    Of the groups that may have one among the best `limit`.
    """
    experiences, rows = pool.space.view.experiences, pool.rows
    numbers = (experiences.person[rows], experiences.words[rows], informativeness[rows].round(9))
    by_number = np.lexsort(numbers)
    is_new = np.logical_or.reduce([np.diff(n[by_number], prepend=np.nan) != 0 for n in numbers])
    group = np.empty(len(rows), np.int64)
    group[by_number] = np.cumsum(is_new) - 1
    sizes = np.bincount(group)
    shown = best_first(rows, scores)[: limit + int((sizes - 1).sum())]
    alike = np.flatnonzero(np.isin(group, group[shown]) & (sizes[group] > 1))
    places = alike[np.lexsort((alike, experiences.at[rows[alike]]))].tolist()
    seqs = experiences.seqs[rows[places]].tolist()
    memories = catalog.fetch(pool.space.name, seqs) if seqs else {}
    same = _groups(_speech(memories.get(seq), seq) for seq in seqs)
    return [[places[number] for number in group] for group in same]


def _speech(memory: MemoryRecord | None, seq: int) -> Hashable:
    """Return who says what, whatever the case and the punctuation."""
    if memory is None:
        return seq
    words = _WORDS_OF.findall(memory.text.casefold())
    return memory.person, memory.role, " ".join(words) or memory.text


def _groups(keys: Iterable[Hashable]) -> list[list[int]]:
    """Return the places of equal keys, of those that there are several of."""
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        groups[key].append(place)
    return [group for group in groups.values() if len(group) > 1]
