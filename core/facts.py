"""Facts with two times: when a statement was valid, and when it was recorded.

The state of all facts is a fold over journal entries. Nothing is removed: a fact that ended keeps
its interval; two contradicting facts that could not be settled both stay and name each other. What
a new statement means is decided in `ingest/extraction/facts/supersession.py`. No storage, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from .entries import EntryPayload, FactAsserted, FactSuperseded
from .events import OWNER_NAME
from .ids import derived, fold
from .people import YOU, Directory
from .time import parse, to_text
from .vocabulary import FactRelation, Json, Stability

#: What a fact has of the entry that asserts it.
_AS_ASSERTED = (
    *("subject", "subject_id", "predicate", "object", "text", "stability"),
    *("experience", "confidence", "by", "evidence"),
)
#: Predicates of relatives: who is one stays one.
FAMILY = frozenset(
    "mother father sister brother son daughter cousin grandmother grandfather aunt uncle niece"
    " nephew".split()
)
#: Predicates by which a person knows another.
ACQUAINTANCES = FAMILY | set("partner friend colleague boss neighbour roommate mentor".split())
_ARTICLES = frozenset({"a", "an", "the"})
_EDGES = " .,;:!?'\"“”‘’()[]*_`"
#: Predicates that say how somebody is called.
_NAMES = frozenset({"name", "goes_by"})
_YOUR_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do"}
_THEIRS = re.compile(r"\b(?:their|theirs|themselves)\b")
_FOREVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FactVersion:
    """What was held of a fact from `since` on: its end, what ended it, what speaks against it."""

    since: datetime
    t_invalid: datetime | None = None
    superseded_by: str | None = None
    contradicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """One assertion; it held from `t_valid` until before `t_invalid`, where None means still.

    `versions` are its recorded states, oldest first and never empty: the last one is what is held
    now. A fact whose interval is empty only records an end: no such thing holds from then on.
    `evidence` are the words that say it; older releases kept them of a model's facts alone.
    """

    id: str
    subject: str
    subject_id: str | None
    predicate: str
    object: str
    text: str
    stability: Stability
    t_valid: datetime
    experience: str
    confidence: float
    by: str
    versions: tuple[FactVersion, ...]
    evidence: str | None = None

    @property
    def t_invalid(self) -> datetime | None:
        """The instant from which it no longer held."""
        return self.versions[-1].t_invalid

    @property
    def t_created(self) -> datetime:
        """The instant at which it was learned."""
        return self.versions[0].since

    @property
    def t_expired(self) -> datetime | None:
        """The instant at which its end, as it is known now, was learned."""
        since = None
        for version in reversed(self.versions):
            if version.t_invalid is None or version.t_invalid != self.t_invalid:
                break
            since = version.since
        return since

    @property
    def superseded_by(self) -> str | None:
        """The id of the fact that ended it."""
        return self.versions[-1].superseded_by

    @property
    def contradicts(self) -> tuple[str, ...]:
        """The ids of facts that cannot hold at the same time, where nobody knows which one does."""
        return self.versions[-1].contradicts

    @property
    def is_end_record(self) -> bool:
        """Whether its interval is empty."""
        return self.t_invalid is not None and self.t_invalid <= self.t_valid

    def valid_at(self, instant: datetime) -> bool:
        """Say whether it held at an instant."""
        return self.t_valid <= instant and (self.t_invalid is None or instant < self.t_invalid)

    def overlaps(self, other: Fact) -> bool:
        """Say whether there is an instant at which both held."""
        ends = (self.t_invalid or _FOREVER, other.t_invalid or _FOREVER)
        return max(self.t_valid, other.t_valid) < min(ends)

    def as_recorded_at(self, instant: datetime) -> Fact | None:
        """Return the fact as it was known at an instant; None before anybody knew of it."""
        versions = tuple(version for version in self.versions if version.since <= instant)
        return replace(self, versions=versions) if versions else None

    def record(self) -> dict[str, Json]:
        """Return plain JSON values, as far as they are known now; what is unknown is null."""
        times = {
            name: None if (at := getattr(self, name)) is None else to_text(at)
            for name in ("t_valid", "t_invalid", "t_created", "t_expired")
        }
        names = ("id", "subject", "subject_id", "predicate", "object", "text", "stability")
        more = ("superseded_by", "contradicts", "experience", "confidence", "by")
        evidence = ("evidence",) if self.evidence else ()
        named = (*names, *times, *more, *evidence)
        return {name: times.get(name, getattr(self, name)) for name in named}


@dataclass(frozen=True, slots=True)
class FactConfirmed:
    """A statement said, at `at`, what is known already; no entry of the journal."""

    fact: str
    experience: str
    at: datetime
    confidence: float


def object_key(object: str) -> str:
    """Return what makes two objects the same: no matter their case, spacing, articles, edges."""
    words = fold(object).strip(_EDGES).split()
    return " ".join([word for word in words if word not in _ARTICLES] or words)


def fact_id(space: str, subject: str, predicate: str, object: str, experience: str) -> str:
    """Return the id of what one experience says; `subject` is a subject's id, or its name."""
    return derived("fact", space, fold(subject), predicate, object_key(object), experience)


