"""What a clause states: the rules of its verb, tried with what follows it."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.clauses import Tense
from .clause_reading import ClauseReading
from .clause_rules import RULES_BY_VERB, Aspect, ClauseRule, Shape, lemma_of
from .deeds import activities, begun_in, deeds, shown_in, went_in
from .fact_words import COUNTED
from .object_shapes import SHAPES
from .self_statements import Stated, self_stated, wished_in

_LINK_DISTANCE_MAX = 6
_DONE = frozenset({Tense.PAST, Tense.PERFECT})
_TASTES = frozenset({"likes", "dislikes"})
_QUOTES = frozenset('"“')
_NO_LONGER = frozenset({"anymore", "longer"})
#: What one does right now may be told of these; the rest is only told as a habit.
_IN_PROGRESS = frozenset(
    "work live study learn teach volunteer struggle suffer deal cope use reside major".split()
)
#: What one no longer does is told by "worked", "lived".
_ENDED_BY_PAST = frozenset("lives_in works_at works_as studies_at".split())
_USED_TO = frozenset(
    """
    lives_in works_at works_as studies_at uses likes dislikes hobby volunteers_at allergic_to speaks
    """.split()
)
_ENDED_BY_NOT = frozenset("lives_in works_at works_as speaks allergic_to uses member_of".split())
_BACK = frozenset("back home here over straight directly".split())
_BY_WHEN = frozenset("by before until today tonight tomorrow".split())


def stated_in(reading: ClauseReading) -> Iterator[Stated]:
    """Yield all that a clause states."""
    if reading.is_wish:
        if not _is_duty(reading):
            yield from wished_in(reading)
        return
    yield from self_stated(reading)
    yield from begun_in(reading)
    yield from shown_in(reading)
    yield from went_in(reading)
    for rule in RULES_BY_VERB.get(reading.verb, ()):
        ends = _ends(rule, reading)
        if ends is None:
            continue
        predicate = rule.predicate
        if reading.negated and predicate == "likes":
            predicate, ends = ("likes", True) if _anymore(reading) else ("dislikes", False)
        for object in _objects(rule, reading):
            if rule.shape is Shape.COUNTED:
                predicate = COUNTED[object.split()[-1].lower()]
            yield predicate, object, ends


def _is_duty(reading: ClauseReading) -> bool:
    """Say whether it only has to be done by a time: "I need to file it by Friday"."""
    needs = any(token.lower in {"need", "needed"} for token in reading.clause.tokens)
    return needs and any(token.lower in _BY_WHEN for token in reading.sentence.tokens)


def _anymore(reading: ClauseReading) -> bool:
    return not _NO_LONGER.isdisjoint(token.lower for token in reading.clause.tokens)


def _ends(rule: ClauseRule, reading: ClauseReading) -> bool | None:
    """Return whether a clause says by a rule that it is over; None where it says nothing."""
    if reading.ended:
        return True if rule.predicate in _USED_TO and not reading.negated else None
    if reading.negated:
        is_now = reading.tense is Tense.PRESENT
        if rule.predicate in _TASTES:
            return False if is_now and rule.predicate == "likes" else None
        return True if is_now and rule.predicate in _ENDED_BY_NOT else None
    if reading.activity is not None and rule.predicate not in _TASTES:
        return _ends_activity(rule, reading)
    done = reading.tense in _DONE or reading.clause.passive
    if rule.aspect is Aspect.EVENT:
        return rule.ends if done and not reading.clause.progressive else None
    return _ends_state(rule, reading)


def _ends_activity(rule: ClauseRule, reading: ClauseReading) -> bool | None:
    """Return the same of "go hiking", and of "started working": it holds from then on."""
    if reading.verb == "go":
        habit = reading.tense is Tense.PRESENT and reading.clause.verbs[0].tag in {"VBP", "VBZ"}
        return False if habit else None
    managed = lemma_of(reading.clause.verbs[0].lower) == "manage"
    if rule.aspect is Aspect.EVENT and not managed:
        return None
    return rule.ends if reading.tense in _DONE else None


def _ends_state(rule: ClauseRule, reading: ClauseReading) -> bool | None:
    """Return the same of what holds for a while."""
    clause, tense = reading.clause, reading.tense
    in_progress = reading.activity is None and clause.progressive
    if in_progress and lemma_of(clause.verb) not in _IN_PROGRESS:
        long = tense is Tense.PERFECT and rule.shape in {Shape.PLAYED, Shape.PASTIME}
        return False if long else None
    if tense is Tense.PAST:
        if rule.predicate == "likes" and _titled(reading):
            return False
        if "when" in (token.lower for token in reading.sentence.tokens[: clause.first]):
            return None
        came = rule.shape is Shape.ANIMAL and reading.verb != "have"
        return False if came else True if rule.predicate in _ENDED_BY_PAST else None
    if tense is Tense.PERFECT and not clause.progressive:
        still = {"since", "for", "always"} & {token.lower for token in clause.tokens}
        return False if still or reading.verb in {"get", "adopt", "buy", "be"} else None
    return rule.ends


def _titled(reading: ClauseReading) -> bool:
    """Say whether what is liked is a work, named in quotes: that is liked for good."""
    tokens = reading.sentence.tokens[reading.first :]
    activity = {"reading", "watching"}.isdisjoint(token.lower for token in tokens[:1])
    return tokens[0 if activity else 1].text in _QUOTES if tokens[1:] else False


def _objects(rule: ClauseRule, reading: ClauseReading) -> Iterator[str]:
    start = _start(rule, reading)
    if start is None or (rule.predicate == "origin" and _returns(reading)):
        return
    if reading.activity is not None and rule.predicate in _TASTES:
        yield from activities(reading)
    elif rule.shape is Shape.DEED:
        yield from deeds(rule, reading, start)
    else:
        yield from SHAPES[rule.shape](rule, reading, start)


def _returns(reading: ClauseReading) -> bool:
    """Say whether somebody came from where they only were: "I came back from Portugal"."""
    return reading.sentence.tokens[reading.first].lower in _BACK


def _start(rule: ClauseRule, reading: ClauseReading) -> int | None:
    """Return where the object begins: behind the verb, or behind its preposition."""
    tokens, place = reading.sentence.tokens, reading.first
    if not rule.links:
        return place
    for index in range(place, min(place + _LINK_DISTANCE_MAX, len(tokens) - 1)):
        token = tokens[index]
        if token.lower in rule.links:
            if rule.heads and rule.shape is not Shape.DEED:
                between = {word.lower for word in tokens[place:index]}
                return None if rule.heads.isdisjoint(between) else index + 1
            return index + 1
        if token.is_finite or token.text[0] in ".!?;:(" or token.lower in {"that", "who", "but"}:
            return None
        if rule.shape is Shape.DEED and index > place + 1 and reading.verb != "take":
            return None
    return None
