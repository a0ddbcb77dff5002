"""The model that the settings name, with what was spent on it before."""

from __future__ import annotations

from datetime import timedelta

import pytest

from meridia.core.errors import InvalidInput
from meridia.core.settings import ModelSettings
from meridia.ingest.enrichment.model_pass import model_of
from meridia.models.model_client import ModelClient
from meridia.storage.store import Store
from tests.graph.journal_drafts import AWAY, HOME, message_draft

NAMED = ModelSettings(dialect="openai", name="m-1", base_url="http://127.0.0.1:9/v1")


def spend(file: Store, tokens_in: int, tokens_out: int, space=HOME) -> None:
    file.journal.append(space, [message_draft()])
    detail = {"tokens_in": tokens_in, "attempts": 1, "tokens_out": tokens_out}
    file.trace.write(space, "model", "answered", None, detail)


def spent(file: Store) -> tuple[int, int]:
    """Return calls and tokens of the day that an opened model knows of."""
    model = model_of(NAMED, file)
    assert isinstance(model, ModelClient)
    _, day = model.budget.spent(file.clock())
    model.close()
    return day.calls, day.tokens


def test_without_a_model_in_the_settings_there_is_none(private_file):
    assert model_of(ModelSettings(), private_file) is None


def test_a_model_that_was_never_asked_has_spent_nothing(private_file):
    assert spent(private_file) == (0, 0)


def test_what_any_space_spent_counts_and_nothing_else_of_the_trace_does(private_file):
    spend(private_file, 100, 20)
    spend(private_file, 7, 0, AWAY)
    private_file.trace.write(HOME, "gate", "deny", None, {"tokens_in": 10**6})
    private_file.trace.write(HOME, "model", "unreachable", None, {"attempts": 3})
    private_file.trace.write(HOME, "model", "refused_by_budget", None, {"attempts": 0})
    assert spent(private_file) == (5, 127)


def test_what_was_spent_before_yesterday_counts_no_more(private_file):
    spend(private_file, 100, 20)
    private_file.clock.now += timedelta(days=1)
    spend(private_file, 5, 0)
    assert spent(private_file) == (1, 5)


def test_the_limits_of_the_settings_are_the_models(private_file):
    given = {"calls_per_hour": 1, "calls_per_day": 2, "tokens_per_hour": 3, "tokens_per_day": 4}
    model = model_of(NAMED.model_copy(update=given), private_file)
    assert isinstance(model, ModelClient)
    assert str(model.budget.reserve(private_file.clock(), 5)).startswith("tokens_per_hour: 0 of 3")
    model.close()


def test_settings_that_cannot_be_right_are_refused(private_file):
    with pytest.raises(InvalidInput, match=r"model\.name"):
        model_of(ModelSettings(dialect="anthropic"), private_file)
