"""Time until events are acknowledged while a sink is filled, beside none, in turns.

    python -m bench.sinks --work DIR --url postgresql://… [--events 100] [--rounds 8]

A new journal is filled and enriched; then what it holds is delivered in the background while as
many events more are captured, one by one, and timed. Four settings take turns: no sink, the same
again as a control, a PostgreSQL, and one that does not answer. At the end the sink is waited for,
and must lack nothing.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from bench.synthetic import SPACE, Language, SyntheticEmbedder, events
from meridia.core.settings import PostgresSettings, Settings, SinksSettings
from meridia.memory import Memory

NOWHERE = "postgresql://nobody@127.0.0.1:1/none"


def acknowledged(
    path: Path, url: str, count: int, language: Language
) -> tuple[list[float], float, int]:
    """Return the seconds of each capture, and what the sink has.

    The share of the backlog that was delivered meanwhile, and the sequences it lacks at the end.
    """
    sinks = SinksSettings(every=1, batch=50)
    settings = Settings(postgres=PostgresSettings(url=url), sinks=sinks)
    backlog, more = list(events(2 * count, language))[:count], list(events(2 * count, language))
    seconds = []
    with Memory(path, SPACE, settings, embedder=SyntheticEmbedder(language)) as memory:
        memory.capture_many(backlog)
        memory.enrich()
        head = memory.parts.journal.head(memory.space).seq
        memory.sinks.dispatch()
        for event in more[count:]:
            began = time.perf_counter()
            memory.capture(event)
            seconds.append(time.perf_counter() - began)
        meanwhile = sum(sink.seq for sink in memory.sinks.status()) / head
        memory.enrich()
        memory.sinks.sync()
        return seconds, meanwhile, sum(sink.lag for sink in memory.sinks.status())


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--work", type=Path, required=True, help="a folder for journals")
    parser.add_argument("--url", required=True, help="a PostgreSQL with pgvector")
    parser.add_argument("--events", type=int, default=100, help="events timed a round")
    parser.add_argument("--rounds", type=int, default=8, help="rounds")
    arguments = parser.parse_args()
    language = Language()
    urls = {
        "no sink": "",
        "no sink again": "",
        "PostgreSQL": arguments.url,
        "one that is down": NOWHERE,
    }
    medians: dict[str, list[float]] = {name: [] for name in urls}
    shares: dict[str, list[float]] = {name: [] for name in urls}
    lacks = dict.fromkeys(urls, 0)
    for number in range(arguments.rounds):
        # Each goes first in its turn: what a busy machine does to the first is fair to all.
        for name in [*urls, *urls][number % len(urls) :][: len(urls)]:
            with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
                path, events_count = Path(folder) / "a.db", arguments.events
                seconds, share, lacks[name] = acknowledged(path, urls[name], events_count, language)
            medians[name].append(statistics.median(seconds))
            shares[name].append(share)
    print(f"{arguments.rounds} rounds of {arguments.events:,} events")
    for name, values in medians.items():
        ratios = [mine / base for mine, base in zip(values, medians["no sink"], strict=True)]
        print(
            f"{name:17} median {1000 * statistics.median(values):6.2f} ms, "
            f"{statistics.median(ratios):5.2f} times no sink of the same round; "
            f"{statistics.median(shares[name]):4.0%} delivered meanwhile, "
            f"lacks {lacks[name]:,} at the end"
        )


if __name__ == "__main__":
    main()
