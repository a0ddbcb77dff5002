"""How the times of memories fit dates and periods."""

from datetime import UTC, datetime

import numpy as np

from meridia.language.questions.dates import PartialDate
from meridia.language.questions.periods import Period
from meridia.retrieval.candidates.query_targets import day_match, month_match, period_match


def _at(*moments: tuple[int, int, int]):
    return np.array([int(datetime(*m, 12, tzinfo=UTC).timestamp()) for m in moments], np.int64)


def test_a_month_without_a_year_is_that_month_of_any_year():
    at = _at((2023, 5, 1), (2024, 5, 31), (2023, 6, 1))
    assert month_match(PartialDate(5, None, None), at).tolist() == [1, 1, 0]
    assert month_match(PartialDate(5, None, 2024), at).tolist() == [0, 1, 0]


def test_a_day_reaches_ten_days_on_and_two_back():
    at = _at((2023, 5, 7), (2023, 5, 17), (2023, 5, 18), (2023, 5, 5), (2023, 5, 4))
    assert day_match(PartialDate(5, 7, 2023), at).tolist() == [1.0, 0.6, 0.0, 0.3, 0.0]
    assert day_match(PartialDate(5, 7, None), at).tolist() == [1.0, 0.6, 0.0, 0.3, 0.0]


def test_a_leap_day_of_any_year_is_looked_for_in_leap_years_only():
    at = _at((2023, 3, 1), (2024, 2, 29))
    assert day_match(PartialDate(2, 29, None), at).tolist() == [0.0, 1.0]


def test_what_happened_is_told_soon_after():
    at = np.array([0, 99, 100, 100 + 9 * 86_400, 100 + 11 * 86_400])
    assert period_match(Period("then", ((10, 100),)), at).tolist() == [0.0, 1.0, 0.6, 0.6, 0.0]
