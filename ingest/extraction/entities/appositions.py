"""Who is called what: names that stand beside the noun that says what bears them.

"my daughter Sara", "our cat, Milo", "two cats named Luna and Oliver", "Ann, my sister",
"the game was called Rust". Only what a word says counts: a name alone is of no kind here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....core.entities.common_words import is_common_word
from ....language.fact_words import ANIMALS, KIN
from ..analysis.analysis import Sentence
from ..analysis.tagged_words import TaggedWord, join
from .name_patterns import is_opener

_CALLED = frozenset("called named titled".split())
_NAMES_MAX = 4
_ANIMAL_LIKE = frozenset("furry fluffy fuzzy feathered four-legged".split())


@dataclass(frozen=True, slots=True)
class Apposition:
    """A name and the noun beside it; `own` where the bearer is the speaker's.

    `start` and `end` are the name's place in the message, in characters.
    """

    start: int
    end: int
    name: str
    noun: str
    own: bool


def appositions_in(sentence: Sentence) -> list[Apposition]:
    """Return who or what a sentence calls by which name, in order."""
    tokens = sentence.tokens
    named: list[Apposition] = []
    for place, token in enumerate(tokens):
        if token.tag not in {"NN", "NNS"} and token.lower not in KIN and token.lower not in ANIMALS:
            continue
        if place and tokens[place - 1].lower in _ANIMAL_LIKE:
            continue  # "my furry friend Daisy" is nobody's friend, and of no kind that is said
        named += _behind(tokens, place)
        named += _before(tokens, place)
    return named


def _behind(tokens: Sequence[TaggedWord], place: int) -> Iterator[Apposition]:
    """Yield the names that follow a noun."""
    noun, own = tokens[place].lower, _is_own(tokens, place)
    bears = noun in KIN or noun in ANIMALS
    behind = place + 1
    if _word(tokens, behind) == "'s" and _word(tokens, behind + 1) in {"name", "names"}:
        behind += 2
        if _word(tokens, behind) not in {"is", "'s", "are"}:
            return
        behind += 1
    elif _is_called(tokens, behind):
        behind = _is_called(tokens, behind)
        bears = True
    elif _word(tokens, behind) == "," and bears and own:
        behind += 1
        last = _name_end(tokens, behind)
        # "Thanks to my sister, Dana": whom one speaks to stands at the end, too.
        if last == behind or (noun in KIN and _word(tokens, last) not in {",", "and", "("}):
            return
    elif not (bears and (own or noun in ANIMALS)) or noun.endswith("s"):
        return
    many = noun.endswith("s")
    for first, last in _names(tokens, behind, many=many):
        yield _apposition(tokens, first, last, noun, own=own)


def _before(tokens: Sequence[TaggedWord], place: int) -> Iterator[Apposition]:
    """Yield the name that a relative follows: "Ann, my sister", "Ann is my sister"."""
    if tokens[place].lower not in KIN and tokens[place].lower not in ANIMALS:
        return
    first = place
    while first > 0 and tokens[first - 1].tag in {"JJ", "JJR", "JJS", "NN"}:
        first -= 1
    if first == 0 or tokens[first - 1].lower not in {"my", "our"}:
        return
    between = first - 2
    if _word(tokens, between) not in {",", "is", "'s"}:
        return
    if _word(tokens, between) == "," and _word(tokens, place + 1) not in {",", ".", "", "and", "!"}:
        return
    start = between
    while start > 0 and _is_name_word(tokens[start - 1]):
        start -= 1
    if start < between and (start == 0 or _word(tokens, start - 1) not in {"hey", "hi", "thanks"}):
        yield _apposition(tokens, start, between, tokens[place].lower, own=True)


def _is_own(tokens: Sequence[TaggedWord], place: int) -> bool:
    """Say whether a noun is mine or ours: "my", then adjectives, then the noun."""
    place -= 1
    while place >= 0 and tokens[place].tag in {"JJ", "JJR", "JJS", "CD", "VBN", "NN"}:
        if tokens[place].tag == "NN" and tokens[place].lower not in ANIMALS | {"twin", "step"}:
            return False
        place -= 1
    return place >= 0 and tokens[place].lower in {"my", "our"}


def _is_called(tokens: Sequence[TaggedWord], place: int) -> int:
    """Return where the name begins behind "called", "is named" and the like; 0 where none does."""
    if _word(tokens, place) == ",":
        place += 1
    if _word(tokens, place) in {"is", "was", "'s", "are", "were"}:
        place += 1
    return place + 1 if _word(tokens, place) in _CALLED else 0


def _names(tokens: Sequence[TaggedWord], place: int, *, many: bool) -> Iterator[tuple[int, int]]:
    count = 0
    while count < (_NAMES_MAX if many else 1):
        last = _name_end(tokens, place)
        if last == place:
            return
        yield place, last
        count += 1
        place = last
        while _word(tokens, place) in {",", "and", "&"}:
            place += 1


def _name_end(tokens: Sequence[TaggedWord], place: int) -> int:
    last = place
    while last < len(tokens) and _is_name_word(tokens[last]):
        last += 1
    return last


def _is_name_word(token: TaggedWord) -> bool:
    folded = token.lower
    return (
        token.text[:1].isupper()
        and (token.tag.startswith("NNP") or token.name != "O" or token.tag in {"NN", "NNS"})
        and not is_common_word(folded)
        and not is_opener(folded)
        and folded not in KIN
        and len(token.text) > 1
    )


def _word(tokens: Sequence[TaggedWord], place: int) -> str:
    return tokens[place].lower if 0 <= place < len(tokens) else ""


def _apposition(
    tokens: Sequence[TaggedWord], first: int, last: int, noun: str, *, own: bool
) -> Apposition:
    words = tokens[first:last]
    return Apposition(words[0].start, words[-1].end, join(words), noun, own)
