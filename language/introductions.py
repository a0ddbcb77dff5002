"""How somebody is called: what they say of it themselves, and how others address them.

Careful rather than complete: a name has a capital, or stands where only a name can, as in "my name
is kim". English alone is read, but for signatures. Nobody is looked up here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..core.entities.common_words import (
    CALENDAR,
    FORMS_OF_ADDRESS,
    is_common_word,
    is_common_word_name,
)
from ..core.vocabulary import NameSource
from .fact_objects import KIN
from .names import is_name_of_nobody, is_opener
from .tagging import Analysis, Sentence, TaggedWord

#: What may follow a name that somebody gives as theirs.
_ENDS = frozenset(". , ! ? ; : ( ) - – — / and but from here by btw".split())
#: Behind a name, at the beginning: who is on the line.
_ON_THE_LINE = frozenset("here speaking calling".split())
_BE = frozenset({"is", "'s", "’s", "am", "'m", "’m"})
#: What stands right before the name that somebody is called by, longer phrases first.
_PHRASES: Mapping[tuple[str, ...], NameSource] = {
    ("call", "me", "just"): NameSource.ASKED,
    ("call", "me"): NameSource.ASKED,
    ("calls", "me"): NameSource.ASKED,
    ("know", "me", "as"): NameSource.INTRODUCED,
    ("knows", "me", "as"): NameSource.INTRODUCED,
    ("i", "go", "by"): NameSource.INTRODUCED,
}
_PARTICLES = frozenset("de da del della di van von der den bin ibn al el la le".split())
_REFUSALS = frozenset("not n't n’t never nobody stop don't dont".split())
_NAME_WORDS_MAX, _LOOK_BACK, _OPENING_MAX = 4, 4, 3
_SIGNATURE = re.compile(
    r"\n\s*(?:[-–—~]{1,2}\s*|(?i:best|cheers|regards|kind regards|thanks|love|yours|sincerely"
    r"|take care|xo+)[^\n]{0,16}\n\s*)"
    r"(?P<name>[^\W\d_a-z][\w’'-]*(?:[ ][^\W\d_a-z][\w’'-]*){0,2})\s*\Z"
)
_DASHED = re.compile(r"^\s*[-–—*•]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HeardName:
    """A name that was heard, and how it was given."""

    name: str
    how: NameSource


def own_names(analysis: Analysis) -> list[HeardName]:
    """Return how the author of a message says they are called, each name once, in order."""
    uncased = analysis.text == analysis.text.lower()
    heard_names: dict[str, HeardName] = {}
    for place, sentence in enumerate(analysis.factual):
        greeted = place > 0 and _is_greeting(analysis.factual[place - 1].tokens)
        heard = [*_stated(sentence.tokens, uncased=uncased)]
        if place == 0 or greeted:
            heard += _on_the_line(sentence.tokens, greeted=greeted)
        for each in heard:
            heard_names.setdefault(each.name.lower(), each)
    if signed := _signature(analysis):
        heard_names.setdefault(signed.lower(), HeardName(signed, NameSource.INTRODUCED))
    return list(heard_names.values())


def addressed_names(analysis: Analysis) -> list[str]:
    """Return by which names a message addresses somebody, in order."""
    names = [name for sentence in analysis.sentences for name in _addressed(sentence)]
    return list(dict.fromkeys(names))


def _stated(tokens: Sequence[TaggedWord], *, uncased: bool) -> Iterator[HeardName]:
    words = [token.lower.replace("’", "'") for token in tokens]
    for place, word in enumerate(words):
        refused = not _REFUSALS.isdisjoint(words[max(place - _LOOK_BACK, 0) : place + 2])
        phrase = next((p for p in _PHRASES if p == tuple(words[place : place + len(p)])), ())
        if word == "my" and "name" in words[place + 1 : place + 3]:
            verb = words.index("name", place) + 1
            if words[verb : verb + 1] and words[verb] in _BE:
                yield from _heard(tokens, verb + 1, NameSource.INTRODUCED, uncased=uncased)
        elif phrase and not refused:
            yield from _heard(tokens, place + len(phrase), _PHRASES[phrase], uncased=uncased)
        elif word == "i" and words[place + 1 : place + 2] and words[place + 1] in _BE:
            called = words[place + 2 : place + 3] in (["called"], ["named"])
            first = place + 2 + called
            yield from _heard(tokens, first, NameSource.INTRODUCED, bare=not called)


def _heard(
    tokens: Sequence[TaggedWord],
    first: int,
    how: NameSource,
    *,
    uncased: bool = False,
    bare: bool = False,
) -> Iterator[HeardName]:
    """Yield the name that begins at a word and ends as a name does.

    `bare` is what "I am" says, which may be anything: it needs a capital that only names have.
    """
    name, last = _name_at(tokens, first, uncased=uncased)
    follows = tokens[last].lower if last < len(tokens) else "."
    is_day = name.lower() in CALENDAR and name.lower().endswith("day")
    if not name or is_day or follows not in _ENDS:
        return
    if bare and not all(map(_is_somebodys, tokens[first:last])):
        return
    yield HeardName(name.title() if uncased else name, how)


def _is_somebodys(token: TaggedWord) -> bool:
    """Return whether a word with a capital is a name, and not what somebody is: "I'm Sure"."""
    if token.name.endswith("PER"):
        return True
    described = token.tag in {"JJ", "RB", "VBN", "VBG"} or token.lower.endswith(("ic", "ist"))
    return not described and not is_name_of_nobody(token)


def _name_at(tokens: Sequence[TaggedWord], first: int, *, uncased: bool = False) -> tuple[str, int]:
    """Return the name that begins at a word, as written, and where it ends; "" where none does."""
    place = first
    while place < len(tokens) and tokens[place].lower.rstrip(".") in FORMS_OF_ADDRESS:
        place += 1 + (tokens[place + 1 : place + 2] != [] and tokens[place + 1].text == ".")
    start = place
    while place < len(tokens) and place - start < _NAME_WORDS_MAX:
        follows = tokens[place + 1 : place + 2]
        is_link = place > start and tokens[place].lower in _PARTICLES and follows
        if not (_is_name_word(tokens[place]) or (is_link and _is_name_word(follows[0]))):
            break
        place += 1
    if place == start and uncased and place < len(tokens):
        place += _may_be_uncased(tokens[place])
    return " ".join(token.text for token in tokens[start:place]), place


def _is_name_word(token: TaggedWord) -> bool:
    text = token.text
    # "I'm OK", "I'm IT": what is all capitals is no name.
    shouted = len(text) > 1 and text.isupper()
    return text[0].isupper() and text[0].isalpha() and not shouted and text != "I"


def _may_be_uncased(token: TaggedWord) -> bool:
    is_word = is_common_word_name(token.lower) or is_opener(token.lower)
    return token.text.isalpha() and not is_word and token.tag in {"NN", "NNP", "NNS", "NNPS"}


def _on_the_line(tokens: Sequence[TaggedWord], *, greeted: bool) -> Iterator[HeardName]:
    """Yield who begins to speak: "it's Priya here", "Kim speaking", "hi, this is Ana"."""
    words = [token.lower for token in tokens]
    opened = _opening(tokens)
    place, shown = opened, False
    if words[place : place + 1] in (["it"], ["this"]) and words[place + 1 : place + 2]:
        if words[place + 1] not in _BE:
            return
        place, shown = place + 2, True
    name, last = _name_at(tokens, place)
    if name and tokens[last : last + 1] and tokens[last].tag == "POS":
        kin = words[last + 1 : last + 2]
        if not (shown and kin and kin[0] in KIN):
            return
        name, last = _name_at(tokens, last + 2)
    follows = words[last] if last < len(words) else "."
    announced = shown and (greeted or opened > 0) and follows in {".", "!", ",", "from"}
    if name and (follows in _ON_THE_LINE or announced):
        yield HeardName(name, NameSource.INTRODUCED)


def _signature(analysis: Analysis) -> str | None:
    """Return the name that stands alone under a message."""
    match = _SIGNATURE.search(analysis.text)
    if match is None or not match["name"][0].isupper() or len(_DASHED.findall(analysis.text)) > 1:
        return None
    last = analysis.sentences[-1].tokens if analysis.sentences else ()
    names = [token for token in last if token.start >= match.start("name")]
    tagged = [token.name.endswith("PER") or token.tag.startswith("NNP") for token in names]
    words = match["name"].split()
    is_word = len(words) == 1 and is_opener(words[0].lower())
    return match["name"] if names and all(tagged) and not is_word else None


def _is_greeting(tokens: Sequence[TaggedWord]) -> bool:
    return 0 < len(tokens) <= _OPENING_MAX + 1 and _opening(tokens) == len(tokens)


def _opening(tokens: Sequence[TaggedWord]) -> int:
    """Return how many words of greeting a sentence begins with, punctuation behind them too."""
    place = 0
    while place < min(len(tokens), _OPENING_MAX + 1):
        token = tokens[place]
        is_opening = token.tag == "UH" or (is_opener(token.lower) and token.lower not in _SUBJECTS)
        if not (is_opening or (place and token.text in {",", "!", ".", "-", "–"})):
            break
        place += 1
    return place


#: Function words with which a sentence itself begins.
_SUBJECTS = frozenset("i it this that you he she we they my your is am are was were".split())


def _addressed(sentence: Sentence) -> Iterator[str]:
    tokens = sentence.tokens
    starts = {_opening(tokens)}
    commas = [place for place, token in enumerate(tokens) if token.text == ","]
    is_kin = commas and tokens[commas[0] - 1].lower in KIN  # "Your wife, Ana."
    if commas and commas[0] <= _OPENING_MAX and not is_kin:
        starts.add(commas[0] + 1)  # "Noted, Kim."
    for start in sorted(starts):
        name, last = _person_at(tokens, start)
        follows = tokens[last].text if last < len(tokens) else "."
        is_named = start or all(token.name.endswith("PER") for token in tokens[:last])
        if name and is_named and follows in ({",", ".", "!", "?", ":", "–", "-"} if start else ","):
            yield name
            return
    to_you = any(token.lower in {"you", "your", "you're", "yours"} for token in tokens)
    if commas and to_you:
        name, last = _person_at(tokens, commas[-1] + 1)
        before = tokens[commas[-1] - 1].lower if commas[-1] else ""
        if name and before not in KIN and all(t.text in ".!?" for t in tokens[last:]):
            yield name


def _person_at(tokens: Sequence[TaggedWord], first: int) -> tuple[str, int]:
    name, last = _name_at(tokens, first)
    named = tokens[first:last]
    is_person = bool(named) and all(
        token.name.endswith("PER") or (token.tag == "NNP" and token.name == "O") for token in named
    )
    word = len(named) == 1 and (is_opener(named[0].lower) or is_common_word(named[0].lower))
    is_named = is_person and not word and not any(is_name_of_nobody(token) for token in named)
    return (name, last) if is_named else ("", first)
