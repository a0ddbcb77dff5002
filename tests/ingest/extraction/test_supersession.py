"""Supersession: what a new statement does to what is known, in whatever order it arrives."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.facts import FactConfirmed, as_of, fold_facts
from meridia.core.vocabulary import EntryKind
from meridia.ingest.extraction.statements import (
    Statement,
    apply_model_opinion,
    assert_fact,
    key_of,
)
from meridia.language.predicates import get_predicate, render_statement
from meridia.models.answer_types import SupersessionAnswer
from tests.histories import an_entry
from tests.ingest.extraction.fact_texts import statements
from tests.ingest.ingest_events import START, at

DAY = timedelta(days=1)
LATER = START + 100 * DAY


def stated(predicate, object, confidence=0.9, *, ends=False, subject=None):
    row = get_predicate(predicate)
    text = render_statement(subject or "Dana", predicate, object, ends=ends)
    return Statement(
        subject, predicate, object, text, row.stability, row.single_valued, confidence, ends
    )


def message(id, when):
    return an_entry(EntryKind.EXPERIENCE_CAPTURED, None, id=id, at=when)


class FactLog:
    """All facts there are, and the journal they come from."""

    def __init__(self):
        self.journal, self.facts, self.reports = [], {}, []

    def hear(self, statement, day, experience=None, subject_id=None):
        """Take in a statement made on a day; return the kinds of what it gave."""
        entry = message(experience or f"e{len(self.reports)}", START + day * DAY)
        return self.add(assert_fact(statement, [*self.facts.values()], entry, "Dana", subject_id))

    def add(self, findings):
        self.reports.append(findings)
        now = at(len(self.reports))
        entries = [(f, now) for f in findings if not isinstance(f, FactConfirmed)]
        self.journal += entries
        self.facts = fold_facts(entries, self.facts)
        return [type(finding).__name__ for finding in findings]

    def held(self, day):
        return [(f.predicate, f.object) for f in as_of(self.facts, START + day * DAY, None)]

    def find_fact(self, object, predicate=None):
        result = [f for f in self.facts.values() if f.object == object and not f.is_end_record]
        (fact,) = [f for f in result if predicate in (None, f.predicate)]
        return fact


@pytest.fixture
def log():
    return FactLog()


def test_a_new_value_ends_the_old_one_when_it_began(log):
    log.hear(stated("lives_in", "Rome"), 0)
    assert log.hear(stated("lives_in", "Oslo"), 5) == ["FactAsserted", "FactSuperseded"]
    assert log.held(4) == [("lives_in", "Rome")]
    assert log.held(5) == [("lives_in", "Oslo")]
    rome, oslo = log.find_fact("Rome"), log.find_fact("Oslo")
    assert (rome.t_invalid, rome.superseded_by) == (oslo.t_valid, oslo.id)
    assert rome.t_expired == oslo.t_created


@pytest.mark.parametrize("again", ["Rome", "  rome ", "the ROME"])
def test_what_holds_already_is_confirmed(log, again):
    log.hear(stated("lives_in", "Rome"), 0)
    assert log.hear(stated("lives_in", again), 5) == ["FactConfirmed"]
    (confirmed,) = log.reports[-1]
    assert confirmed.fact == log.find_fact("Rome").id
    assert confirmed.experience == "e1"


def test_what_was_taken_in_before_gives_nothing(log):
    log.hear(stated("lives_in", "Rome"), 0, "e")
    assert log.hear(stated("lives_in", "Rome"), 0, "e") == []


def test_an_older_statement_that_arrives_late_takes_its_place_in_the_past(log):
    log.hear(stated("lives_in", "Oslo"), 5)
    log.hear(stated("lives_in", "Rome"), 0)
    assert log.held(4) == [("lives_in", "Rome")]
    assert log.held(9) == [("lives_in", "Oslo")]
    assert log.find_fact("Rome").superseded_by == log.find_fact("Oslo").id


def test_what_held_before_it_was_first_heard_of_holds_once_at_a_time(log):
    log.hear(stated("lives_in", "Oslo"), 5)
    assert log.hear(stated("lives_in", "OSLO"), 2) == ["FactAsserted", "FactSuperseded"]
    assert [log.held(day) for day in (1, 2, 5)] == [
        [],
        [("lives_in", "OSLO")],
        [("lives_in", "Oslo")],
    ]


def test_what_does_not_change_is_replaced_only_by_what_is_sure(log):
    log.hear(stated("name", "Ann", 0.95), 0)
    log.hear(stated("name", "Bea", 0.9), 5)
    assert log.held(9) == [("name", "Ann"), ("name", "Bea")]
    ann, bea = log.find_fact("Ann"), log.find_fact("Bea")
    assert (ann.contradicts, bea.contradicts) == ((bea.id,), (ann.id,))
    log.hear(stated("name", "Cleo", 0.95), 7)
    assert log.held(9) == [("name", "Cleo")]
    assert log.held(6) == [("name", "Ann"), ("name", "Bea")]


def test_two_values_of_the_same_moment_contradict(log):
    log.hear(stated("lives_in", "Rome"), 3)
    log.hear(stated("lives_in", "Oslo"), 3)
    assert len(log.held(3)) == 2
    assert log.find_fact("Rome").contradicts == (log.find_fact("Oslo").id,)


def test_many_values_stand_side_by_side(log):
    log.hear(stated("likes", "tea"), 0)
    log.hear(stated("likes", "wine"), 1)
    assert log.held(2) == [("likes", "tea"), ("likes", "wine")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("likes", "the tea"), ("dislikes", "Tea")),
        (("prefers", "tea over wine"), ("prefers", "wine over tea")),
        (("prefers", "The Tea over wine"), ("prefers", "a Wine over tea")),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_the_opposite_ends_a_liking(log, first, second, late):
    reported = [(stated(*first), 0), (stated(*second), 5)]
    for statement, day in reversed(reported) if late else reported:
        log.hear(statement, day)
    assert log.held(4) == [first]
    assert log.held(6) == [second]


@pytest.mark.parametrize("object", ["Acme", "acme", ""])
@pytest.mark.parametrize("late", [False, True])
def test_an_end_closes_what_it_is_about(log, object, late):
    reported = [(stated("works_at", "Acme"), 0), (stated("works_at", object, ends=True), 5)]
    for statement, day in reversed(reported) if late else reported:
        log.hear(statement, day)
    assert log.held(4) == [("works_at", "Acme")]
    assert log.held(5) == []
    assert log.find_fact("Acme").superseded_by in log.facts


def test_an_end_leaves_the_rest_and_what_begins_with_it(log):
    log.hear(stated("works_at", "Acme"), 0)
    log.hear(stated("lives_in", "Rome"), 0)
    log.hear(stated("works_at", "Ajax"), 5)
    log.hear(stated("works_at", "", ends=True), 5)
    log.hear(stated("works_at", "Initech", ends=True), 6)
    assert log.held(9) == [("lives_in", "Rome"), ("works_at", "Ajax")]


def test_an_end_that_was_said_before_is_confirmed_until_it_began_again(log):
    log.hear(stated("works_at", "Acme"), 0)
    log.hear(stated("works_at", "Acme", ends=True), 2)
    assert log.hear(stated("works_at", "Acme", ends=True), 3) == ["FactConfirmed"]
    log.hear(stated("works_at", "Acme"), 5)
    assert log.held(6) == [("works_at", "Acme")]
    log.hear(stated("works_at", "Acme", ends=True), 7)
    assert log.held(8) == []


def test_an_end_and_a_beginning_in_one_text_are_two_facts(log):
    for statement in (stated("lives_in", "Rome", ends=True), stated("lives_in", "Rome")):
        log.hear(statement, 0, "e")
    assert log.held(1) == [("lives_in", "Rome")]


def test_a_husband_without_a_name_says_nothing_beside_one_with_a_name(log):
    log.hear(stated("partner", "Tom"), 0)
    log.hear(stated("partner", "husband"), 1)
    assert log.held(2) == [("partner", "Tom")]
    log.hear(stated("partner", "wife", subject="Ann"), 0)
    log.hear(stated("partner", "Sue", subject="Ann"), 1)
    assert log.held(2) == [("partner", "Tom"), ("partner", "Sue")]


def test_subjects_are_told_apart_by_id_and_else_by_name(log):
    log.hear(stated("lives_in", "Rome", subject="Ann"), 0, subject_id="p1")
    log.hear(stated("lives_in", "Oslo", subject="Ann"), 1, subject_id="p2")
    assert len(log.held(2)) == 2
    log.hear(stated("lives_in", "Bonn", subject="Annie"), 3, subject_id="p1")
    assert log.held(4) == [("lives_in", "Oslo"), ("lives_in", "Bonn")]
    log.hear(stated("lives_in", "Lima", subject=" ANN "), 5)
    assert ("lives_in", "Lima") in log.held(6)
    assert ("lives_in", "Oslo") not in log.held(6)


def test_a_speaker_whom_nobody_knows_asserts_nothing():
    entry = message("e", START)
    assert assert_fact(stated("lives_in", "Rome"), [], entry) == []
    (payload,) = assert_fact(stated("lives_in", "Rome"), [], entry, subject_id="session_1")
    assert (payload.subject, payload.subject_id) == ("the speaker", "session_1")


def test_every_entry_has_a_key_of_its_own(log):
    log.hear(stated("lives_in", "Rome"), 0)
    log.hear(stated("lives_in", "Oslo"), 5)
    asserted, superseded = log.reports[-1]
    assert key_of(asserted) == asserted.fact
    assert key_of(superseded).endswith(f" supersedes {asserted.fact}")
    keys = [key_of(finding) for report in log.reports for finding in report]
    assert len({*keys}) == len(keys)


def reported(relation, confidence):
    return SupersessionAnswer(relation=relation, confidence=confidence, reason="so it seems")


@pytest.mark.parametrize(
    ("predicate", "relation", "confidence", "gives"),
    [
        ("note", "supersedes", 0.8, "supersedes"),
        ("origin", "supersedes", 0.95, "supersedes"),
        ("origin", "supersedes", 0.9, "contradicts"),
        ("note", "contradicts", 0.7, "contradicts"),
        ("note", "supersedes", 0.5, None),
        ("note", "unrelated", 0.9, None),
    ],
)
def test_a_model_is_heard_as_far_as_it_is_sure(log, predicate, relation, confidence, gives):
    log.hear(stated(predicate, "the first", 0.6), 0, subject_id=None)
    old = log.find_fact("the first")
    log.hear(stated("likes", "the second"), 5)
    new = log.find_fact("the second")
    result = apply_model_opinion(reported(relation, confidence), new, old)
    if gives is None:
        assert result is None
        return
    log.add([result])
    ended = log.find_fact("the first").t_invalid
    assert ended == (new.t_valid if gives == "supersedes" else None)
    assert bool(log.find_fact("the first").contradicts) is (gives == "contradicts")
    assert result.by == "model"


def test_a_model_that_confirms_reports_the_known_fact(log):
    log.hear(stated("note", "the door is blue"), 0)
    log.hear(stated("note", "the door has a blue colour"), 1)
    old, new = log.find_fact("the door is blue"), log.find_fact("the door has a blue colour")
    found = apply_model_opinion(reported("confirms", 0.9), new, old)
    assert found == FactConfirmed(old.id, new.experience, new.t_valid, 0.9)


def test_a_model_ends_the_earlier_of_two_and_nothing_that_ended(log):
    log.hear(stated("note", "late"), 5)
    log.hear(stated("note", "early"), 0)
    late, early = log.find_fact("late"), log.find_fact("early")
    log.add([apply_model_opinion(reported("supersedes", 0.9), early, late)])
    assert log.held(6) == [("note", "late")]
    assert (
        apply_model_opinion(
            reported("supersedes", 0.9), log.find_fact("early"), log.find_fact("late")
        )
        is None
    )


# Properties ------------------------------------------------------------------------------------

PREDICATES = st.sampled_from(["lives_in", "name", "likes", "dislikes", "works_at"])
CONFIDENCES = st.sampled_from([0.6, 0.9, 0.95])
STATEMENTS = st.builds(
    stated,
    PREDICATES,
    st.sampled_from(["Rome", "rome", "Oslo", "Bonn"]),
    CONFIDENCES,
    ends=st.booleans(),
)
HISTORIES = st.lists(st.tuples(STATEMENTS, st.integers(0, 8)), max_size=10)


def after(history):
    log = FactLog()
    for statement, day in history:
        log.hear(statement, day)
    return log


def course(log):
    """Return what held on every day, spelling apart."""
    return [sorted({(p, o.casefold()) for p, o in log.held(day)}) for day in range(-1, 12)]


@given(
    st.sampled_from(["lives_in", "name", "works_at"]),
    st.lists(st.sampled_from(["Rome", "rome", "Oslo"]), min_size=2, max_size=2),
    st.lists(CONFIDENCES, min_size=2, max_size=2),
    st.lists(st.integers(0, 4), min_size=2, max_size=2),
)
def test_the_order_of_arrival_of_two_values_does_not_matter(predicate, objects, confidences, days):
    both = [
        (stated(predicate, object, confidence), day)
        for object, confidence, day in zip(objects, confidences, days, strict=True)
    ]
    assert course(after(both)) == course(after(both[::-1]))


@given(
    st.sampled_from(["lives_in", "name", "works_at"]),
    st.lists(CONFIDENCES, min_size=4, max_size=4),
    st.lists(st.integers(0, 6), min_size=4, max_size=4),
    st.sampled_from([*permutations(range(4))]),
)
def test_the_order_of_arrival_of_many_different_values_does_not_matter(
    predicate, confidences, days, order
):
    values = ["Rome", "Oslo", "Bonn", "Lima"]
    reported = [
        (stated(predicate, value, confidence), day)
        for value, confidence, day in zip(values, confidences, days, strict=True)
    ]
    first, second = after(reported), after([reported[place] for place in order])
    assert course(first) == course(second)
    assert contradictions(first) == contradictions(second)


def contradictions(log):
    facts = log.facts
    return {
        frozenset((fact.object, facts[other].object))
        for fact in facts.values()
        for other in fact.contradicts
    }


@given(HISTORIES)
def test_two_values_at_once_say_that_they_contradict(history):
    log = after(history)
    for day in range(12):
        held = as_of(log.facts, START + day * DAY, None)
        for find_fact in held:
            for other in held:
                rivals = (
                    find_fact.predicate == other.predicate
                    and get_predicate(find_fact.predicate).single_valued
                )
                opposed = {find_fact.predicate, other.predicate} == {"likes", "dislikes"}
                same = find_fact.object.casefold() == other.object.casefold()
                if (rivals and not same) or (opposed and same):
                    assert other.id in find_fact.contradicts


@given(HISTORIES)
def test_nothing_heard_is_lost(history):
    log = after(history)
    for (statement, _), report in zip(history, log.reports, strict=True):
        assert report
        assert report[0].fact in log.facts
        assert log.facts[report[0].fact].predicate == statement.predicate


@given(HISTORIES, st.integers(0, 10))
def test_what_was_known_then_is_what_had_been_heard_by_then(history, count):
    then = as_of(after(history).facts, LATER, at(count))
    now = as_of(after(history[:count]).facts, LATER, None)
    assert then == now


def test_who_died_is_spoken_of_later_and_lives_no_more():
    log = FactLog()
    for day, text in enumerate(
        ["My aunt Carla is visiting.", "My aunt Carla died.", "My aunt Carla had a boat."], 1
    ):
        for statement in statements(text):
            log.hear(statement, day, experience=f"m{day}")
    assert ("aunt", "Carla") in log.held(1)
    assert ("aunt", "Carla") not in log.held(2)
    assert ("aunt", "Carla") not in log.held(4)
