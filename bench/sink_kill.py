"""Kill `meridia sinks sync` in the middle, over and over, and look for gaps and doubles.

    python -m bench.sink_kill --rounds 100 [--import FILE] [--seed N]

The sinks are those that the environment names (MERIDIA_POSTGRES_URL, MERIDIA_GRAPHITI_URI …), one
after the other. First one is filled without a disturbance: what it holds then is what it has to
hold. Each round starts the command and kills it (SIGKILL) when its cursor has come to a place that
was drawn; the next round goes on from there. Where the cursor has come to the end, and after the
last round, the sink must hold the same to the byte; then it is filled anew, under kills.
Exit status 1 on any difference.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import neo4j

from meridia import Memory
from meridia.core.settings import Settings
from meridia.core.settings_loader import load
from meridia.core.types import Space
from meridia.graph.graphiti.mapping import group_of
from meridia.graph.schema import partition
from meridia.storage.sinks.pgvector_table import PgVectorTable
from meridia.storage.sinks.sink_state import SinkState

SPACE = Space("killed")
#: So few entries a batch, that there are many places to be killed at.
BATCH = 8
_MERIDIA = str(Path(sys.executable).with_name("meridia"))
_NODES = "MATCH (n) WHERE n.group_id = $g RETURN labels(n) AS l, properties(n) AS p"
_EDGES = "MATCH ()-[r]->() WHERE r.group_id = $g RETURN [type(r)] AS l, properties(r) AS p"
_PLACES = ("Oslo", "Bergen", "Lisbon", "Porto", "Berlin", "Hamburg", "Lyon", "Ghent")
_NAMES = ("Mira", "Jonas", "Henrike", "Tomas", "Anneli", "Ravi", "Zoe", "Ilse")


@dataclass(slots=True)
class SinkKillReport:
    """What a run saw; it is good when what the sink held was always the same in the end."""

    sink: str
    killed: int = 0
    fillings: int = 0
    violations: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.sink}: {self.killed} processes killed in the middle, {self.fillings} fillings "
            f"came to their end and were compared, {len(self.violations)} violations"
        )


def main() -> None:
    """Kill, compare, and tell the toll."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=100, help="processes to kill, of each sink")
    parser.add_argument("--import", dest="file", type=Path, help="a conversation, in any format")
    parser.add_argument("--seed", type=int, default=None, help="draw the same places again")
    arguments = parser.parse_args()
    seed = random.randrange(1 << 32) if arguments.seed is None else arguments.seed
    reports = []
    for name, settings in settings_by_sink(load().settings).items():
        with tempfile.TemporaryDirectory(prefix="meridia-sink-kill-") as folder:
            path = Path(folder) / "a.db"
            tell(path, arguments.file)
            reports.append(kill_sync(path, name, settings, arguments.rounds, random.Random(seed)))
        print(f"{reports[-1]} (seed {seed})")
        for violation in reports[-1].violations:
            print(f"VIOLATION {violation}")
    sys.exit(1 if not reports or any(report.violations for report in reports) else 0)


def settings_by_sink(given: Settings) -> dict[str, Settings]:
    """Return settings that name one sink each, of those that are given."""
    none, sinks = Settings(), given.sinks.model_copy(update={"batch": BATCH})
    named = {}
    for sink, is_set in (("postgres", given.postgres.url), ("graphiti", given.graphiti.uri)):
        if is_set:
            update = {sink: getattr(given, sink), "sinks": sinks}
            named[sink] = none.model_copy(update=update)
    return named


def tell(path: Path, file: Path | None, messages: int = 60) -> None:
    """Fill a journal: from a file, or with people, places and facts that were made up."""
    if file is not None:
        _run(path, ["import", str(file), "--space", SPACE], Settings())
    else:
        with Memory.open(path, SPACE, Settings()) as memory:
            for place in range(messages):
                name, town = _NAMES[place % 8], _PLACES[place * 3 % 8]
                said = (f"My sister {name} lives in {town}.", f"I moved to {town}, I love it.")
                who, session = ("Dana", "Robin", "Oskar")[place % 3], f"s{place // 10}"
                memory.remember(said[place % 2], person=who, session=session, id=f"m-{place}")
            memory.update("m-3", "I moved to Vienna, I love it.")
    _run(path, ["enrich", "--space", SPACE], Settings())


