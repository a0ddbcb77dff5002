"""Arrivals and rules: what settings ask for is what capture goes by."""

from __future__ import annotations

from datetime import timedelta

import pytest

from meridia.core.errors import InvalidInput
from meridia.core.settings import (
    GatesSettings,
    IngestSettings,
    JournalSettings,
    SanitiseSettings,
    ScoringSettings,
    Settings,
)
from meridia.core.types import Space
from meridia.core.vocabulary import Trigger
from meridia.ingest.capture.commit import UNDECIDED, CaptureContext, CaptureRules, capture_rules_of
from meridia.ingest.capture.scoring import PROFILES
from meridia.ingest.capture.session_history import SessionHistory


def test_rows_2_3_and_8_the_settings_of_one_who_set_none_are_the_rules_of_the_sources():
    rules = capture_rules_of(Settings())
    assert rules == CaptureRules()
    assert (rules.gates.min_interval_ms, rules.gates.max_per_hour) == (300_000, 10)
    weights = rules.scoring.weights
    assert weights == {
        "novelty": 0.25,
        "impact": 0.30,
        "relational": 0.15,
        "temporal": 0.10,
        "user_intent": 0.20,
    }
    assert rules.scoring.profile == PROFILES["standard"]
    assert rules.skeleton_period is None


def test_every_section_of_the_settings_reaches_the_rules():
    rules = capture_rules_of(
        Settings(
            journal=JournalSettings(event_bytes_max=4096),
            ingest=IngestSettings(skeleton_days=0.5),
            sanitise=SanitiseSettings(
                names_sensitive=("badge",),
                names_allowed=("token_count",),
                paths=("*.key.txt",),
                text_chars_max=900,
            ),
            gates=GatesSettings(min_interval_ms=1, max_per_hour=2, tokens_per_day_max=3),
            scoring=ScoringSettings(
                profile="aggressive",
                novelty=1.0,
                impact=0.0,
                skeleton_floor=0.1,
                band=0.05,
                collaborator=0.2,
                primary=0.3,
            ),
        )
    )
    assert rules.event_bytes_max == 4096
    assert rules.skeleton_period == timedelta(hours=12)
    assert rules.policy.names_sensitive == ("badge",)
    assert rules.policy.names_allowed == ("token_count",)
    assert rules.policy.paths[-1] == "*.key.txt"
    assert rules.policy.paths[:-1] == CaptureRules().policy.paths, "what is known stays known"
    assert rules.policy.text_chars_max == 900
    gates = rules.gates
    assert (gates.min_interval_ms, gates.max_per_hour, gates.tokens_per_day_max) == (1, 2, 3)
    scoring = rules.scoring
    assert scoring.profile == PROFILES["aggressive"]
    assert scoring.weights["novelty"] == pytest.approx(1 / 1.45)
    assert scoring.weights["impact"] == 0
    given = scoring.settings
    assert (given.skeleton_floor, given.band) == (0.1, 0.05)
    assert (given.collaborator, given.primary) == (0.2, 0.3)


def test_weights_that_add_up_to_nothing_are_refused_before_anything_is_captured():
    nothing = dict.fromkeys(("novelty", "impact", "relational", "temporal", "user_intent"), 0.0)
    with pytest.raises(InvalidInput, match="above 0"):
        capture_rules_of(Settings(scoring=ScoringSettings(**nothing)))


def test_an_arrival_that_no_stage_has_looked_at_is_undecided_and_free_to_go():
    context = CaptureContext(Space("home"), {"kind": "user_message", "payload": {"text": "hi"}})
    assert context.decision is UNDECIDED
    assert context.gate is None
    assert context.history == SessionHistory()
    assert (context.trigger, list(context.marks), context.duplicate_of) == (Trigger.NONE, [], None)
    assert (dict(context.redacted), context.cut) == ({}, 0)
