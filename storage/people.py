"""The people of a space: whom the agent met, their names, and who is whose other name.

Written in the transaction that appends an entry, and a function of the journal alone. Rows of
memories keep the person as given; whoever reads them looks here. What nobody said by name was said
by the owner. A name that the owner has is the owner's where nobody had spoken under it before: that
depends on the order of what was said, not on when it was read.
"""

from __future__ import annotations

import json
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
from .database import Connection
from .space_scope import SpaceScope
from .statement_loader import sql


@dataclass(frozen=True, slots=True)
class Identities:
    """Reads who is who in one space."""

    name: Space
    space: SpaceScope

    def directory(self) -> Directory:
        """Return everybody who spoke, with all their names."""
        number = self.space.number
        return Directory(
            owner_id(self.name),
            dict(self.space.rows("people/spoken", (number,))),
            identities_of(self.space.rows("people/identities", (number,))),
            names_in(self.space.rows("people/names", (number,))),
            self.name,
        )

    def merges(self) -> dict[str, str]:
        """Return who was taken for whom; somebody of their own again, for themselves."""
        return dict(self.space.rows("people/merges", (self.space.number,)))

    def members(self, name: str) -> str:
        """Return the people who are the one called `name`, as JSON for a statement's filter."""
        return json.dumps(self.directory().members(name))


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


def project_identities(connection: Connection, space: int, entry: Entry) -> None:
    """Take up what an entry says of who is who."""
    if _record(connection, space, entry.payload, entry.seq):
        _refresh(connection, space, entry.space, entry.seq)


def met(connection: Connection, space: int, entry: Entry, name: str) -> None:
    """Take up that somebody spoke for the first time who may have a name that is known."""
    names_of = connection.execute(sql("people/bearers"), (space, fold(name))).fetchone()
    if names_of or fold(name) == fold(YOU):
        _refresh(connection, space, entry.space, entry.seq, unnamed=True)


def rebuild_identities(
    connection: Connection, space: int, name: Space, entries: Iterable[Entry], seq: int
) -> None:
    """Work out who is who from all entries of `KINDS`, in order, once the people are listed.

    Who is somebody else now is so since the entry of sequence `seq`.
    """
    for statement in ("people/clear_names", "people/clear_merges"):
        connection.execute(sql(statement), (space,))
    for entry in entries:
        _record(connection, space, entry.payload, entry.seq)
    _refresh(connection, space, name, seq, unnamed=True)


def clear_identities(connection: Connection, space: int) -> None:
    """Drop who is who in a space before a rebuild."""
    for statement in (
        *("people/clear_names", "people/clear_merges"),
        *("people/clear_identities", "people/clear_changes"),
    ):
        connection.execute(sql(statement), (space,))


def _record(connection: Connection, space: int, payload: EntryPayload | None, seq: int) -> bool:
    match payload:
        case PersonNamed(person=person, name=name, how=how, experience=experience):
            since = seq
            if experience is not None:
                row = connection.execute(sql("people/learned_at"), (space, experience)).fetchone()
                since = row[0] if row else seq
            state = NameState.CONFIRMED if how is NameSource.USER else NameState.LEARNED
            _name(connection, space, PersonName(person, name, how, state, since))
        case NameRefused(person=person, name=name):
            refused = PersonName(person, name, NameSource.USER, NameState.REFUSED, seq)
            _name(connection, space, refused)
        case PeopleMerged(person=person, into=into):
            merges = dict(connection.execute(sql("people/merges"), (space,)).fetchall())
            if _end_of(into, merges) != person:  # else round in a circle
                _merge(connection, space, person, into)
        case PeopleUnmerged(person=person):
            _merge(connection, space, person, person)
        case _:
            return False
    return True


def _name(connection: Connection, space: int, name: PersonName) -> None:
    row = {"space": space, "person": name.person, "folded": fold(name.name), "name": name.name}
    row |= {"how": name.how.value, "state": name.state.value, "since": name.since}
    connection.execute(sql("people/name"), row)


def _merge(connection: Connection, space: int, person: str, into: str) -> None:
    row = {"space": space, "person": person, "into": into}
    connection.execute(sql("people/merge"), row)


