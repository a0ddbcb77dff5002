"""From shares to reasons: the trace of one memory as a tree whose leaves sum to its score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise

from ..graph.view import Ints
from ..traversal.paths import Path
from .shares import Reason, Share, Step

#: Paths of activation are told one by one up to here; the rest of them in one line.
_PATHS_TOLD = 5
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
_TERMS: Mapping[str, str] = {
    "meaning": "meaning",
    "words": "words",
    "session": "session",
    "speaker": "speaker",
    "time": "time",
    "form": "form",
    "spread": "activation",
    "feedback": "feedback",
}


def paths_told(shares: Sequence[Share], order: Ints, rows: Ints) -> Mapping[int, Sequence[Path]]:
    """Return the strongest paths into each row that activation reached; `order` are its places."""
    return {
        int(row): list(islice(share.paths(int(row)), _PATHS_TOLD))
        for share in shares
        if share.paths is not None
        for place, row in zip(order, rows, strict=True)
        if share.values[place] != 0.0
    }


def explain(
    shares: Sequence[Share], place: int, paths: Sequence[Path], describe: Describe, name: Name
) -> Reason:
    """Return the trace of the memory at `place` of the pool; activation reached it by `paths`."""
    groups: dict[str, list[Reason]] = {}
    for share in shares:
        value = float(share.values[place])
        if value == 0.0:
            continue
        leaf = Reason(share.label, value, share.edge)
        if share.source is not None:
            leaf = _from(share.label, value, share.edge, describe(int(share.source[place])))
        elif share.paths is not None:
            children = _told(value, share.unit, paths, name)
            leaf = replace(leaf, label=_drawn(share, place), children=children)
        groups.setdefault(share.term, []).append(leaf)
    branches = [
        Reason(_TERMS.get(term, term), sum(leaf.value for leaf in leaves), children=tuple(leaves))
        for term, leaves in groups.items()
    ]
    branches.sort(key=lambda branch: -abs(branch.value))
    return Reason("score", sum(branch.value for branch in branches), children=tuple(branches))


def _from(label: str, value: float, edge: str | None, source: tuple[str, str]) -> Reason:
    address, beginning = source
    return Reason(f"{label}: “{beginning}”", value, edge, address)


def _drawn(share: Share, place: int) -> str:
    """Return a share's label, with the standard error of what was drawn."""
    if share.error is None:
        return share.label
    return f"{share.label}, standard error {float(share.error[place]):.4f}"


def _told(value: float, unit: float, paths: Sequence[Path], name: Name) -> tuple[Reason, ...]:
    """Return a reason a path, and one for all that are weaker; they add up to `value`."""
    told = [_by(path, unit, name) for path in paths]
    rest = value - sum(reason.value for reason in told)
    if len(paths) == _PATHS_TOLD and rest > _ROUNDING * value:
        told.append(Reason("weaker paths", rest))
    return tuple(told)


def _by(path: Path, unit: float, name: Name) -> Reason:
    """Return the reason that a path is: over what, how many hops, and where it began."""
    words = [name(node) for node in path.nodes]
    steps = tuple(
        Step(type, *(ends if along else ends[::-1]))
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
    told = [f"via {' and '.join(over)}" if over else "directly", hops]
    label = ", ".join([*told, *([path.told] if path.told else []), f"from {beginning}"])
    return Reason(label, unit * path.amount, path.types[-1], address, steps=steps)
