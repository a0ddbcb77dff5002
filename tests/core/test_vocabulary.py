"""The closed vocabularies: every word is in journals, so none may be lost or renamed."""

from __future__ import annotations

import pytest

from meridia.core.vocabulary import (
    CaptureMode,
    Channel,
    Emotion,
    Engagement,
    LimitReason,
    RecordStatus,
    Relationship,
    Texture,
    TransitionField,
    Trigger,
)


@pytest.mark.parametrize(
    ("vocabulary", "words"),
    [
        pytest.param(
            Emotion,
            "curious focused uncertain frustrated satisfied surprised concerned relieved excited "
            "cautious sad grieving",
            id="row 12: ten emotions, and D35: two of ours",
        ),
        pytest.param(
            Texture,
            "spacious dense flowing turbulent crystalline heavy sharp warm",
            id="row 13: eight textures",
        ),
        pytest.param(
            Engagement,
            "deep-flow engaged routine distracted struggling",
            id="row 14: five kinds of engagement",
        ),
        pytest.param(Channel, "verbal visual somatic conceptual relational", id="row 15: channels"),
        pytest.param(RecordStatus, "skeleton evaluated upgraded noise", id="row 42: statuses"),
        pytest.param(CaptureMode, "full light trace_only", id="row 8: modes"),
        pytest.param(LimitReason, "min_interval max_per_hour budget", id="row 2: gates"),
        pytest.param(
            TransitionField, "engagement emotionalSignature uncertainty focus", id="row 45: fields"
        ),
        pytest.param(Relationship, "primary collaborator user unknown", id="row 48: relationships"),
        pytest.param(
            Trigger,
            "problem-solution learning-failure learning-success positive-feedback "
            "corrective-feedback none",
            id="D10: triggers",
        ),
    ],
)
def test_a_vocabulary_has_exactly_the_words_of_its_source(vocabulary, words):
    assert {*vocabulary} == {*words.split()}
