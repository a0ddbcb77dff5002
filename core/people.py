"""People: who a space knows, and how their names are recognised in a text.

A gazetteer, not a tagger: people are those who spoke. They are recognised by their names and by
those parts of their names that no other person has.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, get_close_matches
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from .entities.common_words import FORMS_OF_ADDRESS, is_common_word_name, is_name_at, words_in
from .errors import InvalidInput
from .ids import fold, person_id
from .json_values import Instant
from .results import Line, Listed
from .vocabulary import EntryKind, NameSource, Relationship

#: How the owner of a space is shown until a name is known, and what else means them.
YOU = "you"
SELF_WORDS = frozenset({YOU, "i", "me", "myself", "owner", "the owner", "user", "the user"})
#: How alike two names must be to be taken for one another, 0 to 1.
_NEAR = 0.6
#: How alike two words must be to be spellings of one name, 0 to 1.
_VARIANT = 0.75
#: Names listed in a message, at most.
_NAMES_SHOWN = 5
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
class PersonNamed:
    """A person has this name, too; `how` says from what, `experience` from which memory."""

    kind: ClassVar[EntryKind] = EntryKind.PERSON_NAMED
    person: str
    name: str
    how: NameSource
    experience: str | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class NameRefused:
    """A person does not have this name, whatever was learned."""

    kind: ClassVar[EntryKind] = EntryKind.NAME_REFUSED
    person: str
    name: str
    by: str | None = None


@dataclass(frozen=True, slots=True)
class PeopleMerged:
    """One person is another from now on: what both said was said by one."""

    kind: ClassVar[EntryKind] = EntryKind.PEOPLE_MERGED
    person: str
    into: str
    by: str | None = None


@dataclass(frozen=True, slots=True)
class PeopleUnmerged:
    """A person is somebody of their own again."""

    kind: ClassVar[EntryKind] = EntryKind.PEOPLE_UNMERGED
    person: str
    by: str | None = None


class NameState(StrEnum):
    """What is held of a name of a person; one that somebody else bears is only proposed."""

    GIVEN = "given"
    LEARNED = "learned"
    CONFIRMED = "confirmed"
    PROPOSED = "proposed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class PersonName:
    """A name of a person: how it became known, and after which sequence of the journal."""

    person: str
    name: str
    how: NameSource
    state: NameState
    since: int = 0


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a person is, by id, and how that one is shown."""

    canonical: str
    shown: str


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


def name_words(text: str) -> list[str]:
    """Return the words of a text as names are compared, folded and without a possessive."""
    words = [match.group() for match in _WORD.finditer(fold(text))]
    return [word.removesuffix("'s") for word in words]


def _plain(name: str) -> str:
    """Return a name folded, without accents and signs: "Zoë 🌻" is "zoe"."""
    letters = unicodedata.normalize("NFKD", fold(name))
    return " ".join("".join(a for a in letters if a.isalnum() or a in " '").split())


def near_names(name: str, others: Iterable[str]) -> tuple[str, ...]:
    """Return the names that are much like a name, the nearest first, at most three."""
    spelled = {
        spelling: other for other in others for spelling in (fold(other), *name_words(other))
    }
    near = get_close_matches(fold(name), spelled, n=6, cutoff=_NEAR)
    return tuple(dict.fromkeys(spelled[spelling] for spelling in near))[:3]


def is_variant(name: str, given: str) -> bool:
    """Say whether a name is another form of one that was given: shorter, or spelled otherwise."""
    return any(
        long.startswith(short) or SequenceMatcher(None, short, long).ratio() >= _VARIANT
        for word in name_words(name)
        for own in name_words(given)
        for short, long in [sorted((word, own), key=len)]
        if len(short) >= _ALIAS_CHARS_MIN - 1
    )


