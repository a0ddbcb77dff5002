"""Dates of what is one's own: "My exam is on Monday", "They want it by noon", "My start was moved".

English only. What one sets out to do oneself stands in `commitments`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import zip_longest

from ...core.experience import Commitment
from ...core.text import Analyser
from ...core.vocabulary import CommitmentKind
from .analysis.analysis import Sentence
from .analysis.clauses import Clause, Tense
from .analysis.phrases import NounPhrase
from .commitment_doubts import STANDS
from .deeds import lemma, noun_stems
from .due_times import due_time

#: What is mine and has a date; and verbs that give it one.
DATES = frozenset(
    "match game exam test interview appointment show gig flight wedding surgery shift concert"
    " recital performance competition tournament meeting race exhibition party trip audition"
    " presentation class course workshop operation check-up graduation opening premiere".split()
)
#: The subjects of what is still to come: I, we, or such a thing.
_TO_COME = DATES | {"i", "we"}
_DEMANDS = frozenset("wants needs expects want need expect".split())
_BY_DATE = re.compile(r"\b(?:by|before|until|no later than)\b", re.IGNORECASE)
_TAKES_PLACE = frozenset("is 's are starts start begins begin opens be".split())
#: Verbs that give another date to what had one.
_MOVES = frozenset("moved pushed postponed delayed rescheduled shifted put brought".split())


def kind_of_date(sentence: Sentence, clause: Clause) -> CommitmentKind | None:
    """Return the kind of "My exam is on Monday", "It is due on Friday", "They want it by noon"."""
    if clause.tense not in {Tense.PRESENT, Tense.FUTURE}:
        return None
    if clause.verb in _DEMANDS and _BY_DATE.search(sentence.text):
        return CommitmentKind.DEADLINE if clause.object is not None else None
    if clause.subject is None:
        return None
    if "due" in (token.lower for token in clause.complement_tokens[:2]):
        return CommitmentKind.DEADLINE
    head = clause.subject.head_token.lower
    dated = head in DATES and clause.verb in _TAKES_PLACE and is_to_come(clause)
    return CommitmentKind.PLAN if dated else None


def is_to_come(clause: Clause) -> bool:
    """Say whether a clause is of what is one's own and not only booked already."""
    if clause.subject is None or STANDS.search(clause.text):
        return False
    words = {token.lower for token in clause.subject.tokens}
    return clause.is_first_person and not words.isdisjoint(_TO_COME)


def moved_dates(
    sentences: Sequence[Sentence], analyser: Analyser, at: datetime
) -> Iterator[Commitment]:
    """Yield what has a new date, of what was said `at`: "They moved my start again. 15 June."

    The date may be all that the next sentence says.
    """
    for sentence, following in zip_longest(sentences, sentences[1:]):
        moved = None if sentence.is_question else next(_moved(sentence), None)
        if moved is None:
            continue
        end, due = sentence.end, due_time(sentence.text, at)
        if due is None and following is not None and not following.clauses:
            end, due = following.end, due_time(following.text, at)
        objects = noun_stems(moved.tokens, analyser)
        if due is not None and objects:
            yield Commitment(CommitmentKind.PLAN, sentence.start, end, "", objects, due)


def _moved(sentence: Sentence) -> Iterator[NounPhrase]:
    for clause in sentence.clauses:
        past = clause.tense in {Tense.PAST, Tense.PERFECT} or clause.passive
        moves = any(lemma(verb) in _MOVES for verb in clause.verbs)
        thing = clause.subject if clause.passive else clause.object
        if past and moves and not clause.negated and thing and thing.possessor in {"my", "our"}:
            yield thing
