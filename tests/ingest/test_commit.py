"""Committing: one draft whose id is taken keeps nobody else out, and whatever else fails, all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import Conflict, StorageFull
from meridia.core.types import Acknowledgement, Outcome, Seq
from meridia.ingest.commit import commit, outcome_of
from tests.fakes import private_journal
from tests.graph.journal_drafts import HOME, said

batches = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy")), min_size=1, max_size=6)


@given(st.lists(batches, max_size=4))
def test_every_draft_has_its_answer_in_order_and_the_first_content_of_an_id_stands(history):
    with private_journal() as file:
        kept: dict[str, str] = {}
        for batch in history:
            answers = commit(file.journal, HOME, [said(text, key) for key, text in batch])
            expected = []
            for key, text in batch:
                if key not in kept:
                    expected.append(Outcome.CAPTURED)
                else:
                    same = kept[key] == text
                    expected.append(Outcome.REDELIVERED if same else Outcome.REFUSED)
                kept.setdefault(key, text)
            assert [outcome_of(answer) for answer in answers] == expected
        if kept:
            found = {
                entry.key: entry.payload["event"]["payload"]["text"]
                for entry in file.journal.read(HOME)
            }
            assert list(found.items()) == list(kept.items())


def test_a_conflict_is_an_answer_that_names_the_id(private_file):
    commit(private_file.journal, HOME, [said("one", "m-1")])
    fine, conflict = commit(private_file.journal, HOME, [said("two", "m-2"), said("x", "m-1")])
    assert isinstance(fine, Acknowledgement)
    assert isinstance(conflict, Conflict)
    assert "'m-1'" in str(conflict)


class FullJournal:
    """A journal that has no room."""

    def __init__(self) -> None:
        self.asked = 0

    def append(self, space, drafts):
        self.asked += 1
        raise StorageFull("cannot grow")


def test_what_is_no_conflict_goes_up_at_once():
    journal = FullJournal()
    with pytest.raises(StorageFull):
        commit(journal, HOME, [said("one"), said("two")])
    assert journal.asked == 1


def test_nothing_to_commit_has_no_answers(private_file):
    assert commit(private_file.journal, HOME, []) == []


def test_an_acknowledgement_says_its_own_outcome():
    answer = Acknowledgement(Seq(1), "id", "event", Outcome.REDELIVERED)
    assert outcome_of(answer) is Outcome.REDELIVERED
