"""The shared types: immutable values, and the words that stand in every journal."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest

from meridia.core import types
from meridia.core.events import EventKind
from meridia.core.types import Acknowledgement, EntryKind, Filters, MemoryRecord, Outcome, Seq
from tests.drafts import a_draft

CLASSES = [item for item in vars(types).values() if dataclasses.is_dataclass(item)]
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_shared_type_is_frozen_and_slotted(kind):
    assert kind.__dataclass_params__.frozen
    assert "__slots__" in vars(kind)


def test_the_words_of_journals_that_exist_are_still_understood():
    assert {"ExperienceCaptured", "ExperienceEnriched", "PersonMet"} <= set(EntryKind)
    assert {"captured", "duplicate", "redelivered", "refused", "failed"} <= set(Outcome)


def test_a_memory_has_an_address_made_of_its_id():
    memory = MemoryRecord(Seq(1), "0197", "m-1", "user_message", "hello", NOW, None, None)
    assert memory.uri == "meridia://0197"


@pytest.mark.parametrize("kind", [kind.value for kind in EventKind])
def test_what_nobody_says_by_name_is_called_by_a_word_and_not_by_a_kind(kind: str):
    memory = MemoryRecord(Seq(1), "0197", "m-1", kind, "hello", NOW, None, None)
    assert memory.who in {"user", "assistant", "tool", "note", "document", "session boundary"}
    assert str(memory).startswith(f"[@1] {memory.who}, ")


def test_an_acknowledgement_is_printed_as_an_address_and_a_word():
    kept = Acknowledgement(Seq(7), "0197", "m-1", Outcome.CAPTURED, {"password": 1}, cut=1)
    assert str(kept) == "[@7] kept; 1 password replaced; cut"
    assert str(Acknowledgement(Seq(0), "", "m-1", Outcome.EMPTY)) == "empty"


def test_a_draft_happens_now_and_outside_of_any_session_unless_it_says_so():
    draft = a_draft(EntryKind.PERSON_MET, "k", {})
    assert draft.at is None
    assert draft.stream is None


@pytest.mark.parametrize(
    "filters",
    [
        Filters(person="Dana"),
        Filters(session="s"),
        Filters(kind="user_message"),
        Filters(since=NOW),
        Filters(until=NOW),
        Filters(seq_max=Seq(1)),
        Filters(where={"a": 1}),
    ],
)
def test_any_single_filter_narrows(filters):
    assert filters.narrows()


def test_no_filter_narrows_nothing():
    assert not Filters().narrows()
