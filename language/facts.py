"""A small closed set of facts that somebody states of themselves, each with where it is said.

Name, home, job, partner and family by name, pets by name, allergies, conditions, diet, languages,
birthdays and other anniversaries; all else that somebody tells is a quote. A fact stands in a
clause that is stated (`stated`) and opens as these open; what is not sure is left out. English
only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .fact_ends import StatedClause, ending_of, stated_clauses, without_quoted
from .fact_objects import (
    AILMENTS,
    ANIMALS,
    CONDITIONS,
    DIETS,
    FAMILY,
    KEEPING,
    KIN,
    LANGUAGES,
    NO_ALLERGENS,
    ObjectRead,
    date_at,
    employer_at,
    listed_at,
    name_at,
    names_at,
    place_at,
    trade_at,
)
from .predicates import get_predicate
from .sentences import Span


@dataclass(frozen=True, slots=True)
class FactRead:
    """What a clause states of its speaker; `start` and `end` are its sentence's place in a text.

    `ends` says that the same sentence tells its end: "my aunt Ann died".
    """

    predicate: str
    object: str
    start: int
    end: int
    ends: bool = False


#: Predicate and object.
Stated = tuple[str, str]
_Reader = Callable[[str, int], Iterator[Stated]]

_ADV = (
    r"(?:(?:currently|now|still|actually|also|just|recently|finally|already|both|really|mainly"
    r"|mostly|happily|officially|newly|only) )*"
)
_I = rf"(?:i|we) {_ADV}"
_AM = rf"(?:i(?:['’]?m| am)|we(?:['’]re| are)) {_ADV}"
_HAVE = rf"(?:(?:i|we)(?:['’]ve| {_ADV}have)(?: got)?|(?:i|we) {_ADV}(?:got|adopted)) {_ADV}"
_DID = rf"(?:i|we)(?:['’]ve| have)? {_ADV}"
_HOURS = r"(?:(?:full|part)[- ]time |nights |remotely |mostly |days |weekends |shifts )*"
_GOT_JOB = (
    rf"{_DID}(?:got|landed|started|took|accepted|found|have|begun|began) "
    r"(?:an? |the |my |this )?(?:new |great |amazing |better )*(?:job|position|role|internship)"
)
_KEEPING = "|".join(sorted(KEEPING, key=len, reverse=True))
_BEARERS = "|".join(sorted({*KIN, *FAMILY, *ANIMALS}, key=len, reverse=True))
_BEARER = rf"(?:guinea )?(?P<noun>{_BEARERS})"
_CALLED = r"(?:,? (?:who is |is |are |who['’]s )?(?:called|named) |['’]s name(?:s)? (?:is|are) )"
#: "my sister Ann", "our dogs, Rex and Toby", "my son is called Tom".
_MINE = re.compile(
    rf"\b(?:my|our) (?:(?:{_KEEPING}) )*{_BEARER}(?P<link>{_CALLED}|,? )(?=\w)", re.IGNORECASE
)
#: "I have two sons, Tom and Max", "we adopted a cat named Milo".
_OWNED = re.compile(
    rf"{_HAVE}(?:an?|another|one|two|three|four|five|\d) (?:(?:{_KEEPING}|\w+(?:y|ed|an|-old)) )*"
    rf"{_BEARER}(?:{_CALLED}|, )(?=\w)",
    re.IGNORECASE,
)
#: "Ann is my sister", "Ann, my sister, …".
_NAMED = re.compile(
    rf"(?: is|['’]s|,) (?:my|our) (?:(?:{_KEEPING}) )*{_BEARER}(?=\s*(?:[.,!;)]|\Z))",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s*(?:,|and\b|\()")
#: What stands in a message with a name that only sounds like a partner's.
_FURRY = re.compile(r"\b(?:paws?|furry|fur|leash|walkies|tail|litter)\b", re.IGNORECASE)
_AS_TRADE = re.compile(rf" {_HOURS}as (?:an? |the )?", re.IGNORECASE)
_AT_BODY = re.compile(r" (?:at|for|of(?= an? )) ", re.IGNORECASE)
_SINCE = r"(?:on \w+day|last week|this week|today|yesterday|as an?|in \w+)\b"
_A_LITTLE = re.compile(
    r"(?:an? (?:little|bit)(?: bit)?(?: of)?|some|no|not|broken|basic|very little|hardly)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(r" (?:about|over|for|when|before|that|if)\b", re.IGNORECASE)


def facts_in(text: str, sentences: Sequence[Span]) -> list[FactRead]:
    """Return the facts that the author of a text states of themselves, each once, in order.

    `sentences` are the places of the sentences that tell what is so. A line of a list states none.
    """
    value: dict[tuple[str, str], FactRead] = {}
    for start, end in sentences:
        if _LISTED.match(text, text.rfind("\n", 0, start) + 1):
            continue
        sentence = without_quoted(text[start:end])
        for clause in stated_clauses(sentence):
            for predicate, object in _in_clause(sentence, clause):
                ends = ending_of(sentence, predicate, object, by_name=True) is not None
                stated = FactRead(predicate, object, start, end, ends)
                value.setdefault((predicate, object), stated)
    return list(value.values())


#: A sentence without any of these states no fact of which a later one may be the end.
_MAY_STATE = re.compile(
    r"\b(?:liv(?:e|ing)|based|settled|moved|relocated|work(?:ing)?|job|married|engaged|dating|called"
    r"|named|speak|vegan|vegetarian|allergic|(?:i['’]?m|i am) (?:\w+ )?an?)\b",
    re.IGNORECASE,
)


def stated_in(sentence: str) -> list[Stated]:
    """Return what one sentence states and does not end itself."""
    if not _MAY_STATE.search(sentence):
        return []
    facts = facts_in(sentence, [(0, len(sentence))])
    return [(fact.predicate, fact.object) for fact in facts if not fact.ends]


def is_over(older: str, stated: Sequence[Stated], later: str, states: Sequence[Stated]) -> bool:
    """Return whether a later sentence says that what an older one states is over, or may be."""
    return any(
        ending_of(later, predicate, object, older) is not None
        or any(
            also == predicate and now != object and get_predicate(predicate).single_valued
            for also, now in states
        )
        for predicate, object in stated
    )


_SUBJECT = re.compile(r"(?:i|we|my|our|it|im)\b", re.IGNORECASE)
_LISTED = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)]|[a-z][.)])\s+")


def _in_clause(sentence: str, clause: StatedClause) -> Iterator[Stated]:
    text, start = sentence, clause.start
    if clause.is_joined and not _SUBJECT.match(sentence, start):
        text, start = f"I {sentence[start:]}", 0  # "I live in Rome and work as a nurse"
    for opens, read in _RULES:
        match = opens.match(text, start)
        if match:
            yield from read(text, match.end())
    yield from _called(sentence, clause)


class Bearer(NamedTuple):
    """Who or what somebody says bears a name: what it is ("sister"), and the name's place."""

    noun: str
    name: str
    start: int
    end: int