class Gazetteer(Listed[Person]):
    """The people of a space: a sequence, and what finds them in texts. Immutable once built.

    `others` are further names of the people; `owner` is who speaks without a name, and is found
    by words such as "me", but in no text.
    """

    def __init__(
        self,
        people: Iterable[Person],
        others: Sequence[Person] = (),
        owner: Person | None = None,
    ) -> None:
        self.people: Sequence[Person] = tuple(people)
        self.owner = owner
        self.aliases = _aliases(self.people, others)
        self._by_first: dict[str, list[tuple[tuple[str, ...], Person]]] = {}
        for alias, person in (*self.aliases.items(), *self._unaccented.items()):
            words = tuple(name_words(alias))
            if words:
                self._by_first.setdefault(words[0], []).append((words, person))
        #: Every single word of every name that is no other word, case-folded.
        self.words = frozenset(
            word
            for alias in self.aliases
            for word in name_words(alias)
            if not is_common_word_name(word)
        )
        #: Return where a text names people, from start to before end, in order.
        self.mentions = lru_cache(maxsize=16)(self._mentions)

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
        named: dict[str, Person] = {}
        for *_, person in self.mentions(text):
            named.setdefault(person.id, person)
        return list(named.values())

    def _mentions(self, text: str) -> list[tuple[int, int, Person]]:
        words = words_in(text)
        matches = []
        for index, word in enumerate(words):
            for alias, person in self._by_first.get(word.folded, ()):
                last = index + len(alias)
                if tuple(each.folded for each in words[index:last]) == alias and (
                    len(alias) > 1 or is_name_at(words, index, text)
                ):
                    matches.append((word.start, words[last - 1].end, person))
        return matches

    def touching(self, text: str) -> list[Person]:
        """Return the people any word of whose name stands in `text`.

        A gazetteer of these alone finds in it what this one finds.
        """
        words = set(name_words(text))
        touched = {p.id for p, own in self._words_of.items() if not words.isdisjoint(own)}
        return [person for person in self._words_of if person.id in touched]

    def find(self, name: str) -> Person | None:
        """Return the person with this name or alias; the owner for "you" and "me".

        Accents and pictures may be left out where that is nobody else's name.
        """
        matches = self.aliases.get(fold(name))
        if matches is None and fold(name) in SELF_WORDS:
            return self.owner
        return matches or self._unaccented.get(_plain(name))

    @cached_property
    def _words_of(self) -> dict[Person, list[str]]:
        """The words of every name; of one person's names the shown one comes last, and is told."""
        others = [
            Person(person.id, alias)
            for alias, person in self.aliases.items()
            if not set(name_words(alias)) <= set(name_words(person.name))
        ]
        return {
            person: [*name_words(person.name), *name_words(_plain(person.name))]
            for person in (*others, *self.people)
        }

    @cached_property
    def _unaccented(self) -> dict[str, Person]:
        """Who has a name without its accents and pictures, where only one does."""
        bearers: dict[str, dict[str, Person]] = defaultdict(dict)
        for alias, person in self.aliases.items():
            bearers[_plain(alias)][person.id] = person
        return {
            plain: next(iter(people.values()))
            for plain, people in bearers.items()
            if len(people) == 1 and plain and plain not in self.aliases
        }

    def who_returns(self) -> str:
        """Return who comes back where nobody says who: the owner, or the only one who spoke."""
        if self.owner is not None:
            return self.owner.name
        names = sorted(person.name for person in self.people)
        if len(names) > 1:
            raise InvalidInput(
                "every speaker of this space has a name: give the one to resume "
                f"({', '.join(names[:_NAMES_SHOWN])}{', …' * (len(names) > _NAMES_SHOWN)})"
            )
        return names[0] if names else YOU


