"""From shares to reasons: the trace of one memory as a tree whose leaves sum to its score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from .shares import Reason, Share

#: Flows over shared nodes are told one by one up to here; the rest of them in one line.
_FLOWS_TOLD = 5

#: Describes the experience in a row of the view: its address, and how its text begins.
Describe = Callable[[int], tuple[str, str]]
#: Names a shared node by its dense index: the word of a concept.
Name = Callable[[int], str]

_TERMS: Mapping[str, str] = {
    "meaning": "meaning",
    "words": "words",
    "session": "session",
    "speaker": "speaker",
    "time": "time",
    "form": "form",
    "spread": "activation",
}


def explain(
    shares: Sequence[Share], place: int, row: int, describe: Describe, name: Name
) -> Reason:
    """Return the trace of the memory at `place` of the pool, which is `row` of the view."""
    groups: dict[str, list[Reason]] = {}
    for share in shares:
        value = float(share.values[place])
        if value == 0.0:
            continue
        leaf = Reason(share.label, value, share.edge)
        if share.source is not None:
            leaf = _from(share.label, value, share.edge, describe(int(share.source[place])))
        elif share.flows is not None:
            leaf = replace(leaf, children=_flows(share, row, describe, name))
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


def _flows(share: Share, row: int, describe: Describe, name: Name) -> tuple[Reason, ...]:
    assert share.flows is not None
    mine = np.flatnonzero(share.flows.target == row)
    mine = mine[np.argsort(-share.flows.amount[mine], kind="stable")]
    told = [
        _from(
            f"both speak of {name(int(share.flows.via[i]))}",
            float(share.flows.amount[i]),
            share.edge,
            describe(int(share.flows.source[i])),
        )
        for i in mine[:_FLOWS_TOLD]
    ]
    rest = mine[_FLOWS_TOLD:]
    if len(rest):
        more = float(share.flows.amount[rest].sum())
        told.append(Reason(f"{len(rest)} weaker paths", more, share.edge))
    return tuple(told)
