"""What verbs state: a table from verb, preposition and shape of the object to the predicate.

A state holds now where it is told in the present, and has ended where it "was" or "used to be"; a
deed counts only once it is done. Verbs that are not in the table state nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Shape(StrEnum):
    """What an object must be, so that the statement is one."""

    NAME = "name"  # a proper name
    PLACE = "place"  # the same, and no figure of speech
    BODY = "body"  # a name, or "a bank": an employer, a club
    ITEM = "item"  # one thing that says something by itself
    ITEMS = "items"  # several of them
    TRADE = "trade"
    LANGUAGE = "language"
    FIELD = "field"  # what is studied, without where
    TOOL = "tool"
    PLAYED = "played"
    PASTIME = "pastime"
    WORK = "work"
    ANIMAL = "animal"
    AILMENT = "ailment"
    COUNTED = "counted"
    GOODS = "goods"
    VENTURE = "venture"
    FOOD = "food"
    DATE = "date"
    DEED = "deed"  # the verb and all that belongs to it


class Aspect(StrEnum):
    """When it holds: as long as it is told so, or from when it was done."""

    STATE = "state"
    EVENT = "event"


@dataclass(frozen=True, slots=True)
class ClauseRule:
    """One way to state a fact: `links` are the words before the object, "" where none is.

    `heads` name the nouns of which the object must have one, "" any.
    """

    predicate: str
    links: frozenset[str]
    shape: Shape
    aspect: Aspect
    ends: bool
    heads: frozenset[str]


#: verbs | links, "-" for none | predicate, "not" where it ends | shape | state or event | heads
_TABLE = """
live reside settle          | in            | lives_in       | place    | state |
be-living be-based be-located be-settled | in | lives_in     | place    | state |
move relocate               | to            | lives_in       | place    | event |
move relocate               | from          | not lives_in   | place    | event |
grow                        | in            | grew_up_in     | place    | event |
be-raised                   | in            | grew_up_in     | place    | event |
be-born                     | in            | birthplace     | place    | event |
be-born                     | on in         | born           | date     | event |
come be-originally be-from  | from          | origin         | place    | state |
work                        | at for with   | works_at       | body     | state |
work                        | in            | works_in       | field    | state |
be-employed                 | at by with    | works_at       | body     | state |
work be-employed            | as            | works_as       | trade    | state |
be                          | -             | works_as       | trade    | state |
get land accept start take  | at with       | works_at       | name     | event | job position role
study                       | -             | studies        | field    | state |
study                       | at            | studies_at     | name     | state |
major                       | in            | studies        | field    | state |
be-majoring                 | in            | studies        | field    | state |
have                        | in            | studied        | field    | state | phd degree
graduate                    | from          | graduated_from | name     | event |
speak                       | -             | speaks         | language | state |
be-fluent                   | in            | speaks         | language | state |
learn                       | -             | learns         | played   | state |
learn                       | -             | learns         | language | state |
use                         | -             | uses           | tool     | state |
switch                      | to            | uses           | tool     | event |
switch                      | from          | not uses       | tool     | event |
love like enjoy adore       | -             | likes          | items    | state |
be-fan be-fond              | of            | likes          | items    | state |
be-sucker                   | for           | likes          | items    | state |
be-drawn                    | to            | likes          | items    | state |
be-all                      | about         | likes          | items    | state |
be-into                     | into          | likes          | items    | state |
be-keen                     | on            | likes          | items    | state |
be-passionate               | about         | likes          | items    | state |
be-interested               | in            | likes          | items    | state |
be-obsessed                 | with          | likes          | items    | state |
hate dislike detest         | -             | dislikes       | items    | state |
be-afraid be-scared be-terrified | of       | fears          | items    | state |
avoid                       | -             | avoids         | food     | state |
teach                       | -             | teaches        | items    | state |
run                         | -             | runs           | venture  | state |
be-allergic                 | to            | allergic_to    | items    | state |
be-married be-engaged       | to            | partner        | name     | state |
have get be-having          | -             | children       | counted  | state |
have get adopt own buy      | -             | pet            | animal   | state |
have                        | -             | health         | ailment  | state |
suffer struggle deal cope   | from with     | health         | ailment  | state |
be-diagnosed                | with          | health         | item     | event |
play                        | -             | hobby          | played   | state |
do practice practise        | -             | hobby          | pastime  | state |
go                          | -             | hobby          | pastime  | state |
start take begin            | up            | hobby          | pastime  | event |
get                         | into          | hobby          | pastime  | event |
volunteer                   | at for with in | volunteers_at | body     | state |
join                        | -             | member_of      | body     | event |
belong                      | to            | member_of      | body     | state |
be-member be-part           | of            | member_of      | body     | state |
own                         | -             | owns           | item     | state |
sell                        | -             | not owns       | goods    | event |
collect                     | -             | collects       | items    | state |
have                        | -             | owns           | goods    | state |
get                         | -             | owns           | goods    | event |
buy purchase                | -             | owns           | goods    | event | @bought
do                          | -             | made           | work     | event | @art
become be-promoted          | - to          | works_as       | trade    | event |
make build design create develop  | -         | made           | work     | event |
sew knit carve craft sculpt bake cook crochet | - | made       | item     | event |
write compose record produce publish release film | - | made  | work     | event |
paint draw sketch           | -             | made           | item     | event |
finish complete wrap        | -             | made           | work     | event |
win                         | -             | did            | deed     | event |
attend                      | -             | did            | deed     | event |
visit                       | -             | did            | deed     | event | @event
go                          | to            | did            | deed     | event | @event
take                        | to            | did            | deed     | event | @event
go                          | on            | did            | deed     | event | @trip
get come return             | from          | did            | deed     | event | @event
explore tour hike climb     | -             | did            | deed     | event | @name
hike camp                   | in at near    | did            | deed     | event | @name
have                        | -             | did            | deed     | event | @had
participate compete enter   | in            | did            | deed     | event | @event
volunteer                   | at for with in | did           | deed     | event |
be-promoted be-accepted be-selected | to into for as | did     | deed     | event |
be-nominated be-hired be-invited | to for as | did            | deed     | event |
donate                      | to            | did            | deed     | event |
interview audition          | for at with   | did            | deed     | event |
move                        | into          | did            | deed     | event | @home
celebrate                   | -             | did            | deed     | event | @feast
travel fly                  | to            | did            | deed     | event | @name
adopt                       | -             | did            | deed     | event |
start launch open found     | -             | did            | deed     | event | @venture
finish complete             | -             | did            | deed     | event | @venture
pass fail ace               | -             | did            | deed     | event | @exam
sign                        | for           | did            | deed     | event |
take                        | -             | did            | deed     | event | @class
run                         | -             | did            | deed     | event | @race
get receive earn land       | -             | did            | deed     | event | @gain
quit leave                  | -             | did            | deed     | event | job
lose                        | -             | did            | deed     | event | @lost
graduate                    | with          | did            | deed     | event |
apply                       | to for        | did            | deed     | event |
submit                      | -             | did            | deed     | event | @work
host organize organise      | -             | did            | deed     | event |
perform speak               | at            | did            | deed     | event |
break hurt injure sprain tear twist fracture | - | did        | deed     | event | @injured
meet                        | -             | did            | deed     | event | @name
watch read see              | -             | did            | deed     | event | @title
"""
#: Past forms that no rule of spelling gives.
_IRREGULAR = """
be am is are was were been 'm 're being; have has had 've having; get got gotten gets getting
come came comes coming; grow grew grown grows growing; speak spoke spoken speaks speaking
buy bought buys buying; make made makes making; build built builds building
write wrote written writes writing; draw drew drawn draws drawing; win won wins winning
go went gone goes going; fly flew flown flies flying; take took taken takes taking
begin began begun begins beginning; run ran runs running; lose lost loses losing; quit quits
leave left leaves leaving; break broke broken breaks breaking; hurt hurts hurting; tear tore torn
meet met meets meeting; read reads reading; see saw seen sees seeing; sew sewed sewn sews sewing
do did does done doing; study studied studies studying; travel travelled traveled travels
apply applied applies applying; submit submitted submits submitting; knit knitted knits knitting
feel felt feels feeling; think thought thinks thinking; stop stopped stops stopping
hope hoped hopes hoping; plan planned plans planning; prefer preferred prefers preferring
wrap wrapped wraps wrapping; become became becomes becoming; teach taught teaches teaching;
eat ate eaten eats eating; drink drank drunk drinks drinking; deal dealt deals dealing
hate hated hates; say said says saying; tell told tells telling; keep kept keeps keeping
sell sold sells selling
""".replace("\n", ";")


def _parse() -> dict[str, list[ClauseRule]]:
    rules: dict[str, list[ClauseRule]] = {}
    for line in _TABLE.strip().splitlines():
        verbs, links, predicate, shape, aspect, heads = (c.strip() for c in line.split("|"))
        ends = predicate.startswith("not ")
        rule = ClauseRule(
            predicate.removeprefix("not "),
            frozenset(links.split()) - {"-"},
            Shape(shape),
            Aspect(aspect),
            ends,
            frozenset(heads.split()),
        )
        for verb in verbs.split():
            rules.setdefault(verb, []).append(rule)
    return rules


def _lemmas() -> dict[str, str]:
    forms: dict[str, str] = {}
    for row in _IRREGULAR.split(";"):
        lemma, *others = row.split() or [""]
        forms |= dict.fromkeys([lemma, *others], lemma)
    for verb in [
        *RULES_BY_VERB,
        *"want start stop finish dream enjoy love like turn pass die divorce".split(),
    ]:
        if "-" in verb or verb in forms:
            continue
        stem = verb.removesuffix("e")
        endings = (verb, verb + "s", stem + "ed", stem + "ing", verb + "es")
        forms |= {form: verb for form in endings if form not in forms}
    return forms


#: Verb, or "be-" and what follows "be" → what it states.
RULES_BY_VERB: Mapping[str, list[ClauseRule]] = _parse()
_LEMMA = _lemmas()


def lemma_of(form: str) -> str:
    """Return the verb of which this is a form, where the table has it; else the form."""
    return _LEMMA.get(form, form)
