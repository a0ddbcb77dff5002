"""How long what somebody intends stays open."""

import pytest

from meridia.language.closings import UNDATED_DAYS, open_days


@pytest.mark.parametrize(
    ("sentence", "days"),
    [
        ("I'll call her tonight.", 1),
        ("We leave tomorrow!", 2),
        ("I'll bring it on Friday.", 14),
        ("Next month I start.", 62),
        ("We move in October.", 365),
        ("I'll read it.", UNDATED_DAYS),
    ],
)
def test_it_lapses_by_the_time_that_it_names(sentence, days):
    assert open_days(sentence) == (days, days != UNDATED_DAYS)
