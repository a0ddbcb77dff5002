"""Who is who among a space's people: their names, who is whose other name, how each is shown.

A projection that never lags, written in the transaction that appends an entry, and a function of
the journal alone. Rows of memories keep the person as given; whoever reads them looks here. What
nobody said by name was said by the owner. A name that the owner has is the owner's where nobody
had spoken under it before: a question of the order of what was said, not of when it was read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ...core.entries import EntryPayload
from ...core.ids import fold, owner_id, person_id
from ...core.people import (
    YOU,
    Identity,
    NameRefused,
    NameState,
    PeopleMerged,
    PeopleUnmerged,
    PersonName,
    PersonNamed,
)
from ...core.types import Entry, Space
from ...core.vocabulary import EntryKind, NameSource
from ..database import Connection
from ..people.people_directory import identities_of, names_in
from ..statement_loader import sql

#: The entries that say who is who.
KINDS = (
    EntryKind.PERSON_NAMED,
    EntryKind.NAME_REFUSED,
    EntryKind.PEOPLE_MERGED,
    EntryKind.PEOPLE_UNMERGED,
)
#: The owner where somebody else is called "you".
_THE_OWNER = "you (the owner)"


def projection(connection: Connection, space: int, entry: Entry) -> None:
    """Take up what an entry says of who is who."""
    if _record(connection, space, entry.payload, entry.seq):
        _refresh(connection, space, entry.space, entry.seq)


def met(connection: Connection, space: int, entry: Entry, name: str) -> None:
    """Take up that somebody spoke for the first time who may have a name that is known."""
    names_of = connection.execute(sql("people/bearers"), (space, fold(name))).fetchone()
    if names_of or fold(name) == fold(YOU):
        _refresh(connection, space, entry.space, entry.seq, unnamed=True)


def rebuild(
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


def clear(connection: Connection, space: int) -> None:
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
