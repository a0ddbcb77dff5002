"""From shares to reasons: the trace of one memory as a tree whose leaves sum to its score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .shares import Reason, Share

#: Flows over shared nodes are told one by one up to here; the rest of them in one line.
_FLOWS_TOLD = 5

#: Names the experience in a row of the view: an address a person can open.
Address = Callable[[int], str]
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


def explain(shares: Sequence[Share], place: int, row: int, address: Address, name: Name) -> Reason:
    """Return the trace of the memory at `place` of the pool, which is `row` of the view."""
    groups: dict[str, list[Reason]] = {}
    for share in shares:
        value = float(share.values[place])
        if value == 0.0:
            continue
        leaf = Reason(share.label, value, share.edge, _source(share, place, address))
        if share.flows is not None:
            leaf = Reason(share.label, value, share.edge, None, _flows(share, row, address, name))
        groups.setdefault(share.term, []).append(leaf)
    branches = [
        Reason(_TERMS.get(term, term), sum(leaf.value for leaf in leaves), children=tuple(leaves))
        for term, leaves in groups.items()
    ]
    branches.sort(key=lambda branch: -abs(branch.value))
    return Reason("score", sum(branch.value for branch in branches), children=tuple(branches))


def _source(share: Share, place: int, address: Address) -> str | None:
    return address(int(share.source[place])) if share.source is not None else None


def _flows(share: Share, row: int, address: Address, name: Name) -> tuple[Reason, ...]:
    assert share.flows is not None
    mine = np.flatnonzero(share.flows.target == row)
    mine = mine[np.argsort(-share.flows.amount[mine], kind="stable")]
    told = [
        Reason(
            f"both speak of “{name(int(share.flows.via[i]))}”",
            float(share.flows.amount[i]),
            share.edge,
            address(int(share.flows.source[i])),
        )
        for i in mine[:_FLOWS_TOLD]
    ]
    rest = mine[_FLOWS_TOLD:]
    if len(rest):
        more = float(share.flows.amount[rest].sum())
        told.append(Reason(f"{len(rest)} weaker paths", more, share.edge))
    return tuple(told)
