"""What somebody says of themselves in other ways than by a verb and its object.

A name, an age, a marriage; a favourite, what is preferred to what, a wish for years to come, and
what has ended: a job, a love.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence

from ..analysis.analysis import Sentence
from ..analysis.clauses import Tense
from ..analysis.tagged_words import TaggedWord, join
from ..entities.bearer_words import KIN
from .clause_reading import ClauseReading
from .clause_rules import lemma_of
from .fact_words import COUNTED, DIETS, GAINS, GOODS, MARITAL, NUMBERS, OCCUPATIONS, VENTURES
from .objects import is_vague, name_at, read_object, with_article
from .predicates import FAVOURITE

#: Predicate, object, whether it ends.
Stated = tuple[str, str, bool]

_ASPIRATIONS = frozenset(
    """
    become open start launch publish own build write move visit travel learn study adopt run create
    climb direct produce record release film design develop master win host
    teach retire graduate buy found pursue get
    """.split()
)
#: What somebody "would love to" do may be said for politeness, but for these.
_DREAMT = frozenset("visit learn become open write publish adopt own".split())
_AGE_MIN = 10
_MARITAL_ENDS = frozenset(". , and but now to so".split())
_AGE_ENDS = frozenset(". , ! and last this in on yesterday today recently".split())
_PARENTS = frozenset("mom mum mother dad father parent".split())
_AGE = re.compile(r"[1-9]\d?")
_FAVOURITES = frozenset("favourite favorite fav fave".split())
#: A favourite of these kinds says nothing.
_VAGUE_KINDS = frozenset(
    """
    part parts thing things memory memories bit way moment moments one ones aspect time times
    passions kind person people place places spot of so to
    """.split()
)
_OWN = frozenset({"my", "our"})
_BE = frozenset("am 'm is are 're be".split())
_TO_BE = frozenset("am was were been got get 'm".split())
_RESIGNED = frozenset("quit resigned retired".split())
_TRADE_WORDS_MAX = 8
_NAME_ENDS = frozenset(". , and ! from but - ; ( :".split())
_KIND_TAGS = {"PRP$", "JJ", "JJS", "NN", "NNS", "VBG", "HYPH"}
_KIND_WORDS_MAX = 4
_DATE_TAGS = {"NNP", "CD", "IN", "DT", "JJ", "NN"}
#: Relatives whom not everybody has: to have one says something.
_FAMILY = frozenset(
    """
    husband wife fiancé fiancée fiance fiancee girlfriend boyfriend son daughter kids children
    cousin niece nephew aunt uncle mentor coach roommate
    sister brother hubby sons daughters sisters brothers
    """.split()
)
_NOT_OWN = frozenset("ex late former future imaginary old".split())
_LEFT = frozenset("quit resign resigned retire retired leave lose".split())
_GOALS = frozenset("goal dream ambition aspiration".split())


def wished_in(reading: ClauseReading) -> Iterator[Stated]:
    """Yield what somebody wants to become or to bring about."""
    verb = reading.clause.verbs[-1]
    if reading.negated or reading.tense is Tense.PAST or reading.subject is not None:
        return
    tokens = reading.sentence.tokens
    place = tokens.index(verb)
    item = read_object(reading.sentence, place + 1)
    if item is None or not item.is_complete or is_vague(item) or verb.tag != "VB":
        return
    if reading.tense is Tense.MODAL and verb.lower not in _DREAMT:
        return
    if verb.lower == "visit" and name_at(tokens, item.first)[1] < item.last:
        return
    trade = verb.lower == "be" and item.head in OCCUPATIONS
    if trade or verb.lower in _ASPIRATIONS:
        if verb.lower in {"get", "buy", "start"} and item.head not in GAINS | GOODS | VENTURES:
            return
        between = join(tokens[place + 1 : item.first])
        yield "wants", " ".join(filter(None, [verb.lower, between, item.text])), False


def self_stated(reading: ClauseReading) -> Iterator[Stated]:
    """Yield what somebody says of themselves, but for what the verbs of the rules state."""
    yield from ended_in(reading)
    if reading.negated or reading.ended:
        return
    is_now = reading.tense is Tense.PRESENT
    if is_now and lemma_of(reading.clause.verb) == "be":
        yield from name_stated(reading)
    if is_now and not reading.verb:
        yield from favourites_in(reading)
        yield from goal_in(reading)
        yield from birthday_in(reading)
    elif is_now and reading.verb == "prefer":
        yield from preferred_in(reading)
    else:
        yield from _in_a_word(reading)


def _in_a_word(reading: ClauseReading) -> Iterator[Stated]:
    """Yield what somebody is by one word: married, a vegetarian, 34."""
    clause = reading.clause
    tokens = reading.sentence.tokens[clause.complement_first : clause.last]
    words = [token.lower for token in tokens if token.tag != "RB"] or [""]
    first, verb, behind = words[0], clause.verb, words[1] if words[1:] else "."
    number = NUMBERS.get(first, first)
    if lemma_of(verb) == "get" and first in MARITAL and reading.tense is Tense.PAST:
        yield "marital_status", first, False
    elif clause.passive and verb in MARITAL:
        yield "marital_status", verb, False
    elif lemma_of(verb) == "turn" and _turned(number, behind) and reading.tense is Tense.PAST:
        yield "age", number, False
    elif reading.tense is Tense.PRESENT and lemma_of(verb) == "be":
        yield from _noun_stated(tokens) if first in {"a", "an"} else _is(words, number)


def _is(words: Sequence[str], number: str) -> Iterator[Stated]:
    """Yield what an adjective or a number says: "married", "vegan", "34"."""
    first, behind = words[0], words[1] if words[1:] else "."
    if first in MARITAL and behind in _MARITAL_ENDS:
        yield "marital_status", first, False
    elif first in DIETS:
        yield "diet", first, False
    elif words[:2] == ["lactose", "intolerant"]:
        yield "diet", "lactose intolerant", False
    elif _AGE.fullmatch(number) and (words[1:3] == ["years", "old"] or _is_age(words)):
        yield "age", number, False
    elif first == "pregnant":
        yield "health", first, False


def _noun_stated(tokens: Sequence[TaggedWord]) -> Iterator[Stated]:
    """Yield what "a" and a noun say: "a vegan", "a single mother", "a huge Lakers fan"."""
    words = [token.lower for token in tokens]
    if words[1:2] and words[1] in DIETS:
        yield "diet", words[1], False
    elif words[1:2] == ["single"] and words[2:3] and words[2] in _PARENTS:
        yield "marital_status", "single", False
    elif "fan" in words[2:]:
        named = [t for t in tokens[1 : words.index("fan")] if t.tag not in {"JJ", "RB"}]
        if named and all(token.tag.startswith("NNP") for token in named):
            yield "likes", join(named), False


def _turned(number: str, behind: str) -> bool:
    """Say whether "turned 30" tells an age; what else is turned is fewer, or is named."""
    return bool(_AGE.fullmatch(number)) and int(number) >= _AGE_MIN and behind in _AGE_ENDS


def _is_age(words: Sequence[str]) -> bool:
    """Say whether a number stands alone behind "I'm"."""
    return words[0].isdigit() and int(words[0]) >= _AGE_MIN and words[1:2] in ([], [","], ["and"])


def name_stated(reading: ClauseReading) -> Iterator[Stated]:
    """Yield how the speaker is called: "my name is Dana Smith", "I'm Dana"."""
    tokens, clause = reading.sentence.tokens, reading.clause
    start = clause.complement_first
    name, last = name_at(tokens, start)
    follows = tokens[last].lower if last < len(tokens) else "."
    if not name or name.lower().startswith("the ") or follows not in _NAME_ENDS:
        return
    own_name = clause.subject is not None and clause.subject.text.lower() == "my name"
    if own_name or (clause.is_own and tokens[start].name.endswith("PER") and last - start <= 2):
        yield "name", name, False


def favourites_in(reading: ClauseReading) -> Iterator[Stated]:
    """Yield favourites: "my favourite colour is blue", "Rust is my favourite language"."""
    sentence, subject = reading.sentence, reading.clause.subject
    tokens, start = sentence.tokens, reading.clause.complement_first
    if subject is None or lemma_of(reading.clause.verb) != "be":
        return
    if any(token.tag == "VBG" for token in tokens[max(subject.first - 1, 0) : subject.first]):
        return
    if subject.possessor in _OWN and (kind := _favourite_kind([t.lower for t in subject.tokens])):
        shown = start + 1 < len(tokens) and tokens[start].lower == "this"
        item = read_object(sentence, start + shown)
        if item is not None and item.is_complete and not is_vague(item):
            yield FAVOURITE + kind, with_article(item.text) if shown else item.text, False
        elif tokens[start].tag == "JJ" and (
            start + 1 == len(tokens) or tokens[start + 1].tag == "."
        ):
            yield FAVOURITE + kind, tokens[start].text, False
    elif start < len(tokens) and tokens[start].lower in _OWN:
        last = start
        while last < reading.clause.last and tokens[last].tag in _KIND_TAGS:
            last += 1
        kind = _favourite_kind([t.lower for t in tokens[start:last]])
        if kind and all(t.tag.startswith("NN") for t in subject.tokens if t.tag != "DT"):
            yield FAVOURITE + kind, subject.text, False


def goal_in(reading: ClauseReading) -> Iterator[Stated]:
    """Yield what somebody's goal or dream is: "my goal is to open a bakery"."""
    sentence, subject, verb = reading.sentence, reading.clause.subject, reading.clause.verbs[-1]
    if subject is None or subject.head_token.lower not in _GOALS or verb.tag != "VB":
        return
    place = sentence.tokens.index(verb) + 1
    item = read_object(sentence, place)
    if item is not None and item.is_complete and not is_vague(item):
        yield "wants", join(sentence.tokens[place - 1 : item.first]) + " " + item.text, False