def kill_sync(
    path: Path, name: str, settings: Settings, rounds: int, draw: random.Random
) -> SinkKillReport:
    """Kill `rounds` processes that fill a sink from a journal."""
    report, held = SinkKillReport(name), _HELD[name]
    _run(path, ["sinks", "rebuild", "--space", SPACE], settings)
    with Memory.open(path, SPACE, settings) as memory:
        memory.enrich()
        whole, head = held(memory), memory.parts.journal.head(SPACE).seq
        _restart(memory, name)
        position = partial(_position, memory, name)
        while report.killed < rounds:
            report.killed += _killed(path, settings, position, draw.randint(position(), head), draw)
            if position() == head:
                _compare(report, whole, held(memory))
                _restart(memory, name)
        _run(path, ["sinks", "sync", "--space", SPACE], settings)
        _compare(report, whole, held(memory))
    return report


def _compare(report: SinkKillReport, whole: tuple[int, str], held: tuple[int, str]) -> None:
    report.fillings += 1
    if held != whole:
        report.violations.append(
            f"after {report.killed} kills the sink holds {held[0]} things, not the {whole[0]} that "
            "it is to hold, or others"
        )


def _killed(
    path: Path, settings: Settings, position: Callable[[], int], at: int, draw: random.Random
) -> bool:
    """Deliver in a process, kill it a moment after its cursor is `at`; say if it had not ended."""
    process = subprocess.Popen(
        [_MERIDIA, "--db", str(path), "sinks", "sync", "--space", SPACE],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=_environment(settings),
    )
    moments = draw.uniform(0.0, 0.1)
    while process.poll() is None and position() < at:
        time.sleep(0.02)
    time.sleep(moments)
    process.kill()
    _, errors = process.communicate()
    if process.returncode > 0:
        raise RuntimeError(errors.decode()[-1000:])
    return process.returncode != 0


def _position(memory: Memory, name: str) -> int:
    return next(sink.seq for sink in memory.sinks.status() if sink.name == name)


def _restart(memory: Memory, name: str) -> None:
    SinkState(memory.parts.space(SPACE), name).restart()


def _held_in_postgres(memory: Memory) -> tuple[int, str]:
    """Return how many memories a table holds, and a hash of all."""
    table, mine = PgVectorTable(memory.settings.postgres), partition(memory.parts.journal, SPACE)
    try:
        return table.count(mine.id), table.digest(mine.id)
    finally:
        table.close()


def _held_in_graphiti(memory: Memory) -> tuple[int, str]:
    """Return how many nodes and edges a group has, and a hash of all.

    A node's labels stand in a property too: graphiti-core writes it in an order left to chance.
    """
    chosen, group = memory.settings.graphiti, group_of(SPACE)
    login = (chosen.user, chosen.password.get_secret_value())
    with neo4j.GraphDatabase.driver(chosen.uri, auth=login) as driver:
        rows = [
            (sorted(row["l"]), sorted({**row["p"], "labels": None}.items()))
            for statement in (_NODES, _EDGES)
            for row in driver.execute_query(statement, g=group).records
        ]
    return len(rows), hashlib.sha256("".join(sorted(map(str, rows))).encode()).hexdigest()


_HELD = {"postgres": _held_in_postgres, "graphiti": _held_in_graphiti}


def _run(path: Path, arguments: list[str], settings: Settings) -> None:
    command = [_MERIDIA, "--db", str(path), *arguments]
    done = subprocess.run(command, check=False, capture_output=True, env=_environment(settings))
    if done.returncode:
        raise RuntimeError(done.stderr.decode()[-1000:])


def _environment(settings: Settings) -> dict[str, str]:
    """Return an environment in which a command has these settings and no others."""
    graphiti = settings.graphiti
    set_here = {
        "MERIDIA_POSTGRES_URL": settings.postgres.url,
        "MERIDIA_GRAPHITI_URI": graphiti.uri,
        "MERIDIA_GRAPHITI_USER": graphiti.user,
        "MERIDIA_GRAPHITI_PASSWORD": graphiti.password.get_secret_value(),
        "MERIDIA_SINKS_BATCH": str(settings.sinks.batch),
    }
    kept = {name: text for name, text in os.environ.items() if not name.startswith("MERIDIA_")}
    return kept | set_here


if __name__ == "__main__":
    main()
