"""Faults one after the other: kills, full disks, flipped bytes, addresses of other spaces.

    python -m bench.faults [--minutes N] [--seed N]

Each round kills processes that capture and enrich (`bench.kill`), fills a small disk while somebody
captures, flips bytes (`bench.flips`), and asks one space for what is in another. Without
`--minutes` one round. Exit status 1 if anything acknowledged was lost or doubled, if damage went
unseen, if a traceback came, or if a row of another space. The seed is printed: with it, a run draws
the same again. A small disk is mounted, which only the superuser may: else that part says that it
was left out.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import flips
from bench.kill import kill_capture, kill_enrichment
from meridia.core.errors import MeridiaError, StorageFull
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.memory import Memory

QUICK = Settings(embedding=EmbeddingSettings(enabled=False))
_KILLS, _ENRICH_KILLS, _FLIPS, _PROBES = 6, 2, 25, 500
_WORDS = ("heron", "kettle", "harbour", "letter", "market")


def probe_spaces(folder: Path, draw: random.Random, count: int = _PROBES) -> list[str]:
    """Ask one space for what is in another, in every way that takes an address; return leaks."""
    leaks = []
    with Memory(folder / "spaces.db", "mine", QUICK) as mine:
        other = mine.in_space("other")
        for number in range(20):
            text = f"secret{number} of the {draw.choice(_WORDS)}"
            event = other.remember(text, person="Sol", session="theirs", id=f"theirs-{number}")
            mine.remember(f"my {draw.choice(_WORDS)} {number}", person="Dana", session="ours")
            addresses = (event.id, event.event_id, f"@{event.seq}", f"meridia://@{event.seq}")
        other.enrich()
        mine.enrich()
        theirs = list(other.list().memories)
        recalled = other.recall("secret heron")
        for _ in range(count):
            memory = draw.choice(theirs)
            addresses = (memory.id, memory.event_id, f"@{memory.seq}", memory.uri)
            address = draw.choice(addresses)
            name, ask = draw.choice(operations(mine, address, recalled.id))
            try:
                answer = repr(ask())
            except MeridiaError as error:
                answer = str(error)
            if any(f"secret{n} " in answer for n in range(20)):
                leaks.append(f"{name} of {address}: {answer[:200]}")
    return leaks


def operations(mine: Memory, address: str, recall: str) -> list[tuple[str, Callable[[], Any]]]:
    """Return every operation that takes an address, a name or words, by its name."""
    return [
        ("get", lambda: mine.get(address)),
        ("read", lambda: mine.read(address)),
        ("resolve", lambda: mine.resolve(address)),
        ("history", lambda: mine.history(address)),
        ("update", lambda: mine.update(address, "mine now")),
        ("feedback", lambda: mine.feedback(address, "useful")),
        ("forget", lambda: mine.forget(ids=[address], dry_run=True)),
        ("list a session", lambda: mine.list(session="theirs").memories),
        ("list a person", lambda: mine.list(person="Sol").memories),
        ("recall", lambda: [hit.text for hit in mine.recall("secret heron", limit=50).hits]),
        ("recall a person", lambda: mine.recall("secret", person="Sol").hits),
        ("why", lambda: mine.reasons.record(recall)),
        ("replay", lambda: mine.reasons.replay(recall)),
        ("why not", lambda: mine.reasons.why_not("last", address)),
        ("resume", lambda: mine.resume("Sol")),
        ("reconstitute", lambda: getattr(mine.reconstitute(query="secret"), "text", "")),
        ("export", lambda: list(mine.export_events())),
        ("sessions", mine.sessions),
        ("trace", lambda: list(mine.trace())),
        ("query", lambda: mine.query("MATCH (e:Experience) RETURN e.text AS text").rows),
    ]


@contextmanager
def _small_disk(megabytes: int) -> Iterator[Path | None]:
    """Mount a small disk; None where that is not allowed."""
    with tempfile.TemporaryDirectory(prefix="meridia-disk-") as folder:
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder]
        if os.name == "nt" or subprocess.run(command, check=False, capture_output=True).returncode:
            yield None
            return
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


def fill_disk(draw: random.Random) -> list[str]:
    """Capture until a disk is full; all that was acknowledged is there, once, and it goes on."""
    with _small_disk(2) as disk:
        if disk is None:
            print("full disks: left out, this user may mount none")
            return []
        path, acknowledged = disk / "full.db", []
        with Memory(path, "full", QUICK) as memory:
            try:
                for number in range(10_000):
                    text = f"n{number} " + "the harbour " * draw.randrange(20, 200)
                    acknowledged.append(memory.remember(text, id=f"n-{number}").event_id)
            except StorageFull:
                pass
            else:
                return ["it was never full"]
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        with Memory(path, "full", QUICK) as memory:
            there = [one.event_id for one in memory.list(limit=10_000).memories]
            problems = [finding.problem for finding in memory.verify()]
            memory.remember("and on", id="on")
        lost = set(acknowledged) - set(there)
        problems += [f"{len(lost)} acknowledged events are lost"] if lost else []
        problems += ["events are doubled"] if len(there) != len(set(there)) else []
        return problems


def one_round(draw: random.Random) -> list[str]:
    """Do every fault once; return what went wrong."""
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="meridia-faults-") as name:
        folder = Path(name)
        for kill, rounds in ((kill_capture, _KILLS), (kill_enrichment, _ENRICH_KILLS)):
            report = kill(folder, rounds, draw)
            print(f"  {kill.__name__}: {report}")
            wrong += report.violations
        wrong += probe_spaces(folder, draw)
    wrong += [f"a full disk: {problem}" for problem in fill_disk(draw)]
    outcomes = flips.run(_FLIPS, draw.randrange(1 << 32))
    print(f"  flips: {dict(outcomes)}")
    wrong += [
        f"{outcomes[kind]} flips: {kind}" for kind in ("unseen", "traceback") if outcomes[kind]
    ]
    return wrong


def main() -> int:
    """Do rounds for as long as asked, and tell what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=None)
    chosen = parser.parse_args()
    seed = random.randrange(1 << 32) if chosen.seed is None else chosen.seed
    print(f"seed {seed}", flush=True)
    draw, end, wrong, rounds = random.Random(seed), time.monotonic() + 60 * chosen.minutes, [], 0
    while not rounds or time.monotonic() < end:
        rounds += 1
        print(f"round {rounds}", flush=True)
        wrong += one_round(draw)
    for problem in wrong:
        print(f"WRONG {problem}")
    print(f"{rounds} rounds, {len(wrong)} wrong (seed {seed})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
