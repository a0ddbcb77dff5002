"""How well the time of a memory fits a date or a period that the question names."""

from __future__ import annotations

import numpy as np

from ..core.time import DAY_S
from ..graph.view import Floats, Ints
from ..language.questions.dates import PartialDate
from ..language.questions.periods import Period
from ..storage.sorted_arrays import distinct

#: Events are reported soon afterwards, seconds; such a report fits a little less.
_REPORTED_WITHIN_S, _REPORTED_LATER_FIT = 10 * 86_400, 0.6


def month_match(named: PartialDate, at: Ints) -> Floats:
    """Return 1 where a time (seconds since 1970) falls in the named month, else 0."""
    months = at.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64)
    fits = months % 12 + 1 == named.month
    if named.year is not None:
        fits &= months // 12 + 1970 == named.year
    return np.where(fits, 1.0, 0.0)


def day_match(named: PartialDate, at: Ints) -> Floats:
    """Return how near a time is to the named day: 1 on it, .6 up to ten days after, .3 two before.

    People report an event mostly on the day or soon after. 0 when no day was named.
    """
    if named.day is None:
        return np.zeros(len(at))
    days = at // DAY_S
    best = np.zeros(len(at))
    years = [named.year] if named.year is not None else _years(at)
    for year in years:
        day = named.in_year(year)
        if day is None:
            continue
        after = days - int(day.timestamp()) // DAY_S
        fit = np.select(
            [after == 0, (after > 0) & (after <= 10), (after < 0) & (after >= -2)],
            [1.0, 0.6, 0.3],
            0.0,
        )
        best = np.maximum(best, fit)
    return best


def _years(at: Ints) -> list[int]:
    years = at.astype("datetime64[s]").astype("datetime64[Y]").astype(np.int64) + 1970
    return [int(year) for year in distinct(years)]


def period_match(period: Period, at: Ints) -> Floats:
    """Return how well times (seconds since 1970) fit: 1 in the period, .6 up to ten days later."""
    starts, ends = np.array(period.spans).T
    last = np.searchsorted(starts, at, side="right") - 1  # that has begun; -1: none
    behind = np.where(last >= 0, at - ends[last], np.inf)
    return np.select([behind < 0, behind < _REPORTED_WITHIN_S], [1.0, _REPORTED_LATER_FIT], 0.0)
