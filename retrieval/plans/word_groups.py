"""General words of a question and the words of facts they ask for: "family" asks for a sister.

A fixed table. English only.
"""

from __future__ import annotations

import re

_PARENTS = "mother father mum mom dad parents"
_SIBLINGS = "sister brother sisters brothers siblings"
_CHILDREN = "son daughter sons daughters kids children"
_FAMILY = (
    f"{_PARENTS} {_SIBLINGS} {_CHILDREN} partner wife husband cousin grandmother grandfather aunt"
    " uncle niece nephew"
)
_PETS = "pet dog cat dogs cats"
_WORDS_BEHIND = {
    "family": _FAMILY,
    "families": _FAMILY,
    "relatives": _FAMILY,
    "parents": _PARENTS,
    "siblings": _SIBLINGS,
    "children": _CHILDREN,
    "kids": _CHILDREN,
    "pets": _PETS,
    "animals": _PETS,
    "job": "works",
    "profession": "works",
    "hobbies": "hobby likes",
    "illness": "health",
    "allergies": "allergic",
}
_WORD = re.compile(r"[a-z]+")


def words_behind(question: str) -> str:
    """Return the words that the general words of a question stand for; "" where it has none."""
    words = _WORD.findall(question.lower())
    return " ".join(_WORDS_BEHIND[word] for word in words if word in _WORDS_BEHIND)
