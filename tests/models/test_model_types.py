"""The words around a model: what an answer records, and what adds up."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from meridia.models.answer_types import DecisionAnswer
from meridia.models.model_types import AnswerFormat, ModelAnswer, ModelOutcome, Usage

counts = st.integers(0, 10_000)
usages = st.builds(Usage, counts, counts, st.booleans())


@given(st.lists(usages))
def test_usage_adds_up_and_one_estimate_makes_the_sum_an_estimate(parts):
    total = sum(parts, Usage())
    assert total.tokens == sum(part.tokens_in + part.tokens_out for part in parts)
    assert total.estimated == any(part.estimated for part in parts)


def test_the_record_of_an_answer_is_plain_json_and_holds_nothing_that_was_said():
    said = DecisionAnswer(score=0.5, reason="Dana said so")
    answer = ModelAnswer(
        ModelOutcome.ANSWERED, said, "m-1", "decision", 3, AnswerFormat.TEXT, 2, Usage(5, 6)
    )
    record = json.loads(json.dumps(answer.record()))
    assert record["outcome"] == "answered"
    assert (record["model"], record["prompt"], record["prompt_version"]) == ("m-1", "decision", 3)
    assert (record["tokens_in"], record["tokens_out"], record["attempts"]) == (5, 6, 2)
    assert record["format"] == "text"
    assert "Dana" not in json.dumps(record)
