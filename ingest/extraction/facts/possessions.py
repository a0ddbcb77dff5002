"""What somebody has, by what they call theirs: "my dog", "my writing group", "my guitar".

And what they call their love. A thing that is only wished for,
that was, or that is not theirs alone says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Sentence
from ..analysis.phrases import NounPhrase
from ..analysis.tagged_words import join
from ..entities.bearer_words import ANIMALS
from .objects import is_vague, name_at, read_items, with_article
from .self_statements import Stated

#: What one has for good when one calls it "my".
_GOODS = frozenset(
    """
    laptop computer pc car truck motorcycle bike bicycle guitar piano violin keyboard saxophone
    trumpet ukulele cello drone skateboard surfboard telescope store shop business bakery restaurant
    cafe studio blog podcast channel
    """.split()
)
_BODIES = frozenset("group club team band choir league squad orchestra".split())
_NO_PETS = frozenset("pet pets chicken chickens fish pig pigs bird birds".split())
#: Beside these, it is not what it is called, not any more, not yet, or not said which.
_NOT_HELD = frozenset(
    """
    ex late former future imaginary ideal perfect potential old own dream next last first
    previous childhood stuffed toy
    favorite favourite fave fav other friend friends whole entire new local support pet little
    """.split()
)
#: Of these, it is still what it is called, and theirs.
_KEEPING = frozenset({"new", "little"})
_GONE = frozenset(
    "died passed lost sold used grew was were kid child younger had if wish stolen stole"
    " gone burned burnt wrecked totaled totalled dead closed bankrupt".split()
)
#: In a sentence with these, goods may be ones to come.
_PLANNED = frozenset(
    """
    want wants wanted open opening opens start starting plan plans planning hope hoping someday soon
    spot place hunt hunting search searching
    will 'll would could going gonna launch launching get getting need looking thinking find finding
    """.split()
)
_LOVES = frozenset("love passion fondness".split())
_HOMES = frozenset({"hometown", "homeland"})


def belongings_in(sentence: Sentence) -> Iterator[Stated]:
    """Yield the pets, groups and goods that a sentence calls the speaker's."""
    words = {token.lower for token in sentence.tokens}
    for phrase in sentence.phrases:
        if phrase.possessor != "my":
            continue
        yield from _origin(sentence, phrase)
        if phrase.head_token.lower in _LOVES:
            yield from _loved(sentence, phrase)
        elif _GONE.isdisjoint(words):
            yield from _held(phrase, planned=not _PLANNED.isdisjoint(words))


def _held(phrase: NounPhrase, *, planned: bool) -> Iterator[Stated]:
    named = phrase.tokens[1:]
    kind, before = phrase.head_token.lower, {token.lower for token in named[:-1]}
    if phrase.core_last < phrase.last or named[-1:] != [phrase.head_token]:
        return
    if any(token.tag == "POS" for token in named):
        return
    if kind in ANIMALS - _NO_PETS and before.isdisjoint(_NOT_HELD - _KEEPING - {"old", "other"}):
        yield "pet", kind, False
    elif kind in _GOODS and not planned and before.isdisjoint(_NOT_HELD - _KEEPING):
        yield "owns", with_article(join([t for t in named if t.lower not in _KEEPING])), False
    elif (
        kind in _BODIES
        and named[:-1]
        and before.isdisjoint(_NOT_HELD)
        and all(token.is_noun or token.tag == "VBG" for token in named)
    ):
        yield "member_of", with_article(join(named)), False


def _loved(sentence: Sentence, phrase: NounPhrase) -> Iterator[Stated]:
    """Yield what somebody has a love for: "my love of reading"."""
    tokens, place = sentence.tokens, phrase.core_last
    if place < len(tokens) and tokens[place].lower in {"of", "for"}:
        for item in read_items(sentence, place + 1):
            first = item.text.split()[0].lower()
            if not item.is_complete or is_vague(item) or first in {"the", "their"}:
                return
            yield "likes", item.text, False


def _origin(sentence: Sentence, phrase: NounPhrase) -> Iterator[Stated]:
    """Yield where somebody comes from: "my home country, Sweden", "my hometown of Bergen"."""
    tokens, place = sentence.tokens, phrase.core_last
    words = [token.lower for token in phrase.tokens[1:]]
    home = words[:1] == ["home"] and words[1:2] in (["country"], ["town"], ["city"], ["state"])
    linked = place < len(tokens) and tokens[place].lower in {",", "of"}
    if linked and (home or words[:1] in [[word] for word in _HOMES]):
        name, _ = name_at(tokens, place + 1)
        if name and tokens[place + 1].tag == "NNP":
            yield "origin", name, False
