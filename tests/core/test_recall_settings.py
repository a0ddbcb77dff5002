"""The settings of recall and of plans."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from meridia.core.settings import RecallSettings
from meridia.core.settings_loader import keys, load, section_of


def test_the_numbers_of_the_reference_profile_are_a_section_of_their_own(tmp_path):
    path = tmp_path / "meridia.toml"
    path.write_text("[reference]\nstarts = 4\n\n[recall]\nlimit = 3\n")
    loaded = load(file=path, environment={"MERIDIA_REFERENCE_NODES": "7"})
    reference = section_of(loaded.settings, "reference")
    assert (reference.starts, reference.nodes, loaded.settings.recall.limit) == (4, 7, 3)
    assert loaded.origins["reference.nodes"] == "environment MERIDIA_REFERENCE_NODES"
    assert loaded.settings.recall.reference == reference, "an answer is kept with it"
    assert keys().index("reference.anticipated") == keys().index("plan.limit") - 7


def test_plans_are_made_by_rule_and_by_a_model_at_six_tenths_where_that_is_wanted():
    """Row 125: temp .6."""
    plan = load(environment={}).settings.plan
    assert (plan.model, plan.temperature) == ("off", 0.6)
    assert load(environment={"MERIDIA_PLAN_MODEL": "on"}).settings.plan.model == "on"


def test_a_question_that_says_no_number_gets_the_limit_of_its_profile():
    assert RecallSettings().usual_limit == 10
    assert RecallSettings(rerank=True).usual_limit == 12


def test_a_key_that_does_not_exist_is_an_error():
    with pytest.raises(ValidationError, match="limits"):
        RecallSettings(limits=3)