def bearers_in(sentence: str, start: int, end: int) -> Iterator[Bearer]:
    """Yield whom the speaker names by what they are to them: "my sister Ann", "our dogs, Rex …".

    The words that say so begin between `start` and `end`; "Ann is my sister" begins at `start`.
    """
    owned = _OWNED.match(sentence, start)
    for match in [owned] if owned else _MINE.finditer(sentence, start):
        if match.start() >= end:
            break
        names = [*names_at(sentence, match.end())]
        noun = match["noun"].lower()
        several = noun.endswith(("s", "ren", "ies")) and noun != "hubby"
        after_comma = match.re is _MINE and match["link"].strip() == ","
        if after_comma and noun not in ANIMALS and not several and names:
            # "Thanks to my sister, Dana": whom one speaks to stands at the end, too.
            names = names if _GOES_ON.match(sentence, names[0][1]) else []
        for name, last in names if several else names[:1]:
            yield Bearer(noun, name, last - len(name), last)
    named = name_at(sentence, start)
    beside = _NAMED.match(sentence, named[1]) if named else None
    if named and beside:
        yield Bearer(beside["noun"].lower(), named[0], named[1] - len(named[0]), named[1])


def _called(sentence: str, clause: StatedClause) -> Iterator[Stated]:
    """Yield relatives and pets that a clause names."""
    for bearer in bearers_in(sentence, clause.start, clause.end):
        if bearer.noun in ANIMALS:
            yield "pet", bearer.name
        elif bearer.noun in FAMILY and not (bearer.noun == "partner" and _FURRY.search(sentence)):
            yield FAMILY[bearer.noun], bearer.name


def _reader_of(predicate: str, at: Callable[[str, int], ObjectRead | None]) -> _Reader:
    """Return a reader of one object."""

    def read(text: str, place: int) -> Iterator[Stated]:
        value = at(text, place)
        if value:
            yield predicate, value[0]

    return read


def _works(text: str, place: int) -> Iterator[Stated]:
    """Yield an employer, and the trade behind it: "Siemens as a project manager"."""
    value = employer_at(text, place)
    if value and not re.match(r" (?:today|tonight|until|this)\b", text[value[1] :]):
        yield "works_at", value[0]
        trade = _AS_TRADE.match(text, value[1])
        if trade and (named := trade_at(text, trade.end(), sure=True)):
            yield "works_as", _with_article(named[0])


