"""What an object is called: a name, a short phrase, or a list of them, cut out of a sentence.

A match of a pattern is too long, or no object at all ("it", "what you said"): here the object is
found in it, or nothing. Precision before recall.
"""

from __future__ import annotations

import re

from ....core.ids import fold

#: A phrase has so many words at most, an item of a list behind the first so many, a list so many.
_WORDS_MAX, _ITEM_WORDS_MAX, _ITEMS_MAX = 6, 3, 6
#: What a phrase of common words is cut at, and what it may not begin with or contain.
_CUT = re.compile(
    r"\s(?:but|because|since|so|when|whenever|while|which|who|whom|whose|where|if|although|though"
    r"|unless|until|as|cos|cuz|cause|that|than|these days|right now|at the moment|lately|anymore"
    r"|now|too|btw|by the way|tbh|imo|as well|a lot|very much|so much|more than"
    r"|the most|though|lol|haha|most|best|today"
    r"|currently|especially|and (?:i|we|it|that|he|she|they|you|would|my|so|then|also)"
    r"|i|he|she|we|they|is|are|was|were|has|have|will|can|['’]s)(?=\s|$|['’])"
    r"|\s[-–—]+(?=\s|$)",
    re.IGNORECASE,
)
_NOT_FIRST = frozenset(
    """
    it this that these those your you his her hers their them him my our ours us me mine i we he
    she they how when what why where who which to be being all every each some any a an so too
    more most less one both such everything something anything nothing everyone someone anyone
    nobody nowhere here there not no never if and or but with for from by of as at in on working
    seeing hearing knowing having getting thinking looking what's it's that's i've
    i'm i'd i'll we're we've you're
    """.split()
)
_NOT_LAST = frozenset(
    "within with for of to in at on by from and or what about like the a an being".split()
)
#: Of an allergy, the amount; of a liking, a word that adds nothing.
_LEADING = re.compile(
    r"^(?:(?:most|all|some|also|just|really|any kind of|all kinds of) )+", re.IGNORECASE
)
_TRAILING = re.compile(r" (?:itself|themselves|together|again)$", re.IGNORECASE)
_INFINITIVE = re.compile(
    r"(?:to )(?!(?:say|think|hear|see|know|help|be|have|get|thank|point)\b)[a-z]{3,}"
)
_RELATIVE = re.compile(r"\s(?:that|which|who|whom|whose|what)\b", re.IGNORECASE)
_NOT_INSIDE = frozenset(
    "you your yours this that these those it him them there here i me us".split()
)
#: Names that are none: a sentence begins with a capital, too.
NOT_NAMES = frozenset(
    """
    i it this that these those he she they we you who what where when why how the a an there here
    everyone someone anyone nobody everybody somebody one both all some many most nothing something
    everything my your our his her their its hey hi hello yes yeah no ok okay oh wow thanks thank
    please sorry sure well but and so or if because since while although also then now today
    tomorrow yesterday maybe perhaps just really actually glad great good nice cool awesome congrats
    not let let's monday tuesday wednesday thursday friday saturday sunday january february march
    april may june july august september october november december mom dad mum grandma grandpa god
    which people kids life work love music nature art dance dancing family friends sounds looks
    seems still even always never being having doing seeing
    """.split()
)
_NOT_PLACES = frozenset(
    """
    fear peace hope pain hell harmony silence the a an my our your their his her this that it there
    here town case time person love sync mind process general particular addition fact touch line
    """.split()
)
_POSSESSIVE = re.compile(r"['’]s?$")
_AND = re.compile(r",? (?:and|or) |, | & ")
_ITEM = r"[\w'’-]+(?: [\w'’-]+){0,2}"
_LIST = re.compile(rf"{_ITEM}(?:, {_ITEM})+,? (?:and|or) {_ITEM}|{_ITEM},? (?:and|or) {_ITEM}")
EDGE_CHARS = " .,;:!?'\"“”‘’()[]*_-–—"


def extract_name(raw: str) -> str:
    """Return a proper name, or nothing where it is none."""
    name = _POSSESSIVE.sub("", _cut_clause(raw).strip(EDGE_CHARS))
    words = fold(name).split()
    first = words[1] if words[:1] == ["the"] and len(words) > 1 else " ".join(words[:1])
    return "" if not first or first in NOT_NAMES or first in _NOT_PLACES else name


def extract_phrases(raw: str) -> list[str]:
    """Return the things that a phrase lists, up to the first that is none."""
    raw = _LEADING.sub("", raw)
    listed = _LIST.match(raw)
    list_text = listed[0] if listed else raw.split(",", maxsplit=1)[0]
    phrases: list[str] = []
    for item in _AND.split(list_text)[:_ITEMS_MAX]:
        phrase = extract_phrase(_LEADING.sub("", item))
        if not phrase or (phrases and not _is_item(phrase)):
            break
        phrases.append(phrase)
        if len(_cut_clause(item)) < len(item):
            break
    return phrases


def _is_item(phrase: str) -> bool:
    """Say whether a list goes on with this, rather than the sentence: "and Sam hates pasta"."""
    words = phrase.split()
    clause = len(words) > 1 and words[0][:1].isupper() and words[1].islower()
    return len(words) <= _ITEM_WORDS_MAX and not (clause and words[1].endswith("s"))


def extract_phrase(raw: str) -> str:
    """Return a short phrase of common words, or nothing where it is none."""
    head = _cut_clause(raw)
    if _RELATIVE.match(raw, len(head)):
        return ""
    words = _TRAILING.sub("", head.strip(EDGE_CHARS)).split()
    folded = [word.casefold() for word in words]
    if not words or len(words) > _WORDS_MAX or not _can_begin(words, folded):
        return ""
    has_word = any(word[:1].isalnum() for word in words)
    is_valid = has_word and folded[-1] not in _NOT_LAST and _NOT_INSIDE.isdisjoint(folded)
    return " ".join(words) if is_valid else ""


def _can_begin(words: list[str], folded: list[str]) -> bool:
    """Say whether a phrase can begin so: by a noun, a title with its article, "to read"."""
    if folded[0] == "the":
        return len(words) > 1 and words[1][:1].isupper()
    if folded[0] == "to":
        return _INFINITIVE.match(" ".join(folded)) is not None
    return folded[0] not in _NOT_FIRST


def _cut_clause(raw: str) -> str:
    match = _CUT.search(raw)
    return raw[: match.start()] if match else raw
