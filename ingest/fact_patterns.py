"""All rules by which statements are found, and which of them a sentence is tried with.

A pattern is compiled at its first use: most processes never meet most of the words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from .fact_identity import IDENTITY
from .fact_rules import Rule
from .fact_tastes import TASTES
from .fact_words import expand
from .fact_work import WORK

RULES: Sequence[Rule] = (*IDENTITY, *WORK, *TASTES)


@cache
def compiled(place: int, *, loose: bool) -> re.Pattern[str]:
    """Return the pattern of a rule by its place; `loose` for texts without any capital."""
    return re.compile(expand(RULES[place].pattern, loose=loose))


def _by_cue() -> Mapping[str, Sequence[int]]:
    found: dict[str, list[int]] = {}
    for place, rule in enumerate(RULES):
        for cue in rule.cues.split():
            found.setdefault(cue, []).append(place)
    return found


#: Word of a sentence → the places of the rules to try.
BY_CUE = _by_cue()
