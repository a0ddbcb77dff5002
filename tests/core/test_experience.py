"""Experiences: values that check themselves and survive being written and read."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core import experience
from meridia.core.codec import decode, encode
from meridia.core.errors import InvalidInput
from meridia.core.experience import (
    Anchor,
    CaptureDecision,
    EmotionalSignature,
    Factor,
    GateDenial,
    Phenomenology,
    RegisterState,
    Transition,
)
from meridia.core.types import Outcome
from meridia.core.vocabulary import (
    CaptureMode,
    Channel,
    Emotion,
    Engagement,
    LimitReason,
    RecordStatus,
    Texture,
    TransitionField,
)

CLASSES = [
    item
    for item in vars(experience).values()
    if dataclasses.is_dataclass(item) and item.__module__ == experience.__name__
]
UNIT = st.floats(0, 1)
SENTENCES = st.text(min_size=1, max_size=300).filter(str.strip)
EMOTIONS = st.lists(st.sampled_from(Emotion), max_size=3, unique=True).map(tuple)
SIGNATURES = st.builds(
    EmotionalSignature,
    primary=EMOTIONS,
    intensity=UNIT,
    valence=st.none() | st.floats(-1, 1),
    texture=st.none() | st.sampled_from(Texture),
    secondary=EMOTIONS,
)
ANCHORS = st.builds(
    Anchor,
    phrase=st.text(min_size=1, max_size=200).filter(str.strip),
    significance=SENTENCES,
    channel=st.none() | st.sampled_from(Channel),
)
PHENOMENOLOGIES = st.builds(
    Phenomenology,
    signature=st.none() | SIGNATURES,
    engagement=st.none() | st.sampled_from(Engagement),
    anchors=st.lists(ANCHORS, max_size=2).map(tuple),
    uncertainties=st.lists(SENTENCES, max_size=2).map(tuple),
    hints=st.lists(SENTENCES, max_size=2).map(tuple),
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
DECISIONS = st.builds(
    CaptureDecision,
    significance=UNIT,
    threshold=UNIT,
    mode=st.sampled_from(CaptureMode),
    outcome=st.sampled_from(Outcome),
    status=st.sampled_from(RecordStatus),
    reason=st.text(),
    near=st.booleans(),
    limited=st.none() | st.builds(GateDenial, st.sampled_from(LimitReason), st.text()),
    factors=st.lists(
        st.builds(Factor, st.text(), NUMBERS, NUMBERS, NUMBERS, st.text()), max_size=3
    ).map(tuple),
)
REGISTERS = st.builds(
    RegisterState,
    engagement=st.none() | st.sampled_from(Engagement),
    signature=st.none() | SIGNATURES,
    uncertainties=st.lists(SENTENCES, max_size=4).map(tuple),
    topic=st.none() | st.text(),
)
TRANSITIONS = st.builds(
    Transition,
    field=st.sampled_from(TransitionField),
    before=st.none() | st.text(),
    after=st.none() | st.text(),
    at=st.none() | st.datetimes(timezones=st.just(UTC)),
    trigger=st.none() | st.text(),
)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_value_is_frozen_and_slotted(kind):
    assert kind.__dataclass_params__.frozen
    assert "__slots__" in vars(kind)


@given(st.one_of(SIGNATURES, ANCHORS, PHENOMENOLOGIES, DECISIONS, REGISTERS, TRANSITIONS))
def test_a_value_written_as_json_and_read_again_is_the_same_value(value):
    assert decode(type(value), json.loads(json.dumps(encode(value)))) == value


def test_row_17_phenomenology_is_written_in_the_names_of_the_source():
    """Row 17: the experience kit's phenomenology, with what is not known left out."""
    lived = Phenomenology(
        EmotionalSignature((Emotion.RELIEVED,), 0.7, 0.4, Texture.WARM),
        Engagement.DEEP_FLOW,
        (Anchor("the build went green", "it took all night", Channel.VISUAL),),
        ("Will it hold?",),
        ("Start from the lock file.",),
    )
    assert encode(lived) == {
        "emotionalSignature": {
            "primary": ["relieved"],
            "intensity": 0.7,
            "valence": 0.4,
            "texture": "warm",
        },
        "engagementQuality": "deep-flow",
        "anchors": [
            {
                "phrase": "the build went green",
                "significance": "it took all night",
                "sensoryChannel": "visual",
            }
        ],
        "uncertainties": ["Will it hold?"],
        "reconstitutionHints": ["Start from the lock file."],
    }
    assert encode(Phenomenology()) == {}


