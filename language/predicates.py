"""Predicates: what can be said of somebody, how long it tends to hold, and whether one value does.

Rules state a few of them (`language/facts`), a model all; a statement from elsewhere may bring a
predicate of its own, which is then unknown in stability and holds many values. Nothing is read or
decided here.
"""

from __future__ import annotations

from dataclasses import dataclass

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


#: name | stability | values | it holds | it has ended; {} is the object
_TABLE = """
name            | static  | one  | is called {}               | is not called {} now
goes_by         | dynamic | one  | goes by {}                 | does not go by {} now
born            | static  | one  | has the date of birth {}   | does not have the date of birth {}
birthday        | static  | one  | has birthday on {}         | has no birthday on {}
birthplace      | static  | one  | was born in {}             | was not born in {}
origin          | static  | one  | comes from {}              | does not come from {}
grew_up_in      | static  | one  | grew up in {}              | did not grow up in {}
native_language | static  | one  | has the native language {} | does not have the native language {}
speaks          | static  | many | speaks {}                  | does not speak {}
learns          | dynamic | many | learns {}                  | does not learn {} now
allergic_to     | static  | many | is allergic to {}          | is not allergic to {} now
graduated_from  | static  | many | graduated from {}          | did not graduate from {}
studied         | static  | many | studied {}                 | did not study {}
studies         | dynamic | one  | studies {}                 | does not study {} now
studies_at      | dynamic | one  | studies at {}              | does not study at {} now
lives_in        | dynamic | one  | lives in {}                | does not live in {} now
works_at        | dynamic | one  | works at {}                | does not work at {} now
works_in        | dynamic | one  | works in {}                | does not work in {} now
works_as        | dynamic | one  | works as {}                | does not work as {} now
age             | dynamic | one  | is {} years old            | is not {} years old now
marital_status  | dynamic | one  | is {}                      | is not {} now
partner         | dynamic | one  | has a partner, {}          | is not with {} now
mother          | static  | one  | has a mother, {}           | does not have {} as a mother
father          | static  | one  | has a father, {}           | does not have {} as a father
sister          | static  | many | has a sister, {}           | does not have {} as a sister
brother         | static  | many | has a brother, {}          | does not have {} as a brother
son             | static  | many | has a son, {}              | does not have {} as a son
daughter        | static  | many | has a daughter, {}         | does not have {} as a daughter
child           | static  | many | has a child, {}            | does not have {} as a child
anniversary     | static  | many | has an anniversary: {}     | has no anniversary: {}
cousin          | static  | many | has a cousin, {}           | does not have {} as a cousin
friend          | dynamic | many | has a friend, {}           | is not friends with {} now
colleague       | dynamic | many | has a colleague, {}        | does not have {} as a colleague now
boss            | dynamic | one  | has a boss, {}             | does not have {} as a boss now
children        | dynamic | one  | has children: {}           | does not have children: {} now
sons            | dynamic | one  | has sons: {}               | does not have sons: {} now
daughters       | dynamic | one  | has daughters: {}          | does not have daughters: {} now
siblings        | dynamic | one  | has siblings: {}           | does not have siblings: {} now
brothers        | dynamic | one  | has brothers: {}           | does not have brothers: {} now
sisters         | dynamic | one  | has sisters: {}            | does not have sisters: {} now
pet             | dynamic | many | has a pet, {}              | does not have {} as a pet now
favourite       | dynamic | one  | has favourite {}           | does not have favourite {} now
prefers         | dynamic | many | prefers {}                 | does not prefer {} now
likes           | dynamic | many | likes {}                   | does not like {} now
dislikes        | dynamic | many | dislikes {}                | does not dislike {} now
uses            | dynamic | many | uses {}                    | does not use {} now
owns            | dynamic | many | owns {}                    | does not own {} now
collects        | dynamic | many | collects {}                | does not collect {} now
hobby           | dynamic | many | has the hobby {}           | does not have the hobby {} now
teaches         | dynamic | many | teaches {}                 | does not teach {} now
runs            | dynamic | many | runs {}                    | does not run {} now
avoids          | dynamic | many | avoids {}                  | does not avoid {} now
fears           | dynamic | many | is afraid of {}            | is not afraid of {} now
made            | static  | many | made {}                    | did not make {}
did             | static  | many | {}                         | not: {}
wants           | dynamic | many | wants to {}                | does not want to {} now
health          | dynamic | many | has the health issue {}    | has no health issue {} now
diet            | dynamic | one  | is {}                      | is not {} now
member_of       | dynamic | many | is a member of {}          | is not a member of {} now
volunteers_at   | dynamic | many | volunteers at {}           | does not volunteer at {} now
grandmother     | static  | many | has a grandmother, {}      | does not have {} as a grandmother
grandfather     | static  | many | has a grandfather, {}      | does not have {} as a grandfather
aunt            | static  | many | has an aunt, {}            | does not have {} as an aunt
uncle           | static  | many | has an uncle, {}           | does not have {} as an uncle
niece           | static  | many | has a niece, {}            | does not have {} as a niece
nephew          | static  | many | has a nephew, {}           | does not have {} as a nephew
neighbour       | dynamic | many | has a neighbour, {}        | does not have {} as a neighbour now
roommate        | dynamic | many | has a roommate, {}         | does not have {} as a roommate now
mentor          | dynamic | many | has a mentor, {}           | does not have {} as a mentor now
note            | unknown | many | noted: {}                  | took back the note: {}
"""
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


def _parse_table() -> dict[str, Predicate]:
    rows = [[cell.strip() for cell in line.split("|")] for line in _TABLE.strip().splitlines()]
    return {
        name: Predicate(name, Stability(stability), values == "one", holds_template, ended_template)
        for name, stability, values, holds_template, ended_template in rows
    }


PREDICATES = _parse_table()


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