def _with_article(trade: str) -> str:
    return f"{'an' if trade[0].lower() in 'aeiou' else 'a'} {trade}"


def _home_since(text: str, place: int) -> Iterator[Stated]:
    """Yield where somebody has lived for so long and still does."""
    value = name_at(text, place)
    if value and re.match(r" (?:for|since)\b", text[value[1] :]):
        yield "lives_in", value[0]


def _trade(*, sure: bool) -> _Reader:
    def read(text: str, place: int) -> Iterator[Stated]:
        value = trade_at(text, place, sure=sure)
        if value is None:
            return
        yield "works_as", _with_article(value[0])
        body = _AT_BODY.match(text, value[1])
        if body and (employer := employer_at(text, body.end())):
            yield "works_at", employer[0]

    return read


def _allergens(text: str, place: int) -> Iterator[Stated]:
    for item, end in listed_at(text, place):
        words = item.lower().split()
        if text.startswith(" with ", end):  # "animals with fur"
            return
        if not NO_ALLERGENS.isdisjoint(words) or {"am", "have", "can", "need"} & set(words):
            return
        yield "allergic_to", item


def _allergy(text: str, place: int) -> Iterator[Stated]:
    yield "allergic_to", text[place:].split(maxsplit=1)[0]


def _ailment(text: str, place: int) -> Iterator[Stated]:
    for item, end in listed_at(text, place):
        words = [word for word in item.split() if word.lower() not in {"a", "an", "the", "some"}]
        if not words or words[-1].lower() not in AILMENTS or _ABOUT.match(text, end):
            return
        yield "health", " ".join(words)


def _language(text: str, place: int) -> Iterator[Stated]:
    items = [item for item, _ in listed_at(text, place)]
    languages = [item for item in items if item.split()[-1].lower() in LANGUAGES]
    capital = bool(items) and items[0].split()[-1][0].isupper()
    if not languages or not (capital or items[0] == languages[0]):
        return
    for item in items:
        word = item.split()[-1]
        if not _A_LITTLE.match(item) and (item in languages or word[:1].isupper()):
            yield "speaks", word


def _word_of(predicate: str, words: frozenset[str], ends: str = r"\s*(?:[.,!;)]|\Z)|") -> _Reader:
    pattern = re.compile(rf"({'|'.join(sorted(words, key=len, reverse=True))})\b", re.IGNORECASE)

    def read(text: str, place: int) -> Iterator[Stated]:
        match = pattern.match(text, place)
        if match and re.match(ends, text[match.end() :]):
            yield predicate, match[1].lower()

    return read


_ANNIVERSARY = re.compile(r"(?P<kind>\w+ )?anniversary (?:is )?(?:on )?\Z", re.IGNORECASE)


def _anniversary(text: str, place: int) -> Iterator[Stated]:
    kind = _ANNIVERSARY.search(text, 0, place)
    value = date_at(text, place)
    if kind and value:
        name = (kind["kind"] or "").strip().lower()
        yield "anniversary", ", ".join(filter(None, [name.removeprefix("our"), value[0]]))


_DAY_NAMED = re.compile(
    r" is (?:our|my) (?:(?P<kind>\w+) )?(?:(?P<birthday>birthday)|anniversary)\b", re.IGNORECASE
)


def _day_named(text: str, place: int) -> Iterator[Stated]:
    """Yield what "June 21 is our wedding anniversary" says."""
    value = date_at(text, place)
    named = _DAY_NAMED.match(text, value[1]) if value else None
    if value and named:
        kind = [] if named["birthday"] else [(named["kind"] or "").lower()]
        object = ", ".join([*filter(None, kind), value[0]])
        yield ("birthday" if named["birthday"] else "anniversary"), object


def _rule(opens: str, read: _Reader) -> tuple[re.Pattern[str], _Reader]:
    return re.compile(opens, re.IGNORECASE), read


