"""Files of facts: what was told of a subject is found under it, in the order of the journal."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.facts import fold_facts
from meridia.core.types import EntryKind, Space
from meridia.storage.projections import fact_index
from meridia.storage.projections.fact_index import subject_key
from tests.drafts import a_draft
from tests.fakes import numbered, private_journal
from tests.graph.listed import AWAY, HOME

ASSERTED, SUPERSEDED = EntryKind.FACT_ASSERTED, EntryKind.FACT_SUPERSEDED


def assert_(file, fact: str, subject: str, id: str | None = None, space: Space = HOME) -> None:
    payload = {
        "fact": fact,
        "experience": "e-1",
        "subject": subject,
        "subject_id": id,
        "predicate": "lives_in",
        "object": "Oslo",
        "text": f"{subject} lives in Oslo",
        "stability": "dynamic",
        "t_valid": "2026-03-01T10:00:00Z",
        "confidence": 0.9,
        "by": "rule",
    }
    file.journal.append(space, [a_draft(ASSERTED, fact, payload)])


def supersede(file, fact: str, by: str | None = None, space: Space = HOME) -> None:
    payload: dict[str, Any] = {"fact": fact, "by_fact": by, "relation": "supersedes"}
    more = {"t_invalid": None, "reason": "moved", "by": "rule"}
    file.journal.append(space, [a_draft(SUPERSEDED, "", payload | more)])


def about(file, *subjects: str, space: int = 1) -> list[tuple[str, str]]:
    told = numbered(file, space).facts.about(subjects)
    return [(payload.kind, payload.fact) for payload, _ in told]


@pytest.mark.parametrize(
    ("id", "name", "key"),
    [
        ("person_1", "Dana", "person_1"),
        (None, "Dana", "dana"),
        (None, " DANA  K. ", "dana k."),
        ("", "Dana", "dana"),
    ],
)
def test_a_subject_is_its_id_or_else_its_folded_name(id, name, key):
    assert subject_key(id, name) == key


def test_what_was_told_of_a_subject_is_found_in_order(private_file):
    assert_(private_file, "f-1", "Dana", "person_1")
    assert_(private_file, "f-2", "the boat")
    assert_(private_file, "f-3", "Dana", "person_1")
    supersede(private_file, "f-1", "f-3")
    assert about(private_file, "person_1") == [
        (ASSERTED, "f-1"),
        (ASSERTED, "f-3"),
        (SUPERSEDED, "f-1"),
    ]
    assert about(private_file, "the boat") == [(ASSERTED, "f-2")]
    assert about(private_file, "dana", "nobody") == []
    assert about(private_file) == []


def test_several_subjects_are_told_together_in_the_order_of_the_journal(private_file):
    for fact, subject in (("f-1", "a"), ("f-2", "b"), ("f-3", "a")):
        assert_(private_file, fact, subject)
    assert [fact for _, fact in about(private_file, "b", "a", "a")] == ["f-1", "f-2", "f-3"]


def test_what_is_told_is_the_entry_s_payload_and_when_it_was_learned(private_file):
    assert_(private_file, "f-1", "Dana")
    (entry,) = private_file.journal.read(HOME)
    told = numbered(private_file).facts.list_all()
    assert told == [(entry.payload, entry.recorded_at)]


def test_a_supersession_of_what_nobody_asserted_is_filed_nowhere(private_file):
    assert_(private_file, "f-1", "Dana")
    supersede(private_file, "f-9", "f-1")
    assert len(numbered(private_file).facts.list_all()) == 1


def test_a_supersession_of_another_space_s_fact_is_filed_nowhere(private_file):
    for space, other in ((HOME, AWAY), (AWAY, HOME)):
        assert_(private_file, f"of {space}", "Dana", space=space)
        if other in private_file.journal.spaces():
            supersede(private_file, f"of {other}", space=space)
    supersede(private_file, "of away", space=HOME)
    for space in (1, 2):
        assert [kind for kind, _ in about(private_file, "dana", space=space)] == [ASSERTED]


def test_what_was_erased_is_told_no_more(private_file):
    assert_(private_file, "f-1", "Dana")
    supersede(private_file, "f-1")
    with private_file.database.writing() as connection:
        connection.execute("DELETE FROM payload WHERE seq = 1")
    assert about(private_file, "dana") == [(SUPERSEDED, "f-1")]


def test_spaces_have_their_own_files_and_one_can_be_cleared(private_file):
    assert_(private_file, "f-1", "Dana")
    assert_(private_file, "f-1", "Kim", space=AWAY)
    supersede(private_file, "f-1", space=AWAY)
    assert about(private_file, "kim") == []
    assert about(private_file, "kim", space=2) == [(ASSERTED, "f-1"), (SUPERSEDED, "f-1")]
    with private_file.database.writing() as connection:
        fact_index.clear(connection, 2)
    assert about(private_file, "kim", space=2) == []
    assert about(private_file, "dana") == [(ASSERTED, "f-1")]


subjects = st.sampled_from(["Dana", "DANA ", "Kim"])


@given(st.lists(st.tuples(subjects, st.none() | st.integers(0, 9)), min_size=1, max_size=12))
def test_the_files_of_all_subjects_together_are_list_all(history):
    with private_journal() as file:
        facts: list[str] = []
        for subject, superseded in history:
            if superseded is not None and facts:
                supersede(file, facts[superseded % len(facts)])
            else:
                facts.append(f"f-{len(facts)}")
                assert_(file, facts[-1], subject)
        everything = numbered(file).facts.list_all()
        assert len(everything) == len(file.journal.read(HOME))
        assert sorted(about(file, "dana") + about(file, "kim")) == sorted(
            (payload.kind, payload.fact) for payload, _ in everything
        )
        kims = {p.fact for p, _ in everything if getattr(p, "subject", None) == "Kim"}
        assert {fact for _, fact in about(file, "kim")} == kims


MADE = st.lists(
    st.tuples(
        st.sampled_from(["asserts", "supersedes", "contradicts"]),
        st.integers(0, 7),
        st.integers(0, 7),
        st.sampled_from([None, "2026-03-02T10:00:00Z", "2026-02-02T10:00:00Z"]),
    ),
    max_size=25,
)


@given(MADE, st.sets(st.integers(0, 7), max_size=2))
def test_how_facts_stand_is_the_same_looked_up_and_folded_from_all(made, asked):
    with private_journal() as file:
        file.journal.append(HOME, [a_draft(EntryKind.PERSON_MET, "p", {})])
        for what, fact, other, ended in made:
            if what == "asserts":
                assert_(file, f"f-{fact}", "Dana")
            else:
                payload = {"fact": f"f-{fact}", "by_fact": f"f-{other}", "relation": what}
                more = {"t_invalid": ended, "reason": "moved", "by": "rule"}
                file.journal.append(HOME, [a_draft(SUPERSEDED, "", payload | more)])
        facts, ids = numbered(file).facts, {f"f-{number}" for number in asked}
        whole, some = fold_facts(facts.list_all()), fold_facts(facts.related(sorted(ids)))
        assert {id: some.get(id) for id in ids} == {id: whole.get(id) for id in ids}