def birthday_in(reading: ClauseReading) -> Iterator[Stated]:
    """Yield the speaker's birthday: "my birthday is on June 5"."""
    tokens, subject = reading.sentence.tokens, reading.clause.subject
    start = reading.clause.complement_first
    if subject is None or subject.text.lower() != "my birthday" or start >= len(tokens):
        return
    start += tokens[start].lower == "on"
    words = [token for token in tokens[start : reading.clause.last] if token.tag in _DATE_TAGS]
    if any(token.text[0].isdigit() for token in words):
        yield "birthday", join(words), False


def _favourite_kind(words: Sequence[str]) -> str:
    """Return of which kind a favourite is, joined by underscores; "" where it says nothing."""
    place = next((n for n, word in enumerate(words) if word in _FAVOURITES), None)
    kind = [] if place is None else list(words[place + 1 :])
    vague = not kind or len(kind) > _KIND_WORDS_MAX or not _VAGUE_KINDS.isdisjoint(kind)
    return "" if vague else "_".join(kind).replace("color", "colour")


def preferred_in(reading: ClauseReading) -> Iterator[Stated]:
    """Yield what is preferred, to what: "tea over coffee"."""
    tokens = reading.sentence.tokens
    start, last = reading.first, reading.clause.last
    places = [
        place
        for place in range(start + 1, last)
        if tokens[place].lower in {"over", "to", "than", "instead"}
    ]
    first = join(tokens[start : places[0] if places else last]).strip(" ,")
    first = first.removesuffix(" rather")
    if not first or tokens[start].lower in {"to", "not", "it", "that", "this", "if", "when", "the"}:
        return
    if places:
        place = places[0] + 1 + (tokens[places[0]].lower == "instead")
        other = read_object(reading.sentence, place)
        if other is not None and other.is_complete and len(first.split()) <= _KIND_WORDS_MAX:
            yield "prefers", f"{first} over {other.text}", False
        return
    item = read_object(reading.sentence, start)
    if item is not None and item.is_complete and not is_vague(item):
        yield "prefers", item.text, False


