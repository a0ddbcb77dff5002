"""What a new statement means for the facts that are known: a new fact, an end, a contradiction.

Decided by when things were said to hold, not by when they were heard of: a statement that arrives
late takes its place in the past, and does not replace what came after it. What does not change is
replaced only by what is surer than 0.9. Returns entries for the journal; writes none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from ....core.entries import FactAsserted, FactSuperseded
from ....core.facts import Fact, FactConfirmed, FactVersion, fact_id, object_key
from ....core.ids import fold
from ....core.text import shorten
from ....core.time import to_text
from ....core.vocabulary import FactRelation, Stability
from .predicates import find_opposite, names_only_kind
from .statement_extraction import STATEMENT_CONFIDENCE_MIN, Statement

if TYPE_CHECKING:
    from ....models.answer_types import SupersessionAnswer

#: What does not change is replaced only by what is surer than this (row 101).
STATIC_CONFIDENCE = 0.9
_UNNAMED = "the speaker"
_QUOTE_MAX = 200
#: Relatives: who was told to be dead is spoken of later, and is alive no more.
_FOR_GOOD = frozenset(
    "mother father sister brother son daughter cousin grandmother grandfather aunt uncle niece"
    " nephew".split()
)

#: What a statement comes to: entries to be written, or a confirmation, which is none.
FactFinding = FactAsserted | FactSuperseded | FactConfirmed


@dataclass(frozen=True, slots=True)
class StatementSource:
    """Where a statement comes from: made at `at` by `speaker`, if known; heard `by` which means."""

    space: str
    experience: str
    at: datetime
    speaker: str | None = None
    by: str = "rule"


def assert_fact(
    statement: Statement,
    facts: Sequence[Fact],
    source: StatementSource,
    subject_id: str | None = None,
) -> list[FactFinding]:
    """Return what a statement adds to the facts that are known, in the order to be written.

    `facts` holds at least all facts of the same subject, ended ones too. `subject_id` is the id of
    the subject, where somebody knows it; a speaker with neither name nor id asserts nothing.
    A statement that holds already gives one `FactConfirmed`, which is no entry of the journal. One
    that was taken in before gives nothing.
    """
    subject = statement.subject or source.speaker
    if subject is None and subject_id is None:
        return []
    new = _fact(statement, source, subject or _UNNAMED, subject_id)
    same_subject = [fact for fact in facts if _same_subject(fact, new)]
    if any(fact.id == new.id for fact in same_subject):
        return []
    if statement.ends:
        return _end(new, same_subject)
    return _assert(new, same_subject, single_valued=statement.single_valued)


def apply_model_opinion(answer: SupersessionAnswer, new: Fact, old: Fact) -> FactFinding | None:
    """Return what a model's opinion of two facts adds; None where it adds nothing.

    The later of the two ends the earlier; where the earlier does not change, an opinion of at most
    0.9 only says that they contradict. Below 0.6 an opinion is none.
    """
    if answer.confidence < STATEMENT_CONFIDENCE_MIN or new.id == old.id:
        return None
    if answer.relation is FactRelation.CONFIRMS:
        return FactConfirmed(old.id, new.experience, new.t_valid, answer.confidence)
    if answer.relation is FactRelation.UNRELATED or not old.overlaps(new):
        return None
    late = new.t_valid < old.t_valid
    ended, by = (new, old) if late else (old, new)
    sure = ended.stability is not Stability.STATIC or answer.confidence > STATIC_CONFIDENCE
    if answer.relation is FactRelation.SUPERSEDES and sure:
        return _superseded(ended, by, by.t_valid, answer.reason or "a model's opinion", "model")
    if new.id in old.contradicts:
        return None
    return _contradicted(old, new, answer.reason or "a model's opinion", "model")


def _fact(
    statement: Statement, source: StatementSource, subject: str, subject_id: str | None
) -> Fact:
    # An end and an assertion of the same thing in one text are two facts.
    about = f"not {statement.predicate}" if statement.ends else statement.predicate
    key = subject_id or subject
    return Fact(
        id=fact_id(source.space, key, about, statement.object, source.experience),
        subject=subject,
        subject_id=subject_id,
        predicate=statement.predicate,
        object=statement.object,
        text=statement.text,
        stability=statement.stability,
        t_valid=source.at,
        experience=source.experience,
        confidence=statement.confidence,
        by=source.by,
        versions=(FactVersion(source.at),),
        evidence=statement.quote,
    )


def _end(new: Fact, same_subject: Sequence[Fact]) -> list[FactFinding]:
    """Record an end, and end what it is about."""
    at = new.t_valid
    about = [fact for fact in same_subject if _is_about(new, fact)]
    ended = [fact for fact in about if fact.t_valid < at and fact.valid_at(at)]
    ends = [fact for fact in same_subject if fact.is_end_record and _says_same(fact, new)]
    before = [fact for fact in ends if fact.t_valid <= at]
    if before and not ended:
        latest = max(before, key=_sort_key)
        if not any(latest.t_valid < fact.t_valid for fact in about if not fact.is_end_record):
            return [FactConfirmed(latest.id, new.experience, at, new.confidence)]
    return [
        _asserted(new),
        _superseded(new, None, at, "only says that it is over", new.by),
        *(_superseded(fact, new, at, "said to be over", new.by) for fact in ended),
    ]


def _assert(new: Fact, same_subject: Sequence[Fact], *, single_valued: bool) -> list[FactFinding]:
    """Give a new fact its place among those of the same subject."""
    at = new.t_valid
    if new.predicate in _FOR_GOOD and any(
        fact.is_end_record and _says_same(fact, new) and fact.t_valid <= at for fact in same_subject
    ):
        return []
    alike = [fact for fact in same_subject if not fact.is_end_record and _says_same(fact, new)]
    if names_only_kind(new.object):
        # "my husband" says nothing beside "my husband Tom".
        alike = [f for f in same_subject if f.predicate == new.predicate and not f.is_end_record]
    if holding := [fact for fact in alike if fact.valid_at(at)]:
        return [FactConfirmed(holding[0].id, new.experience, at, new.confidence)]
    rivals = [fact for fact in same_subject if _is_rival(fact, new, single_valued=single_valued)]
    ends = [fact for fact in same_subject if fact.is_end_record and _is_about(fact, new)]
    later = [*alike, *ends, *(fact for fact in rivals if _can_supersede(fact))]
    closer = min((fact for fact in later if fact.t_valid > at), key=_sort_key, default=None)
    entries: list[FactFinding] = [_asserted(new)]
    placed = new
    if closer is not None:
        placed = replace(new, versions=(FactVersion(at, closer.t_valid, closer.id),))
        entries.append(_superseded(new, closer, closer.t_valid, _reason(new, closer), new.by))
    for rival in sorted(rivals, key=_sort_key):
        if rival.t_valid < at and rival.valid_at(at) and _can_supersede(new):
            entries.append(_superseded(rival, new, at, _reason(rival, new), new.by))
        elif rival.overlaps(placed):
            entries.append(_contradicted(rival, new, "nobody can tell which one holds", new.by))
    return entries


def _same_subject(fact: Fact, new: Fact) -> bool:
    if fact.subject_id is not None and new.subject_id is not None:
        return fact.subject_id == new.subject_id
    return fold(fact.subject) == fold(new.subject)


def _says_same(fact: Fact, new: Fact) -> bool:
    """Say whether two facts say the same, spelling apart."""
    same = object_key(fact.object) == object_key(new.object)
    return fact.predicate == new.predicate and same


def _is_about(end: Fact, fact: Fact) -> bool:
    """Say whether an end is about a fact; one without an object is about any."""
    return end.predicate == fact.predicate and (not end.object or _says_same(end, fact))


def _is_rival(fact: Fact, new: Fact, *, single_valued: bool) -> bool:
    """Say whether a fact and a new one cannot hold at the same time."""
    if fact.is_end_record or _says_same(fact, new):
        return False
    if single_valued and fact.predicate == new.predicate:
        return True
    opposite = find_opposite(new.predicate, new.object)
    return opposite is not None and opposite == (fact.predicate, _opposite_key(fact))


def _opposite_key(fact: Fact) -> str:
    """Return the object's key as `find_opposite` writes it: its opposite's opposite."""
    opposite = find_opposite(fact.predicate, fact.object)
    back = find_opposite(*opposite) if opposite else None
    return back[1] if back else object_key(fact.object)


def _can_supersede(fact: Fact) -> bool:
    """Say whether a fact is sure enough to end an earlier one."""
    return fact.stability is not Stability.STATIC or fact.confidence > STATIC_CONFIDENCE


def _sort_key(fact: Fact) -> tuple[datetime, str]:
    return fact.t_valid, fact.id


def _reason(ended: Fact, by: Fact) -> str:
    if by.is_end_record:
        return "said to be over"
    return "said again" if _says_same(ended, by) else f"since then: {by.text}"


def stated_fact(statement: Statement, source: StatementSource, subject_id: str | None) -> str:
    """Return the id of the fact that a statement of a named subject asserts or ends."""
    subject = statement.subject or source.speaker or _UNNAMED
    return _fact(statement, source, subject, subject_id).id


def withdrawn(fact: Fact) -> FactSuperseded:
    """Return the entry that takes a fact back: it never held, as the rules of today read it."""
    return FactSuperseded(
        fact=fact.id,
        by_fact=None,
        relation=FactRelation.SUPERSEDES,
        t_invalid=to_text(fact.t_valid),
        reason="the rules of today do not read it so",
        by="rule",
    )


def corrected(fact: Fact, at: datetime) -> FactSuperseded:
    """Return the entry that ends a fact whose memory was corrected at `at`."""
    return _superseded(fact, None, at, "the memory that states it was corrected", "rule")


def doubted(fact: Fact, at: datetime, sentence: str) -> FactSuperseded:
    """Return the entry that lets a fact end at `at` because a sentence says that it may have."""
    return _superseded(fact, None, at, f"may be over: “{shorten(sentence, _QUOTE_MAX)}”", "rule")


def key_of(finding: FactAsserted | FactSuperseded) -> str:
    """Return the key of the entry."""
    if isinstance(finding, FactAsserted):
        return finding.fact
    return f"{finding.fact} {finding.relation} {finding.by_fact or 'ended'}"


def _asserted(fact: Fact) -> FactAsserted:
    return FactAsserted(
        fact=fact.id,
        experience=fact.experience,
        subject=fact.subject,
        subject_id=fact.subject_id,
        predicate=fact.predicate,
        object=fact.object,
        text=fact.text,
        stability=fact.stability,
        t_valid=to_text(fact.t_valid),
        confidence=fact.confidence,
        by=fact.by,
        evidence=fact.evidence,
    )


def _superseded(
    fact: Fact, by: Fact | None, at: datetime, reason: str, means: str
) -> FactSuperseded:
    ended = to_text(max(at, fact.t_valid))
    by_id = by.id if by else None
    return FactSuperseded(fact.id, by_id, FactRelation.SUPERSEDES, ended, reason, means)


def _contradicted(fact: Fact, other: Fact, reason: str, means: str) -> FactSuperseded:
    return FactSuperseded(fact.id, other.id, FactRelation.CONTRADICTS, None, reason, means)
