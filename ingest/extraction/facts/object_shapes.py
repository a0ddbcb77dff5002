"""What an object must be, so that a clause states a fact: a name, a trade, a language, a thing.

Each shape is a function from a clause and the place of its object to the objects that are right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from ..analysis.tagged_words import TaggedWord, join
from ..entities.bearer_words import ANIMALS
from .clause_reading import ClauseReading
from .clause_rules import ClauseRule, Shape
from .fact_words import (
    AILMENTS,
    ART,
    BOUGHT,
    COUNTED,
    FOODS,
    GOODS,
    LANGUAGES,
    NUMBERS,
    OCCUPATIONS,
    PASTIMES,
    PLAYED,
    TOOLS,
    VENTURES,
    WORKS,
)
from .objects import Object, is_vague, name_at, read_items, read_object, with_article

_NOT_PLACES = frozenset("fear peace hope pain hell harmony silence heaven love god".split())
#: Verbs that also lead to what is no place: "we moved to Postgres".
_MOVES = frozenset({"move", "relocate"})
#: A version, or letters as only programs have them.
_PROGRAM = re.compile(r"\d|[a-z][A-Z]")
_DATE_WORDS_MAX = 5
#: Deeds that say nothing without what is done.
_IDLE_DEEDS = frozenset("getting doing having going making trying taking putting".split())
#: Of these predicates, one definite thing says nothing to whoever was not there.
_OF_ANY = frozenset("likes dislikes owns made prefers teaches fears".split())
_FOOD_ENDS = frozenset(". , ! ; and or so but anymore because at - –".split())
_LEADING = re.compile(r"^(?:the|a|an|some|fluent|good|any|a little|a bit of) ", re.IGNORECASE)
#: Where the noun of a phrase ends and what is added to it begins.
_ADDED = frozenset("of at for in with from on to".split())

ShapeReader = Callable[[ClauseRule, ClauseReading, int], Iterator[str]]


def _name(_rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    name, _ = name_at(reading.sentence.tokens, start)
    if name:
        yield name


def _place(rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    for name in _name(rule, reading, start):
        if reading.verb in _MOVES and not _is_moved_to(reading, start, name):
            return
        words = name.lower().split()
        bare = words[1:] if words[0] == "the" else words
        article = words[0] == "the" and not bare[0].endswith("s") and len(bare) == 1
        if bare and bare[0] not in _NOT_PLACES and not article:
            yield name


def _is_moved_to(reading: ClauseReading, start: int, name: str) -> bool:
    """Say whether a name is likely a place: of what a team moved to, only one that is known as one.

    "We moved to Bergen", and not "we moved to Postgres", "to Python 3.12" or "to GitHub".
    """
    tokens, subject = reading.sentence.tokens, reading.clause.subject
    if name.lower().split()[0] in TOOLS or _PROGRAM.search(name):
        return False
    is_place = tokens[start].name.endswith("LOC") or tokens[start].lower == "the"
    return is_place or subject is None or subject.text.lower() != "we"


#: Who joins one is no member of it.
_NO_BODIES = frozenset(
    "tournament competition contest race marathon match game call meeting session chat platform app"
    " site website newsletter".split()
)


def _body(rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    names = [*_name(rule, reading, start)]
    if names:
        yield from names
        return
    tokens = reading.sentence.tokens
    item = read_object(reading.sentence, start)
    if item is not None and item.head in _NO_BODIES:
        return
    if tokens[start + 1 : start + 2] and tokens[start + 1].lower == "while":
        return
    if tokens[start].lower in {"a", "an"} or (
        reading.verb in {"volunteer", "be-member"} and tokens[start].tag in {"DT", "NN", "NNS"}
    ):
        yield from _item(rule, reading, start)


def _item(rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    item = read_object(reading.sentence, start)
    if item is not None and item.is_complete and not is_vague(item) and _says_something(rule, item):
        yield item.text


def _says_something(rule: ClauseRule, item: Object) -> bool:
    """Say whether an object is no definite thing that only the talk knows."""
    if rule.predicate == "teaches" and (" to " in item.text or item.head in COUNTED):
        return False
    if rule.predicate in _OF_ANY:
        words = item.text.lower().split()
        first = words[0]
        if len(words) == 1 and first in _IDLE_DEEDS:
            return False
        return first not in {"the", "all", "every", "each", "some", "no", "any", "being", "how"}
    return True


def _items(rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    items = read_items(reading.sentence, start)
    if rule.predicate != "allergic_to":
        for item in items:
            if not item.is_complete or is_vague(item) or not _says_something(rule, item):
                break
            yield item.text.removeprefix("their ")
    else:
        for item in items:
            yield re.sub(r"^(?:most|all|some) (?:kinds of )?", "", item.text)


def _closed(words: frozenset[str]) -> ShapeReader:
    """Return a shape: the objects whose main noun, or whole text, is one of these words."""

    def shape(_rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
        for item in read_items(reading.sentence, start):
            bare = _LEADING.sub("", item.text)
            if bare.lower() in words or item.head in words:
                yield bare

    return shape


_BETWEEN_LANGUAGES = frozenset(", and & or a bit little of some".split())


def _languages(_rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    tokens = reading.sentence.tokens
    while start < len(tokens) and tokens[start].lower not in LANGUAGES:
        if tokens[start].tag not in {"RB", "DT", "JJ", "NN", "IN", "TO", "VB"}:
            return
        start += 1
    for token in tokens[start:]:
        if token.lower in LANGUAGES:
            yield token.text
        elif token.lower not in _BETWEEN_LANGUAGES:
            return


def _field(_rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    item = read_object(reading.sentence, start)
    if item is not None and item.is_complete and not is_vague(item):
        yield _bare(item)


def _tool(rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    names = [*_name(rule, reading, start)]
    yield from names or _closed(TOOLS)(rule, reading, start)


def _trade(_rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    tokens = reading.sentence.tokens
    if start >= len(tokens):
        return
    item = read_object(reading.sentence, start)
    if item is None or tokens[item.first].lower not in {"a", "an"}:
        return
    text = _bare(item)
    if text.split()[-1].lower() in OCCUPATIONS and not item.text.startswith(f"{text} of"):
        yield text


def _bare(item: Object) -> str:
    """Return an object without what a preposition adds to it."""
    words = item.text.split()
    return " ".join(words[: next((n for n, word in enumerate(words) if word in _ADDED), None)])


def _work(rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    tokens = reading.sentence.tokens
    shown = start < len(tokens) and tokens[start].lower in {"this", "that", "these"}
    item = read_object(reading.sentence, start + shown)
    if "@art" in rule.heads and item is not None and item.head not in ART:
        return
    if shown and item is not None and item.is_complete and item.head in WORKS:
        # It was made, whichever one is shown.
        if not item.head.endswith("s"):
            yield with_article(item.text)
        elif item.last - item.first > 1:
            yield item.text
    elif (
        item is not None and item.is_complete and item.head in WORKS and _says_something(rule, item)
    ):
        yield item.text


def _animal(_rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    tokens = reading.sentence.tokens
    for item in read_items(reading.sentence, start):
        if item.head not in ANIMALS or tokens[item.first].lower in {"the", "your", "any"}:
            return
        if item.last < len(tokens) and tokens[item.last].lower in {"named", "called", ","}:
            names = _names(tokens, item.last + 1)
            if names or tokens[item.last].text != ",":
                yield from names
                continue
        yield re.sub(r"^(?:an?|their|another|some) ", "", _bare(item))


def _names(tokens: Sequence[TaggedWord], place: int) -> list[str]:
    """Return the names that end a part of a sentence: "Luna", "Luna and Oliver"."""
    names: list[str] = []
    while place < len(tokens) and tokens[place].tag.startswith("NNP"):
        name, place = name_at(tokens, place)
        if not name:
            break
        names.append(name)
        joined = place < len(tokens) and tokens[place].lower in {",", "and", "&"}
        more = tokens[place + 1 : place + 2]
        if not joined or not more or not more[0].tag.startswith("NNP"):
            break
        place += 1
    return names


def _ailment(_rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    item = read_object(reading.sentence, start)
    if item is not None and item.head in AILMENTS:
        yield item.text


def _counted(_rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    item = read_object(reading.sentence, start)
    if item is None or item.head not in COUNTED:
        return
    words = item.text.split()
    number = NUMBERS.get(words[0].lower(), words[0])
    last = next((n for n, w in enumerate(words) if w.lower() == item.head), 0) + 1
    if number.isdigit():
        yield " ".join([number, *words[1:last]])


#: What is sold was one's own: who sells cars still has one.
_HELD = frozenset({"my", "our", "the"})


def _goods(rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    item = read_object(reading.sentence, start)
    goods = GOODS | BOUGHT if rule.heads else GOODS
    complete = item is not None and item.is_complete and item.head in goods
    if not item or not complete:
        return
    if rule.ends and reading.sentence.tokens[start].lower in _HELD:
        yield with_article(item.head)
    elif not rule.ends and item.text.split()[0].lower() not in {"the", "no", "any", "some"}:
        yield item.text


def _venture(_rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    item = read_object(reading.sentence, start)
    indefinite = reading.sentence.tokens[start].lower in {"a", "an", "my", "our"}
    if indefinite and item is not None and item.is_complete and item.head in VENTURES | GOODS:
        yield item.text


def _food(_rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    tokens = reading.sentence.tokens
    for item in read_items(reading.sentence, start):
        behind = tokens[item.last].lower if item.last < len(tokens) else "."
        if item.text.lower() in FOODS and behind in _FOOD_ENDS:
            yield item.text.lower()


def _date(_rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    tokens = reading.sentence.tokens
    last = start
    while last < len(tokens) and tokens[last].tag in {"NNP", "CD", ",", "NN", "DT", "IN"}:
        last += 1
    text = join(tokens[start:last]).rstrip(", ")
    if re.search(r"\d", text) and last - start <= _DATE_WORDS_MAX:
        yield f"{tokens[start - 1].lower} {text}"


#: Belongs to no name of a pastime: "I do my favorite watercolor painting".
_OWN_FAVOURITE = re.compile(r"^(?:my|their) (?:(?:own|favou?rite|fave?) )*")


def _pastime(_rule: ClauseRule, reading: ClauseReading, start: int) -> Iterator[str]:
    if reading.activity is not None:
        if reading.activity.lower in PASTIMES:
            yield reading.activity.lower
        return
    for item in read_items(reading.sentence, start):
        if item.head in PASTIMES:
            yield _OWN_FAVOURITE.sub("", item.text)


SHAPES: Mapping[Shape, ShapeReader] = {
    Shape.NAME: _name,
    Shape.PLACE: _place,
    Shape.BODY: _body,
    Shape.ITEM: _item,
    Shape.ITEMS: _items,
    Shape.TRADE: _trade,
    Shape.LANGUAGE: _languages,
    Shape.FIELD: _field,
    Shape.TOOL: _tool,
    Shape.PLAYED: _closed(PLAYED),
    Shape.PASTIME: _pastime,
    Shape.WORK: _work,
    Shape.ANIMAL: _animal,
    Shape.AILMENT: _ailment,
    Shape.COUNTED: _counted,
    Shape.GOODS: _goods,
    Shape.VENTURE: _venture,
    Shape.FOOD: _food,
    Shape.DATE: _date,
}
