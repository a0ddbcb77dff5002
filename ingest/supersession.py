"""What a new statement means for the facts that are known: a new fact, an end, a contradiction.

Decided by when things were said to hold, not by when they were heard of: a statement that arrives
late takes its place in the past, and does not replace what came after it. What does not change is
replaced only by what is surer than 0.9. Returns entries for the journal; writes none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ..core.facts import ASSERTED, CONFIRMED, SUPERSEDED, Belief, Fact, fact_id, object_key
from ..core.ids import fold
from ..core.model_answers import Relation, SupersessionAnswer
from ..core.time import to_text
from ..core.types import Json, Payload
from ..core.vocabulary import Stability
from .fact_predicates import opposite_of
from .statements import CONFIDENCE_MIN, Statement

#: What does not change is replaced only by what is surer than this (row 101).
STATIC_CONFIDENCE = 0.9
_UNNAMED = "the speaker"

#: Kind, key and payload of an entry to be written.
Finding = tuple[str, str, Payload]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a statement comes from: made at `at` by `speaker`, if known; heard `by` which means."""

    space: str
    experience: str
    at: datetime
    speaker: str | None = None
    by: str = "rule"


def assert_fact(
    statement: Statement, known: Sequence[Fact], source: Source, subject_id: str | None = None
) -> list[Finding]:
    """Return what a statement adds to the facts that are known, in the order to be written.

    `known` holds at least all facts of the same subject, ended ones too. `subject_id` is the id of
    the subject, where somebody knows it; a speaker with neither name nor id asserts nothing.
    A statement that holds already gives one `confirmed`, which is no entry of the journal: key and
    payload name the fact. A statement that was taken in before gives nothing.
    """
    subject = statement.subject or source.speaker
    if subject is None and subject_id is None:
        return []
    new = _fact(statement, source, subject or _UNNAMED, subject_id)
    own = [fact for fact in known if _same_subject(fact, new)]
    if any(fact.id == new.id for fact in own):
        return []
    if statement.ends:
        return _end(new, own)
    return _assert(new, own, single_valued=statement.single_valued)


def reconsider(answer: SupersessionAnswer, new: Fact, old: Fact) -> Finding | None:
    """Return what a model's opinion of two facts adds; None where it adds nothing.

    The later of the two ends the earlier; where the earlier does not change, an opinion of at most
    0.9 only says that they contradict. Below 0.6 an opinion is none.
    """
    if answer.confidence < CONFIDENCE_MIN or new.id == old.id:
        return None
    if answer.relation is Relation.CONFIRMS:
        return _confirmed(old, new.experience, new.t_valid, answer.confidence)
    if answer.relation is Relation.UNRELATED or not old.overlaps(new):
        return None
    late = new.t_valid < old.t_valid
    ended, by = (new, old) if late else (old, new)
    sure = ended.stability is not Stability.STATIC or answer.confidence > STATIC_CONFIDENCE
    if answer.relation is Relation.SUPERSEDES and sure:
        return _superseded(ended, by, by.t_valid, answer.reason or "a model's opinion", "model")
    if new.id in old.contradicts:
        return None
    return _contradicted(old, new, answer.reason or "a model's opinion", "model")


def _fact(statement: Statement, source: Source, subject: str, subject_id: str | None) -> Fact:
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
        beliefs=(Belief(source.at),),
    )


def _end(new: Fact, own: Sequence[Fact]) -> list[Finding]:
    """Record an end, and end what it is about."""
    at = new.t_valid
    about = [fact for fact in own if _is_about(new, fact)]
    ended = [fact for fact in about if fact.t_valid < at and fact.held_at(at)]
    ends = [fact for fact in own if fact.records_end and _is_like(fact, new)]
    before = [fact for fact in ends if fact.t_valid <= at]
    if before and not ended:
        latest = max(before, key=_order)
        if not any(latest.t_valid < fact.t_valid for fact in about if not fact.records_end):
            return [_confirmed(latest, new.experience, at, new.confidence)]
    return [
        _asserted(new),
        _superseded(new, None, at, "only says that it is over", new.by),
        *(_superseded(fact, new, at, "said to be over", new.by) for fact in ended),
    ]


