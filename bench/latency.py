"""Time and memory of activation over a synthetic graph too large to capture here.

    python -m bench.latency [--memories 1000000] [--questions 50] [--json FILE]

The graph is written as arrays, as the adjacency projection would: sessions of twenty memories,
concepts that are shared as words are (Zipf), a thousand people. A million memories have ten million
edges, each kept in both directions. Every question starts from ten memories. Times are
the processor's, which a busy machine lengthens less than the clock's. `bench.speed` measures whole
recalls over spaces that were really captured; nothing here tells how good one is.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from bench.measure import aligned
from meridia.core.recall_settings import RecallSettings
from meridia.core.types import Space as Name
from meridia.graph.view import EdgeLayers, Experiences, GraphView, Ints, SparseRows
from meridia.retrieval.candidates.activation import ranks_of
from meridia.retrieval.candidates.pool import SpaceView
from meridia.traversal.policies import StartNodes, spread
from meridia.traversal.tracerank import NodeRanks, unranked
from meridia.traversal.transfer import FACTORS, SpreadingRules

MEMORIES, QUESTIONS = 1_000_000, 50
_SESSION, _PEOPLE, _ABOUT = 20, 1000, 7
#: Memories a concept that was ever named, and how fast their shares fall (Zipf–Mandelbrot).
_MEMORIES_A_CONCEPT, _ZIPF_OFFSET = 5, 10.0
_START_NODES = 10
AS_RECALL = "as recall has it"
#: What is measured: the rules of a recall by default, and those of traversal by itself.
RULES: Mapping[str, SpreadingRules] = {
    AS_RECALL: SpreadingRules(
        {"HAS_WORD": FACTORS["HAS_WORD"]}, hops=2, threshold=1e-6, fan_out_max=4096
    ),
    "every edge type, 2 hops": SpreadingRules(hops=2),
    "every edge type, 3 hops": SpreadingRules(),
}


def a_view(memories: int, seed: int = 0) -> GraphView:
    """Write a graph of so many memories as arrays: memories first, then all other nodes."""
    draw = np.random.default_rng(seed)
    concepts = max(memories // _MEMORIES_A_CONCEPT, 1)
    sessions = -(-memories // _SESSION)
    rows = np.arange(memories)
    session, person = rows // _SESSION, draw.integers(0, _PEOPLE, memories)
    share = np.cumsum(1.0 / (np.arange(concepts) + _ZIPF_OFFSET))
    about = np.searchsorted(share, draw.random(memories * _ABOUT) * share[-1])
    first = np.cumsum([memories, concepts, sessions])
    nodes = int(first[-1]) + _PEOPLE
    follows = rows[:-1][session[1:] == session[:-1]]
    edges = {
        "NEXT": (follows, follows + 1),
        "HAS_WORD": (np.repeat(rows, _ABOUT), first[0] + about),
        "IN_SESSION": (rows, first[1] + session),
        "SPOKEN_BY": (rows, first[2] + person),
    }
    before, after = np.full(memories, -1), np.full(memories, -1)
    before[follows + 1], after[follows] = follows, follows + 1
    none = np.zeros(memories, np.int64)
    return GraphView(
        until=memories,
        numbers=np.arange(nodes),
        experience_of=np.concatenate([rows, np.full(nodes - memories, -1)]),
        experiences=Experiences(
            rows + 1, rows * 60, person, session, none + 15, none, rows, before, after
        ),
        people=[f"person {number}" for number in range(_PEOPLE)],
        sessions=[f"session {number}" for number in range(sessions)],
        outgoing={type: _links(*ends, nodes) for type, ends in edges.items()},
        incoming={type: _links(*ends[::-1], nodes) for type, ends in edges.items()},
    )


def _links(sources: Ints, targets: Ints, nodes: int) -> EdgeLayers:
    return EdgeLayers((SparseRows.build(sources, targets, np.ones(len(sources)), nodes),))


def bytes_of(view: GraphView) -> int:
    """Return the bytes of a view's arrays: edges in both directions, and the columns."""
    layers = [
        layer
        for links in (*view.outgoing.values(), *view.incoming.values())
        for layer in links.layers
    ]
    columns = {
        id(column): column
        for column in (
            view.numbers,
            view.experience_of,
            *(getattr(view.experiences, field.name) for field in fields(Experiences)),
        )
    }
    edges = sum(
        int(a.nbytes) for layer in layers for a in (layer.starts, layer.targets, layer.weights)
    )
    return edges + sum(int(column.nbytes) for column in columns.values())


def as_in_recall(view: GraphView) -> NodeRanks:
    """Return what recall prefers nodes by: a concept's rarity, and nothing for a common one."""
    none, all_ = np.zeros(0), np.ones(len(view.experiences.seqs), np.bool_)
    rows = np.zeros(0, np.int64)
    space = SpaceView(Name("latency"), 1.0, none, rows, none, view, None, all_, all_)
    return ranks_of(space, RecallSettings(), unranked)


def times_of(
    view: GraphView, rules: SpreadingRules, rank: NodeRanks, questions: int, seed: int = 1
) -> list[float]:
    """Return how long `spread` takes for each of so many questions, in milliseconds."""
    draw = np.random.default_rng(seed)
    count = len(view.experiences.seqs)
    times = []
    for _ in range(questions):
        nodes = np.unique(draw.integers(0, count, _START_NODES))
        starts = StartNodes(nodes, draw.random(len(nodes)) ** 3)
        began = time.process_time()
        spread(view, starts, rank, rules)
        times.append((time.process_time() - began) * 1000)
    return times


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the graph, spread over it, print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=MEMORIES, help="size of the graph")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="questions a policy")
    parser.add_argument("--json", type=Path, help="write the report here as well")
    chosen = parser.parse_args(arguments)
    tracemalloc.start()
    view = a_view(chosen.memories)
    gc.collect()
    held, arrays = tracemalloc.get_traced_memory()[0], bytes_of(view)
    tracemalloc.stop()
    edges = sum(len(layer.targets) for links in view.outgoing.values() for layer in links.layers)
    print(f"{chosen.memories:,} memories, {edges:,} edges: {arrays / 1e6:,.0f} MB of arrays,")
    print(f"{held / arrays:.2f} times that is held")
    lines: list[tuple[str, ...]] = [("spread", "median ms", "p95 ms", "longest ms")]
    report: dict[str, object] = {"memories": chosen.memories, "edges": edges}
    report |= {"arrays_bytes": arrays, "held_bytes": held}
    for name, rules in RULES.items():
        rank = as_in_recall(view) if name == AS_RECALL else unranked
        times = times_of(view, rules, rank, chosen.questions)
        figures = {"median": np.median(times), "p95": np.quantile(times, 0.95), "max": max(times)}
        report[name] = {key: round(float(value), 3) for key, value in figures.items()}
        lines.append((name, *(f"{value:.2f}" for value in figures.values())))
    print(aligned(lines, right={1, 2, 3}))
    if chosen.json:
        chosen.json.write_text(json.dumps(report, indent=1), "utf-8")


if __name__ == "__main__":
    main()
