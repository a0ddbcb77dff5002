"""What a message states of people, and what it means for the facts that are known.

The closed set of facts is read by `language.facts`, their ends by `language.fact_ends`; here they
get their words, how sure they are, and the people and entities that they name. Facts are never
changed: a newer one supersedes an older, or an end is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from ...core.entities.entity_gazetteer import EntityType
from ...core.entries import EntityMention, FactAsserted, FactSuperseded
from ...core.events import EventKind
from ...core.facts import FAMILY, Fact, FactConfirmed, FactVersion, fact_id, object_key
from ...core.ids import fold
from ...core.people import Gazetteer
from ...core.text import shorten
from ...core.time import to_text
from ...core.types import Entry
from ...core.vocabulary import FactRelation, Stability
from ...language.fact_ends import Ending, ending_of, may_end
from ...language.facts import facts_in
from ...language.predicates import find_opposite, get_predicate, names_only_kind, render_statement
from ...language.runs.tool_calls import Event
from ...language.sentences import Span

if TYPE_CHECKING:
    from ...models.answer_types import SupersessionAnswer
#: Take so many statements of a message.
_STATEMENTS_MAX = 12
#: How sure a statement is: said outright (of what does not change: surer), of others.
DIRECT, _STATIC, REPORTED = 0.9, 0.95, 0.7
#: Below this nothing is handed on; a text without capitals costs so much.
STATEMENT_CONFIDENCE_MIN, _UNCAPITALISED = 0.6, 0.1
#: Kinds of events whose author states something: what people say and hand in.
STATED_KINDS = frozenset(
    {EventKind.USER_MESSAGE, EventKind.MANUAL_CAPTURE, EventKind.MANUAL_INGEST}
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement that somebody made; `subject` None is the speaker.

    `ends` says that it no longer holds; without an object it ends whichever held.
    `confidence` is from 0.6 to 1; `quote` are the words that say it.
    """

    subject: str | None
    predicate: str
    object: str
    text: str
    stability: Stability
    single_valued: bool
    confidence: float
    ends: bool = False
    quote: str | None = None


def extract_statements(
    event: Event, speaker: str | None, text: str, sentences: Sequence[Span]
) -> list[Statement]:
    """Return what the author of a message states, in the order of the text, each once.

    `speaker` is the author's name, which the sentences are about; `sentences` are those of the text
    that tell what is so. Only what people say and hand in is read: an agent repeats what it was
    told. At most 12.
    """
    if event["kind"] not in STATED_KINDS:
        return []
    penalty = _UNCAPITALISED if text == text.lower() else 0.0
    statements = []
    for fact in facts_in(text, sentences):
        if fact.predicate == "name" and fold(fact.object) == fold(speaker or ""):
            continue
        static = get_predicate(fact.predicate).stability is Stability.STATIC
        stated = fact.predicate, fact.object, fact.ends
        quote = text[fact.start : fact.end]
        sure = (_STATIC if static else DIRECT) - penalty
        statements.append(statement_of(None, stated, sure, speaker, quote))
    return statements[:_STATEMENTS_MAX]


def endings_in(
    event: Event, text: str, spans: Sequence[Span], facts: Callable[[], Sequence[Fact]]
) -> Iterator[tuple[Fact, Ending, str]]:
    """Yield which of a speaker's facts a message ends, or may end, with the sentence that does.

    `facts` is asked only where a sentence may end any.
    """
    if event["kind"] not in STATED_KINDS:
        return
    factual = [text[start:end] for start, end in spans]
    sentences = [sentence for sentence in factual if may_end(sentence)]
    for fact in facts() if sentences else ():
        for sentence in sentences:
            ending = ending_of(sentence, fact.predicate, fact.object, fact.evidence or "")
            if ending is not None:
                yield fact, ending, sentence
                break


def statement_of(
    subject: str | None,
    stated: tuple[str, str, bool],
    confidence: float,
    speaker: str | None,
    quote: str | None = None,
) -> Statement:
    """Return a statement in the table's words; `stated` is predicate, object, whether it ends."""
    predicate, object, ends = stated
    row = get_predicate(predicate)
    return Statement(
        subject=subject,
        predicate=predicate,
        object=object,
        text=render_statement(subject or speaker or "The speaker", predicate, object, ends=ends),
        stability=row.stability,
        single_valued=row.single_valued,
        confidence=round(confidence, 2),
        ends=ends,
        quote=quote,
    )


