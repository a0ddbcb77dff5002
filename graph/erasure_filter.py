"""Mutations as they stand now: people by who is who, and nothing that refers to an erased node.

An entry names only experiences, facts and people of earlier entries. Where such a node is missing,
its payload was erased, and what was recorded about it is left out too. The same for every
projection of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..core.entries import ExperienceCaptured, FactAsserted, FactSuperseded, RelationshipChanged
from ..core.ids import person_of, relationship_id
from ..core.people import NOBODY, Directory, NameRefused, PeopleMerged, PeopleUnmerged, PersonNamed
from ..core.ports import GraphStore
from ..core.types import EdgeUpsert, Entry, Mutation, NodeUpsert
from .mutations import mutations
from .schema import for_label

#: Labels whose nodes are known by a person.
_PERSONAL = frozenset({"Person", "Relationship"})


def with_identities(mutation: Mutation, directory: Directory, *, named: bool = True) -> Mutation:
    """Return a mutation of the people as the directory has them.

    Without `named` they keep the names that were given: whoever reads them looks up the others.
    """
    if not isinstance(mutation, NodeUpsert):
        if not _PERSONAL & {mutation.source_label, mutation.target_label}:
            return mutation
        return replace(
            mutation,
            source=_canonical(mutation.source_label, mutation.source, directory),
            target=_canonical(mutation.target_label, mutation.target, directory),
        )
    id = _canonical(mutation.label, mutation.id, directory)
    if mutation.label == "Relationship" and id != mutation.id:
        # What the other one was to the agent, and since when, stays.
        return NodeUpsert(mutation.label, id, {})
    if mutation.label != "Person" or not named:
        return mutation if id == mutation.id else replace(mutation, id=id)
    return _node(mutation, directory)


def _canonical(label: str, id: str, directory: Directory) -> str:
    """Return a node's id as the directory has its person."""
    if label == "Relationship":
        return relationship_id(directory.canonical(person_of(id)))
    return directory.canonical(id) if label == "Person" else id


def _node(node: NodeUpsert, directory: Directory) -> NodeUpsert:
    id, properties = directory.canonical(node.id), dict(node.properties)
    if node.id in directory.identities or (
        "name" not in properties and node.id in directory.spoken
    ):
        properties["name"] = directory.shown(id)
        properties["aliases"] = directory.other_names(id)
    elif "aliases" in properties:
        properties["aliases"] = sorted({*properties["aliases"], *directory.other_names(id)})
    return replace(node, id=id, properties=properties)


#: Returns which of some nodes of a label are there.
ExistingIds = Callable[[str, Sequence[str]], set[str]]
#: Returns what an entry means to a projection.
Mutations = Callable[[Entry], list[Mutation]]


def ids_in_graph(store: GraphStore, label: str, ids: Sequence[str]) -> set[str]:
    """Return which of some nodes of a label are in a graph."""
    return {row[0] for row in store.run(for_label("read/known_nodes", label), {"ids": ids}).rows}


def changes(
    entries: Sequence[Entry],
    existing_ids: ExistingIds,
    mutations_of: Mutations = mutations,
    directory: Directory = NOBODY,
    *,
    named: bool = True,
) -> list[tuple[Entry, list[Mutation]]]:
    """Return for each entry of a batch what it means, without what refers to something erased.

    `directory` says who is who among the people and, where `named`, how they are called.
    """
    means = [
        (entry, [with_identities(each, directory, named=named) for each in mutations_of(entry)])
        for entry in entries
    ]
    captured = {entry.id for entry in entries if isinstance(entry.payload, ExperienceCaptured)}
    subjects = {subject for entry in entries if (subject := _subject(entry))}
    experiences = _existing_nodes(
        "Experience", captured, subjects | _at_ends(means, "Experience"), existing_ids
    )
    asserted = {
        payload.fact
        for entry in entries
        if isinstance(payload := entry.payload, FactAsserted) and payload.experience in experiences
    }
    superseded = {fact for entry in entries if (fact := _superseded(entry))}
    facts = _existing_nodes("Fact", asserted, superseded | _at_ends(means, "Fact"), existing_ids)
    existing = {"Experience": {None, *experiences}, "Fact": {None, *facts}}

    def is_there(label: str, id: str | None) -> bool:
        return label not in existing or id in existing[label]

    filtered = [
        (entry, [change for change in own if all(is_there(*end) for end in _ends(change))])
        for entry, own in means
        if is_there("Experience", _subject(entry)) and is_there("Fact", _superseded(entry))
    ]
    return _without_unmet_people(filtered, existing_ids)


def _without_unmet_people(
    means: list[tuple[Entry, list[Mutation]]], existing_ids: ExistingIds
) -> list[tuple[Entry, list[Mutation]]]:
    """Leave out, in order, what is said of people who were not met before.

    What they have become to the agent, and what facts are about them.
    """
    changed = {person for entry, own in means if (person := _changed_person(entry, own))}
    asked = changed.union(*(_people_at(c) for _, changes in means for c in changes))
    met: set[str | None] = {None, *(existing_ids("Person", sorted(asked)) if asked else ())}
    filtered = []
    for entry, entry_mutations in means:
        if _changed_person(entry, entry_mutations) in met:
            met |= {
                c.id for c in entry_mutations if isinstance(c, NodeUpsert) and c.label == "Person"
            }
            filtered.append((entry, [c for c in entry_mutations if _people_at(c) <= met]))
    return filtered


def _people_at(change: Mutation) -> set[str]:
    """Return the people at the ends of an edge that facts make: its entry need not name them.

    One with a relationship is met with the same entry, or spoke.
    """
    if getattr(change, "source_label", "Experience") == "Experience":
        return set()
    ends = dict(_ends(change))
    return {id for label, id in _ends(change) if label == "Person" and "Relationship" not in ends}


#: What is said of people who are there already.
_OF_PEOPLE = (RelationshipChanged, PersonNamed, NameRefused, PeopleMerged, PeopleUnmerged)


def _changed_person(entry: Entry, entry_mutations: Sequence[Mutation]) -> str | None:
    """Return the person whose relationship to the agent, or whose name, an entry changes."""
    if not isinstance(entry.payload, _OF_PEOPLE):
        return None
    return next((c.id for c in entry_mutations if isinstance(c, NodeUpsert)), None)


def _existing_nodes(
    label: str, fresh: set[str], named: set[str], existing_ids: ExistingIds
) -> set[str]:
    """Return those of some nodes that are there, or come with this batch."""
    asked = sorted(named - fresh)
    return fresh | (existing_ids(label, asked) if asked else set())


def _subject(entry: Entry) -> str | None:
    """Return the experience that an entry speaks about, if it speaks about one."""
    return getattr(entry.payload, "experience", None)


def _superseded(entry: Entry) -> str | None:
    """Return the fact that an entry takes back, if it takes back one."""
    return entry.payload.fact if isinstance(entry.payload, FactSuperseded) else None


def _ends(change: Mutation) -> tuple[tuple[str, str], ...]:
    """Return label and id of both ends of an edge."""
    if not isinstance(change, EdgeUpsert):
        return ()
    return (change.source_label, change.source), (change.target_label, change.target)


def _at_ends(means: Sequence[tuple[Entry, list[Mutation]]], label: str) -> set[str]:
    return {id for _, own in means for change in own for at, id in _ends(change) if at == label}