_DIET_ENDS = r"\s*(?:[.,!;)]|\Z)|\s+(?:and|but|now|since|for|so|too|diet|food|these|again|who)\b"
#: How a clause opens → what is read behind it.
_RULES = (
    _rule(r"my (?:full |real |first )?name(?:['’]s| is) ", _reader_of("name", name_at)),
    _rule(rf"{_I}(?:live|reside) {_ADV}in ", _reader_of("lives_in", place_at)),
    _rule(rf"{_AM}(?:living|based|settled) {_ADV}in ", _reader_of("lives_in", place_at)),
    _rule(
        rf"{_DID}moved into (?:an?|the|our|my) (?:\w+ )?"
        r"(?:flat|house|apartment|place|home|studio) in ",
        _reader_of("lives_in", place_at),
    ),
    _rule(r"(?:i|we)(?:['’]ve| have) (?:been living|lived) in ", _home_since),
    _rule(
        rf"{_DID}(?:moved|relocated)(?: back| here| house| out)?(?: from \w+(?: \w+)?)? {_ADV}to ",
        _reader_of("lives_in", place_at),
    ),
    _rule(rf"i {_ADV}work {_HOURS}(?:at|for|in(?= an? )) ", _works),
    _rule(rf"i(?:['’]?m| am) {_ADV}(?:employed (?:at|by)|working for) ", _works),
    _rule(rf"{_GOT_JOB} (?:at|with) ", _works),
    _rule(rf"i(?:['’]ve| have)? {_ADV}(?:started|begun|began) (?:working )?(?:at|for) ", _works),
    _rule(rf"started (?:working )?at (?=[^,.!]* {_SINCE})", _works),
    _rule(rf"i {_ADV}work {_HOURS}as (?:an? |the )", _trade(sure=True)),
    _rule(
        rf"i(?:['’]?m| am) {_ADV}(?:working|employed) {_HOURS}as (?:an? |the )", _trade(sure=True)
    ),
    _rule(rf"{_GOT_JOB} as (?:an? |the )", _trade(sure=True)),
    _rule(r"my (?:job|profession|occupation) is (?:being )?an? ", _trade(sure=True)),
    _rule(rf"i(?:['’]?m| am) {_ADV}an? ", _trade(sure=False)),
    _rule(rf"i(?:['’]ve| have)? {_ADV}(?:become|became) an? ", _trade(sure=False)),
    _rule(
        rf"i(?:['’]ve| have) {_ADV}been an? (?=(?:\w+ ){{1,3}}(?:for|since)\b)", _trade(sure=True)
    ),
    _rule(rf"{_AM}(?:happily )?(?:married|engaged) to ", _reader_of("partner", name_at)),
    _rule(rf"{_DID}(?:married|got engaged to|got married to) ", _reader_of("partner", name_at)),
    _rule(rf"i(?:['’]?m| am) {_ADV}(?:with|dating) (?=\w+ now\b)", _reader_of("partner", name_at)),
    _rule(rf"i(?:['’]?m| am) {_ADV}(?:\w+ly )?allergic to ", _allergens),
    _rule(
        rf"{_HAVE}(?:an? )?(?:(?:severe|bad|serious|mild|strong) )?(?=[\w-]+ allergy\b)",
        _allergy,
    ),
    _rule(
        rf"(?:i(?:['’]ve| {_ADV}have)(?: got)?|i {_ADV}(?:suffer from|live with)) {_ADV}"
        r"(?:(?:an?|severe|bad|mild|chronic|some|terrible) )*",
        _ailment,
    ),
    _rule(
        rf"i (?:was|got|have been|['’]ve been) {_ADV}diagnosed with (?:(?:an?|severe|mild) )*",
        _ailment,
    ),
    _rule(rf"i(?:['’]?m| am) {_ADV}(?:an? )?", _word_of("health", CONDITIONS, _DIET_ENDS)),
    _rule(
        rf"i(?:['’]?m| am) {_ADV}(?=[\w-]+[- ]intolerant\b)",
        _word_of("health", frozenset({"[a-z]+[- ]intolerant"}), _DIET_ENDS),
    ),
    _rule(
        rf"(?:{_AM}|i(?:['’]ve| have) been |i {_ADV}(?:became|went|turned) |i {_ADV}(?:eat|keep) "
        rf"{_ADV})(?:an? )?(?:(?:strict|lifelong|committed|proud|mostly) )*",
        _word_of("diet", DIETS, _DIET_ENDS),
    ),
    _rule(rf"{_I}(?:can )?speak (?:(?:fluent|perfect|good|decent) )?", _language),
    _rule(rf"i(?:['’]?m| am) {_ADV}(?:fluent|bilingual) in ", _language),
    _rule(
        r"my (?:native|first) (?:language|tongue) is |my mother tongue is ",
        _word_of("native_language", LANGUAGES),
    ),
    _rule(r"my birthday(?:['’]s| is) (?:on |always )?", _reader_of("birthday", date_at)),
    _rule(r"it(?:['’]s| is) my (?:\w+ )?birthday on ", _reader_of("birthday", date_at)),
    _rule(rf"i was {_ADV}born (?:on |in )", _reader_of("born", date_at)),
    _rule(
        r"(?:it(?:['’]s| is) )?(?:our|my) (?:\w+ )?(?:\w+ )?anniversary (?:is on |is |on )",
        _anniversary,
    ),
    _rule("", _day_named),
)
