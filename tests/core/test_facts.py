"""Facts: a fold over the journal that forgets nothing, seen on both clocks."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.entries import FactAsserted
from meridia.core.errors import InvalidInput
from meridia.core.facts import as_of, fact_from, fact_id, fold_facts
from meridia.core.time import to_text
from meridia.core.types import EntryKind
from meridia.core.vocabulary import Stability
from tests.drafts import a_payload
from tests.ingest.ingest_events import START, at

DAY = timedelta(days=1)


def asserted(name, day, predicate="lives_in"):
    said = {
        "fact": name,
        "experience": f"of {name}",
        "predicate": predicate,
        "object": name,
        "text": f"Dana lives in {name}.",
        "t_valid": to_text(START + day * DAY),
    }
    return a_payload(EntryKind.FACT_ASSERTED, said)


def superseded(old, new=None, day=None, relation="supersedes"):
    end = None if day is None else to_text(START + day * DAY)
    fields = {"fact": old, "by_fact": new, "relation": relation, "t_invalid": end}
    return a_payload(EntryKind.FACT_SUPERSEDED, fields)


def recorded(*entries):
    """Return entries as the journal gives them, one recorded every second."""
    return [(payload, at(second)) for second, payload in enumerate(entries)]


def names(facts):
    return [fact.id for fact in facts]


def test_what_was_asserted_is_read_back():
    fact = fold_facts(recorded(asserted("Rome", 0)))["Rome"]
    assert (fact.t_valid, fact.t_invalid) == (START, None)
    assert (fact.t_created, fact.t_expired) == (at(0), None)
    assert fact.record() == {
        "id": "Rome",
        "subject": "Dana",
        "subject_id": None,
        "predicate": "lives_in",
        "object": "Rome",
        "text": "Dana lives in Rome.",
        "stability": "dynamic",
        "t_valid": to_text(START),
        "t_invalid": None,
        "t_created": to_text(at(0)),
        "t_expired": None,
        "superseded_by": None,
        "contradicts": (),
        "experience": "of Rome",
        "confidence": 0.9,
        "by": "rule",
    }


def test_what_ended_keeps_its_interval_and_says_when_that_was_learned():
    journal = recorded(asserted("Rome", 0), asserted("Oslo", 2), superseded("Rome", "Oslo", 2))
    rome = fold_facts(journal)["Rome"]
    assert (rome.t_invalid, rome.t_expired) == (START + 2 * DAY, at(2))
    assert rome.superseded_by == "Oslo"


def test_intervals_are_half_open():
    facts = fold_facts(
        recorded(asserted("Rome", 0), asserted("Oslo", 2), superseded("Rome", "Oslo", 2))
    )
    assert names(as_of(facts, START, None)) == ["Rome"]
    assert names(as_of(facts, START + 2 * DAY, None)) == ["Oslo"]
    assert names(as_of(facts, START - DAY, None)) == []
    assert names(as_of(facts, None, None)) == ["Rome", "Oslo"]


def test_what_was_not_known_yet_is_not_seen():
    journal = recorded(asserted("Rome", 0), asserted("Oslo", 2), superseded("Rome", "Oslo", 2))
    facts, now = fold_facts(journal), START + 9 * DAY
    assert names(as_of(facts, now, at(0))) == ["Rome"]
    assert names(as_of(facts, now, at(1))) == ["Rome", "Oslo"]
    assert names(as_of(facts, now, at(2))) == ["Oslo"]
    assert as_of(facts, now, at(-1)) == []


def test_an_end_that_is_revised_was_still_believed_before():
    journal = recorded(
        asserted("Rome", 0),
        asserted("Oslo", 5),
        superseded("Rome", "Oslo", 5),
        asserted("Bonn", 3),
        superseded("Rome", "Bonn", 3),
    )
    rome = fold_facts(journal)["Rome"]
    assert (rome.t_invalid, rome.t_expired) == (START + 3 * DAY, at(4))
    assert rome.as_recorded_at(at(3)).t_invalid == START + 5 * DAY
    assert rome.as_recorded_at(at(3)).t_expired == at(2)


def test_a_contradiction_is_named_on_both_sides_until_one_ends():
    journal = recorded(
        asserted("Ann", 0), asserted("Bea", 1), superseded("Ann", "Bea", relation="contradicts")
    )
    facts = fold_facts(journal)
    assert (facts["Ann"].contradicts, facts["Bea"].contradicts) == (("Bea",), ("Ann",))
    settled = fold_facts([(superseded("Ann", "Bea", 1), at(9))], facts)
    assert (settled["Ann"].contradicts, settled["Bea"].contradicts) == ((), ())
    assert settled["Ann"].as_recorded_at(at(5)).contradicts == ("Bea",)
    assert facts["Ann"].contradicts == ("Bea",)


def test_an_end_without_a_time_is_that_of_what_replaced_it_or_now():
    reported = recorded(asserted("Rome", 0), asserted("Oslo", 2), superseded("Rome", "Oslo"))
    assert fold_facts(reported)["Rome"].t_invalid == START + 2 * DAY
    later = [*recorded(asserted("Rome", 0)), (superseded("Rome"), START + 7 * DAY)]
    assert fold_facts(later)["Rome"].t_invalid == START + 7 * DAY


def test_nothing_ends_before_it_began():
    rome = fold_facts(recorded(asserted("Rome", 3), superseded("Rome", None, 1)))["Rome"]
    assert rome.t_invalid == rome.t_valid
    assert rome.is_end_record
    assert not rome.valid_at(rome.t_valid)


def test_what_is_erased_unknown_or_heard_twice_changes_nothing():
    journal = [
        *recorded(asserted("Rome", 0)),
        (None, at(1)),
        (superseded("gone", "Rome", 1), at(2)),
        (superseded("Rome", "gone", relation="contradicts"), at(3)),
        (asserted("Rome", 5), at(4)),
        (a_payload(EntryKind.PERSON_MET, {}), at(5)),
    ]
    assert fold_facts(journal) == fold_facts(recorded(asserted("Rome", 0)))


def test_an_instant_that_is_none_is_named():
    with pytest.raises(InvalidInput, match="soon"):
        fact_from(replace(asserted("Rome", 0), t_valid="soon"), START)


def test_an_id_tells_subject_predicate_object_and_experience_apart():
    first = fact_id("s", "Dana", "likes", "The Beatles", "e1")
    assert first == fact_id("s", "dana", "likes", " beatles ", "e1")
    others = [
        fact_id("t", "Dana", "likes", "The Beatles", "e1"),
        fact_id("s", "Ann", "likes", "The Beatles", "e1"),
        fact_id("s", "Dana", "dislikes", "The Beatles", "e1"),
        fact_id("s", "Dana", "likes", "Queen", "e1"),
        fact_id("s", "Dana", "likes", "The Beatles", "e2"),
    ]
    assert len({first, *others}) == 6


NAMES = st.sampled_from("abcde")
DAYS = st.integers(0, 6)
ENTRIES = st.lists(
    st.one_of(
        st.builds(asserted, NAMES, DAYS),
        st.builds(superseded, NAMES, st.none() | NAMES, st.none() | DAYS),
        st.builds(lambda a, b: superseded(a, b, relation="contradicts"), NAMES, NAMES),
    ),
    max_size=14,
).map(lambda entries: recorded(*entries))


@given(ENTRIES, st.integers(-1, 14))
def test_what_was_known_then_is_what_the_journal_said_by_then(journal, second):
    by_then = [entry for entry in journal if entry[1] <= at(second)]
    existing = as_of(fold_facts(journal), None, at(second))
    assert {fact.id: fact for fact in existing} == fold_facts(by_then)


@given(ENTRIES, st.integers(0, 14))
def test_nothing_is_ever_removed_and_a_fold_can_go_on(journal, cut):
    before = fold_facts(journal[:cut])
    after = fold_facts(journal[cut:], before)
    assert after == fold_facts(journal)
    assert all(after[id].object == fact.object for id, fact in before.items())
    reported = {payload.fact for payload, _ in journal if isinstance(payload, FactAsserted)}
    assert after.keys() == reported


@given(ENTRIES)
def test_every_contradiction_has_two_sides_that_overlap_or_never_did(journal):
    facts = fold_facts(journal)
    for fact in facts.values():
        assert all(fact.id in facts[other].contradicts for other in fact.contradicts)
        assert isinstance(fact.stability, Stability)
        assert fact.t_invalid is None or fact.t_invalid >= fact.t_valid
