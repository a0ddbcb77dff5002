"""When holidays are: a rule for each, by the way its date is found.

Fixed days, days from Easter, the nth weekday of a month, and days of a lunar month. Those of the
Jewish, Islamic, Chinese and Indian calendars are counted from the mean new moon: at most a day or
two beside what is observed, which is why they are a day wider on both sides.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from math import ceil

_DAY = timedelta(days=1)
#: (month, day, days)
_FIXED = {
    "new year's eve": (12, 31, 1),
    "new year's day": (1, 1, 1),
    "new year's": (12, 31, 2),
    "new year": (12, 31, 2),
    "epiphany|three kings' day|orthodox christmas": (1, 6, 2),
    "burns night|australia day": (1, 25, 2),
    "groundhog day|candlemas": (2, 2, 1),
    "valentine's(?: day)?": (2, 14, 1),
    "(?:international )?women's day": (3, 8, 1),
    "(?:st\\.?|saint) patrick's(?: day)?": (3, 17, 1),
    "nowruz|norouz": (3, 20, 2),
    "april fools'?(?: day)?": (4, 1, 1),
    "earth day": (4, 22, 1),
    "anzac day": (4, 25, 1),
    "king's day": (4, 27, 1),
    "walpurgis night": (4, 30, 1),
    "may day|labour day|international workers' day": (5, 1, 1),
    "cinco de mayo": (5, 5, 1),
    "juneteenth": (6, 19, 1),
    "midsummer(?:'s)?(?: eve| day| night)?": (6, 20, 5),
    "canada day": (7, 1, 1),
    "independence day|fourth of july|4th of july": (7, 4, 1),
    "bastille day": (7, 14, 1),
    "german unity day|day of german unity": (10, 3, 1),
    "hallowe?'?en": (10, 31, 1),
    "all saints'?(?: day)?": (11, 1, 1),
    "all souls'?(?: day)?": (11, 2, 1),
    "day of the dead|d[ií]a de (?:los )?muertos": (11, 1, 2),
    "guy fawkes(?: night| day)?|bonfire night": (11, 5, 1),
    "(?:st\\.?|saint) martin's(?: day)?|veterans'? day|armistice day|remembrance day": (11, 11, 1),
    "(?:st\\.?|saint) nicholas(?:'s?)?(?: day)?": (12, 6, 1),
    "(?:st\\.?|saint) lucia?(?:'s)?(?: day)?": (12, 13, 1),
    "christmas eve": (12, 24, 1),
    "christmas day": (12, 25, 1),
    "boxing day|(?:st\\.?|saint) stephen's day": (12, 26, 1),
    "christmas(?: holidays?| time)?|xmas|yule": (12, 24, 3),
    "kwanzaa": (12, 26, 7),
    "(?:festive|holiday) season": (12, 20, 18),
    "turn of the year": (12, 27, 10),
}
#: (days from Easter Sunday, days)
_EASTER = {
    "carnival|fasching": (-52, 7),
    "mardi gras|shrove tuesday|pancake day|fat tuesday": (-47, 1),
    "ash wednesday": (-46, 1),
    "lent": (-46, 46),
    "palm sunday": (-7, 1),
    "holy week": (-7, 7),
    "maundy thursday": (-3, 1),
    "good friday": (-2, 1),
    "easter sunday|easter day": (0, 1),
    "easter monday": (1, 1),
    "easter(?: weekend| holidays?| time)?": (-2, 4),
    "ascension(?: day)?": (39, 1),
    "whit monday": (50, 1),
    "pentecost|whitsun(?:day)?": (49, 2),
    "corpus christi": (60, 1),
}
#: (month, weekday from Monday 0, which one: -1 the last, days later, days)
_WEEKDAYS = {
    "martin luther king(?: jr\\.?)?(?: day)?|mlk day": (1, 0, 3, 0, 1),
    "super bowl(?: sunday)?": (2, 6, 2, 0, 1),
    "president'?s'? day": (2, 0, 3, 0, 1),
    "mother'?s'? day": (5, 6, 2, 0, 1),
    "memorial day": (5, 0, -1, 0, 1),
    "father'?s'? day": (6, 6, 3, 0, 1),
    "labor day": (9, 0, 1, 0, 1),
    "columbus day|indigenous peoples'? day": (10, 0, 2, 0, 1),
    "thanksgiving(?: day)?": (11, 3, 4, 0, 1),
    "black friday": (11, 3, 4, 1, 1),
    "cyber monday": (11, 3, 4, 4, 1),
}
#: (month and day before which it never is, day of its lunar month from 0, days)
_LUNAR = {
    "(?:chinese|lunar) new year|spring festival": (1, 21, 0, 7),
    "purim": (2, 23, 14, 1),
    "holi": (2, 27, 14, 2),
    "passover|pesach": (3, 25, 14, 8),
    "vesak": (5, 3, 14, 1),
    "shavuot": (5, 15, 6, 2),
    "dragon boat festival": (5, 27, 4, 1),
    "mid-autumn festival|moon festival": (9, 8, 14, 1),
    "rosh hashanah?": (9, 5, 1, 2),
    "yom kippur": (9, 14, 10, 1),
    "sukkot": (9, 19, 15, 7),
    "diwali|deepavali": (10, 16, -2, 4),
    "hann?ukk?ah|chanukah": (11, 27, 25, 8),
}
#: (lunar months after Ramadan, day of the month from 0, days); a year of twelve of them
_ISLAMIC = {
    "ramadan": (0, 1, 29),
    "eid(?: al-fitr)?|end of ramadan": (1, 1, 3),
    "eid al-adha|feast of the sacrifice": (3, 10, 4),
    "ashura": (4, 10, 1),
    "mawlid": (6, 12, 1),
}
_RULES = {**_FIXED, **_EASTER, **_WEEKDAYS, **_LUNAR, **_ISLAMIC}
#: A name begins another one: the longer is tried first.
_NAMES = sorted(
    _RULES,
    key=lambda names: max(map(len, re.sub(r"\(\?:.*?\)\??", "", names).split("|"))),
    reverse=True,
)
#: A regular expression of them all, to be followed by the end of a word.
HOLIDAY = "|".join(f"(?P<h{place}>{name})" for place, name in enumerate(_NAMES))
_LUNATION, _NEW_MOON = 29.530588861, date(2000, 1, 6).toordinal() + 0.76
#: Lunations from that new moon to the one of a Ramadan, that of 1446 (2025).
_RAMADAN = 311


def holiday(match: re.Match[str], year: int) -> list[tuple[date, date]]:
    """Return the first day and the day after the last of a holiday of `HOLIDAY` in a year.

    Some begin twice in a year of the calendar or not at all.
    """
    name = _NAMES[next(int(h[1:]) for h, value in match.groupdict().items() if value)]
    if name in _FIXED:
        month, day, days = _FIXED[name]
        begins = [date(year, month, day)]
    elif name in _EASTER:
        later, days = _EASTER[name]
        begins = [easter(year) + later * _DAY]
    elif name in _WEEKDAYS:
        month, weekday, which, later, days = _WEEKDAYS[name]
        begins = [_nth_weekday(year, month, weekday, which) + later * _DAY]
    else:
        begins, days = _lunar(name, year)
    return [(begin, begin + days * _DAY) for begin in begins]


def _lunar(name: str, year: int) -> tuple[list[date], int]:
    first = date(year, 1, 1).toordinal()
    if name in _LUNAR:
        month, day, later, days = _LUNAR[name]
        least = date(year, month, day).toordinal()
        begins = [_moon(ceil((least - later - _NEW_MOON) / _LUNATION)) + later]
    else:
        months, later, days = _ISLAMIC[name]
        about = round((first - _NEW_MOON) / _LUNATION)
        moons = range(about - 2, about + 14)
        begins = [_moon(n) + later for n in moons if (n - _RAMADAN - months) % 12 == 0]
    in_year = [date.fromordinal(int(begin)) for begin in begins]
    return [begin - _DAY for begin in in_year if begin.year == year], days + 3


def _moon(number: int) -> float:
    """Return the day of a mean new moon, as an ordinal, by its number since 6 January 2000."""
    return _NEW_MOON + number * _LUNATION


def _nth_weekday(year: int, month: int, weekday: int, which: int) -> date:
    first = date(year, month, 1) + _DAY * ((weekday - date(year, month, 1).weekday()) % 7)
    days = [first + _DAY * 7 * week for week in range(5)]
    return [day for day in days if day.month == month][which - 1 if which > 0 else which]


def easter(year: int) -> date:
    """Return Easter Sunday of the Gregorian calendar (the anonymous algorithm of 1876)."""
    golden, century, rest = year % 19, year // 100, year % 100
    moon = (19 * golden + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)
