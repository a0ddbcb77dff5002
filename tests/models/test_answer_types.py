"""What a model may answer: what is outside goes, and is counted."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from meridia.models.answer_types import (
    AnchorAnswer,
    Channel,
    Corrections,
    DecisionAnswer,
    Emotion,
    EmotionalSignatureAnswer,
    Engagement,
    FactRelation,
    PhenomenologyAnswer,
    PlanAnswer,
    QuestionsAnswer,
    ReconstitutionAnswer,
    SessionAnswer,
    SupersessionAnswer,
    Texture,
)

ANSWERS = [
    PhenomenologyAnswer,
    DecisionAnswer,
    QuestionsAnswer,
    SessionAnswer,
    SupersessionAnswer,
    ReconstitutionAnswer,
    PlanAnswer,
]
anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8) | st.sampled_from([*Emotion]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


def take(answer_type, fields):
    corrections = Corrections()
    return answer_type.model_validate(fields, context=corrections), corrections


def test_the_vocabulary_has_twelve_emotions_eight_textures_and_five_engagements():
    """Features 12, 13, 14."""
    assert [len(words) for words in (Emotion, Texture, Engagement)] == [12, 8, 5]
    assert Engagement("deep-flow") is Engagement.DEEP_FLOW


def test_a_good_answer_is_taken_as_it_is():
    answer, corrections = take(
        PhenomenologyAnswer,
        {
            "emotionalSignature": {
                "primary": ["frustrated", "relieved"],
                "intensity": 0.6,
                "valence": -0.1,
                "texture": "heavy",
            },
            "engagementQuality": "struggling",
            "anchors": [
                {"phrase": "No such file", "significance": "why", "sensoryChannel": "verbal"}
            ],
            "uncertainties": ["Which version?"],
            "reconstitutionHints": ["Look at the log first."],
        },
    )
    assert answer == PhenomenologyAnswer(
        emotional_signature=EmotionalSignatureAnswer(
            primary=(Emotion.FRUSTRATED, Emotion.RELIEVED),
            intensity=0.6,
            valence=-0.1,
            texture=Texture.HEAVY,
        ),
        engagement_quality=Engagement.STRUGGLING,
        anchors=(
            AnchorAnswer(phrase="No such file", significance="why", sensory_channel=Channel.VERBAL),
        ),
        uncertainties=("Which version?",),
        reconstitution_hints=("Look at the log first.",),
    )
    assert corrections == Corrections()


def test_words_outside_of_the_vocabulary_are_dropped_and_counted():
    answer, corrections = take(
        EmotionalSignatureAnswer,
        {"primary": ["joyful", "Curious", "curious", 7], "texture": "fluffy"},
    )
    assert answer.primary == (Emotion.CURIOUS,)
    assert answer.texture is None
    assert corrections.dropped == 4


def test_at_most_three_emotions_two_anchors_two_uncertainties_and_two_hints_are_kept():
    """Features 12 and 15."""
    answer, corrections = take(
        PhenomenologyAnswer,
        {
            "emotionalSignature": {"primary": [word.value for word in Emotion]},
            "anchors": [{"phrase": f"phrase {n}"} for n in range(5)],
            "uncertainties": ["a?", "b?", "c?"],
            "reconstitutionHints": ["a", "b", "c"],
        },
    )
    assert len(answer.emotional_signature.primary) == 3
    assert [len(part) for part in (answer.anchors, answer.uncertainties)] == [2, 2]
    assert len(answer.reconstitution_hints) == 2
    assert corrections.dropped == 9 + 3 + 1 + 1


@pytest.mark.parametrize(
    ("given_", "kept", "moved"),
    [(0.4, 0.4, 0), (7, 1.0, 1), (-2, 0.0, 1), ("0.5", 0.5, 0), (float("inf"), 1.0, 1)],
)
def test_a_degree_out_of_range_is_moved_into_it_and_counted(given_, kept, moved):
    answer, corrections = take(EmotionalSignatureAnswer, {"intensity": given_})
    assert (answer.intensity, corrections.clamped) == (kept, moved)


def test_valence_goes_from_minus_one_to_one():
    answer, corrections = take(EmotionalSignatureAnswer, {"valence": -3})
    assert (answer.valence, corrections.clamped) == (-1.0, 1)


@pytest.mark.parametrize("nonsense", [True, float("nan"), "nan"])
def test_what_is_no_degree_leaves_a_gap(nonsense):
    assert take(EmotionalSignatureAnswer, {"intensity": nonsense})[0].intensity is None


@pytest.mark.parametrize("score", [1.01, -0.1, 7, float("nan"), None, "high"])
def test_a_score_that_decides_is_never_moved(score):
    with pytest.raises(ValidationError):
        take(DecisionAnswer, {"score": score})


@pytest.mark.parametrize(
    "fields", [{}, {"emotionalSignature": {"primary": ["joyful"]}}, {"anchors": [{"x": 1}]}]
)
def test_an_answer_of_which_nothing_is_of_use_is_none(fields):
    with pytest.raises(ValidationError, match="it contains nothing usable"):
        take(PhenomenologyAnswer, fields)


def test_null_is_a_gap_and_not_an_error():
    answer, corrections = take(
        PhenomenologyAnswer,
        {
            "emotionalSignature": None,
            "engagementQuality": "deep flow",
            "anchors": None,
            "uncertainties": None,
            "reconstitutionHints": "one hint",
        },
    )
    assert answer.engagement_quality is Engagement.DEEP_FLOW
    assert answer.reconstitution_hints == ("one hint",)
    assert corrections == Corrections()


def test_long_texts_are_cut_and_control_characters_go():
    anchor, _ = take(AnchorAnswer, {"phrase": " a\x00b\x1b" + "c" * 500})
    assert anchor.phrase == "ab" + "c" * 198
    hint = take(PhenomenologyAnswer, {"reconstitutionHints": ["h" * 500]})[0]
    assert [len(text) for text in hint.reconstitution_hints] == [300]


def test_at_most_two_questions_and_at_least_one():
    """Feature 82."""
    answer, corrections = take(QuestionsAnswer, {"questions": ["a?", "a?", " ", "b?", "c?"]})
    assert answer.questions == ("a?", "b?")
    assert corrections.dropped == 3
    with pytest.raises(ValidationError):
        take(QuestionsAnswer, {"questions": [""]})


def test_prose_without_an_address_of_a_memory_is_no_answer():
    """Feature 29."""
    told = {"summary": "I remember.", "citations": ["meridia://a-1", "see above", "meridia://a-1"]}
    answer, corrections = take(ReconstitutionAnswer, told)
    assert answer.citations == ("meridia://a-1",)
    assert corrections.dropped == 2
    with pytest.raises(ValidationError):
        take(ReconstitutionAnswer, {"summary": "I remember.", "citations": ["http://a"]})


def test_a_relation_outside_of_the_vocabulary_is_no_answer():
    """Feature 101."""
    answer, _ = take(SupersessionAnswer, {"relation": "supersedes", "confidence": 0.95})
    assert answer.relation is FactRelation.SUPERSEDES
    with pytest.raises(ValidationError):
        take(SupersessionAnswer, {"relation": "replaces", "confidence": 0.95})


def a_plan(**parts):
    types = ("turn_summary", "preference", "fact", "research_cache", "visit_record")
    claims = ("has_prior_turns", "has_memory", "has_cached_research", "has_visit_data")
    empty = {
        "selected_nodes": {type: [] for type in types},
        "selection_reasons": dict.fromkeys(types, ""),
        "coverage": dict.fromkeys(claims, False),
        "reasoning": "Nothing helps.",
    }
    return empty | parts


def test_a_plan_has_four_keys_and_in_each_all_of_its_own_and_none_is_filled_in():
    """Features 67 and 125."""
    answer, _ = take(PlanAnswer, a_plan(reasoning=" Nothing\x1b helps. "))
    assert answer.model_dump(mode="json") == a_plan(reasoning="Nothing helps.")
    for key in a_plan():
        with pytest.raises(ValidationError, match=key):
            take(PlanAnswer, {name: part for name, part in a_plan().items() if name != key})
    for wrong in (
        {"more": 1},
        {"coverage": a_plan()["coverage"] | {"has_memory": "yes"}},
        {"coverage": {"has_memory": False}},
        {"selected_nodes": a_plan()["selected_nodes"] | {"poem": []}},
        {"selected_nodes": a_plan()["selected_nodes"] | {"fact": None}},
        {"selected_nodes": a_plan()["selected_nodes"] | {"fact": [7]}},
    ):
        with pytest.raises(ValidationError):
            take(PlanAnswer, a_plan(**wrong))


@given(st.dictionaries(st.sampled_from([*PhenomenologyAnswer.model_fields]), anything))
def test_whatever_a_model_answers_is_within_the_limits_or_refused(fields):
    try:
        answer, _ = take(PhenomenologyAnswer, fields)
    except ValidationError:
        return
    signature = answer.emotional_signature
    assert len(signature.primary) <= 3
    assert signature.intensity is None or 0 <= signature.intensity <= 1
    assert signature.valence is None or -1 <= signature.valence <= 1
    assert len(answer.anchors) <= 2
    json.dumps(answer.model_dump(mode="json", by_alias=True), allow_nan=False)


@pytest.mark.parametrize("answer_type", ANSWERS)
def test_a_schema_asks_for_every_key_and_says_nothing_of_our_own(answer_type):
    schema = answer_type.model_json_schema()
    for part in [schema, *schema.get("$defs", {}).values()]:
        if "properties" in part:
            assert part["required"] == list(part["properties"])
            assert "description" not in part
            assert not any("default" in field for field in part["properties"].values())