def ended_in(reading: ClauseReading) -> Iterator[Stated]:
    """Yield what has ended: a job that was left, a love."""
    tokens, clause = reading.sentence.tokens, reading.clause
    words = [token.lower for token in tokens[clause.first : clause.last]]
    rest = words[clause.complement_first - clause.first :]
    verb, done = clause.verb, reading.tense in {Tense.PAST, Tense.PERFECT} or clause.passive
    alone = not rest or rest[0] in {",", "and", "last", "yesterday", "today", "this"}
    fired = verb == "fired" or (verb == "laid" and "off" in words)
    fired = fired and not _TO_BE.isdisjoint(words)
    jobless = not reading.negated and {"unemployed", "retired"} & {*rest[:2]} and verb in _BE
    left_job = lemma_of(verb) in _LEFT and "job" in rest and rest[0] in _OWN
    if (done and (left_job or fired or (alone and verb in _RESIGNED))) or jobless:
        place = clause.first + words.index("job") + 1 if left_job else clause.last
        at = place < clause.last and tokens[place].lower in {"at", "with"}
        name = name_at(tokens, place + 1)[0] if at else ""
        yield "works_at", name, True
        yield "works_as", "", True
    apart = {"up", "with"} <= {*words} and verb in {"broke", "split", "broken"}
    if done and (apart or verb == "divorced") and not clause.passive and "our" not in words:
        yield "partner", "", True


