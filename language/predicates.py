"""Predicates: what can be said of somebody, how long it tends to hold, and whether one value does.

Rules state a few of them (`language/facts`), a model all; a statement from elsewhere may bring a
predicate of its own, which is then unknown in stability and holds many values. Nothing is read or
decided here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from ..core.facts import object_key
from ..core.vocabulary import Stability
from .fact_objects import CONDITIONS, KIN


@dataclass(frozen=True, slots=True)
class Predicate:
    """One kind of statement; `holds_template` and `ended_template` are sentences, around {}."""

    name: str
    stability: Stability
    single_valued: bool
    holds_template: str
    ended_template: str


#: A favourite is of a kind, which is part of the predicate: favourite_colour.
FAVOURITE = "favourite_"
#: What is said of an end that names no object: whatever it was, it is over.
_ENDED_ALL = {
    "works_at": "has left the last employer",
    "works_as": "has left the last job",
    "partner": "is not with the last partner now",
}
_OPPOSITES = {"likes": "dislikes", "dislikes": "likes"}
_OVER_WORD = " over "
#: Of each its stability, whether it has one value or many, that it holds, and that it has ended.
PREDICATES = {
    name: Predicate(name, Stability(stability), values == "one", holds_template, ended_template)
    for name, (stability, values, holds_template, ended_template) in tomllib.loads(
        (Path(__file__).parent / "data" / "predicates.toml").read_text("utf-8")
    ).items()
}


def get_predicate(name: str) -> Predicate:
    """Return what the table says of a predicate, or an unknown one that holds many values."""
    if name in PREDICATES:
        return PREDICATES[name]
    if name.startswith(FAVOURITE):
        kind = name.removeprefix(FAVOURITE).replace("_", " ")
        row = PREDICATES["favourite"]
        templates = (
            row.holds_template.replace("{}", f"{kind} {{}}"),
            row.ended_template.replace("{}", f"{kind} {{}}"),
        )
        return Predicate(name, row.stability, row.single_valued, *templates)
    words = name.replace("_", " ")
    return Predicate(name, Stability.UNKNOWN, False, f"{words} {{}}", f"not {words} {{}}")


def render_statement(subject: str, predicate: str, object: str, *, ends: bool = False) -> str:
    """Say a statement in one sentence; one that ends and names no object ends whatever held."""
    row = get_predicate(predicate)
    if names_only_kind(object) and not ends:
        return f"{subject} has a {object}."
    template = row.ended_template if ends else row.holds_template
    if predicate == "health" and (object in CONDITIONS or object.endswith("intolerant")):
        template = "is not {} now" if ends else "is {}"
    if ends and not object:
        template = _ENDED_ALL.get(predicate) or row.ended_template.replace("{}", "it")
    return f"{subject} {template.replace('{}', object)}".rstrip(".") + "."


def names_only_kind(object: str) -> bool:
    """Return whether an object says only what somebody has, and not who it is: "husband"."""
    return object in KIN


def find_opposite(predicate: str, object: str) -> tuple[str, str] | None:
    """Return the predicate and the object's key that cannot hold at once with these, if any."""
    if predicate in _OPPOSITES:
        return _OPPOSITES[predicate], object_key(object)
    if predicate == "prefers" and _OVER_WORD in object:
        chosen, _, other = object.partition(_OVER_WORD)
        return predicate, object_key(f"{object_key(other)}{_OVER_WORD}{object_key(chosen)}")
    return None
