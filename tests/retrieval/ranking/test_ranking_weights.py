"""The weights are one frozen table."""

import dataclasses

import pytest

from meridia.retrieval.ranking.ranking_weights import DEFAULT_WEIGHTS


def test_weights_cannot_be_changed_in_place():
    with pytest.raises(dataclasses.FrozenInstanceError):
        DEFAULT_WEIGHTS.speaker = 0.0
