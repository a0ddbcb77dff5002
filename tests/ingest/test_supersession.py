"""Supersession: what a new statement does to what is known, in whatever order it arrives."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.facts import as_of, fold_facts
from meridia.core.model_answers import SupersessionAnswer
from meridia.ingest.fact_predicates import predicate_of, sentence
from meridia.ingest.statements import Statement, statements_of
from meridia.ingest.supersession import Source, assert_fact, reconsider
from tests.ingest.happenings import START, at, user

DAY = timedelta(days=1)
LATER = START + 100 * DAY


def stated(predicate, object, confidence=0.9, *, ends=False, subject=None):
    row = predicate_of(predicate)
    text = sentence(subject or "Dana", predicate, object, ends=ends)
    return Statement(
        subject, predicate, object, text, row.stability, row.single_valued, confidence, ends
    )


class Known:
    """All facts there are, and the journal they come from."""

    def __init__(self):
        self.journal, self.facts, self.reports = [], {}, []

    def hear(self, statement, day, experience=None, subject_id=None):
        """Take in a statement made on a day; return the kinds of what it gave."""
        source = Source("s", experience or f"e{len(self.reports)}", START + day * DAY, "Dana")
        return self.add(assert_fact(statement, [*self.facts.values()], source, subject_id))

    def add(self, findings):
        self.reports.append(findings)
        now = at(len(self.reports))
        entries = [(kind, payload, now) for kind, _, payload in findings]
        self.journal += entries
        self.facts = fold_facts(entries, self.facts)
        return [kind for kind, _, _ in findings]

    def held(self, day):
        return [(f.predicate, f.object) for f in as_of(self.facts, START + day * DAY, None)]

    def one(self, object, predicate=None):
        found = [f for f in self.facts.values() if f.object == object and not f.records_end]
        (fact,) = [f for f in found if predicate in (None, f.predicate)]
        return fact


@pytest.fixture
def known():
    return Known()


def test_a_new_value_ends_the_old_one_when_it_began(known):
    known.hear(stated("lives_in", "Rome"), 0)
    assert known.hear(stated("lives_in", "Oslo"), 5) == ["FactAsserted", "FactSuperseded"]
    assert known.held(4) == [("lives_in", "Rome")]
    assert known.held(5) == [("lives_in", "Oslo")]
    rome, oslo = known.one("Rome"), known.one("Oslo")
    assert (rome.t_invalid, rome.superseded_by) == (oslo.t_valid, oslo.id)
    assert rome.t_expired == oslo.t_created


@pytest.mark.parametrize("again", ["Rome", "  rome ", "the ROME"])
def test_what_holds_already_is_confirmed(known, again):
    known.hear(stated("lives_in", "Rome"), 0)
    assert known.hear(stated("lives_in", again), 5) == ["confirmed"]
    (_, key, payload) = known.reports[-1][0]
    assert key == payload["fact"] == known.one("Rome").id
    assert payload["experience"] == "e1"


def test_what_was_taken_in_before_gives_nothing(known):
    known.hear(stated("lives_in", "Rome"), 0, "e")
    assert known.hear(stated("lives_in", "Rome"), 0, "e") == []


def test_an_older_statement_that_arrives_late_takes_its_place_in_the_past(known):
    known.hear(stated("lives_in", "Oslo"), 5)
    known.hear(stated("lives_in", "Rome"), 0)
    assert known.held(4) == [("lives_in", "Rome")]
    assert known.held(9) == [("lives_in", "Oslo")]
    assert known.one("Rome").superseded_by == known.one("Oslo").id


def test_what_held_before_it_was_first_heard_of_holds_once_at_a_time(known):
    known.hear(stated("lives_in", "Oslo"), 5)
    assert known.hear(stated("lives_in", "OSLO"), 2) == ["FactAsserted", "FactSuperseded"]
    assert [known.held(day) for day in (1, 2, 5)] == [
        [],
        [("lives_in", "OSLO")],
        [("lives_in", "Oslo")],
    ]


def test_what_does_not_change_is_replaced_only_by_what_is_sure(known):
    known.hear(stated("name", "Ann", 0.95), 0)
    known.hear(stated("name", "Bea", 0.9), 5)
    assert known.held(9) == [("name", "Ann"), ("name", "Bea")]
    ann, bea = known.one("Ann"), known.one("Bea")
    assert (ann.contradicts, bea.contradicts) == ((bea.id,), (ann.id,))
    known.hear(stated("name", "Cleo", 0.95), 7)
    assert known.held(9) == [("name", "Cleo")]
    assert known.held(6) == [("name", "Ann"), ("name", "Bea")]


def test_two_values_of_the_same_moment_contradict(known):
    known.hear(stated("lives_in", "Rome"), 3)
    known.hear(stated("lives_in", "Oslo"), 3)
    assert len(known.held(3)) == 2
    assert known.one("Rome").contradicts == (known.one("Oslo").id,)


def test_many_values_stand_side_by_side(known):
    known.hear(stated("likes", "tea"), 0)
    known.hear(stated("likes", "wine"), 1)
    assert known.held(2) == [("likes", "tea"), ("likes", "wine")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("likes", "the tea"), ("dislikes", "Tea")),
        (("prefers", "tea over wine"), ("prefers", "wine over tea")),
        (("prefers", "The Tea over wine"), ("prefers", "a Wine over tea")),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_the_opposite_ends_a_liking(known, first, second, late):
    told = [(stated(*first), 0), (stated(*second), 5)]
    for statement, day in reversed(told) if late else told:
        known.hear(statement, day)
    assert known.held(4) == [first]
    assert known.held(6) == [second]


@pytest.mark.parametrize("object", ["Acme", "acme", ""])
@pytest.mark.parametrize("late", [False, True])
def test_an_end_closes_what_it_is_about(known, object, late):
    told = [(stated("works_at", "Acme"), 0), (stated("works_at", object, ends=True), 5)]
    for statement, day in reversed(told) if late else told:
        known.hear(statement, day)
    assert known.held(4) == [("works_at", "Acme")]
    assert known.held(5) == []
    assert known.one("Acme").superseded_by in known.facts


def test_an_end_leaves_the_rest_and_what_begins_with_it(known):
    known.hear(stated("works_at", "Acme"), 0)
    known.hear(stated("lives_in", "Rome"), 0)
    known.hear(stated("works_at", "Ajax"), 5)
    known.hear(stated("works_at", "", ends=True), 5)
    known.hear(stated("works_at", "Initech", ends=True), 6)
    assert known.held(9) == [("lives_in", "Rome"), ("works_at", "Ajax")]


def test_an_end_that_was_said_before_is_confirmed_until_it_began_again(known):
    known.hear(stated("works_at", "Acme"), 0)
    known.hear(stated("works_at", "Acme", ends=True), 2)
    assert known.hear(stated("works_at", "Acme", ends=True), 3) == ["confirmed"]
    known.hear(stated("works_at", "Acme"), 5)
    assert known.held(6) == [("works_at", "Acme")]
    known.hear(stated("works_at", "Acme", ends=True), 7)
    assert known.held(8) == []


def test_an_end_and_a_beginning_in_one_text_are_two_facts(known):
    made = statements_of(user("I no longer live in Rome. I live in Rome again."), "Dana")
    for statement in made:
        known.hear(statement, 0, "e")
    assert known.held(1) == [("lives_in", "Rome")]


def test_subjects_are_told_apart_by_id_and_else_by_name(known):
    known.hear(stated("lives_in", "Rome", subject="Ann"), 0, subject_id="p1")
    known.hear(stated("lives_in", "Oslo", subject="Ann"), 1, subject_id="p2")
    assert len(known.held(2)) == 2
    known.hear(stated("lives_in", "Bonn", subject="Annie"), 3, subject_id="p1")
    assert known.held(4) == [("lives_in", "Oslo"), ("lives_in", "Bonn")]
    known.hear(stated("lives_in", "Lima", subject=" ANN "), 5)
    assert ("lives_in", "Lima") in known.held(6)
    assert ("lives_in", "Oslo") not in known.held(6)


def test_a_speaker_whom_nobody_knows_asserts_nothing():
    source = Source("s", "e", START)
    assert assert_fact(stated("lives_in", "Rome"), [], source) == []
    ((_, _, payload),) = assert_fact(stated("lives_in", "Rome"), [], source, "session_1")
    assert (payload["subject"], payload["subject_id"]) == ("the speaker", "session_1")


def test_every_entry_has_the_fields_of_its_kind(known):
    known.hear(stated("lives_in", "Rome"), 0)
    known.hear(stated("lives_in", "Oslo"), 5)
    (_, key, asserted), (_, _, superseded) = known.reports[-1]
    assert key == asserted["fact"]
    assert asserted.keys() == {
        *("fact", "experience", "subject", "subject_id", "predicate", "object"),
        *("text", "stability", "t_valid", "confidence", "by"),
    }
    assert superseded.keys() == {"fact", "by_fact", "relation", "t_invalid", "reason", "by"}
    keys = [(kind, key) for report in known.reports for kind, key, _ in report]
    assert len({*keys}) == len(keys)


def told(relation, confidence):
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
def test_a_model_is_heard_as_far_as_it_is_sure(known, predicate, relation, confidence, gives):
    known.hear(stated(predicate, "the first", 0.6), 0, subject_id=None)
    old = known.one("the first")
    known.hear(stated("likes", "the second"), 5)
    new = known.one("the second")
    found = reconsider(told(relation, confidence), new, old)
    if gives is None:
        assert found is None
        return
    known.add([found])
    ended = known.one("the first").t_invalid
    assert ended == (new.t_valid if gives == "supersedes" else None)
    assert bool(known.one("the first").contradicts) is (gives == "contradicts")
    assert found[2]["by"] == "model"


def test_a_model_that_confirms_reports_the_known_fact(known):
    known.hear(stated("note", "the door is blue"), 0)
    known.hear(stated("note", "the door has a blue colour"), 1)
    old, new = known.one("the door is blue"), known.one("the door has a blue colour")
    kind, key, payload = reconsider(told("confirms", 0.9), new, old)
    assert (kind, key, payload["experience"]) == ("confirmed", old.id, new.experience)


def test_a_model_ends_the_earlier_of_two_and_nothing_that_ended(known):
    known.hear(stated("note", "late"), 5)
    known.hear(stated("note", "early"), 0)
    late, early = known.one("late"), known.one("early")
    known.add([reconsider(told("supersedes", 0.9), early, late)])
    assert known.held(6) == [("note", "late")]
    assert reconsider(told("supersedes", 0.9), known.one("early"), known.one("late")) is None


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
    known = Known()
    for statement, day in history:
        known.hear(statement, day)
    return known


def course(known):
    """Return what held on every day, spelling apart."""
    return [sorted({(p, o.casefold()) for p, o in known.held(day)}) for day in range(-1, 12)]


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
    told = [
        (stated(predicate, value, confidence), day)
        for value, confidence, day in zip(values, confidences, days, strict=True)
    ]
    first, second = after(told), after([told[place] for place in order])
    assert course(first) == course(second)
    assert contradictions(first) == contradictions(second)


def contradictions(known):
    facts = known.facts
    return {
        frozenset((fact.object, facts[other].object))
        for fact in facts.values()
        for other in fact.contradicts
    }


@given(HISTORIES)
def test_two_values_at_once_say_that_they_contradict(history):
    known = after(history)
    for day in range(12):
        held = as_of(known.facts, START + day * DAY, None)
        for one in held:
            for other in held:
                rivals = (
                    one.predicate == other.predicate and predicate_of(one.predicate).single_valued
                )
                opposed = {one.predicate, other.predicate} == {"likes", "dislikes"}
                same = one.object.casefold() == other.object.casefold()
                if (rivals and not same) or (opposed and same):
                    assert other.id in one.contradicts


@given(HISTORIES)
def test_nothing_heard_is_lost(history):
    known = after(history)
    for (statement, _), report in zip(history, known.reports, strict=True):
        assert report
        assert report[0][1] in known.facts
        assert known.facts[report[0][1]].predicate == statement.predicate


@given(HISTORIES, st.integers(0, 10))
def test_what_was_known_then_is_what_had_been_heard_by_then(history, count):
    then = as_of(after(history).facts, LATER, at(count))
    now = as_of(after(history[:count]).facts, LATER, None)
    assert then == now
