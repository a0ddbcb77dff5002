"""A receipt is true, or says what is not."""

from __future__ import annotations

import copy
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.storage.forgetting.receipts import receipt_problems
from tests.ingest.forgetting.told import PLAIN, tell


@pytest.fixture(scope="module")
def forgotten():
    """Return a memory in which somebody was forgotten, and the receipt."""
    with Memory(None, "default", PLAIN) as memory:
        tell(memory, range(4))
        yield memory.parts, memory.forget(person="Dana").receipt


def test_it_is_true_and_names_every_place(forgotten):
    file, receipt = forgotten
    assert receipt_problems(file, receipt) == []
    assert receipt["asked"] == {"scope": "person", "person": "Dana"}
    assert receipt["memories"] == receipt["entries"]["ExperienceCaptured"] == 3
    assert {"journal payloads", "full text", "list of memories", "trace"} <= set(receipt["places"])


def test_the_journal_keeps_no_name_of_who_was_forgotten(forgotten):
    file, receipt = forgotten
    entry = file.journal.read("default", receipt["entry"]["seq"] - 1, 1)[0]
    assert entry.hash.hex() == receipt["entry"]["hash"]
    assert "Dana" not in str(entry)


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("memories", 2, "signature"),
        ("asked", {"scope": "person", "person": "Kim"}, "signature"),
        ("erased", [[1, 1]], "other entries"),
        ("entry", {"seq": 1, "hash": "00"}, "no forgetting"),
        ("space", "elsewhere", "another journal"),
    ],
)
def test_a_changed_one_is_told_from_it(forgotten, name, value, problem):
    file, receipt = forgotten
    assert any(problem in each for each in receipt_problems(file, {**receipt, name: value}))


def test_one_of_another_journal_is_none_of_this(forgotten):
    with Memory(None, "default", PLAIN) as other:
        tell(other, range(4))
        assert receipt_problems(other.parts, forgotten[1])
        other.forget(person="Dana")
        assert any("signature" in each for each in receipt_problems(other.parts, forgotten[1]))


def test_what_is_no_receipt_is_refused(forgotten):
    with pytest.raises(InvalidInput, match="no receipt"):
        receipt_problems(forgotten[0], {"memories": 1})


_ODD = st.none() | st.booleans() | st.integers() | st.text(st.characters()) | st.floats()
_ODD |= st.just("\ud800") | st.just([[1]]) | st.just({"a": [{}]}) | st.lists(st.integers())


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_whatever_is_changed_in_a_receipt_it_is_told_in_words(forgotten, data):
    file, receipt = forgotten
    changed = copy.deepcopy(receipt)
    place = changed["entry"] if data.draw(st.booleans()) else changed
    name = data.draw(st.sampled_from(sorted(place)))
    place[name] = data.draw(_ODD)
    if data.draw(st.booleans()):
        del place[name]
    assume(changed != receipt)
    with suppress(InvalidInput):
        assert receipt_problems(file, changed)
