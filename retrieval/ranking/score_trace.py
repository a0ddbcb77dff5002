"""From shares to reasons: the trace of one memory as a tree whose leaves sum to its score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise

from ...graph.view import Ints
from ...traversal.paths import ActivationPath
from .contributions import Contribution, Evidence, PathStep, TraceNode

#: Paths of activation are told one by one up to here; the rest of them in one line.
_PATHS_MAX = 5
#: What is less than this share of a value is left over by rounding, and no path.
_ROUNDING = 1e-9

#: Describes the experience in a row of the view: its address, and how its text begins.
Describe = Callable[[int], tuple[str, str]]
#: Names a node by its dense index: its id or address, and a word for it.
Name = Callable[[int], tuple[str, str]]

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
    paths: Sequence[ActivationPath],
    describe: Describe,
    name: Name,
) -> TraceNode:
    """Return the trace of the memory at `place` of the pool; activation reached it by `paths`."""
    groups: dict[str, list[TraceNode]] = {}
    for contribution in contributions:
        value = float(contribution.values[place])
        if value == 0.0:
            continue
        leaf = TraceNode(
            contribution.label, value, contribution.edge, evidence=contribution.evidence
        )
        if contribution.source is not None:
            address, beginning = describe(int(contribution.source[place]))
            leaf = replace(leaf, label=f"{leaf.label}: “{beginning}”", source=address)
        elif contribution.paths is not None:
            children = _path_nodes(value, contribution.unit, paths, name)
            leaf = replace(leaf, label=_label_with_error(contribution, place), children=children)
        groups.setdefault(contribution.term, []).append(leaf)
    branches = [
        TraceNode(term, sum(leaf.value for leaf in leaves), children=tuple(leaves))
        for term, leaves in groups.items()
    ]
    branches.sort(key=lambda branch: -abs(branch.value))
    return TraceNode("score", sum(branch.value for branch in branches), children=tuple(branches))


def _label_with_error(contribution: Contribution, place: int) -> str:
    """Return a share's label, with the standard error of what was drawn."""
    if contribution.error is None:
        return contribution.label
    return f"{contribution.label}, standard error {float(contribution.error[place]):.4f}"


def _path_nodes(
    value: float, unit: float, paths: Sequence[ActivationPath], name: Name
) -> tuple[TraceNode, ...]:
    """Return a reason a path, and one for all that are weaker; they add up to `value`."""
    nodes = [_path_node(path, unit, name) for path in paths]
    rest = value - sum(reason.value for reason in nodes)
    if len(paths) == _PATHS_MAX and rest > _ROUNDING * value:
        nodes.append(TraceNode("weaker paths", rest, evidence=Evidence.TOPIC))
    return tuple(nodes)


def _path_node(path: ActivationPath, unit: float, name: Name) -> TraceNode:
    """Return the reason that a path is: over what, how many hops, and where it began."""
    words = [name(node) for node in path.nodes]
    steps = tuple(
        PathStep(type, *(ends if along else ends[::-1]))
        for type, along, ends in zip(
            path.types, path.along, pairwise([id for id, _ in words]), strict=True
        )
    )
    address, beginning = words[0]
    over = [
        _KINDS.get(type, "") + word
        for type, (_, word) in zip(path.types, words[1:-1], strict=False)
    ]
    hops = "1 hop" if path.hops == 1 else f"{path.hops} hops"
    segments = [f"via {' and '.join(over)}" if over else "directly", hops]
    label = ", ".join([*segments, *([path.note] if path.note else []), f"from {beginning}"])
    evidence = _EVIDENCE.get(path.types[-1], Evidence.TOPIC)
    return TraceNode(label, unit * path.amount, path.types[-1], address, (), steps, evidence)
