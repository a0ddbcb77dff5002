"""From contributions to the trace of one memory: a tree whose leaves sum to its score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Protocol

from ...core.text import counted
from .contributions import Contribution, Evidence, PathStep, TraceNode

if TYPE_CHECKING:
    from ...graph.view import Ints
    from ...traversal.paths import ActivationPath

#: Paths of activation have a leaf each up to here; the others share one.
_PATHS_MAX = 5
#: A rest below this fraction of a value comes from rounding, and is no path.
_ROUNDING = 1e-9

#: Names a node by its dense index: its id or address, a word for it, and its sequence if any.
Name = Callable[[int], tuple[str, str, int | None]]

#: What lies at the end of an edge, beyond an experience.
_KINDS: Mapping[str, str] = {
    "ABOUT": "Concept ",
    "MENTIONS": "Entity ",
    "SPOKEN_BY": "Person ",
    "INVOLVES": "Person ",
    "IN_SESSION": "Session ",
    "REFERENCES": "Artifact ",
}
#: Where the evidence lies that activation brings over an edge; a shared topic for all others.
_EVIDENCE: Mapping[str, Evidence] = {
    "NEXT": Evidence.NEIGHBOUR,
    "IN_SESSION": Evidence.SESSION,
    "SPOKEN_BY": Evidence.SPEAKER,
}
#: The message so many places after another one.
BESIDE: Mapping[int, str] = {
    -2: "the message two before",
    -1: "the message before",
    1: "the message after",
    2: "the message two after",
}


class Texts(Protocol):
    """What a trace says of the memories and the words that it names."""

    def describe(self, row: int) -> tuple[str, str, int]:
        """Return the address of an experience, how its text begins, and its sequence."""
        ...

    def name(self, node: int) -> tuple[str, str, int | None]:
        """Return a node's id or address, a word for it, and its sequence if it is a memory."""
        ...

    def spell(self, row: int, stem: str) -> tuple[str, bool]:
        """Return a word as the text of a row has it, and True; else as the question has it."""
        ...


def strongest_paths(
    contributions: Sequence[Contribution], order: Ints, rows: Ints
) -> Mapping[int, Sequence[ActivationPath]]:
    """Return the strongest paths into each row that activation reached; `order` are its places."""
    return {
        int(row): list(islice(contribution.paths(int(row)), _PATHS_MAX))
        for contribution in contributions
        if contribution.paths is not None
        for place, row in zip(order, rows, strict=True)
        if contribution.values[place] != 0.0
    }


def explain(
    contributions: Sequence[Contribution],
    place: int,
    row: int,
    paths: Sequence[ActivationPath],
    texts: Texts,
) -> TraceNode:
    """Return the trace of the memory at `place` of the pool, `row` of the view.

    Activation reached it by `paths`.
    """
    groups: dict[str, list[TraceNode]] = {}
    for contribution in contributions:
        value = float(contribution.values[place])
        if value == 0.0:
            continue
        if contribution.paths is None:
            leaf = _leaf(contribution, place, row, texts)
        else:
            children = _path_nodes(value, contribution.unit, paths, texts.name)
            leaf = TraceNode(contribution.label, value, contribution.edge, children=children)
            # Without paths it is a leaf itself.
            leaf = leaf if children else replace(leaf, evidence=contribution.evidence)
        groups.setdefault(contribution.term, []).append(leaf)
    branches = [
        TraceNode(term, sum(leaf.value for leaf in leaves), children=tuple(leaves))
        for term, leaves in groups.items()
    ]
    branches.sort(key=lambda branch: -abs(branch.value))
    return TraceNode("score", sum(branch.value for branch in branches), children=tuple(branches))


def _leaf(contribution: Contribution, place: int, row: int, texts: Texts) -> TraceNode:
    """Return a contribution as the leaf of one memory's trace, in the words of the texts."""
    from_, label, word = row, contribution.label, None
    address = sequence = None
    if contribution.source is not None:
        from_ = int(contribution.source[place])
        address, beginning, sequence = texts.describe(from_)
    if contribution.stem is not None:
        word, is_there = texts.spell(from_, contribution.stem)
        label = f"says “{word}”" if is_there else f"{label} “{word}”"
    if contribution.error is not None:
        label = f"{label}, standard error {float(contribution.error[place]):.4f}"
    if address is not None:
        label = f"{BESIDE.get(contribution.offset, 'a message')} {label}: @{sequence} “{beginning}”"
    return TraceNode(
        label,
        float(contribution.values[place]),
        contribution.edge,
        address,
        evidence=contribution.evidence,
        word=word,
        stem=contribution.stem,
        offset=contribution.offset,
        seq=sequence,
    )


def _path_nodes(
    value: float, unit: float, paths: Sequence[ActivationPath], name: Name
) -> tuple[TraceNode, ...]:
    """Return a node for each path, and one for all weaker ones; they add up to `value`."""
    nodes = [_path_node(path, unit, name) for path in paths]
    rest = value - sum(reason.value for reason in nodes)
    if len(paths) == _PATHS_MAX and rest > _ROUNDING * value:
        nodes.append(TraceNode("weaker paths", rest, evidence=Evidence.TOPIC))
    return tuple(nodes)


def _path_node(path: ActivationPath, unit: float, name: Name) -> TraceNode:
    """Return the node of one path: over what, how many hops, and where it began."""
    words = [name(node) for node in path.nodes]
    steps = tuple(
        PathStep(type, *(ends if along else ends[::-1]))
        for type, along, ends in zip(
            path.types, path.along, pairwise([id for id, _, _ in words]), strict=True
        )
    )
    address, beginning, sequence = words[0]
    between = [word for _, word, _ in words[1:-1]]
    over = [_KINDS.get(type, "") + word for type, word in zip(path.types, between, strict=False)]
    segments = [f"via {' and '.join(over)}" if over else "directly", counted(path.hops, "hop")]
    label = ", ".join([*segments, *([path.note] if path.note else []), f"from {beginning}"])
    evidence = _EVIDENCE.get(path.types[-1], Evidence.TOPIC)
    return TraceNode(
        label,
        unit * path.amount,
        path.types[-1],
        address,
        (),
        steps,
        evidence,
        word=" and ".join(between) or None,
        seq=sequence,
    )
