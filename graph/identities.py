"""The people of a mutation as they are now: who is who, and how they are called.

A graph is made again when somebody who has spoken becomes another; a name alone is written with the
entry that gives it.
"""

from __future__ import annotations

from dataclasses import replace

from ..core.people import Directory
from ..core.types import EdgeUpsert, Mutation, NodeUpsert

#: What a person has, and not who is taken for them.
_OWN = frozenset({"relationship", "threshold", "since"})


def with_identities(mutation: Mutation, directory: Directory, *, named: bool = True) -> Mutation:
    """Return a mutation of the people as the directory has them.

    Without `named` they keep the names that were given: whoever reads them looks up the others.
    """
    if not isinstance(mutation, NodeUpsert):
        return _edge(mutation, directory)
    if mutation.label != "Person":
        return mutation
    if not named:
        return replace(mutation, id=directory.canonical(mutation.id))
    return _node(mutation, directory)


def _edge(edge: EdgeUpsert, directory: Directory) -> EdgeUpsert:
    source, target = edge.source, edge.target
    if edge.source_label == "Person":
        source = directory.canonical(source)
    if edge.target_label == "Person":
        target = directory.canonical(target)
    return replace(edge, source=source, target=target)


def _node(node: NodeUpsert, directory: Directory) -> NodeUpsert:
    id, properties = directory.canonical(node.id), dict(node.properties)
    if node.id in directory.identities or (
        "name" not in properties and node.id in directory.spoken
    ):
        properties["name"] = directory.shown(id)
        properties["aliases"] = directory.other_names(id)
    elif "aliases" in properties:
        properties["aliases"] = sorted({*properties["aliases"], *directory.other_names(id)})
    if id != node.id:  # what the other one is to the agent, and since when, stays
        properties = {name: v for name, v in properties.items() if name not in _OWN}
    return replace(node, id=id, properties=properties)