def test_row_8_a_decision_is_outlined_without_its_factors():
    decision = CaptureDecision(
        significance=0.61,
        threshold=0.5,
        mode=CaptureMode.TRACE_ONLY,
        outcome=Outcome.OUTLINE,
        status=RecordStatus.SKELETON,
        reason="denied",
        limited=GateDenial(LimitReason.MIN_INTERVAL, "31 s"),
        factors=(Factor("novelty", 0.8, 0.25, 0.2, "nothing before"),),
    )
    assert decision.outline() == {
        "should_capture": False,
        "significance": 0.61,
        "threshold": 0.5,
        "mode": "trace_only",
        "outcome": decision.outcome.value,
        "status": "skeleton",
        "reason": "denied",
        "limited": {"reason": "min_interval", "detail": "31 s"},
    }


def test_row_45_a_transition_says_from_to_trigger_and_when():
    """Row 45: ExperientialDiff {field, from, to, trigger?, ts}."""
    at = datetime(2026, 3, 1, 10, tzinfo=UTC)
    shift = Transition(TransitionField.ENGAGEMENT, "routine", "deep-flow", at, "event 7")
    assert encode(shift) == {
        "field": "engagement",
        "from": "routine",
        "to": "deep-flow",
        "trigger": "event 7",
        "ts": "2026-03-01T10:00:00.000000Z",
    }
    opened = Transition(TransitionField.UNCERTAINTY, None, "Will it hold?")
    assert encode(opened) == {"field": "uncertainty", "from": None, "to": "Will it hold?"}


ANCHOR = Anchor("a", "b")


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: EmotionalSignature((), 1.1), "intensity is 1.1: give a number from 0 to 1"),
        (lambda: EmotionalSignature((), float("nan")), "intensity is nan"),
        (lambda: EmotionalSignature((), 0, -1.5), "valence is -1.5: give a number from -1 to 1"),
        (
            lambda: EmotionalSignature(tuple(Emotion)[:4], 0),
            "primary has 4 entries: give at most 3",
        ),
        (lambda: Anchor("x" * 201, "y"), "phrase has 201 characters: give 1 to 200"),
        (lambda: Anchor(" ", "y"), "anchors.phrase"),
        (lambda: Anchor("x", "y" * 301), "significance has 301 characters: give 1 to 300"),
        (lambda: Phenomenology(anchors=(ANCHOR,) * 3), "anchors has 3 entries: give at most 2"),
        (lambda: Phenomenology(uncertainties=("a",) * 3), "uncertainties has 3 entries"),
        (lambda: Phenomenology(hints=("a",) * 3), "reconstitutionHints has 3 entries"),
        (lambda: Phenomenology(hints=("a" * 301,)), "has 301 characters: give 1 to 300"),
    ],
)
def test_row_15_what_is_beyond_the_limits_is_refused_by_name(make, complaint):
    """Rows 12 and 15: 1–3 feelings, 0–2 anchors ≤ 200, 0–2 uncertainties and hints ≤ 300."""
    with pytest.raises(InvalidInput, match=complaint):
        make()


@pytest.mark.parametrize(
    ("kind", "value", "complaint"),
    [
        (
            EmotionalSignature,
            {"primary": ["happy"], "intensity": 1},
            "primary.0: Input should be 'curious'",
        ),
        (EmotionalSignature, {"primary": ["focused"]}, "intensity: Field required"),
        (EmotionalSignature, {"primary": [], "intensity": 0, "texture": "soft"}, "texture: Input"),
        (Anchor, {"phrase": "a"}, "significance: Field required"),
        (Phenomenology, {"engagementQuality": "asleep"}, "engagementQuality: Input"),
        (Phenomenology, {"anchors": "one"}, "anchors: Input should be a valid tuple"),
        (Phenomenology, 3, "Phenomenology: Input should be"),
        (CaptureDecision, {}, "significance: Field required"),
        (RegisterState, {"focus": 3}, "focus: Input should be a valid string"),
        (Transition, {"field": "mood"}, "field: Input should be 'engagement'"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(kind, value, complaint):
    with pytest.raises(InvalidInput, match=complaint):
        decode(kind, value)


def test_only_a_full_capture_counts_as_captured():
    for mode in CaptureMode:
        made = CaptureDecision(0.5, 0.5, mode, Outcome.TEXT_ONLY, RecordStatus.EVALUATED, "")
        assert made.captured == (mode is CaptureMode.FULL)


def test_a_feeling_that_only_grew_keeps_its_words():
    field = TransitionField.EMOTIONAL_SIGNATURE
    sad, sadder, glad = ({"primary": [w]} for w in ("sad", "sad", "satisfied"))
    assert Transition(field, sad, sadder).keeps_its_words
    assert not Transition(field, sad, glad).keeps_its_words
    assert not Transition(TransitionField.UNCERTAINTY, None, "Will it hold?").keeps_its_words
