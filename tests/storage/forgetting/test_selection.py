"""What goes with some memories: entries about them, people of whom nothing is left, sessions."""

from __future__ import annotations

import pytest

from meridia import Memory
from meridia.storage.forgetting.selection import ForgettingRequest, select
from tests.ingest.forgetting.told import PLAIN, SAID, tell


@pytest.fixture(scope="module")
def memory():
    with Memory(None, "default", PLAIN) as opened:
        tell(opened)
        yield opened


def selected(memory, **asked):
    scope = memory.parts.space(memory.space).space_scope
    return select(scope, memory.space, ForgettingRequest(**asked))


def test_a_person_goes_with_the_last_memory_of_them(memory):
    seqs = [record.seq for record in memory.list().memories if record.person == "Dana"]
    assert len(selected(memory, person="Dana").people) == 1
    assert selected(memory, seqs=seqs[1:]).people == []
    assert selected(memory, seqs=seqs[1:]).kinds.get("PersonMet") is None
    assert selected(memory, person="Dana").kinds["PersonMet"] == 1


def test_an_end_of_a_fact_goes_with_the_fact_that_ended_it(memory):
    seqs = {record.event_id: record.seq for record in memory.list().memories}
    chosen = selected(memory, seqs=[seqs["m-8"]])
    assert chosen.kinds["FactSuperseded"] == 1
    assert chosen.kinds["ExperienceCaptured"] == 1


def test_everything_is_everything(memory):
    chosen = selected(memory)
    assert chosen.everything
    assert len(chosen.memories) == len(SAID)
    head = memory.parts.journal.head(memory.space).seq
    assert chosen.runs == ((1, head),)


def test_runs_join_what_stands_side_by_side(memory):
    chosen = selected(memory, session="s1")
    assert [seq for first, last in chosen.runs for seq in range(first, last + 1)] == chosen.entries


@pytest.mark.parametrize(
    ("asked", "scope"),
    [
        ({"person": "Dana", "session": "s1"}, "person"),
        ({"session": "s1"}, "session"),
        ({"seqs": [1]}, "ids"),
        ({"where": {"a": 1}}, "where"),
        ({"kind": "tool_result"}, "kind"),
        ({}, "space"),
    ],
)
def test_a_request_says_in_a_word_what_it_is_about(asked, scope):
    assert (
        ForgettingRequest(**asked).scope == ForgettingRequest(**asked).as_json()["scope"] == scope
    )
