"""Times that stand alone."""

from datetime import UTC, datetime

import pytest

from meridia.language.questions.time_atoms import atom

#: A Monday.
NOW = datetime(2026, 4, 13, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "unit", "start"),
    [
        ("yesterday", "day", "2026-04-12"),
        ("the day before yesterday", "day", "2026-04-11"),
        ("the week before last", "week", "2026-03-30"),
        ("last June", "month", "2025-06-01"),
        ("next summer", "season", "2026-06-01"),
        ("three Sundays ago", "weekday", "2026-03-29"),
        ("two summers ago", "season", "2024-06-01"),
        ("three weekends ago", "weekend", "2026-03-28"),
        ("a couple of weekends back", "weekend", "2026-04-04"),
        ("the Friday before last", "weekday", "2026-04-03"),
        ("last Christmas", "day", "2025-12-24"),
        ("last Christmas Eve", "day", "2025-12-24"),
        ("last Christmas Day", "day", "2025-12-25"),
        ("last Easter Monday", "day", "2026-04-06"),
        ("last New Year's Day", "day", "2026-01-01"),
        ("2025-08", "month", "2025-08-01"),
        ("nineties", "decade", "1990-01-01"),
        ("the 2010s", "decade", "2010-01-01"),
        ("'94", "year", "1994-01-01"),
        ("weekend", "weekend", "2026-04-11"),
        ("half a year ago", "range", "2025-08-29"),
        ("past year", "range", "2025-04-13"),
    ],
)
def test_a_time_is_reckoned_from_now(text, unit, start):
    named = atom(text, 0, NOW, bare=True)
    assert named is not None
    assert (named.unit, named.end) == (unit, len(text))
    assert named.spans[0][0].date().isoformat() == start


@pytest.mark.parametrize("text", ["May", "2025", "Friday", "spring", "the 15th", "3/4"])
def test_a_word_that_may_mean_something_else_needs_to_be_after_in_or_on(text):
    assert atom(text, 0, NOW, bare=False) is None


@pytest.mark.parametrize(
    "text", ["may I", "Fridays", "3/4/5", "the last one", "Easterly", "week 60"]
)
def test_what_is_no_time_is_none(text):
    named = atom(text, 0, NOW, bare=False)
    assert named is None