def nickname_in(sentence: Sentence) -> Iterator[Stated]:
    """Yield what the speaker asks to be called: "please call me Dee"."""
    words = [token.lower for token in sentence.tokens]
    for place in range(len(words) - 2):
        if words[place : place + 2] == ["call", "me"]:
            name, last = name_at(sentence.tokens, place + 2)
            token = sentence.tokens[place + 2]
            if name and token.tag == "NNP" and words[last : last + 1] in ([], ["."], ["!"], [","]):
                yield "goes_by", name, False


def trade_in(sentence: Sentence) -> Iterator[Stated]:
    """Yield what somebody speaks as: "As a nurse, I see a lot"."""
    tokens = sentence.tokens
    words = [token.lower for token in tokens[:_TRADE_WORDS_MAX]]
    if words[:1] == ["as"] and words[1:2] in (["a"], ["an"]) and "," in words:
        comma = words.index(",")
        own = words[comma + 1 : comma + 2] in (["i"], ["my"])
        if own and comma > 2 and words[comma - 1] in OCCUPATIONS:
            yield "works_as", join(tokens[2:comma]), False


def family_in(sentence: Sentence, dead: Container[str]) -> Iterator[Stated]:
    """Yield the relatives that somebody speaks of as theirs: "my husband", "our little son's".

    Not those who are told to be `dead`.
    """
    tokens = sentence.tokens
    for place, token in enumerate(tokens):
        if token.lower not in _FAMILY or token.lower in dead:
            continue
        first = place - 1
        while first >= 0 and tokens[first].tag in {"JJ", "JJR", "JJS", "CD"}:
            first -= 1
        words = {word.lower for word in tokens[max(first, 0) : place]}
        behind = tokens[place + 1] if place + 1 < len(tokens) else None
        named = behind is not None and behind.is_noun and behind.tag != "NN"
        if first < 0 or tokens[first].lower not in _OWN or not _NOT_OWN.isdisjoint(words):
            continue
        predicate = KIN.get(token.lower) or COUNTED[token.lower]
        left = join(tokens[place + 1 : place + 3]).lower() == "left me"
        if predicate == "partner" and left:
            yield predicate, "", True
        elif not named:
            yield predicate, token.lower, False
