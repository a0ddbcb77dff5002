"""Noun phrases: a head noun with what stands before it, and what "of" adds behind it."""

from __future__ import annotations

from collections.abc import Sequence

from .tagged_words import TaggedWord

#: What may stand between the beginning of a phrase and its nouns.
_BEFORE = {"JJ", "JJR", "JJS", "CD", "VBN", "VBG", "NN", "NNS", "NNP", "NNPS", "POS"}
_OPENING = {"DT", "PRP$", "PDT", "WP$"}
_PRONOUN = {"PRP", "WP", "EX"}
_NOUNS = {"NN", "NNS", "NNP", "NNPS"}
#: Demonstratives and quantities that stand for a noun by themselves.
_ALONE = frozenset("this that these those all both everyone everybody someone something".split())

#: Words that begin a phrase of time, which stands for itself: "the recipe tonight" are two phrases.
_TIME_OPENING = frozenset(
    "last next this every each tonight today tomorrow yesterday monday tuesday wednesday thursday"
    " friday saturday sunday".split()
)
#: Nouns that say when.
TIME_NOUNS = frozenset(
    "second minute hour day night week weekend fortnight month year decade morning afternoon"
    " evening noon midnight time today tonight tomorrow yesterday spring summer autumn fall"
    " winter january february march april may june july august september october november"
    " december monday tuesday wednesday thursday friday saturday sunday christmas easter".split()
)


#: The words of a noun phrase.
NounPhrase = Sequence[TaggedWord]


def noun_phrases_of(tokens: Sequence[TaggedWord]) -> list[NounPhrase]:
    """Return the noun phrases of a sentence in order; none overlaps another."""
    phrases, place = list[NounPhrase](), 0
    while place < len(tokens):
        core = _core(tokens, place)
        if core is None:
            place += 1
            continue
        last = core
        while last + 1 < len(tokens) and tokens[last].lower == "of":
            more = _core(tokens, last + 1)
            if more is None:
                break
            last = more
        phrases.append(tokens[place:last])
        place = last
    return phrases


def _core(tokens: Sequence[TaggedWord], first: int) -> int | None:
    """Return where the phrase without "of" ends that begins at a word; None where none does."""
    token = tokens[first]
    if token.tag in _PRONOUN:
        return first + 1
    place = first
    while place < len(tokens) and tokens[place].tag in _OPENING:
        place += 1
    noun = None
    while place < len(tokens):
        tag = tokens[place].tag
        if noun is not None and (tokens[place].lower in _TIME_OPENING or _is_span(tokens, place)):
            break
        adverb = tag in {"RB", "RBR", "RBS"} and _next_tag(tokens, place) in {"JJ", "JJR", "VBN"}
        comma = tag == "," and noun is None and place > first and _next_tag(tokens, place) == "JJ"
        hyphen = tokens[place].text == "-" and place > first
        if tag in _NOUNS:
            noun = place
        elif tag == "CD" and noun is not None and tokens[noun].lower in TIME_NOUNS:
            place += 1
            continue
        elif not (tag in _BEFORE or ((adverb or comma or hyphen) and place > first)):
            break
        place += 1
    if noun is None:
        return first + 1 if token.lower in _ALONE and token.tag == "DT" else None
    # A gerund that opens a phrase without an article is a verb: "taking photos".
    if token.tag in {"VBG", "VBN", "POS"}:
        return None
    return noun + 1


def _is_span(tokens: Sequence[TaggedWord], place: int) -> bool:
    """Say whether a span of time begins: "a conference two days ago"."""
    behind = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    return tokens[place].tag == "CD" and behind.removesuffix("s") in TIME_NOUNS


def _next_tag(tokens: Sequence[TaggedWord], place: int) -> str:
    return tokens[place + 1].tag if place + 1 < len(tokens) else ""
