"""What a clause says something about: the complete object, or nothing where it points elsewhere.

An object is read word by word from where it begins to where its phrase ends, with what "of", "in"
and "for" add, and without the time that follows. One that a relative clause goes on with, or that
holds a pronoun for something else, is none: half an object is a false one.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ..analysis.analysis import Sentence
from ..analysis.phrases import TIME_NOUNS
from ..analysis.tagged_words import TaggedWord
from .fact_words import VAGUE

WORDS_MAX, _ITEMS_MAX, _LINKS_MAX = 12, 6, 3
#: Words that are no part of the object that they follow.
_ENDS = frozenset(
    """
    because since when whenever while if although though unless until as so but than like without
    after before during throughout despite these too also lately recently now again already
    together anymore though yesterday today tonight tomorrow currently especially ever just btw
    lol haha myself ourselves herself himself themselves here there once twice almost again instead
    last next every each right actually 'cause cause cos cuz currently anyway alone around away
    nowadays soon finally well only even not never both please thanks per
    """.split()
)
_SOMEWHEN = frozenset({"someday", "downtown"})
_LINKS = frozenset(
    "of for in with about at on from to by into between against over through".split()
)
_ELSEWHERE = frozenset(
    "this that these those it them him her he she they you your yours his their its me us"
    " such".split()
)
_OWN = frozenset({"my", "our"})
_NOUNS = {"NN", "NNS", "NNP", "NNPS"}
_INSIDE = {*_NOUNS, "DT", "PDT", "JJ", "JJR", "JJS", "CD", "POS", "FW", "PRP$", "VBN", "VBG", "RB"}
#: Words of names that a dot follows.
_SHORT = frozenset({"St", "Mt", "Dr", "Ft"})
_QUOTES = {'"': '"', "“": "”"}


@dataclass(frozen=True, slots=True)
class Object:
    """An object: words `first` to before `last` of its sentence, and how they read.

    `head` is its main noun in small letters. `is_complete` is False where the sentence goes on
    with a clause that says which one is meant.
    """

    first: int
    last: int
    text: str
    head: str
    is_complete: bool


def read_object(sentence: Sentence, first: int) -> Object | None:
    """Return the object that begins at a word; None where there is none, or none to be told."""
    tokens = sentence.tokens
    times = {phrase.first for phrase in sentence.phrases if phrase.is_time}
    while first < len(tokens) and tokens[first].tag in {"RB", "RBR"}:
        first += 1
    if first >= len(tokens) or first in times or tokens[first].tag in {"IN", "TO", "CC"}:
        return None
    if tokens[first].lower in _ELSEWHERE | {"not"}:
        return None
    place, links, complete = first, 0, True
    while place < len(tokens):
        token = tokens[place]
        if token.text in _QUOTES and (closing := _closing(tokens, place)):
            place = closing + 1
            continue
        if place > first and (place in times or _is_end(tokens, place, times)):
            break
        if _goes_elsewhere(tokens, place, first):
            complete = token.lower in {"named", "called"}
            break
        links += token.lower in _LINKS
        if links > _LINKS_MAX or not _belongs(tokens, place):
            break
        place += 1
    return _finish(tokens, first, place, is_complete=complete)


def _goes_elsewhere(tokens: Sequence[TaggedWord], place: int, first: int) -> bool:
    """Say whether a clause begins that says which one is meant, or a pronoun points elsewhere."""
    token, after_noun = tokens[place], place > first and tokens[place - 1].tag in _NOUNS
    if token.tag in {"WDT", "WP", "WRB", "WP$", "PRP", "VBD", "VBZ", "VBP", "MD", "EX"}:
        return True
    if place > first and token.lower in _ELSEWHERE:
        return True
    follows = tokens[place + 1 : place + 2]
    alone = not follows or follows[0].tag not in _NOUNS
    return after_noun and (token.tag == "VBN" or (token.tag == "VBG" and alone))


def _belongs(tokens: Sequence[TaggedWord], place: int) -> bool:
    """Say whether a word goes on with the object before it."""
    token = tokens[place]
    behind = tokens[place + 1] if place + 1 < len(tokens) else None
    if token.tag == "CC" or token.text == ",":
        return token.text == "&" or _joins_adjectives(tokens, place)
    if token.lower in _LINKS:
        return behind is not None and _opens_phrase(token, behind)
    if token.text in {"-", "+"}:
        return place > 0 and tokens[place - 1].end == token.start
    return token.tag in _INSIDE or (token.tag == "VB" and tokens[place - 1].tag == "TO")


def read_items(sentence: Sentence, first: int) -> list[Object]:
    """Return the objects that are listed from a word on: "cats, dogs and birds"."""
    tokens = sentence.tokens
    items = [item] if (item := read_object(sentence, first)) else []
    joined = False
    while items and items[-1].is_complete and len(items) < _ITEMS_MAX:
        place = items[-1].last
        comma = place < len(tokens) and tokens[place].text == ","
        place += comma
        last = place < len(tokens) and tokens[place].lower in {"and", "&"}
        place += last
        if not (comma or last):
            break
        item = read_object(sentence, place)
        follows = tokens[item.last] if item and item.last < len(tokens) else None
        if item is None or (follows is not None and follows.is_finite):
            return items[:1] if not last or len(items) == 1 else items
        items.append(item)
        joined = joined or last
        if last:
            break
    return items if joined else items[:1]


def name_at(tokens: Sequence[TaggedWord], first: int) -> tuple[str, int]:
    """Return the proper name that begins at a word, and where it ends; "" where none does."""
    place = first
    if place < len(tokens) and tokens[place].lower == "the":
        place += 1
    start = place
    while place < len(tokens):
        token = tokens[place]
        link = token.lower in {"of", "de", "la", "del", "&", "the", "/"} and place > start
        if link and place + 1 < len(tokens) and _is_name_word(tokens[place + 1]):
            place += 2
        elif (
            link
            and token.lower == "of"
            and tokens[place + 1 : place + 2]
            and (tokens[place + 1].lower == "the")
            and tokens[place + 2 : place + 3]
            and _is_name_word(tokens[place + 2])
        ):
            place += 3
        elif _is_name_word(token) or (place > start and _is_number_of_name(tokens, place)):
            place += 1
            if token.text in _SHORT and place < len(tokens) and tokens[place].text == ".":
                place += 1
        else:
            break
    if place == start:
        return "", first
    state = tokens[place + 1 : place + 2]
    if tokens[place : place + 1] and tokens[place].text == "," and state:
        abbreviation = state[0].text
        if len(abbreviation) == 2 and abbreviation.isupper():
            place += 2
    return retell(tokens[first:place]), place


def _is_number_of_name(tokens: Sequence[TaggedWord], place: int) -> bool:
    """Say whether a number goes on with a name: "Route 66", not "Brazil 4 years ago"."""
    behind = tokens[place + 1 : place + 2]
    return tokens[place].text[0].isdigit() and not (behind and _is_time_noun(behind[0]))


def _is_name_word(token: TaggedWord) -> bool:
    if token.name != "O":
        return token.lower != "i"
    return token.text[:1].isupper() and token.tag in _NOUNS | {"JJ", "VBG"}


def _is_end(tokens: Sequence[TaggedWord], place: int, times: AbstractSet[int]) -> bool:
    """Say whether the object is over: a mark, a word of time or manner, a time."""
    token = tokens[place]
    behind = tokens[place + 1] if place + 1 < len(tokens) else None
    if token.text[0] in ".!?;:–—()…*" or token.text == "--":
        return True
    if token.tag == "CD" and behind is not None and _is_time_noun(behind):
        return True
    if token.lower in _SOMEWHEN or (token.lower in _ENDS and token.tag not in _NOUNS):
        return True
    return place + 1 in times and token.tag in {"IN", "TO"}


def _is_time_noun(token: TaggedWord) -> bool:
    return token.lower in TIME_NOUNS or token.lower.removesuffix("s") in TIME_NOUNS


def _opens_phrase(link: TaggedWord, behind: TaggedWord) -> bool:
    """Say whether a preposition goes on with a noun; "to" with a verb is a purpose."""
    if link.tag == "TO" and behind.tag == "VB":
        return False
    return behind.tag in _INSIDE or behind.text in _QUOTES


def _joins_adjectives(tokens: Sequence[TaggedWord], place: int) -> bool:
    """Say whether "and" stands within a phrase: "a black and white bowl"."""
    around = [token.tag for token in (*tokens[place - 1 : place], *tokens[place + 1 : place + 2])]
    return around[:1] == ["JJ"] and around[1:] in (["JJ"], ["VBG"])


def _closing(tokens: Sequence[TaggedWord], place: int) -> int | None:
    mark = _QUOTES[tokens[place].text]
    for later in range(place + 1, min(place + WORDS_MAX, len(tokens))):
        if tokens[later].text == mark:
            return later
    return None


def _finish(
    tokens: Sequence[TaggedWord], first: int, last: int, *, is_complete: bool
) -> Object | None:
    while last > first and tokens[last - 1].tag in {"IN", "TO", "DT", "CC", "RB", "PDT", "PRP$"}:
        last -= 1
    words = tokens[first:last]
    if not words or len(words) > WORDS_MAX:
        return None
    nouns: list[TaggedWord] = []
    for word in words:
        if word.tag in _NOUNS:
            nouns.append(word)
        elif nouns and word.tag in {"IN", "TO"}:
            break
    if not nouns and not any(word.tag == "VBG" for word in words):
        return None
    head = nouns[-1] if nouns else words[0]
    text = retell(words)
    return Object(first, last, text, head.lower, is_complete) if text else None


def retell(tokens: Sequence[TaggedWord]) -> str:
    """Return words as they stood; what is "my" to who speaks is "their" to who is told."""
    text, end = "", None
    for token in tokens:
        word = "their" if token.lower in _OWN and token.tag == "PRP$" else token.text
        text += " " * (end is not None and token.start > end) + word
        end = token.end
    return text


def with_article(text: str) -> str:
    """Return a phrase of one thing with its indefinite article."""
    return f"{'an' if text[:1].lower() in 'aeiou' else 'a'} {text}"


def is_vague(item: Object) -> bool:
    """Say whether an object says nothing by itself."""
    return item.head in VAGUE
