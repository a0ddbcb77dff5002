"""The closed lists of English words by which facts are told: relatives, animals, trades, illnesses.

What is not in them is not understood, rather than misunderstood. Nothing is matched here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.entities.common_words import is_common_word
from .word_lists import word_list, word_table

#: What a relative is called → the predicate.
KIN = word_table("kin")
#: Relatives, one and several, of whom a fact is stated by name.
FAMILY = {
    word: predicate
    for word, predicate in KIN.items()
    if predicate not in {"friend", "colleague", "neighbour", "roommate", "mentor", "boss"}
} | word_table("kin_by_number")
ANIMALS = word_list("animals")
#: What may stand between "my" and a relative or an animal that is still what it is called.
KEEPING = word_list("before_relatives")
#: Trades that "I'm a …" states; of the second list only with a word that says it is for a living.
TRADES = word_list("trades")
PERHAPS_TRADES = word_list("perhaps_trades")
#: Words with a trade that say how well or when, so that it may be none.
NO_TRADE = word_list("no_trade")
#: How the names of trades end that no list has; counted where "work as" stands before them.
TRADE_ENDINGS = (
    *("er", "or", "ist", "ian", "ant", "man", "woman", "eer", "nurse", "chef", "assistant"),
    *("intern", "clerk", "pilot", "host", "hostess", "guide", "cook", "lead", "rep", "agent"),
)
#: What people work at that has no name: "at a hospital".
WORKPLACES = word_list("workplaces")
LANGUAGES = word_list("languages")
AILMENTS = word_list("ailments")
#: What somebody is, in one word, who has a condition.
CONDITIONS = word_list("conditions")
DIETS = frozenset(
    "vegan vegetarian pescatarian pescetarian flexitarian halal kosher plant-based keto".split()
)
#: To be allergic to these is a joke, or says nothing.
NO_ALLERGENS = word_list("no_allergens")
MONTHS = (
    "january february march april may june july august september october november december"
).split()
#: Words with a capital that name nobody and no place.
NO_NAMES = LANGUAGES.union(MONTHS, word_list("no_names"))


#: An object, and where it ends.
ObjectRead = tuple[str, int]
_WORD = re.compile(r"[^\W_][^\W_]*(?:['’&.+-][^\W_]+)*")
_LINK = re.compile(r" (?:of the|of|de la|de|del|da|van der|van|von|upon|am|an der|&|on the) ")
_STATE = re.compile(r", (?P<state>[^\W\d_][^\W\d_]*(?: [^\W\d_]+)?)(?=[\s.,!?;)]|\Z)")
_POSSESSIVE = re.compile(r"['’]s?\Z")
_NAME_WORDS_MAX, _TRADE_WORDS_MAX = 4, 5
#: Behind a place: it was for a while, or what follows names it more closely.
_NO_HOME = re.compile(
    r"\W*\b(?:for (?:an?|one|two|three|four|five|six|\d+|the|work today|vacation)\b|back then"
    r"|at the time|as an? (?:kid|child|student|teen\w*)|when\b|during\b|until\b|before\b|Street\b"
    r"|today\b"
    r"|tonight\b|(?:in|from) (?:my|the) \w+s\b)",
    re.IGNORECASE,
)
_NO_PLACE = frozenset("slack postgres kubernetes aws github gitlab linux notion jira teams".split())
_STOP = word_list("behind_objects")
_DAY = r"(?:\d{1,2}(?:st|nd|rd|th)?)"
_MONTH = rf"(?:{'|'.join(MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
_YEAR = r"(?:1[89]|20)\d\d"
_DATE = re.compile(
    rf"(?:the )?(?P<date>{_MONTH} (?:the )?{_DAY}\b(?:,? {_YEAR})?"
    rf"|{_DAY} (?:of )?{_MONTH}(?:,? {_YEAR})?|\d{{4}}-\d\d-\d\d"
    r"|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}\.\d{1,2}\."
    rf"|{_MONTH} {_YEAR}|{_YEAR})"
    r"(?![\w%])",
    re.IGNORECASE,
)
_AND = re.compile(r"(?:\s*,\s*(?:and |or |& )?|\s+(?:and|or|&)\s+)(?:also |to )?", re.IGNORECASE)


def name_at(text: str, place: int) -> ObjectRead | None:
    """Return the proper name of somebody that begins at a place."""
    return _names_run(text, place, links=False)


def place_at(text: str, place: int) -> ObjectRead | None:
    """Return the name of a place, with the country behind it; in small letters one word at most."""
    start = place + 4 if text[place : place + 4].lower() == "the " else place
    named = _names_run(text, start, links=True)
    if named is None and text == text.lower():
        named = _small_name(text, start)
    if named is None or _NO_HOME.match(text, named[1]) or named[0].lower() in _NO_PLACE:
        return None
    name, end = text[place : named[1]], named[1]
    state = _STATE.match(text, end)
    if state and state["state"][0].isupper() and state["state"].split()[0].lower() not in NO_NAMES:
        words = [word for word in state["state"].split() if word[0].isupper()]
        if not is_common_word(words[0].lower()):
            end = state.start("state") + len(" ".join(words))
            name = text[place:end]
    return name, end


def _small_name(text: str, place: int) -> ObjectRead | None:
    word = _WORD.match(text, place)
    if word is None or is_common_word(word[0]) or len(word[0]) < 3:
        return None
    ends = re.match(r"\s*(?:[.!,;]|\Z|(?:now|and|but|with)\b)", text[word.end() :])
    return (word[0], word.end()) if ends and word[0].isalpha() else None


def _names_run(text: str, place: int, *, links: bool) -> ObjectRead | None:
    """Return the run of words with capitals that begins at a place."""
    end, count = place, 0
    while count < _NAME_WORDS_MAX and (word := _WORD.match(text, end)):
        bare = _POSSESSIVE.sub("", word[0])
        if not bare or not _is_name_word(bare):
            break
        count, stop = count + 1, word.start() + len(bare)
        if text.isupper() and len(text) > len(bare) + 2:
            return None
        last, end = stop, word.end()
        if stop < word.end():
            break
        if text[end : end + 2] == ". " and bare in {"St", "Mt", "Ft", "Dr"}:
            end += 1
        link = _LINK.match(text, end) if links else None
        if link and text[link.end() : link.end() + 1].isupper():
            end = link.end()
        elif text[end : end + 1] == " ":
            end += 1
        else:
            break
    return (text[place:last], last) if count else None


def _is_name_word(word: str) -> bool:
    folded = word.lower()
    return (
        word[0].isupper()
        and len(word) > 1
        and folded not in NO_NAMES
        and (not is_common_word(folded))
    )


def names_at(text: str, place: int) -> Iterator[ObjectRead]:
    """Yield the names that are listed from a place on: "Mira, Edda and Tom"."""
    named = name_at(text, place)
    while named:
        yield named
        joined = _AND.match(text, named[1])
        named = name_at(text, joined.end()) if joined else None


def employer_at(text: str, place: int) -> ObjectRead | None:
    """Return where somebody works: a name, or "a hospital", "the city hospital"."""
    start = place + 4 if text[place : place + 4].lower() == "the " else place
    named = _names_run(text, start, links=True)
    if named and not re.match(r"['’]s\b", text[named[1] :]):
        return text[place : named[1]], named[1]
    words = _words_at(text, place)
    if words and words[0][0].lower() in {"a", "an", "the", "my", "our"}:
        heads = [end for word, end in words if word.lower() in WORKPLACES]
        opens = words[0][0].lower()
        if heads and opens in {"a", "an", "the"}:
            return text[place : heads[-1]], heads[-1]
    return None


def trade_at(text: str, place: int, *, sure: bool) -> ObjectRead | None:
    """Return what somebody does for a living, without its article.

    `sure` where the words before say that it is for a living; else only a trade of the list is.
    """
    words = _words_at(text, place)
    folded = [word.lower() for word, _ in words]
    if not words or not NO_TRADE.isdisjoint(folded):
        return None
    head, end = folded[-1], words[-1][1]
    if sure:
        is_trade = head in TRADES | PERHAPS_TRADES or head.endswith(TRADE_ENDINGS)
    else:
        is_trade = head in TRADES or (head in PERHAPS_TRADES and "professional" in folded)
    return (text[place:end], end) if is_trade else None


def _words_at(text: str, place: int) -> list[ObjectRead]:
    """Return the words up to a mark or a word that ends a phrase, each with its end."""
    words: list[ObjectRead] = []
    while len(words) < _TRADE_WORDS_MAX and (word := _WORD.match(text, place)):
        if word[0].lower() in _STOP:
            break
        words.append((word[0], word.end()))
        place = word.end() + 1
        if text[word.end() : word.end() + 1] != " ":
            break
    return words


def date_at(text: str, place: int) -> ObjectRead | None:
    """Return a date: a day, a month of a year or a year."""
    match = _DATE.match(text, place)
    return (match["date"].rstrip(",."), match.end()) if match else None


def listed_at(text: str, place: int) -> Iterator[ObjectRead]:
    """Yield the short phrases that are listed from a place on: "nuts, eggs and cow's milk"."""
    while words := _words_at(text, place):
        end = words[-1][1]
        yield text[place:end], end
        joined = _AND.match(text, end)
        if not joined:
            return
        place = joined.end()
