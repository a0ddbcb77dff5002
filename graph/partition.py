"""Fills in the parts of a statement file that depend on the store: which nodes it is about.

A partition is one space of one journal. The embedded engine has a file for each, so that nothing is
filled in. In Neo4j many share a database: a node carries the label `Meridia`, the label of its
partition, and a `node_key` that starts with the partition's id, so that two journals with the same
space, or the same person, stay apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..core.ports import Journal
from ..core.types import Space
from .schema import LABELS, MEMORY

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
