"""The people of a mutation as they are now: who is who, and how they are called.

A graph is made again when somebody who has spoken becomes another; a name alone is written with the
entry that gives it.
"""

from __future__ import annotations

from dataclasses import replace

from ...core.ids import person_of, relationship_id
from ...core.people import Directory
from ...core.types import EdgeUpsert, Mutation, NodeUpsert


def with_identities(mutation: Mutation, directory: Directory, *, named: bool = True) -> Mutation:
    """Return a mutation of the people as the directory has them.

    Without `named` they keep the names that were given: whoever reads them looks up the others.
    """
    if not isinstance(mutation, NodeUpsert):
        return _edge(mutation, directory)
    id = _canonical(mutation.label, mutation.id, directory)
    if mutation.label == "Relationship" and id != mutation.id:
        # What the other one was to the agent, and since when, stays.
        return NodeUpsert(mutation.label, id, {})
    if mutation.label != "Person" or not named:
        return replace(mutation, id=id)
    return _node(mutation, directory)


def _edge(edge: EdgeUpsert, directory: Directory) -> EdgeUpsert:
    return replace(
        edge,
        source=_canonical(edge.source_label, edge.source, directory),
        target=_canonical(edge.target_label, edge.target, directory),
    )


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
