"""What is known of somebody, in lines that cite: the facts that hold, each of them once.

"Owns a store" says nothing beside "owns an online store", and "likes fashion trends" nothing beside
"likes fashion": the fact that covers another is told, and cites the memories of both.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...core.facts import Fact
from ...core.ids import fold
from ...core.people import YOU
from ...core.text import quote
from ...core.types import MemoryRecord
from .layout import PackItem, PackLine
from .snapshot import PackSnapshot

#: Subjects, and facts of each, at most; memories that one fact cites.
_LINES, _FACTS_MAX, _CITED_MAX = 5, 40, 4
#: Longest quotation of what a model read a fact from, characters.
_QUOTE = 140
#: Of what somebody likes the general covers the special.
_TASTES = frozenset({"likes", "hobby", "dislikes", "avoids", "fears"})
#: A hobby is liked.
_SAME_AS = {"hobby": "likes"}
#: Events: of one kind there may be many, but of "their job" there is one.
_EVENTS = frozenset({"did", "made"})
_DEFINITE = re.compile(r"\b(?:their|the)\b", re.IGNORECASE)

Terms = Callable[[str], Sequence[str]]


def fact_lines(snapshot: PackSnapshot, person: str | None, terms_of: Terms) -> list[PackLine]:
    """Return the facts that hold, a line a subject, the asked person's first.

    Of a person who is asked for, also what they said of others, and nothing that others did.
    """
    rests = {
        experience.memory.id: experience.memory
        for experience in snapshot.experiences
        if person is None or experience.memory.person == person
    }
    held: dict[str, list[Fact]] = defaultdict(list)
    for fact in snapshot.facts:
        if fact.experience in rests:
            held[fact.subject].append(fact)
    order = sorted(held, key=lambda name: (fold(name) != fold(person or ""), -len(held[name])))
    return [
        _line(name, _items(held[name][-_FACTS_MAX:], rests, terms_of)) for name in order[:_LINES]
    ]


def _line(name: str, items: Sequence[PackItem]) -> PackLine:
    if name != YOU:
        return PackLine(tuple(items), name)
    first, *others = items
    return PackLine((replace(first, text=f"{YOU.capitalize()} {first.text}"), *others))


def _items(
    facts: Sequence[Fact], rests: Mapping[str, MemoryRecord], terms_of: Terms
) -> list[PackItem]:
    words = {fact.id: _words(fact, terms_of) for fact in facts}
    left = [
        fact
        for place, fact in enumerate(facts)
        if not any(
            _covers(other, fact, words, rests)
            and not (words[fact.id] == words[other.id] and other_place > place)
            for other_place, other in enumerate(facts)
            if other_place != place
        )
    ]
    by_text: dict[str, dict[str, MemoryRecord]] = {}
    for fact in left:
        covered = [other for other in facts if _covers(fact, other, words, rests)]
        cited = by_text.setdefault(_bare(fact), {})
        cited |= {each.experience: rests[each.experience] for each in (fact, *covered)}
    return [PackItem(text, tuple(cited.values())[:_CITED_MAX]) for text, cited in by_text.items()]


def _covers(
    fact: Fact,
    other: Fact,
    words: Mapping[str, frozenset[str]],
    rests: Mapping[str, MemoryRecord],
) -> bool:
    """Say whether a fact leaves nothing to be said by another."""
    if _kind(fact) != _kind(other) or fact.evidence or other.evidence or not words[other.id]:
        return False
    if fact.predicate in _TASTES:
        return bool(words[fact.id]) and words[fact.id] <= words[other.id]
    if not words[other.id] <= words[fact.id]:
        return False
    sessions = {rests[fact.experience].session, rests[other.experience].session}
    return (
        other.predicate not in _EVENTS
        or len(sessions) == 1
        or _DEFINITE.search(other.object) is not None
    )


def _kind(fact: Fact) -> str:
    return _SAME_AS.get(fact.predicate, fact.predicate)


def _words(fact: Fact, terms_of: Terms) -> frozenset[str]:
    return frozenset(terms_of(fact.object if fact.predicate in _TASTES else _bare(fact)))


def _bare(fact: Fact) -> str:
    """Return what a fact says without its subject, which the line opens with.

    One that a model read stands with the words that it was read from.
    """
    opens = fact.text.lower().startswith(fact.subject.lower())
    text = fact.text[len(fact.subject) * opens :].lstrip(" ,:").rstrip(".") or fact.text
    return f"{text} ({quote(fact.evidence, _QUOTE)})" if fact.evidence else text
