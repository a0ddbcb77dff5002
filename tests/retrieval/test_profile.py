"""The weights are one frozen table."""

import dataclasses

import pytest

from meridia.retrieval.profile import DEFAULT


def test_weights_cannot_be_changed_in_place():
    with pytest.raises(dataclasses.FrozenInstanceError):
        DEFAULT.speaker = 0.0
