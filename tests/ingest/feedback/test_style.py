"""Style continuity: four plain measures of a reply beside their means in earlier ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.feedback.tracking import style_continuity


def test_row_59_a_reply_like_the_ones_before_is_nearer_than_one_unlike():
    before = ["How was your trip? I hope you slept well!", "How is your knee? I hope you rest!"]
    like = style_continuity("How was your race? I hope you won it!", before)
    unlike = style_continuity("Deployment finished. Logs are attached. Exit status zero.", before)
    assert like.similarity > 0.9
    assert unlike.similarity < 0.6
    assert like.personal > -0.05
    assert unlike.personal < -0.05
    assert like.replies == 2


def test_without_a_baseline_there_is_nothing_to_compare_with():
    assert style_continuity("Hello!", []) is None


@given(st.text(max_size=80), st.lists(st.text(max_size=80), min_size=1, max_size=4))
def test_similarity_is_0_to_1_and_1_for_the_same(reply, baseline):
    assert 0 <= style_continuity(reply, baseline).similarity <= 1
    assert style_continuity(reply, [reply, reply]).similarity == 1
