"""When one looks back from: bounds of time and of what was known, and the facts of then."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.core.types import Filters, Seq
from meridia.storage.cutoff import NOW, Cutoff, cutoff_of, facts_as_of
from tests.resume.experience_builders import MET, memory_of


@pytest.fixture(scope="module")
def memory():
    with memory_of(("n1", 0, "a", "Nora", "The warp keeps snapping!")) as memory:
        yield memory


def test_as_of_is_a_time_or_a_sequence_and_known_at_bounds_it(memory):
    file, space = memory.parts, memory.space
    assert cutoff_of(file, space, MET) == Cutoff(MET, None)
    assert cutoff_of(file, space, 3) == Cutoff(None, Seq(3))
    assert cutoff_of(file, space, 3, 2) == Cutoff(None, Seq(2))
    assert cutoff_of(file, space, None) == NOW
    assert cutoff_of(file, space, MET, MET).seq == 0, "nothing was written down by then"


def test_a_time_without_a_timezone_is_refused(memory):
    naive = datetime(2026, 3, 2)  # noqa: DTZ001 - the mistake itself
    with pytest.raises(InvalidInput, match="as_of has no timezone"):
        cutoff_of(memory.parts, memory.space, naive)
    with pytest.raises(InvalidInput, match="known_at has no timezone"):
        cutoff_of(memory.parts, memory.space, None, naive)


@given(st.integers(0, 30), st.integers(0, 30))
def test_the_closer_of_two_bounds_counts(one_seq, other_seq):
    bound = Cutoff(seq=Seq(one_seq)).bound(Filters(seq_max=Seq(other_seq)))
    assert bound.seq_max == min(one_seq, other_seq)


def test_facts_are_those_that_had_been_found():
    with memory_of(("n1", 0, "a", "Nora", "I live in Ghent.")) as other:
        other.enrich()
        (fact,) = facts_as_of(other.parts, other.space).values()
        assert "Ghent" in fact.text
        assert facts_as_of(other.parts, other.space, Cutoff(enriched_seq=Seq(1))) == {}
