"""Speed, as ratios to the bare operations in the same run.

    python -m bench.speed [--sizes 10000,100000] [--work DIR] [--json FILE]

Measures capturing one event against a bare durable insert, the recall core against the sum of the
three searches it cannot do without, and start-up against bare Python. Spaces are synthetic (see
`bench.synthetic`), so this tells nothing of how good recall is. Writes nothing but what it is told
to: a JSON report, and the built spaces, which another run then takes from `--work`.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import start
from bench.measure import (
    Comparison,
    aligned,
    at_most_above,
    at_most_times,
    interleaved,
    median_ms,
    table,
)
from bench.synthetic import SPACE, Language, SyntheticSpace, built, events, opened
from meridia.core.events import encode, parse_event
from meridia.core.settings import RecallSettings, Settings
from meridia.core.types import Space
from meridia.graph.database import Database
from meridia.graph.journal_file import open_journal
from meridia.graph.vectors import Matrix, VectorIndex
from meridia.ingest.capture import Capture
from meridia.retrieval import ranking, recall
from meridia.retrieval.question import analyse
from meridia.retrieval.recollection import Recollection, Request

EVENTS, QUESTIONS, TOP = 500, 50, 200
#: From this size on, the recall core is held to a ratio; below, to milliseconds above its floor.
_LARGE = 50_000
_START_NODES = 10

#: What a stage of the recall core is called, where it is found, and the function's name there.
_STAGES: tuple[tuple[str, object, str], ...] = (
    ("analyse the question", analyse, "analyse"),
)


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sizes", default="10000,100000", help="memories, separated by commas")
    parser.add_argument("--work", type=Path, help="keep the built spaces here for another run")
    parser.add_argument("--json", type=Path, help="write the report here as well")
    parser.add_argument("--events", type=int, default=EVENTS, help="events captured")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="questions a size")
    parser.add_argument("--runs", type=int, default=start.RUNS, help="processes of each kind")
    arguments = parser.parse_args()


def capture(folder: Path, count: int) -> list[Comparison]:
    """Capture `count` events one by one, each acknowledged, in turns with bare inserts."""
    remaining = iter([parse_event(event) for event in events(count + 20, Language())])
    bodies = [encode({"event": event}) for event in events(count + 20, Language())]
