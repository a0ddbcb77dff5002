"""The first projection of a journal to a graph, on the embedded engine and on Neo4j, in turns.

    python -m bench.projection [--events 127 1200] [--rounds 3]

The server is the one that MERIDIA_GRAPH_NEO4J_URI, _USER and _PASSWORD name. Each round makes a
journal of synthetic messages, enriches it, and times what the first Cypher query waits for: to
open the graph and to project everything. The first round on a server that has just started is that
of a new user; it stands by itself. The server gets rid of each graph afterwards.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench.measure import aligned
from bench.synthetic import SPACE, Language, SyntheticEmbedder, events
from meridia.core.settings import GraphSettings, Settings
from meridia.core.settings_loader import load
from meridia.graph import digest
from meridia.memory import Memory

Engine = Literal["embedded", "neo4j"]
ENGINES: tuple[Engine, ...] = ("embedded", "neo4j")


@dataclass(frozen=True, slots=True)
class Projected:
    """A first projection: what the graph holds, seconds by the clock, and of this process."""

    nodes: int
    edges: int
    clock: float
    processor: float


def projected(path: Path, graph: GraphSettings, count: int, language: Language) -> Projected:
    """Make a journal of `count` messages, project it for the first time, and drop its graph."""
    settings = Settings(graph=graph)
    with Memory(path, SPACE, settings, embedder=SyntheticEmbedder(language)) as memory:
        memory.capture_many(list(events(count, language)))
        memory.enrich()
        began, processor_began = time.perf_counter(), time.process_time()
        memory.graph.project()
        clock, processor = time.perf_counter() - began, time.process_time() - processor_began
        found = digest.count(memory.graph.store())
        memory.forget_space()
    return Projected(sum(found.nodes.values()), sum(found.edges.values()), clock, processor)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--events", type=int, nargs="+", default=[127, 1200])
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    language, named = Language(), load().settings.graph
    rows = [["messages", "engine", "nodes", "edges", "first s", "median s", "processor s"]]
    for count in arguments.events:
        measured: dict[Engine, list[Projected]] = {engine: [] for engine in ENGINES}
        for _ in range(arguments.rounds):
            for engine in ENGINES:
                graph = named.model_copy(update={"engine": engine})
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "journal.db"
                    measured[engine].append(projected(path, graph, count, language))
        for engine, runs in measured.items():
            clock = statistics.median(run.clock for run in runs)
            processor = statistics.median(run.processor for run in runs)
            seconds = [f"{value:.2f}" for value in (runs[0].clock, clock, processor)]
            rows.append([f"{count}", engine, f"{runs[0].nodes}", f"{runs[0].edges}", *seconds])
    print(aligned(rows, right={0, 2, 3, 4, 5, 6}))


if __name__ == "__main__":
    main()
