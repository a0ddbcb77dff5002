"""How a fact is stated: the shape of a rule, and the turns that most rules share.

A pattern names the speaker by `I`, or somebody else in the group `who`, and the object in `o`; its
building blocks are those of `fact_words`. Rules are data: nothing is matched here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ObjectShape(StrEnum):
    """What an object is made of: a name, a short phrase, several of them, or as it stands."""

    PROPER = "proper"
    THING = "thing"
    THINGS = "things"
    VERBATIM = "verbatim"


@dataclass(frozen=True, slots=True)
class FactRule:
    """One way to state a fact. `cues` are words of which one stands in every such sentence.

    The group `kind` completes a predicate that ends in an underscore, or names one where none is
    given; `what` is a thing that the statement is about; `than` what an object is preferred to.
    What is `position_free` is stated wherever it stands: "a flight for my friend Ivan".
    """

    predicate: str
    cues: str
    pattern: str
    shape: ObjectShape = ObjectShape.PROPER
    ends: bool = False
    position_free: bool = False


#: Objects, by what they are made of.
PLACE, ORG, PERSON = r"(?P<o>@place)", r"(?P<o>@proper)", r"(?P<o>@person)"
THING, THINGS = r"(?P<o>@thing)", r"(?P<o>@things)"
DAY, DATE = r"(?P<o>@day)", r"(?P<o>@date)"
#: The end of a clause, so that a word is not the beginning of something else.
END = r"(?=\s*(?:$|[.,;!)–—]| -| and\b| but\b| so\b| now\b| today\b))"


def verb_pattern(first: str, third: str, rest: str) -> str:
    """Return a pattern for a verb, said of oneself and of somebody else."""
    return f"(?:@i(?: have|['’]ve)?@adv {first}|@who@adv {third}){rest}"


def copula_pattern(rest: str) -> str:
    """Return a pattern for what somebody is."""
    return f"(?:@am@adv|@who(?: is|['’]s)@adv){rest}"
