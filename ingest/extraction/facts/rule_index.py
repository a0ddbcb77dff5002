"""All rules by which statements are found, and which of them a sentence is tried with.

A pattern is compiled at its first use: most processes never meet most of the words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from .fact_rule import FactRule
from .identity_rules import IDENTITY_RULES
from .pattern_blocks import expand_blocks
from .preference_rules import PREFERENCE_RULES
from .work_rules import WORK_RULES

FACT_RULES: Sequence[FactRule] = (*IDENTITY_RULES, *WORK_RULES, *PREFERENCE_RULES)


@cache
def compile_rule(index: int, *, uncased: bool) -> re.Pattern[str]:
    """Return the pattern of a rule by its place; `uncased` for texts without any capital."""
    return re.compile(expand_blocks(FACT_RULES[index].pattern, uncased=uncased))


def _by_cue() -> Mapping[str, Sequence[int]]:
    indexes_by_cue: dict[str, list[int]] = {}
    for index, rule in enumerate(FACT_RULES):
        for cue in rule.cues.split():
            indexes_by_cue.setdefault(cue, []).append(index)
    return indexes_by_cue


#: Word of a sentence → the places of the rules to try.
RULES_BY_CUE = _by_cue()
