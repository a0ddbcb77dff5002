"""What somebody calls a favourite, a hobby or an outlet of theirs, whatever stands first.

"Blue's my fave", "Drawing flowers is one of my favourites", "Cooking and baking are my creative
outlets", "My hobbies are knitting and chess". Favourites of a kind ("my favourite band") are read
elsewhere, and so is what verbs state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..analysis.analysis import Sentence
from ..analysis.tagged_words import TaggedWord
from .clause_rules import lemma_of
from .fact_words import VAGUE
from .objects import retell
from .self_statements import Stated

_FAVOURITES = frozenset(
    """
    favorite favorites favourite favourites fave faves fav favs passion passions jam pick
    """.split()
)
_HOBBIES = frozenset("hobby hobbies pastime pastimes outlet outlets".split())
_IS, _WAS = frozenset({"'s", "’s"}), frozenset({"was", "were"})
#: Words between "my" and what it is called.
_ADJECTIVES_MAX = 2
_ADJECTIVES = frozenset(
    "main top biggest big great other new creative real true favorite favourite".split()
)
_ENDS = frozenset(". ! , ; - – : ) and but because as lately now since".split())
_LISTED = {"NN", "NNS", "NNP", "NNPS", "VBG", "JJ", "IN", "DT", "CD", "HYPH", "POS", "-", "CC"}
_STARTS = frozenset(", . ! ; : yeah yes yep well honestly definitely oh haha so".split())
_LISTED_WORDS_MAX = 10
_NOT_NAMED = frozenset("this that these those one ones both all another each some any".split())


def named_tastes_in(sentence: Sentence) -> Iterator[Stated]:
    """Yield what a sentence calls the speaker's favourite, hobby or outlet."""
    tokens = sentence.tokens
    if sentence.is_question:  # what stands before "…, and you?" is stated
        ends = [place for place, token in enumerate(tokens) if token.text in {",", "-", "–"}]
        tokens = tokens[: ends[-1] + 1 if ends else 0]
    for place, token in enumerate(tokens):
        if (lemma_of(token.lower) != "be" and token.lower not in _IS) or token.lower in _WAS:
            continue
        behind = tokens[place + 1 :]
        if predicate := _called(behind):
            yield from _stated(predicate, _subject_of(tokens[:place]))
        elif _hobbies(tokens[:place]):
            end = next((n for n, t in enumerate(behind) if t.text in ".!;("), len(behind))
            yield from _stated("hobby", behind[:end])


def _called(words: Sequence[TaggedWord]) -> str:
    """Return what "my (main) hobby", at the beginning of words, states; "" where it is none."""
    lower = [word.lower for word in words]
    if lower[:2] == ["one", "of"]:
        lower = lower[2:]
    if lower[:1] == ["a"] and lower[2:4] == ["of", "mine"]:
        return "likes" if lower[1] in _FAVOURITES else ""
    if lower[:1] != ["my"]:
        return ""
    place = 1
    while place <= _ADJECTIVES_MAX and {*lower[place : place + 1]} & _ADJECTIVES:
        if not lower[place + 1 :] or lower[place + 1] in _ENDS:
            break
        place += 1
    noun, after = lower[place : place + 1], lower[place + 1 : place + 2]
    if not noun or (after and after[0] not in _ENDS):
        return ""
    if noun[0] == "pick" and lower[1:2] != ["top"]:
        return ""
    return "likes" if noun[0] in _FAVOURITES else "hobby" if noun[0] in _HOBBIES else ""


def _hobbies(words: Sequence[TaggedWord]) -> bool:
    lower = [word.lower for word in words if word.lower not in _ADJECTIVES]
    return lower[-2:] in (["my", "hobbies"], ["my", "hobby"])


def _subject_of(words: Sequence[TaggedWord]) -> Sequence[TaggedWord]:
    """Return the subject that words end with; none where a clause stands before it."""
    while words and (words[-1].tag == "RB" or lemma_of(words[-1].lower) == "have"):
        words = words[:-1]  # "has always been"
    start = len(words)
    while start and (words[start - 1].tag in _LISTED or words[start - 1].text in {",", '"'}):
        start -= 1
    if start and words[start - 1].lower not in _STARTS:
        return ()
    while start < len(words) and (words[start].tag in {"CC", "IN"} or words[start].text == ","):
        start += 1
    commas = [n for n in range(start, len(words)) if words[n].text == ","]
    joined = any(word.lower == "and" for word in words[start:])
    return words[commas[-1] + 1 if commas and not joined else start :]


def _stated(predicate: str, words: Sequence[TaggedWord]) -> Iterator[Stated]:
    """Yield each of the things that are listed; nothing where one of them says nothing."""
    if not words or len(words) > _LISTED_WORDS_MAX:
        return
    items = _items(words)
    if not all(_says_something(item) for item in items):
        return
    for item in items:
        text = retell(item)
        first = item[0]
        several = len(item) > 1 and first.tag.startswith("NNP")
        named = first.name != "O" or several or text[1:] != text[1:].lower()
        yield predicate, text if named or first.text == '"' else text[:1].lower() + text[1:], False


def _items(words: Sequence[TaggedWord]) -> list[Sequence[TaggedWord]]:
    """Return what is listed: "cooking and baking", but "painting landscapes and still life"."""
    items: list[list[TaggedWord]] = [[]]
    activity = words[0].tag == "VBG"
    for place, word in enumerate(words):
        behind = words[place + 1 : place + 2]
        splits = word.text == "," or word.lower in {"and", "&"}
        same = behind and (behind[0].tag == "VBG" or not activity or behind[0].lower == "and")
        if splits and (same or len(items[-1]) == 1):
            items.append([])
        else:
            items[-1].append(word)
    return [item for item in items if item]


def _says_something(item: Sequence[TaggedWord]) -> bool:
    if item[0].tag in {"DT", "IN", "POS", "CC"} or item[0].lower in _NOT_NAMED:
        return False
    named = any(word.is_noun or word.tag == "VBG" for word in item)
    return named and item[-1].lower not in VAGUE and all(word.tag != "WDT" for word in item)
