"""Entries about feedback: three shapes of one kind, told apart when they are read."""

from __future__ import annotations

import pytest

from meridia.core.codec import decode_entry, encode_text
from meridia.core.entries import FeedbackUndone, TrackedFeedback, UserFeedback
from meridia.core.vocabulary import EntryKind

ABOUT = {"reconstitution": "r", "mode": "recall", "shown": ("m",), "note": None, "by": "user"}
GIVEN = [
    UserFeedback(**ABOUT, effects={"m": ("useful", 100)}, verdict="useful", rating=None),
    TrackedFeedback(
        **ABOUT,
        effects={"m": ("referenced", 25)},
        session="s",
        referenced=("m",),
        anchors=(),
        auto_score=1,
        style=None,
    ),
    FeedbackUndone("f", "user"),
]


@pytest.mark.parametrize("payload", GIVEN, ids=lambda payload: type(payload).__name__)
def test_feedback_is_read_back_in_the_shape_that_was_written(payload):
    assert payload.kind is EntryKind.FEEDBACK_GIVEN
    assert decode_entry(payload.kind, encode_text(payload)) == payload
