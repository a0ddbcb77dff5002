"""The people of a space: whom the agent met, their names, and who is whose other name.

Written in the transaction that appends an entry, and a function of the journal alone. Rows of
memories keep the person as given; whoever reads them looks here. What nobody said by name was said
by the owner. A name that the owner has is the owner's where nobody had spoken under it before: that
depends on the order of what was said, not on when it was read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.entries import EntryPayload, ExperienceCaptured, RelationshipChanged
from ..core.events import EventKind, recorded_event, speaker_id
from ..core.ids import fold, owner_id, person_id
from ..core.people import (
    YOU,
    Directory,
    Identity,
    NameRefused,
    NameState,
    PeopleMerged,
    PeopleUnmerged,
    PersonName,
    PersonNamed,
    PersonRelation,
)
from ..core.time import from_text
from ..core.types import Entry, Payload, Space
from ..core.vocabulary import EntryKind, NameSource, Relationship
from .space_scope import OfSpace, SpaceScope


@dataclass(frozen=True, slots=True)
class Identities:
    """Reads who is who in one space."""

    name: Space
    space: SpaceScope

    def directory(self) -> Directory:
        """Return everybody who spoke, with all their names."""
        return Directory(
            owner_id(self.name),
            dict(self.space.rows("people/spoken")),
            identities_of(self.space.rows("people/identities")),
            names_in(self.space.rows("people/names")),
            self.name,
        )

    def merges(self) -> dict[str, str]:
        """Return who was taken for whom; somebody of their own again, for themselves."""
        return dict(self.space.rows("people/merges"))

    def members(self, name: str) -> list[str]:
        """Return the ids of all who are one with the person called `name`."""
        return list(self.directory().members(name))


def identities_of(rows: Iterable[tuple[str, str, str]]) -> dict[str, Identity]:
    """Return who is somebody else, or is shown by another name, of rows of the list."""
    return {person: Identity(canonical, shown) for person, canonical, shown in rows}


def names_in(rows: Iterable[tuple[str, str, str, str, str, int]]) -> list[PersonName]:
    """Return names of people of rows of the list."""
    return [
        PersonName(person, name, NameSource(how), NameState(state), since)
        for person, _, name, how, state, since in rows
    ]


#: The entries that say who is who.
KINDS = (
    EntryKind.PERSON_NAMED,
    EntryKind.NAME_REFUSED,
    EntryKind.PEOPLE_MERGED,
    EntryKind.PEOPLE_UNMERGED,
)
#: The owner where somebody else is called "you".
_THE_OWNER = "you (the owner)"


def project_identities(space: SpaceScope, entry: Entry) -> None:
    """Take up what an entry says of who is who."""
    if _record(space, entry.payload, entry.seq):
        _refresh(space, entry.space, entry.seq)


def met(space: SpaceScope, entry: Entry, name: str) -> None:
    """Take up that somebody spoke for the first time who may have a name that is known."""
    if space.row("people/bearers", fold(name)) or fold(name) == fold(YOU):
        _refresh(space, entry.space, entry.seq, unnamed=True)


def rebuild_identities(space: SpaceScope, name: Space, entries: Iterable[Entry], seq: int) -> None:
    """Work out who is who from all entries of `KINDS`, in order, once the people are listed.

    Who is somebody else now is so since the entry of sequence `seq`.
    """
    space.run("people/clear_names")
    space.run("people/clear_merges")
    for entry in entries:
        _record(space, entry.payload, entry.seq)
    _refresh(space, name, seq, unnamed=True)


def clear(space: SpaceScope) -> None:
    """Drop the people of a space, and who is who, before a rebuild."""
    space.run("relationships/clear")
    for name in ("clear_names", "clear_merges", "clear_identities", "clear_changes"):
        space.run(f"people/{name}")


def _record(space: SpaceScope, payload: EntryPayload | None, seq: int) -> bool:
    match payload:
        case PersonNamed(person=person, name=name, how=how, experience=experience):
            since = seq
            if experience is not None:
                row = space.row("people/learned_at", experience)
                since = row[0] if row else seq
            state = NameState.CONFIRMED if how is NameSource.USER else NameState.LEARNED
            _name(space, PersonName(person, name, how, state, since))
        case NameRefused(person=person, name=name):
            refused = PersonName(person, name, NameSource.USER, NameState.REFUSED, seq)
            _name(space, refused)
        case PeopleMerged(person=person, into=into):
            merges: dict[str, str] = dict(space.rows("people/merges"))
            if _end_of(into, merges) != person:  # else round in a circle
                _merge(space, person, into)
        case PeopleUnmerged(person=person):
            _merge(space, person, person)
        case _:
            return False
    return True


def _name(space: SpaceScope, name: PersonName) -> None:
    space.run(
        "people/name",
        person=name.person,
        folded=fold(name.name),
        name=name.name,
        how=name.how.value,
        state=name.state.value,
        since=name.since,
    )


def _merge(space: SpaceScope, person: str, into: str) -> None:
    space.run("people/merge", person=person, into=into)


def _refresh(space: SpaceScope, name: Space, seq: int, *, unnamed: bool = False) -> None:
    """Work out again who is who, after the entry of a sequence.

    `unnamed` says that the entry is about nobody's name: who is shown otherwise is another too.
    """
    before = identities_of(space.rows("people/identities"))
    spoken: dict[str, str] = dict(space.rows("people/spoken"))
    names = names_in(space.rows("people/names"))
    merges: dict[str, str] = dict(space.rows("people/merges"))

    def first_words(person: str) -> int:
        return int(space.only_row("people/first", person)[0] or 0)

    owner = owner_id(name)
    for names_of in names:
        own = person_id(name, names_of.name)
        is_owners = names_of.person == owner and names_of.state is not NameState.REFUSED
        if not is_owners or own not in spoken or own in merges:
            continue
        # A name that a user sets is nobody else's at that time: whoever bears it is the owner.
        if names_of.how is NameSource.USER or first_words(own) > names_of.since:
            merges[own] = owner
    after = identify(owner, spoken, names, merges)
    space.run("people/clear_identities")
    for person, identity in after.items():
        shown = identity.shown
        space.run("people/identify", person, identity.canonical, shown, fold(shown))
    moved = [
        person
        for person in before.keys() | after.keys()
        if person in spoken
        and (
            _canonical(before, person) != _canonical(after, person)
            or (unnamed and before.get(person) != after.get(person))
        )
    ]
    if moved:
        space.run("people/changed", since=seq, first=min(map(first_words, moved)))


def identify(
    owner: str,
    spoken: Mapping[str, str],
    names: Sequence[PersonName],
    merges: Mapping[str, str],
) -> dict[str, Identity]:
    """Return who is somebody else, or shown by another name than was given, by person.

    `spoken` has the name that was first given of everybody who spoke, `names` all names in the
    order in which they became known, `merges` who is whose other name.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for person in spoken:
        groups[_end_of(person, merges)].append(person)
    given = {fold(name): _end_of(p, merges) for p, name in spoken.items() if p != owner}
    names_of: dict[str, list[PersonName]] = defaultdict(list)
    for name in names:
        if name.state is not NameState.REFUSED:
            names_of[_end_of(name.person, merges)].append(name)
    identities: dict[str, Identity] = {}
    for canonical, members in groups.items():
        free = [n for n in names_of[canonical] if given.get(fold(n.name), canonical) == canonical]
        shown = _shown(canonical, owner, spoken, members, free)
        if canonical == owner and shown == YOU and fold(YOU) in given:
            shown = _THE_OWNER
        for member in members:
            if member != canonical or shown != spoken[member]:
                identities[member] = Identity(canonical, shown)
        if canonical not in members and members:
            identities[canonical] = Identity(canonical, shown)
    return identities


