"""What is kept with an answer comes back as it was, from plain JSON."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.core.people import Person
from meridia.core.settings import RecallSettings
from meridia.core.types import Filters
from meridia.retrieval.ranking.late_interaction import QuestionTexts
from meridia.retrieval.recall_record import (
    RecallInputs,
    RecallRequest,
    SnapshotRef,
    read_inputs,
    seed_of,
    unpacked,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
finite = st.floats(0, 1e6, allow_nan=False)
matches = st.lists(st.tuples(st.integers(1, 2**31 - 1), finite), unique_by=lambda m: m[0]).map(
    sorted
)
requests = st.builds(
    RecallRequest,
    question=st.just("what?"),
    limit=st.integers(1, 1000),
    filters=st.sampled_from(
        [Filters(), Filters(person="p", since=NOON), Filters(where={"a": [1, None]})]
    ),
    as_of=st.sampled_from([None, 7, NOON]),
    known_at=st.none() | st.integers(0, 99),
)


def there_and_back(inputs: RecallInputs, recall: str = "r-1") -> RecallInputs:
    kept = {
        "recall": recall,
        "question": inputs.request.question,
        "inputs": unpacked(inputs.packed()),
    }
    return read_inputs(kept)


def some(request: RecallRequest, found: list[tuple[int, float]]) -> RecallInputs:
    settings = RecallSettings(profile="simple", candidates=33)
    texts = QuestionTexts(request.question, "what did I?", ("dana",))
    snapshot_ref = SnapshotRef(9, 4, "m:5:1", 5, 8, 6)
    return RecallInputs(
        request, snapshot_ref, settings, [Person("p", "Dana")], texts, found, [0.1 + 0.2]
    )


@given(requests, matches)
def test_what_was_asked_comes_back_exactly(request, found):
    inputs = some(request, found)
    back = there_and_back(inputs)
    assert back.request == replace(request, seed=seed_of("r-1"))
    assert (back.snapshot_ref, list(back.people)) == (inputs.snapshot_ref, list(inputs.people))
    assert back.settings == inputs.settings
    assert list(back.matches) == found
    assert list(back.scores) == [0.1 + 0.2]
    assert back.texts.rewritten == "what did I?"
    assert list(back.texts.names) == ["dana"]


def test_what_was_not_asked_of_an_encoder_comes_back_as_nothing():
    inputs = replace(some(RecallRequest("what?", 3, Filters()), []), texts=None)
    assert there_and_back(inputs).texts is None


def test_a_question_that_is_no_text_is_refused():
    with pytest.raises(InvalidInput, match="half of a surrogate pair"):
        RecallRequest("what \udcff?", 3, Filters())


def test_of_two_bounds_of_the_journal_the_earlier_one_holds():
    assert RecallRequest("q", 1, Filters(), 5, 9).last_seq == 5
    assert RecallRequest("q", 1, Filters(), NOON, 9).last_seq == 9
    assert RecallRequest("q", 1, Filters(), NOON).last_seq is None
    assert RecallRequest("q", 1, Filters(), NOON).moment == NOON
    assert RecallRequest("q", 1, Filters(), 5).moment is None


def test_chance_starts_from_the_recalls_id():
    assert seed_of("a") == seed_of("a") != seed_of("b")


def test_an_answer_without_its_inputs_cannot_be_asked_again():
    with pytest.raises(InvalidInput, match="recall r-1 was stored without"):
        read_inputs({"recall": "r-1", "question": "what?"})


def test_a_setting_that_is_no_more_is_named():
    body = some(RecallRequest("what?", 3, Filters()), []).as_json()
    body["settings"]["phase_of_the_moon"] = 1
    with pytest.raises(InvalidInput, match="phase_of_the_moon"):
        read_inputs({"recall": "r-1", "question": "what?", "inputs": body})
