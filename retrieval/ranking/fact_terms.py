"""The current fact before the superseded one, where a question asks for the present.

Where a fact that a question is about was superseded, the memory of the current fact is raised above
the memory of the earlier one. Nothing is taken from any memory, and a question that names a time,
or asks in the past, is not changed. English only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from ...core.entries import FactSuperseded
from ...core.facts import Fact, fold_facts
from ...core.types import EntryKind
from ...storage.store import Store
from ..candidates.pool import Pool
from ..query.question import ParsedQuestion
from .contributions import Contribution, Evidence, total

#: How far above the earlier statement the later one is raised.
_MARGIN = 0.01
#: When something was learned does not matter here.
_UNDATED = datetime.min.replace(tzinfo=UTC)
#: Words that ask for a predicate, besides those of its own name.
_ASKED_BY: Mapping[str, str] = {
    "lives_in": "lives home city town country address based resides",
    "works_at": "works job employer employed company",
    "works_as": "works job profession occupation living career",
    "studies": "studies studying subject major",
    "studies_at": "studies studying school college university",
    "age": "age old years",
    "marital_status": "married single relationship engaged divorced",
    "partner": "partner boyfriend girlfriend husband wife dating married",
    "boss": "boss manager",
    "diet": "diet eats vegetarian vegan",
}


@dataclass(frozen=True, slots=True)
class Succession:
    """A fact that ended and the one that holds since, by the rows of the memories that state them.

    `seq` is the journal sequence of the earlier memory, `text` the later fact.
    """

    earlier: int
    later: int
    seq: int
    text: str


def successions(file: Store, pool: Pool, question: ParsedQuestion) -> list[Succession]:
    """Return the facts that a question asks for and that others superseded, oldest first.

    None where it does not ask for now. The earlier memory is in the pool, the later may join it.
    """
    if not question.asks_now:
        return []
    journal, space = file.journal, pool.space
    ends = [
        entry.payload
        for entry in journal.of_kind(space.name, EntryKind.FACT_SUPERSEDED)
        if entry.seq <= space.view.until and isinstance(entry.payload, FactSuperseded)
    ]
    ids = {id for end in ends for id in (end.fact, end.by_fact) if id}
    asserted = journal.by_keys(space.name, EntryKind.FACT_ASSERTED, sorted(ids))
    payloads = [*(entry.payload for entry in asserted), *ends]
    facts = fold_facts((payload, _UNDATED) for payload in payloads)
    pairs = [(old, _latest(old, facts)) for old in facts.values() if _is_asked(old, question, file)]
    pairs = [(old, new) for old, new in pairs if new.experience != old.experience]
    stated_in = [fact.experience for pair in pairs for fact in pair]
    seqs = {entry.id: entry.seq for entry in journal.by_ids(space.name, stated_in)}
    followed = []
    for old, new in sorted(pairs, key=lambda pair: pair[0].t_valid):
        places = [seqs.get(fact.experience, 0) for fact in (old, new)]
        earlier, later = space.view.experiences.index_of(np.array(places, np.int64)).tolist()
        if later >= 0 and space.allowed[later] and earlier in pool.rows:
            followed.append(Succession(earlier, later, places[0], new.text))
    return followed


def contributions(
    pool: Pool, given: Sequence[Contribution], followed: Sequence[Succession]
) -> list[Contribution]:
    """Return what raises each later memory of a pool above the earlier one, beside `given`."""
    scores = total(given, len(pool.rows))
    raised = []
    for succession in followed:
        pair = [succession.earlier, succession.later]
        earlier, later = np.searchsorted(pool.rows, pair).tolist()
        if scores[later] > scores[earlier]:
            continue
        values = np.zeros(len(pool.rows))
        values[later] = scores[earlier] + _MARGIN - scores[later]
        scores = scores + values
        label = f"says what holds since @{succession.seq}: {succession.text}"
        raised.append(Contribution("facts", Evidence.HISTORY, label, values))
    return raised


def _latest(fact: Fact, facts: Mapping[str, Fact]) -> Fact:
    """Return the fact at the end of those that superseded one another; a loop ends where it was."""
    passed = {fact.id}
    while (by := facts.get(fact.superseded_by or "")) and by.id not in passed:
        fact = by
        passed.add(fact.id)
    return fact


def _is_asked(fact: Fact, question: ParsedQuestion, file: Store) -> bool:
    """Say whether a question is about a fact: its subject, if it names any, and its predicate."""
    people = {person.id for person in question.people}
    if people and fact.subject_id not in people:
        return False
    named = set(file.analyser.terms(fact.predicate.replace("_", " ")))
    asked_by = set(file.analyser.terms(_ASKED_BY.get(fact.predicate, "")))
    terms = set(question.terms)
    return bool((named and named <= terms) or asked_by & terms)
