"""People: who a space knows, and how their names are recognised in a text.

A gazetteer, not a tagger: people are those who spoke. They are recognised by their names and by
those parts of their names that no other person has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from .ids import fold
from .json_values import Instant
from .results.results import Line, Listed
from .vocabulary import Relationship

#: What stands before a name and is none, in lower case and without its full stop.
FORMS_OF_ADDRESS = frozenset(
    "dr mr mrs ms miss mx prof professor doctor sir madam herr frau".split()
)
#: How alike two names must be to be taken for one another, 0 to 1.
_NEAR = 0.6
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
#: Parts of names shorter than this, and titles, name nobody.
_ALIAS_CHARS_MIN = 3
_NO_ALIASES = FORMS_OF_ADDRESS | {"the", "and"}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody the agent knows."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class PersonRelation:
    """One person the agent has met: who, what they are to it, since when and how often.

    `user_id` is the person's id. Without an override the default threshold counts.
    """

    user_id: str
    display_name: str
    relationship_type: Relationship
    first_seen: Instant
    last_seen: Instant
    interaction_count: int
    capture_threshold_override: float | None = None


def near_names(name: str, others: Iterable[str]) -> tuple[str, ...]:
    """Return the names that are much like a name, the nearest first, at most three."""
    spelled = {spelling: other for other in others for spelling in (fold(other), *_words(other))}
    near = get_close_matches(fold(name), spelled, n=6, cutoff=_NEAR)
    return tuple(dict.fromkeys(spelled[spelling] for spelling in near))[:3]


class Gazetteer(Listed[Person]):
    """The people of a space: a sequence, and what finds them in texts. Immutable once built."""

    def __init__(self, people: Iterable[Person]) -> None:
        self.people: Sequence[Person] = tuple(people)
        self.aliases = _aliases(self.people)
        self._by_first: dict[str, list[tuple[tuple[str, ...], Person]]] = {}
        for alias, person in self.aliases.items():
            words = tuple(_words(alias))
            if words:
                self._by_first.setdefault(words[0], []).append((words, person))
        #: Every single word of every name, case-folded.
        self.words = frozenset(word for alias in self.aliases for word in _words(alias))

    @property
    def _items(self) -> Sequence[Person]:
        return self.people

    def _line(self, item: Person) -> Line:
        others = [a for a, p in self.aliases.items() if p == item and a != fold(item.name)]
        return Line(item.name, "", ", ".join(sorted(others)))

    def _heading(self) -> str:
        return f"{len(self.people):,} {'person' if len(self.people) == 1 else 'people'}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {"people": [{"id": each.id, "name": each.name} for each in self.people]}

    def named_in(self, text: str) -> list[Person]:
        """Return the people whom `text` names, in order of first mention."""
        words = _words(text)
        named: dict[str, Person] = {}
        for index, word in enumerate(words):
            for alias, person in self._by_first.get(word, ()):
                if tuple(words[index : index + len(alias)]) == alias:
                    named.setdefault(person.id, person)
        return list(named.values())

    def touching(self, text: str) -> list[Person]:
        """Return the people any word of whose name stands in `text`.

        A gazetteer of these alone finds in it what this one finds.
        """
        words = set(_words(text))
        return [person for person in self.people if not words.isdisjoint(_words(person.name))]

    def find(self, name: str) -> Person | None:
        """Return the person with this name or alias."""
        return self.aliases.get(fold(name))


def _words(text: str) -> list[str]:
    words = [match.group() for match in _WORD.finditer(fold(text))]
    return [word.removesuffix("'s") for word in words]


def _aliases(people: Sequence[Person]) -> dict[str, Person]:
    whole = {fold(person.name): person for person in people}
    parts = Counter(word for person in people for word in {*_words(person.name)})
    aliases = {
        word: person
        for person in people
        for word in _words(person.name)
        if parts[word] == 1 and len(word) >= _ALIAS_CHARS_MIN and word not in _NO_ALIASES
    }
    return aliases | whole