@dataclass(frozen=True)
class Directory:
    """Who is who in a space: everybody who spoke, with all their names.

    `spoken` has the name that was first given of each person, by id; `identities` those who are
    somebody else, or are shown by another name; `names` all that were learned, set or refused.
    """

    owner: str
    spoken: Mapping[str, str]
    identities: Mapping[str, Identity]
    names: Sequence[PersonName]
    space: str

    def canonical(self, person: str) -> str:
        """Return the id of who a person is."""
        return self.identities[person].canonical if person in self.identities else person

    def shown(self, person: str, given: str = YOU) -> str:
        """Return how a person is shown; by the name that was `given` where nothing else says."""
        if person in self.identities:
            return self.identities[person].shown
        return self.spoken.get(person, given)

    def who(self, person: Person) -> Person:
        """Return who a person is, by the name that is shown."""
        return Person(self.canonical(person.id), self.shown(person.id, person.name))

    @cached_property
    def speakers(self) -> Gazetteer:
        """Everybody who spoke, to be found by all their names."""
        return self.gazetteer()

    def gazetteer(self, met: Iterable[Person] = ()) -> Gazetteer:
        """Return everybody who spoke, and who else was `met`, to be found by all their names."""
        given = {id: name for id, name in self.spoken.items() if id != self.owner}
        given |= {person.id: person.name for person in met if person.id != self.owner}
        people = {self.canonical(id): self.who(Person(id, name)) for id, name in given.items()}
        owner = self.who(Person(self.owner, YOU)) if self.owner in self.spoken else None
        if owner is not None and owner.name != self.spoken[self.owner]:
            people[owner.id] = owner
        by_id = people if owner is None else people | {owner.id: owner}
        others = [replace(self.who(Person(id, name)), name=name) for id, name in given.items()]
        others += [
            Person(alias.person, alias.name)
            for alias in self.aliases
            if alias.state in {NameState.LEARNED, NameState.CONFIRMED} and alias.person in by_id
        ]
        return Gazetteer(people.values(), others, owner)

    @cached_property
    def aliases(self) -> Sequence[PersonName]:
        """Return the names of people besides the shown one, by who they are now.

        A name by which somebody else speaks is proposed: the two may be one.
        """
        given: dict[str, str] = {}
        for id, name in self.spoken.items():
            if id != self.owner:
                given.setdefault(fold(name), self.canonical(id))
        matches: dict[tuple[str, str], PersonName] = {}
        for id, name in self.spoken.items():
            who = self.canonical(id)
            if id != self.owner and fold(name) != fold(self.shown(id)):
                names_of = PersonName(who, name, NameSource.CALLER, NameState.GIVEN)
                matches[who, fold(name)] = names_of
        for alias in self.names:
            who, folded = self.canonical(alias.person), fold(alias.name)
            if folded == fold(self.shown(who)) and alias.state is NameState.LEARNED:
                continue
            other = given.get(folded, who) != who
            state = (
                NameState.PROPOSED if other and alias.state is NameState.LEARNED else alias.state
            )
            if (who, folded) not in matches or alias.state is not NameState.LEARNED:
                matches[who, folded] = replace(alias, person=who, state=state)
        return list(matches.values())

    def other_names(self, person: str) -> list[str]:
        """Return the other names of somebody that are not refused and nobody else's, sorted."""
        return list(self._other_names.get(person, ()))

    @cached_property
    def _other_names(self) -> dict[str, list[str]]:
        names_of: dict[str, set[str]] = defaultdict(set)
        for alias in self.aliases:
            if alias.state in {NameState.GIVEN, NameState.LEARNED, NameState.CONFIRMED}:
                names_of[alias.person].add(alias.name)
        return {person: sorted(names - {self.shown(person)}) for person, names in names_of.items()}

    def members(self, name: str) -> list[str]:
        """Return the ids under which the person called `name` ever spoke."""
        person = self.speakers.find(name)
        who = self.canonical(person_id(self.space, name)) if person is None else person.id
        return self.members_of(who)

    def members_of(self, person: str) -> list[str]:
        """Return the ids of everybody who is a person, that one's own first."""
        others = (i for i in self.identities if i != person and self.canonical(i) == person)
        return [person, *others]

    def bearer(self, name: str) -> Person | None:
        """Return who spoke under a name, or is shown by it: nobody who is only heard to have it."""
        own = person_id(self.space, name)
        if own in self.spoken:
            return self.who(Person(own, self.spoken[own]))
        people = (self.who(Person(id, given)) for id, given in self.spoken.items())
        return next((alias for alias in people if fold(alias.name) == fold(name)), None)


def _aliases(people: Sequence[Person], others: Sequence[Person]) -> dict[str, Person]:
    """Return who has a name: whole, or a part that no other person has in theirs."""
    shown = {person.id: person for person in people}
    bearers: dict[str, set[str]] = defaultdict(set)
    whole: dict[str, Person] = {}
    for person in (*others, *people):
        for word in name_words(person.name):
            bearers[word].add(person.id)
    called: dict[str, set[str]] = defaultdict(set)
    for person in others:
        called[fold(person.name)].add(person.id)
    for person in others:
        if len(called[fold(person.name)]) == 1:
            whole[fold(person.name)] = shown.get(person.id, person)
    whole |= {fold(person.name): person for person in people}
    aliases = {
        word: shown.get(person.id, person)
        for person in (*others, *people)
        for word in name_words(person.name)
        if len(bearers[word]) == 1 and len(word) >= _ALIAS_CHARS_MIN and word not in _NO_ALIASES
    }
    return aliases | whole


#: Where nobody is known.
NOBODY = Directory("", {}, {}, (), "")
