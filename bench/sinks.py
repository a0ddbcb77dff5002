"""Time until events are acknowledged while sinks are filled, beside none, in turns.

    python -m bench.sinks --work DIR --postgres URL --graphiti URI --password P [--rounds 12]

A new journal is filled and enriched, and the sinks are connected; then what it holds is delivered
in the background while more events are captured, one by one, and timed: by the clock, the mean and
the median, and by the processor time of the thread that captures, which other programs on the
machine do not change. Settings take turns: no sink, the same again as a control, all sinks, all of
them down. Each is compared with the mean of both without a sink of the same round. At the end the
sinks are waited for, and must lack nothing.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from bench.synthetic import SPACE, Language, SyntheticEmbedder, events
from meridia.core.settings import GraphitiSettings, PostgresSettings, Settings, SinksSettings
from meridia.memory import Memory

NONE, AGAIN, ALL, DOWN = "no sink", "no sink again", "all sinks", "all are down"
KINDS = ("mean", "clock", "thread")
NOWHERE = (
    PostgresSettings(url="postgresql://nobody@127.0.0.1:1/none"),
    GraphitiSettings(uri="bolt://127.0.0.1:1"),
)


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """Seconds of a capture: by the clock, the mean and the median; of its thread, the median.

    `meanwhile` is the share of the backlog that each sink was given meanwhile, on average, `lacks`
    what they lack in the end, in journal sequences.
    """

    mean: float
    clock: float
    thread: float
    meanwhile: float
    lacks: int


def acknowledged(
    path: Path,
    sinks: tuple[PostgresSettings, GraphitiSettings] | None,
    held: int,
    count: int,
    language: Language,
) -> Acknowledged:
    """Capture `count` events while the sinks are given what a journal of `held` events holds."""
    postgres, graphiti = sinks or (PostgresSettings(), GraphitiSettings())
    every = SinksSettings(every=1, batch=50, attempts=2)
    settings = Settings(postgres=postgres, graphiti=graphiti, sinks=every)
    given, clock, thread = list(events(held + count, language)), [], []
    with Memory(path, SPACE, settings, embedder=SyntheticEmbedder(language)) as memory:
        memory.capture(given[0])
        memory.enrich()
        memory.sinks.sync()  # connects, and loads what is needed for that
        before = memory.parts.journal.head(memory.space).seq
        memory.capture_many(given[1:held])
        memory.enrich()
        backlog = memory.parts.journal.head(memory.space).seq - before
        memory.sinks.dispatch()
        for event in given[held:]:
            began, thread_began = time.perf_counter(), time.thread_time()
            memory.capture(event)
            thread.append(time.thread_time() - thread_began)
            clock.append(time.perf_counter() - began)
        shares = [(sink.seq - before) / backlog for sink in memory.sinks.status() if sink.seq]
        meanwhile = statistics.fmean(shares) if shares else 0.0
        memory.enrich()
        memory.sinks.sync()
        lacks = sum(sink.lag for sink in memory.sinks.status())
        if postgres.url and sinks != NOWHERE:
            memory.forget_space()  # the next round has a journal of its own, and the same space
        return Acknowledged(
            statistics.fmean(clock),
            statistics.median(clock),
            statistics.median(thread),
            meanwhile,
            lacks,
        )


def ratios(measured: dict[str, list[Acknowledged]], name: str, clock: str) -> list[float]:
    """Return how much longer it took than without a sink, round by round."""
    base = zip(measured[NONE], measured[AGAIN], strict=True)
    means = [(getattr(one, clock) + getattr(two, clock)) / 2 for one, two in base]
    return [getattr(m, clock) / mean for m, mean in zip(measured[name], means, strict=True)]


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--work", type=Path, required=True, help="a folder for journals")
    parser.add_argument("--postgres", required=True, help="the URL of one with pgvector")
    parser.add_argument("--graphiti", required=True, help="the URI of its Neo4j")
    parser.add_argument("--password", required=True, help="that of Neo4j")
    parser.add_argument("--held", type=int, default=300, help="events that are delivered meanwhile")
    parser.add_argument("--events", type=int, default=3_000, help="events timed a round")
    parser.add_argument("--rounds", type=int, default=6, help="rounds")
    given = parser.parse_args()
    graphiti = GraphitiSettings(uri=given.graphiti, password=SecretStr(given.password))
    every = (PostgresSettings(url=given.postgres), graphiti)
    settings = {NONE: None, AGAIN: None, ALL: every, DOWN: NOWHERE}
    language, names = Language(), list(settings)
    measured: dict[str, list[Acknowledged]] = {name: [] for name in names}
    for number in range(given.rounds):
        # Each goes first in its turn: what a busy machine does to the first is fair to all.
        for name in [*names, *names][number % len(names) :][: len(names)]:
            with tempfile.TemporaryDirectory(dir=given.work) as folder:
                path = Path(folder) / "a.db"
                measured[name].append(
                    acknowledged(path, settings[name], given.held, given.events, language)
                )
    print(f"{given.rounds} rounds of {given.events:,} events; ratios: median (least to most)")
    for name, rounds in measured.items():
        print(f"{name:14}" + ";".join(_told(measured, name, kind) for kind in KINDS), end="")
        meanwhile = statistics.median(each.meanwhile for each in rounds)
        print(f"; {meanwhile:4.0%} delivered meanwhile, lacks {rounds[-1].lacks:,}")


def _told(measured: dict[str, list[Acknowledged]], name: str, clock: str) -> str:
    times = ratios(measured, name, clock)
    middle = statistics.median(getattr(each, clock) for each in measured[name])
    spread = f"{statistics.median(times):.2f} times ({min(times):.2f} to {max(times):.2f})"
    return f" {clock} {1000 * middle:.2f} ms, {spread}"


if __name__ == "__main__":
    main()
