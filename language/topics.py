"""Topics: what a message is about, as somebody would name it in an index.

Noun phrases and names without what stands around them: no articles, numbers or times, no adjectives
of degree or taste, and no nouns that are about nothing ("thing", "lot", "way"). English only, as
the analysis is. A topic is identified by the stems of its words and shown as somebody wrote it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from .analyser import Analyser
from .tagging import TIME_NOUNS, Analysis, NounPhrase, Sentence, TaggedWord, join
from .word_lists import word_list

#: A message is about at most this many topics: its first ones, compounds and names before words.
TOPICS_MAX = 6
#: A longer phrase is no term.
_WORDS_MAX = 4
#: Nouns that are about nothing in particular, in the singular.
_FILLER = word_list("filler_nouns")
#: Adjectives that sort things into kinds end so; all others say how something is.
_SORTING = re.compile(r"[a-z](?:al|ic|ical|ary)\Z|-")
_NO_SORTING = word_list("adjectives_of_degree")
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
#: Words before a name or a noun that only look as if they belonged to it: "Thanks Nate".
_OPENING = frozenset(
    "thanks thank hey hi hello wow yeah yep yes cool nice aw aww oh congrats".split()
)
#: Verbs before an activity, activities that are none, and what may stand behind one.
_GO = frozenset(
    "go goes going went gone like love enjoy hate start started try tried into of about".split()
)
_NO_ACTIVITY = frozenset("being doing getting going having looking making taking talking".split())
_BEHIND = frozenset(". , : ) CC IN RB".split())
_WORD = re.compile(r"[^\W\d_]{2}")
_MISTAKEN = frozenset("gonna gotta kinda lol omg haha hahaha aw aww oh ok btw tbh yup nope".split())


def extract_topics(
    analysis: Analysis,
    analyser: Analyser,
    names: Collection[str],
    is_entity: Callable[[str], bool] = lambda text: False,
) -> dict[str, str]:
    """Return the topics of a message, key → as it is written there, in their order.

    `names` are case-folded words of people's names: whoever is spoken to is no topic. What
    `is_entity` says is the name of an entity is none either: each thing stands once in the graph.
    """
    topics: dict[str, str] = {}
    for sentence in analysis.sentences:
        for words in _terms(sentence, names):
            text = _written(words, sentence)
            if (key := " ".join(analyser.terms(text))) and not is_entity(text):
                topics.setdefault(key, text)
    chosen = sorted(topics, key=lambda key: " " not in key)[:TOPICS_MAX]
    return {key: text for key, text in topics.items() if key in chosen}


def leading_topics(topics: Sequence[Mapping[str, str]], most: int) -> list[str]:
    """Return the topics that most messages share, compounds and names before single words."""
    written = {key: text for of_message in topics for key, text in of_message.items()}
    counts = Counter(key for of_message in topics for key in of_message)
    ranked = sorted(counts, key=lambda key: -counts[key] * (1.5 if " " in key else 1.0))
    return [written[key] for key in ranked[:most]]


def _terms(sentence: Sentence, names: Collection[str]) -> Iterator[Sequence[TaggedWord]]:
    for phrase in sentence.phrases:
        for tokens in _parts(phrase):
            words = _term(tokens, names)
            if words and not _is_empty(words):
                yield words
    yield from _activities(sentence.tokens)


def _activities(tokens: Sequence[TaggedWord]) -> Iterator[Sequence[TaggedWord]]:
    """Yield what somebody goes and does: "went hiking", "love painting"."""
    for (before, token), after in zip(pairwise(tokens), [*tokens[2:], None], strict=False):
        is_activity = token.tag == "VBG" and token.lower not in _NO_ACTIVITY
        if is_activity and before.lower in _GO and (after is None or after.tag in _BEHIND):
            yield [token]


def _parts(phrase: NounPhrase) -> Iterator[Sequence[TaggedWord]]:
    """Yield the parts of a phrase that "of" joins; a name goes over it."""
    start = 0
    for place, token in enumerate(phrase):
        if token.lower == "of" and not _is_name(phrase[place - 1 : place]):
            yield phrase[start:place]
            start = place + 1
    yield phrase[start:]


def _term(tokens: Sequence[TaggedWord], names: Collection[str]) -> Sequence[TaggedWord]:
    """Return the nouns at the end of a phrase with the adjectives that sort them."""
    last = len(tokens)
    while last and not (tokens[last - 1].tag in _NOUNS and _WORD.search(tokens[last - 1].text)):
        last -= 1
    first = last
    while first and _belongs(tokens[first - 1]):
        first -= 1
    words = tokens[first:last]
    while words and words[0].tag not in _NOUNS and not _sorts(words[0]):
        words = words[1:]
    while words and (_is_person(words[0], names) or words[0].lower in _OPENING):
        words = words[1:]
    while words and _is_person(words[-1], names):
        words = words[:-1]
    return words[-_WORDS_MAX:]


def _belongs(token: TaggedWord) -> bool:
    if token.tag in _NOUNS or token.text in {"-", "&", "+"}:
        return True
    return token.tag in {"JJ", "VBG", "VBN"} and _sorts(token)


def _sorts(token: TaggedWord) -> bool:
    """Return whether a word before a noun says of what kind it is: "mental", "dairy-free"."""
    return bool(_SORTING.search(token.lower)) and token.lower not in _NO_SORTING


def _is_name(tokens: Sequence[TaggedWord]) -> bool:
    return bool(tokens) and all(token.tag.startswith("NNP") for token in tokens)


def _is_person(token: TaggedWord, names: Collection[str]) -> bool:
    """Return whether a word names somebody who speaks here, by a short form too."""
    word = token.text.casefold()
    return word in names or (
        token.text[:1].isupper() and len(word) > 1 and any(name.startswith(word) for name in names)
    )


def _is_empty(words: Sequence[TaggedWord]) -> bool:
    head = words[-1].lower
    forms = {head, head.removesuffix("s"), re.sub(r"ies\Z", "y", head)}
    if forms & (TIME_NOUNS | _MISTAKEN):
        return True
    return len(words) == 1 and bool(forms & _FILLER)


def _written(words: Sequence[TaggedWord], sentence: Sentence) -> str:
    """Return words as written; a sentence's first one without its capital, unless it is a name."""
    text = join(words)
    first = words[0]
    if first.start == sentence.start and not first.tag.startswith("NNP") and first.text.istitle():
        return text[:1].lower() + text[1:]
    return text


#: A memory is about at most this many concepts; a long tool result keeps its first ones.
CONCEPTS_MAX = 192


def extract_concepts(text: str, analyser: Analyser, names: Collection[str]) -> dict[str, str]:
    """Return stem → first word for the content words of `text`, leaving out people's names.

    `names` are case-folded single words.
    """
    concepts: dict[str, str] = {}
    for word, stem in analyser.words(text):
        if stem is None or stem in concepts or word in names:
            continue
        concepts[stem] = word
        if len(concepts) == CONCEPTS_MAX:
            break
    return concepts