def fold_facts(
    entries: Iterable[tuple[EntryPayload | None, datetime]],
    facts: Mapping[str, Fact] | None = None,
) -> dict[str, Fact]:
    """Return all facts by id, after entries of the journal: payload, when it was recorded.

    Goes on from `facts`, which is left as it is. Entries of other kinds, erased ones, and what is
    said of facts that are not known are passed over; an assertion heard twice counts once.
    """
    folded = dict(facts or {})
    for payload, recorded_at in entries:
        if isinstance(payload, FactAsserted):
            folded.setdefault(payload.fact, fact_from(payload, learned_at(payload, recorded_at)))
        elif isinstance(payload, FactSuperseded):
            _apply_supersession(folded, payload, learned_at(payload, recorded_at))
    return folded


def learned_at(payload: FactAsserted | FactSuperseded, recorded_at: datetime) -> datetime:
    """Return when something of a fact was learned, of an entry that was written at `recorded_at`.

    By rules: when the message that says so was written down, whenever it was read.
    """
    return recorded_at if payload.learned is None else parse(payload.learned)


def with_shown_names(facts: Mapping[str, Fact], directory: Directory) -> dict[str, Fact]:
    """Return facts as they are told: of people by the names they are shown by now.

    What a fact says beyond its subject is left as it was read. A name that is the shown one is no
    fact.
    """
    shown = {id: _with_shown_name(fact, directory) for id, fact in facts.items()}
    return {id: fact for id, fact in shown.items() if not _names_shown(fact)}


def _with_shown_name(fact: Fact, directory: Directory) -> Fact:
    who = fact.subject_id
    if who is None:
        kin = fact.subject.removeprefix(f"{OWNER_NAME}'s ")
        if kin == fact.subject or directory.owner not in directory.spoken:
            return fact
        name = directory.shown(directory.owner)
        subject = f"your {kin}" if name == YOU else f"{name}'s {kin}"
        text = subject[0].upper() + subject[1:] + fact.text[len(fact.subject) :]
        return replace(fact, subject=subject, text=text)
    canonical, name = directory.canonical(who), directory.shown(who, fact.subject)
    if (canonical, name) == (who, fact.subject) or not fact.text.startswith(fact.subject):
        return replace(fact, subject_id=canonical, subject=name)
    predication = fact.text[len(fact.subject) :]
    text = f"You{in_second_person(predication)}" if name == YOU else f"{name}{predication}"
    return replace(fact, subject_id=canonical, subject=name, text=text)


def _names_shown(fact: Fact) -> bool:
    return fact.predicate in _NAMES and fold(fact.object) == fold(fact.subject)