def things_of(
    statement: Statement, people: Gazetteer, mentions: Sequence[EntityMention]
) -> tuple[EntityMention, ...]:
    """Return what a statement is about besides a person who is its subject, each once.

    Its object's people (`people` are those of the space) and entities, and its subject where that
    is one of the entities (`mentions`) of the message.
    """
    if statement.ends:
        return ()
    named = [
        EntityMention(person.id, EntityType.PERSON.value, person.name, 1.0)
        for person in people.named_in(statement.object)
    ]
    named += [
        mention
        for mention in mentions
        if re.search(rf"(?<!\w){re.escape(mention.name)}(?!\w)", statement.object)
        or fold(mention.name) == fold(statement.subject or "")
    ]
    return tuple({thing.id: thing for thing in named}.values())


#: What does not change is replaced only by what is surer than this (row 101).
STATIC_CONFIDENCE = 0.9
_UNNAMED = "the speaker"
_QUOTE_MAX = 200
#: What a statement comes to: entries to be written, or a confirmation, which is none.
FactFinding = FactAsserted | FactSuperseded | FactConfirmed


def assert_fact(
    statement: Statement,
    facts: Sequence[Fact],
    entry: Entry,
    speaker: str | None = None,
    subject_id: str | None = None,
    by: str = "rule",
) -> list[FactFinding]:
    """Return what a statement adds to the facts that are known, in the order to be written.

    It was made by `speaker` in the message that `entry` captured, and heard `by` which means.
    `facts` holds at least all facts of the same subject, ended ones too. `subject_id` is the id of
    the subject, where somebody knows it; a speaker with neither name nor id asserts nothing.
    A statement that holds already gives one `FactConfirmed`, which is no entry of the journal. One
    that was taken in before gives nothing.
    """
    subject = statement.subject or speaker
    if subject is None and subject_id is None:
        return []
    new = _fact(statement, entry, subject or _UNNAMED, subject_id, by)
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
    statement: Statement, entry: Entry, subject: str, subject_id: str | None, by: str = "rule"
) -> Fact:
    # An end and an assertion of the same thing in one text are two facts.
    about = f"not {statement.predicate}" if statement.ends else statement.predicate
    key = subject_id or subject
    return Fact(
        id=fact_id(entry.space, key, about, statement.object, entry.id),
        subject=subject,
        subject_id=subject_id,
        predicate=statement.predicate,
        object=statement.object,
        text=statement.text,
        stability=statement.stability,
        t_valid=entry.at,
        experience=entry.id,
        confidence=statement.confidence,
        by=by,
        versions=(FactVersion(entry.at),),
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
    if new.predicate in FAMILY and any(
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
    """Return whether two facts say the same, spelling apart."""
    same = object_key(fact.object) == object_key(new.object)
    return fact.predicate == new.predicate and same


def _is_about(end: Fact, fact: Fact) -> bool:
    """Return whether an end is about a fact; one without an object is about any."""
    return end.predicate == fact.predicate and (not end.object or _says_same(end, fact))


def _is_rival(fact: Fact, new: Fact, *, single_valued: bool) -> bool:
    """Return whether a fact and a new one cannot hold at the same time."""
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
    """Return whether a fact is sure enough to end an earlier one."""
    return fact.stability is not Stability.STATIC or fact.confidence > STATIC_CONFIDENCE


def _sort_key(fact: Fact) -> tuple[datetime, str]:
    return fact.t_valid, fact.id


def _reason(ended: Fact, by: Fact) -> str:
    if by.is_end_record:
        return "said to be over"
    return "said again" if _says_same(ended, by) else f"since then: {by.text}"


def stated_fact(
    statement: Statement, entry: Entry, speaker: str | None, subject_id: str | None
) -> str:
    """Return the id of the fact that a statement of a named subject asserts or ends."""
    subject = statement.subject or speaker or _UNNAMED
    return _fact(statement, entry, subject, subject_id).id


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
