"""The shape of the graph: labels, edge types, properties, and the statements that name them.

The lists are closed. Only these names are put into the text of a statement; every other value is a
parameter. A statement file holds one statement; its placeholders are filled with a label, an edge
type, and the partition: one space of one journal. The embedded engine has a file for each. In Neo4j
many share a database, so a node carries a label and a key of its partition.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from ..core.types import Space
from ..storage.journal import Journal
from ..storage.statement_loader import without_comment

CYPHER = Path(__file__).parent.parent / "cypher"


@cache
def cypher(name: str) -> str:
    """Return the Cypher statement `name`, such as `write/upsert_node`, without its comment."""
    return without_comment((CYPHER / f"{name}.cypher").read_text("utf-8"), "//")


@cache
def comment(path: Path) -> str:
    """Return the first-line comment of a statement file."""
    return path.read_text("utf-8").splitlines()[0].lstrip("-/ ").strip()


#: Another version means another graph for the same journal: stores drop theirs and rebuild.
PROJECTION_VERSION = 10
#: The second label of nodes that can be recalled.
MEMORY = "Memory"
#: The one node of ours that is not of the graph: how far the projection of a space has come.
BOOKKEEPING = "MeridiaProjection"
#: Every edge carries these; KNOWS also has its kind.
EDGE_PROPERTIES = ("since", "source_seq", "space", "weight")

#: From an experience to each of its content words: in the adjacency alone, for ranking.
HAS_WORD = "HAS_WORD"

#: Says what kind of acquaintance it is.
KNOWS = "KNOWS"
#: The embedded engine gives a node without one a name of its own.
NO_NAME: Mapping[str, str | None] = {"name": None}

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class NodeLabel:
    """A label: its properties besides `id`, and whether its nodes can be recalled.

    Every node has a `name`, which graph browsers show. `defaults` are what a new node begins with.
    """

    name: str
    properties: tuple[str, ...] = ("space",)
    recalled: bool = False
    defaults: Mapping[str, str | None] = field(default_factory=lambda: dict(NO_NAME), hash=False)


@dataclass(frozen=True, slots=True)
class EdgeType:
    """An edge type and the labels of its two ends; one type may join several pairs."""

    name: str
    source: str
    target: str

    @property
    def properties(self) -> tuple[str, ...]:
        """What its edges carry."""
        return tuple(sorted((*EDGE_PROPERTIES, "kind"))) if self.name == KNOWS else EDGE_PROPERTIES


_SHAPE = tomllib.loads((Path(__file__).parent / "schema.toml").read_text("utf-8"))
LABELS: Mapping[str, NodeLabel] = {
    name: NodeLabel(name, **(label | {"properties": tuple(label["properties"].split())}))
    for name, label in _SHAPE["labels"].items()
}
_EDGE_TYPES = tuple(
    EdgeType(name, *pair.split()) for name, pairs in _SHAPE["edges"].items() for pair in pairs
)
#: The pairs that each edge type joins, by its name.
EDGES: Mapping[str, tuple[EdgeType, ...]] = {
    name: tuple(edge for edge in _EDGE_TYPES if edge.name == name)
    for name in dict.fromkeys(edge.name for edge in _EDGE_TYPES)
}

#: Properties looked up by people, by label: each gets an index.
INDEXED_PROPERTIES: Mapping[str, tuple[str, ...]] = {
    label: tuple(names.split()) for label, names in _SHAPE["indexed"].items()
}


@cache
def for_label(name: str, label: str) -> str:
    """Return the statement `name` with its placeholders filled for one label of ours."""
    properties = () if label == BOOKKEEPING else LABELS[label].properties
    return _fill(name, {"label": label, "properties": _returned(properties)})


@cache
def for_edge(name: str, edge: EdgeType) -> str:
    """Return the statement `name` with its placeholders filled for one edge type of ours."""
    if edge not in EDGES[edge.name]:
        raise KeyError(f"{edge} is none of ours")
    names = {"type": edge.name, "source": edge.source, "target": edge.target}
    return _fill(name, names | {"properties": _returned(edge.properties)})


@cache
def for_property(name: str, label: str, property: str) -> str:
    """Return the statement `name` with its placeholders filled for one indexed property."""
    if property not in INDEXED_PROPERTIES[label]:
        raise KeyError(f"{label}.{property} is not looked up")
    return _fill(name, {"label": label, "property": property})


def for_index(name: str, index: str) -> str:
    """Return the statement `name` with its placeholder filled for one index."""
    return _fill(name, {"index": index})


def _returned(properties: tuple[str, ...]) -> str:
    """Write out what a statement returns of `x`: explicit names, since `RETURN x` differs."""
    return ", ".join(f"x.{name} AS {name}" for name in properties)


def _fill(name: str, names: Mapping[str, str]) -> str:
    # What depends on the store stands open: its partition fills it.
    return _PLACEHOLDER.sub(lambda match: names.get(match.group(1), match.group()), cypher(name))


#: The label of every node of ours in a shared database; `node_key` is unique under it.
OWN_LABEL = "Meridia"
#: Before the id of a partition: the label of its nodes.
SPACE_PREFIX = "Space_"
#: The property that holds an experience's vector, where an engine has an index of vectors.
VECTOR = "embedding"
#: Properties that one engine alone has.
HIDDEN = frozenset({"node_key", "partition", VECTOR})
_KEY = re.compile(r"\{key ([\w.]+)\}")
_SEEK = re.compile(r"\{seek (\w)\}")
_ANY_OF_OURS = ":" + "|".join(LABELS)


@dataclass(frozen=True, slots=True)
class Partition:
    """A space as a store holds it; `id` is empty where the store holds nothing else."""

    space: Space
    id: str = ""

    @property
    def label(self) -> str:
        """The label of the partition's nodes in a shared database."""
        return f"{SPACE_PREFIX}{self.id}"

    @property
    def name(self) -> str:
        """What the bookkeeping node is found by."""
        return self.id or self.space

    def statement(self, text: str) -> str:
        """Return a statement of ours for this partition."""
        return _filled(text, self.label if self.id else "")

    def parameters(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a statement of ours."""
        return {**values, "space": self.space, "partition": self.id, "projection": self.name}


def partition(journal: Journal, space: Space) -> Partition:
    """Return the partition of a journal's space: the hash of its first entry names it.

    A copy of a journal names the same partition; a journal that began elsewhere another one.
    """
    first = journal.read(space, 0, 1) if space in journal.spaces() else []
    return Partition(space, first[0].hash.hex()[:16] if first else "0" * 16)


def public_labels(labels: Sequence[str] | frozenset[str]) -> list[str]:
    """Return a node's labels without those that tell partitions apart."""
    return [name for name in labels if name != OWN_LABEL and not name.startswith(SPACE_PREFIX)]


def public_properties(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node's or edge's properties without those that one engine alone has."""
    return {name: value for name, value in properties.items() if name not in HIDDEN}


@lru_cache(maxsize=4_096)
def _filled(text: str, label: str) -> str:
    # A key names its partition. Without the label of one, all partitions share a statement's plan.
    ours = f":{OWN_LABEL}" if label else ""
    by_key = r"{node_key: $partition + ':' + \1}" if label else r"{id: \1}"
    # Planned while the database is empty, a lookup would be a scan, and stay one for a while.
    seek = rf"\nUSING INDEX SEEK \1:{OWN_LABEL}(node_key)" if label else ""
    text = text.replace("{any_of_ours}", ours or _ANY_OF_OURS).replace("{ours}", ours)
    text = _SEEK.sub(seek, _KEY.sub(by_key, text))
    return text.replace("{scope}", f"{ours}:{label}" if label else "")


def not_ours(labels: Sequence[str], properties: Sequence[str]) -> set[str]:
    """Return the labels and properties of a node of ours that others added."""
    ours = {name for label in labels if label in LABELS for name in LABELS[label].properties}
    added = {f":{name}" for name in public_labels(labels) if name not in {*LABELS, MEMORY}}
    return added | (set(properties) - ours - {"id", "node_key", VECTOR})
