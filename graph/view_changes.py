"""A view without what was taken out of the graph: the same arrays as of a view read anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from .view import EdgeLayers, Experiences, GraphView, Ints, SparseRows

Mask = NDArray[np.bool_]
_NEIGHBOURS = ("before", "after")


def without(
    view: GraphView, nodes: Sequence[int], edges: Mapping[str, Sequence[tuple[int, int]]]
) -> GraphView:
    """Return a view without some nodes and, by type, some edges, given by stored numbers."""
    stays = np.ones(len(view.numbers), bool)
    dead = view.nodes_of(np.array(sorted(nodes), np.int64))
    stays[dead[dead >= 0]] = False
    cut = {type: _dense(view, pairs) for type, pairs in edges.items()}
    experiences = _unlinked(view, cut["NEXT"]) if "NEXT" in cut else view.experiences
    experiences = _left(experiences, stays)
    experience_of = np.full(int(stays.sum()), -1, np.int64)
    experience_of[experiences.node] = np.arange(len(experiences.seqs))
    outgoing, incoming = (
        {type: _thinned(links, stays, cut.get(type), back) for type, links in layers.items()}
        for layers, back in ((view.outgoing, False), (view.incoming, True))
    )
    return replace(
        view,
        numbers=view.numbers[stays],
        experience_of=experience_of,
        experiences=experiences,
        outgoing=outgoing,
        incoming=incoming,
    )


def _dense(view: GraphView, pairs: Sequence[tuple[int, int]]) -> Ints:
    """Return edges between stored numbers as two columns of dense nodes, of both that are there."""
    ends = view.nodes_of(np.array(pairs, np.int64).reshape(-1, 2))
    return ends[(ends >= 0).all(axis=1)]


def _unlinked(view: GraphView, pairs: Ints) -> Experiences:
    """Return the experiences without some links to neighbours."""
    before, after = view.experiences.before.copy(), view.experiences.after.copy()
    earlier, later = view.experience_of[pairs[:, 0]], view.experience_of[pairs[:, 1]]
    after[earlier[after[earlier] == later]] = -1
    before[later[before[later] == earlier]] = -1
    return replace(view.experiences, before=before, after=after)


def _left(experiences: Experiences, stays: Mask) -> Experiences:
    """Return the experiences whose nodes stay, with the new numbers of nodes and rows."""
    node, row = np.cumsum(stays) - 1, stays[experiences.node]
    number = np.cumsum(row) - 1
    columns = {f.name: getattr(experiences, f.name)[row] for f in fields(experiences)}
    columns["node"] = node[columns["node"]]
    for name in _NEIGHBOURS:
        there = (columns[name] >= 0) & row[columns[name]]
        columns[name] = np.where(there, number[columns[name]], -1)
    return Experiences(**columns)


def _thinned(links: EdgeLayers, stays: Mask, cut: Ints | None, back: bool) -> EdgeLayers:
    """Return the edges between nodes that stay, but for those that are cut."""
    node, count = np.cumsum(stays) - 1, len(stays)
    keys = None if cut is None else cut[:, int(back)] * count + cut[:, 1 - int(back)]
    layers = []
    for layer in links.layers:
        rows = len(layer.starts) - 1
        sources = np.repeat(np.arange(rows), np.diff(layer.starts))
        left = stays[sources] & stays[layer.targets]
        if keys is not None and len(keys):
            left &= ~np.isin(sources * count + layer.targets, keys)
        degrees = np.bincount(sources[left], minlength=rows)
        degrees = degrees[stays[:rows]] if count else degrees
        starts = np.zeros(max(len(degrees), 1) + 1, np.int64)
        np.cumsum(degrees, out=starts[1 : len(degrees) + 1])
        targets = node[layer.targets[left]].astype(np.int32)
        layers.append(SparseRows(starts, targets, layer.weights[left]))
    return EdgeLayers(tuple(layers))