def _shown(
    canonical: str,
    owner: str,
    spoken: Mapping[str, str],
    members: Sequence[str],
    names: Sequence[PersonName],
) -> str:
    """Return how somebody is shown: as a user says, as the caller gave, or by the surest name."""
    order = list(NameSource)
    best = max(names, key=lambda name: (order.index(name.how), name.since), default=None)
    if best is not None and best.how is NameSource.USER:
        return best.name
    if canonical != owner and canonical in spoken:
        return spoken[canonical]
    if best is not None:
        return best.name
    others = sorted(spoken[member] for member in members if member != owner)
    return others[0] if others else YOU


def _end_of(person: str, merges: Mapping[str, str]) -> str:
    visited = {person}
    while (into := merges.get(person, person)) not in visited:
        visited.add(into)
        person = into
    return person


def _canonical(identities: Mapping[str, Identity], person: str) -> str:
    return identities[person].canonical if person in identities else person


#: Kinds of events that are about a person and not of them: who only hears is not listed.
NOT_OWN_WORDS = frozenset({EventKind.ASSISTANT_MESSAGE, EventKind.TOOL_RESULT})


def project_people(space: SpaceScope, entry: Entry) -> None:
    """Take up who spoke, and take over what somebody has become to the agent."""
    match entry.payload:
        case ExperienceCaptured() as captured:
            _meet(space, entry, recorded_event(captured))
        case RelationshipChanged(person=person, type=type, threshold=threshold):
            values = {"person": person, "type": type.value, "threshold": threshold}
            space.run("relationships/change", **values)


def _meet(space: SpaceScope, entry: Entry, event: Payload) -> None:
    person = speaker_id(event, entry.space)
    if not person or event["kind"] in NOT_OWN_WORDS:
        return
    name = event.get("person") or YOU
    if space.run("relationships/add", person, name):
        met(space, entry, name)


class PersonList(OfSpace):
    """The people of one space."""

    def find(self, person: str) -> PersonRelation | None:
        """Return what is known of one person the agent has met."""
        row = self._space.row("relationships/find", person=person)
        return None if row is None else _relation(row)

    def type_and_threshold(self, person: str) -> tuple[Relationship, float | None] | None:
        """Return what one person is to the agent and their own threshold; None for a stranger.

        What every capture asks, where `find` also counts all that the person ever said.
        """
        row = self._space.row("relationships/type_and_threshold", person=person)
        return None if row is None else (Relationship(row[0]), row[1])

    def counted_user(
        self, person: str, interactions: int, sessions: int
    ) -> tuple[str, float | None, int, int] | None:
        """Return who a user is, their own threshold, and how often they spoke in how many sessions.

        Counts to `interactions` and `sessions` at most; None for whoever is something else.
        """
        counts = {"interactions": interactions, "sessions": sessions}
        row = self._space.row("relationships/counted_user", person=person, **counts)
        return None if row is None else (row[0], row[1], row[2], row[3])

    def last_speaker(self, session: str, before: int, other_than: str | None) -> str | None:
        """Return who spoke last in a session before a sequence, besides one person."""
        values = {"session": session, "before": before, "other": other_than}
        row = self._space.row("people/last_speaker", **values)
        return None if row is None else str(row[0])

    def list_all(self) -> list[PersonRelation]:
        """Return everybody the agent has met, most interactions first."""
        rows = self._space.rows("relationships/all")
        return [_relation(row) for row in rows]


def _relation(row: Sequence[Any]) -> PersonRelation:
    person, name, type, first, last, interactions, threshold = row
    since, until, kind = from_text(first), from_text(last), Relationship(type)
    return PersonRelation(person, name, kind, since, until, interactions, threshold)