def _refresh(
    connection: Connection, space: int, name: Space, seq: int, *, unnamed: bool = False
) -> None:
    """Work out again who is who, after the entry of a sequence.

    `unnamed` says that the entry is about nobody's name: who is shown otherwise is another too.
    """
    before = identities_of(connection.execute(sql("people/identities"), (space,)).fetchall())
    spoken = dict(connection.execute(sql("people/spoken"), (space,)).fetchall())
    names = names_in(connection.execute(sql("people/names"), (space,)).fetchall())
    merges = dict(connection.execute(sql("people/merges"), (space,)).fetchall())

    def first_words(person: str) -> int:
        row = connection.execute(sql("people/first"), (space, person)).fetchone()
        return int(row[0] or 0)

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
    connection.execute(sql("people/clear_identities"), (space,))
    for person, identity in after.items():
        row = (space, person, identity.canonical, identity.shown, fold(identity.shown))
        connection.execute(sql("people/identify"), row)
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
        first = min(first_words(person) for person in moved)
        row_values = {"space": space, "since": seq, "first": first}
        connection.execute(sql("people/changed"), row_values)


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


def project_people(connection: Connection, space: int, entry: Entry) -> None:
    """Take up who spoke, and take over what somebody has become to the agent."""
    match entry.payload:
        case ExperienceCaptured() as captured:
            _meet(connection, space, entry, recorded_event(captured))
        case RelationshipChanged(person=person, type=type, threshold=threshold):
            row = {"space": space, "person": person, "type": type.value, "threshold": threshold}
            connection.execute(sql("relationships/change"), row)


def _meet(connection: Connection, space: int, entry: Entry, event: Payload) -> None:
    person = speaker_id(event, entry.space)
    if not person or event["kind"] in NOT_OWN_WORDS:
        return
    name = event.get("person") or YOU
    if connection.execute(sql("relationships/add"), (space, person, name)).rowcount:
        met(connection, space, entry, name)


class PersonList:
    """The people of one space."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def find(self, person: str) -> PersonRelation | None:
        """Return what is known of one person the agent has met."""
        row = self._space.row("relationships/find", self._values(person))
        return None if row is None else _relation(row)

    def type_and_threshold(self, person: str) -> tuple[Relationship, float | None] | None:
        """Return what one person is to the agent and their own threshold; None for a stranger.

        What every capture asks, where `find` also counts all that the person ever said.
        """
        row = self._space.row("relationships/type_and_threshold", self._values(person))
        return None if row is None else (Relationship(row[0]), row[1])

    def counted_user(
        self, person: str, interactions: int, sessions: int
    ) -> tuple[str, float | None, int, int] | None:
        """Return who a user is, their own threshold, and how often they spoke in how many sessions.

        Counts to `interactions` and `sessions` at most; None for whoever is something else.
        """
        counts = {"interactions": interactions, "sessions": sessions}
        row = self._space.row("relationships/counted_user", self._values(person) | counts)
        return None if row is None else (row[0], row[1], row[2], row[3])

    def last_speaker(self, session: str, before: int, other_than: str | None) -> str | None:
        """Return who spoke last in a session before a sequence, besides one person."""
        values = {"session": session, "before": before, "other": other_than}
        row = self._space.row("people/last_speaker", values | {"space": self._space.number})
        return None if row is None else str(row[0])

    def list_all(self) -> list[PersonRelation]:
        """Return everybody the agent has met, most interactions first."""
        rows = self._space.rows("relationships/all", {"space": self._space.number})
        return [_relation(row) for row in rows]

    def _values(self, person: str) -> dict[str, Any]:
        return {"space": self._space.number, "person": person}


def clear_people(connection: Connection, space: int) -> None:
    """Drop a space's relationships before a rebuild."""
    connection.execute(sql("relationships/clear"), (space,))


def _relation(row: Sequence[Any]) -> PersonRelation:
    person, name, type, first, last, interactions, threshold = row
    times = from_text(first), from_text(last)
    return PersonRelation(person, name, Relationship(type), *times, interactions, threshold)