def _assert(new: Fact, own: Sequence[Fact], *, single_valued: bool) -> list[Finding]:
    """Give a new fact its place among those of the same subject."""
    at = new.t_valid
    alike = [fact for fact in own if not fact.records_end and _is_like(fact, new)]
    if holds := [fact for fact in alike if fact.held_at(at)]:
        return [_confirmed(holds[0], new.experience, at, new.confidence)]
    rivals = [fact for fact in own if _is_rival(fact, new, single_valued=single_valued)]
    ends = [fact for fact in own if fact.records_end and _is_about(fact, new)]
    later = [*alike, *ends, *(fact for fact in rivals if _settles(fact))]
    closer = min((fact for fact in later if fact.t_valid > at), key=_order, default=None)
    findings = [_asserted(new)]
    placed = new
    if closer is not None:
        placed = replace(new, beliefs=(Belief(at, closer.t_valid, closer.id),))
        findings.append(_superseded(new, closer, closer.t_valid, _reason(new, closer), new.by))
    for rival in sorted(rivals, key=_order):
        if rival.t_valid < at and rival.held_at(at) and _settles(new):
            findings.append(_superseded(rival, new, at, _reason(rival, new), new.by))
        elif rival.overlaps(placed):
            findings.append(_contradicted(rival, new, "nobody can tell which one holds", new.by))
    return findings


def _same_subject(fact: Fact, new: Fact) -> bool:
    if fact.subject_id is not None and new.subject_id is not None:
        return fact.subject_id == new.subject_id
    return fold(fact.subject) == fold(new.subject)


def _is_like(fact: Fact, new: Fact) -> bool:
    """Say whether two facts say the same, spelling apart."""
    same = object_key(fact.object) == object_key(new.object)
    return fact.predicate == new.predicate and same


def _is_about(end: Fact, fact: Fact) -> bool:
    """Say whether an end is about a fact; one without an object is about any."""
    return end.predicate == fact.predicate and (not end.object or _is_like(end, fact))


def _is_rival(fact: Fact, new: Fact, *, single_valued: bool) -> bool:
    """Say whether a fact and a new one cannot hold at the same time."""
    if fact.records_end or _is_like(fact, new):
        return False
    if single_valued and fact.predicate == new.predicate:
        return True
    opposite = opposite_of(new.predicate, new.object)
    return opposite is not None and opposite == (fact.predicate, _opposable(fact))


def _opposable(fact: Fact) -> str:
    """Return the object's key as `opposite_of` writes it: its opposite's opposite."""
    opposite = opposite_of(fact.predicate, fact.object)
    back = opposite_of(*opposite) if opposite else None
    return back[1] if back else object_key(fact.object)


def _settles(fact: Fact) -> bool:
    """Say whether a fact is sure enough to end an earlier one."""
    return fact.stability is not Stability.STATIC or fact.confidence > STATIC_CONFIDENCE


def _order(fact: Fact) -> tuple[datetime, str]:
    return fact.t_valid, fact.id


def _reason(ended: Fact, by: Fact) -> str:
    if by.records_end:
        return "said to be over"
    return "said again" if _is_like(ended, by) else f"since then: {by.text}"


def _asserted(fact: Fact) -> Finding:
    payload: dict[str, Json] = {
        "fact": fact.id,
        "experience": fact.experience,
        "subject": fact.subject,
        "subject_id": fact.subject_id,
        "predicate": fact.predicate,
        "object": fact.object,
        "text": fact.text,
        "stability": fact.stability.value,
        "t_valid": to_text(fact.t_valid),
        "confidence": fact.confidence,
        "by": fact.by,
    }
    return ASSERTED, fact.id, payload


def _superseded(fact: Fact, by: Fact | None, at: datetime, reason: str, means: str) -> Finding:
    payload = _relation(fact, by, Relation.SUPERSEDES, reason, means)
    return SUPERSEDED, _key(payload), payload | {"t_invalid": to_text(max(at, fact.t_valid))}


def _contradicted(fact: Fact, other: Fact, reason: str, means: str) -> Finding:
    payload = _relation(fact, other, Relation.CONTRADICTS, reason, means)
    return SUPERSEDED, _key(payload), payload


def _relation(
    fact: Fact, other: Fact | None, relation: Relation, reason: str, means: str
) -> dict[str, Json]:
    return {
        "fact": fact.id,
        "by_fact": other.id if other else None,
        "relation": relation.value,
        "t_invalid": None,
        "reason": reason,
        "by": means,
    }


def _key(payload: Payload) -> str:
    return f"{payload['fact']} {payload['relation']} {payload['by_fact'] or 'ended'}"


def _confirmed(fact: Fact, experience: str, at: datetime, confidence: float) -> Finding:
    payload = {"fact": fact.id, "experience": experience, "t": to_text(at)}
    return CONFIRMED, fact.id, payload | {"confidence": confidence}