def in_second_person(predication: str) -> str:
    """Return what is said of somebody as it is said to them: "is ill" is "are ill"."""
    verb, _, rest = predication.lstrip().partition(" ")
    lead = predication[: len(predication) - len(predication.lstrip())]
    if verb in _YOUR_VERBS:
        verb = _YOUR_VERBS[verb]
    elif verb.endswith("ies"):
        verb = verb[:-3] + "y"
    elif verb.endswith(("ches", "shes", "sses", "xes", "oes")):
        verb = verb[:-2]
    elif verb.endswith("s") and not verb.endswith("ss"):
        verb = verb[:-1]
    return f"{lead}{verb} {_THEIRS.sub(_yours, rest)}" if rest else f"{lead}{verb}"


def _yours(match: re.Match[str]) -> str:
    return {"their": "your", "theirs": "yours", "themselves": "yourself"}[match.group()]


def as_of(
    facts: Mapping[str, Fact], valid_at_instant: datetime | None, recorded_by: datetime | None
) -> list[Fact]:
    """Return the facts that held at `valid_at_instant`, as recorded by `recorded_by`, oldest first.

    None for `valid_at_instant` means at any time, ended facts and ends included; None for
    `recorded_by` means by now.
    """
    as_recorded = [
        fact if recorded_by is None else fact.as_recorded_at(recorded_by) for fact in facts.values()
    ]
    valid = [
        f
        for f in as_recorded
        if f is not None and (valid_at_instant is None or f.valid_at(valid_at_instant))
    ]
    return sorted(valid, key=lambda fact: (fact.t_valid, fact.id))


def fact_from(payload: FactAsserted, recorded_at: datetime) -> Fact:
    """Return the fact that an entry asserts."""
    same = {name: getattr(payload, name) for name in _AS_ASSERTED}
    versions = (FactVersion(recorded_at),)
    return Fact(id=payload.fact, t_valid=parse(payload.t_valid), versions=versions, **same)


def _apply_supersession(
    facts: dict[str, Fact], payload: FactSuperseded, recorded_at: datetime
) -> None:
    """Take in a `FactSuperseded`: an end, or a contradiction that both sides name."""
    old, by_id, ended = facts.get(payload.fact), payload.by_fact, payload.t_invalid
    if old is None:
        return
    if payload.relation is FactRelation.SUPERSEDES:
        by = facts.get(by_id or "")
        end = parse(ended) if ended else by.t_valid if by else recorded_at
        version = replace(old.versions[-1], t_invalid=max(end, old.t_valid), superseded_by=by_id)
        facts[old.id] = _with_version(old, version, recorded_at)
        _drop_contradictions(facts, old.id, recorded_at)
    elif payload.relation is FactRelation.CONTRADICTS and by_id in facts and by_id != old.id:
        for fact, other in ((old, facts[by_id]), (facts[by_id], old)):
            contradictions = tuple(dict.fromkeys((*fact.contradicts, other.id)))
            version = replace(fact.versions[-1], contradicts=contradictions)
            facts[fact.id] = _with_version(fact, version, recorded_at)


def _with_version(fact: Fact, version: FactVersion, since: datetime) -> Fact:
    """Return the fact with what is held of it from now on; what was held before stays."""
    earlier = tuple(previous for previous in fact.versions if previous.since < since)
    return replace(fact, versions=(*earlier, replace(version, since=since)))


def _drop_contradictions(facts: dict[str, Fact], ended: str, recorded_at: datetime) -> None:
    """Drop the contradictions of a fact that ended before the other began, on both sides."""
    for other in facts[ended].contradicts:
        if not facts[ended].overlaps(facts[other]):
            for fact_id, dropped in ((ended, other), (other, ended)):
                contradictions = tuple(id for id in facts[fact_id].contradicts if id != dropped)
                version = replace(facts[fact_id].versions[-1], contradicts=contradictions)
                facts[fact_id] = _with_version(facts[fact_id], version, recorded_at)
