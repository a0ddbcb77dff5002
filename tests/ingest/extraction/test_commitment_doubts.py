"""What makes a sentence no commitment."""

import pytest

from meridia.ingest.extraction.commitment_doubts import IF_YOU_LIKE, UNSURE, VAGUE_TIME, WANTS


@pytest.mark.parametrize(
    ("doubt", "sentence"),
    [
        (UNSURE, "Maybe I'll paint the door on Friday."),
        (VAGUE_TIME, "I'll visit the lighthouse some day."),
        (WANTS, "I'd like to change my flight on May 19."),
        (IF_YOU_LIKE, "If you like, I'll bring the ladder."),
    ],
)
def test_doubts_wishes_and_times_that_are_none_are_recognised(doubt, sentence):
    assert doubt.search(sentence)
    assert not doubt.search("I'll paint the door on Friday.")
