"""Asks back if a question does not say which of a plan's best sources it means.

By rule, from the selection and the question: which person a pronoun or a shared name means, and
which of two contradicting facts is true. The plan does not change; the caller decides. Pronouns,
and the table of general words such as "family" (which also asks for a sister), are English.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ...core.codec import to_object
from ...core.ids import fold
from ...core.types import Json
from ...language.marks import PRONOUN
from .plan_choice import NodeChoice

#: As relevant as the best, for this question: at least such a share of its relevance.
_NEAR = 0.8
#: Readings named at most.
_READINGS_MAX = 5
_WORD = re.compile(r"\w+")
#: A name within a sentence: then a pronoun can mean that person.
_NAMED = re.compile(r"(?<=[\w,;:] )(?!I\b)[A-Z]\w+")


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """One thing that a question can mean, and the selected nodes that it would rest on."""

    text: str
    node_ids: tuple[str, ...]

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return to_object(self)


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question for the asker, with at least two readings, the likelier first."""

    question: str
    readings: tuple[QuestionReading, ...]

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return to_object(self)

    def without(self, ids: Collection[str]) -> Clarification | None:
        """Return the clarification without some nodes; None if one reading is left."""
        remaining = [
            tuple(id for id in reading.node_ids if id not in ids) for reading in self.readings
        ]
        readings = tuple(
            replace(reading, node_ids=left)
            for reading, left in zip(self.readings, remaining, strict=True)
            if left
        )
        return replace(self, readings=readings) if len(readings) > 1 else None


@dataclass(frozen=True, slots=True)
class NodeContext:
    """The facts of nodes by node id: the person of each, and the facts that contradict it."""

    owners: Mapping[str, str]
    contradictions: Mapping[str, Collection[str]]


def clarification_of(
    question: str, choices: Sequence[NodeChoice], context: NodeContext
) -> Clarification | None:
    """Return what to ask back before a plan's `choices` are used; None where nothing is open.

    Only sources nearly as relevant as the best are readings. A name said in full, and one that only
    one of them bears, settles whom the question means.
    """
    people = _people(question, choices, context.owners)
    if people is not None:
        return people
    facts = [choice for choice in choices if choice.node.node_id in context.contradictions]
    for place, first in enumerate(near := _near(facts)):
        ids = context.contradictions[first.node.node_id]
        second = next((c for c in near[place + 1 :] if c.node.node_id in ids), None)
        if second is not None:
            both = [QuestionReading(c.node.summary, (c.node.node_id,)) for c in (first, second)]
            return _clarification("Which of these holds", [f"“{c.text}”" for c in both], both)
    return None


def _people(
    question: str, choices: Sequence[NodeChoice], owners: Mapping[str, str]
) -> Clarification | None:
    """Return what to ask where a pronoun, or a name that several share, can mean several."""
    words = {fold(word) for word in _WORD.findall(question)}
    called = {name: {fold(w) for w in _WORD.findall(name)} for name in owners.values()}
    if any(parts and parts <= words for parts in called.values()):
        return None
    meant = {name for name, parts in called.items() if parts & words}
    readings = _readings(choices, owners)
    if meant:
        ambiguous = next(word for word in _WORD.findall(question) if _is_in_name(word, called))
        opened = f"Which {ambiguous} is meant"
        readings = [reading for reading in readings if fold(ambiguous) in called[reading.text]]
    else:
        pronoun = PRONOUN.search(question)
        if pronoun is None or _NAMED.search(question):
            return None
        opened = f"Whom does “{pronoun.group().lower()}” mean"
    if len(readings) < 2:
        return None
    return _clarification(opened, [reading.text for reading in readings], readings)


def _is_in_name(word: str, called: Mapping[str, Collection[str]]) -> bool:
    return any(fold(word) in parts for parts in called.values())


def _readings(choices: Sequence[NodeChoice], owners: Mapping[str, str]) -> list[QuestionReading]:
    """Return whose the best choices are, the most relevant first."""
    ids: dict[str, list[str]] = {}
    for choice in _near([choice for choice in choices if choice.node.node_id in owners]):
        ids.setdefault(owners[choice.node.node_id], []).append(choice.node.node_id)
    return [QuestionReading(name, tuple(node_ids)) for name, node_ids in ids.items()]


def _near(choices: Sequence[NodeChoice]) -> list[NodeChoice]:
    ranked = sorted(choices, key=lambda choice: -choice.relevance)
    return [choice for choice in ranked if choice.relevance >= _NEAR * ranked[0].relevance]


def _clarification(
    opened: str, named: Sequence[str], readings: Sequence[QuestionReading]
) -> Clarification:
    *first, last = named[:_READINGS_MAX]
    more = ", or somebody else" if len(named) > _READINGS_MAX else ""
    return Clarification(f"{opened}: {', '.join(first)} or {last}{more}?", tuple(readings))


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
_LATIN_WORD = re.compile(r"[a-z]+")


def words_behind(question: str) -> str:
    """Return the words that the general words of a question ask for; "" if it has none."""
    words = _LATIN_WORD.findall(question.lower())
    return " ".join(_WORDS_BEHIND[word] for word in words if word in _WORDS_BEHIND)
