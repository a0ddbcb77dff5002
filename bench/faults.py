"""Faults one after the other, each followed by a look at what must hold.

    python -m bench.faults [--minutes N] [--seed N] [--quick] [--rounds N] [KIND …]

Kinds: processes are killed that capture, enrich (`bench.kill`), import, project, forget or back up;
journals are opened anew at random points, and derived from the same (`bench.derived`);
what people said is forgotten who then only listen; clocks jump; many write and read at once; disks
are full or slow; bytes flip (`bench.flips`); one space is asked for what is in another; bodies come
in drips, pages of other sites ask; Neo4j is killed, its line is cut, a model's server is gone or
floods.
Without `--minutes` one round; `--quick` is a short one without Neo4j. Exit status 1 if anything
acknowledged was lost or doubled, if damage went unseen, if a traceback came, a row of another
space, or a graph unlike a clean rebuild. The seed is printed: with it, a run draws the same again.
A kind that needs what is not there (a superuser for small disks, strace, Java, Chromium) says that
it was left out.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import derived, fault_clients, fault_kinds, fault_servers, flips
from bench.fault_checks import QUICK
from bench.kill import KillReport, kill_capture, kill_enrichment
from meridia.core.errors import MeridiaError, StorageFull
from meridia.memory import Memory

#: Does some rounds in a folder; returns what went wrong.
Kind = Callable[[Path, random.Random, int], list[str]]
_PROBES = 500
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
        ("history", lambda: list(mine.history(address))),
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
        ("export", lambda: list(mine.upkeep.export_events())),
        ("sessions", mine.sessions),
        ("trace", lambda: list(mine.upkeep.trace())),
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
            problems = [finding.problem for finding in memory.upkeep.verify()]
            memory.remember("and on", id="on")
        lost = set(acknowledged) - set(there)
        problems += [f"{len(lost)} acknowledged events are lost"] if lost else []
        problems += ["events are doubled"] if len(there) != len(set(there)) else []
        return problems


def flip_bytes(_: Path, draw: random.Random, rounds: int) -> list[str]:
    """Flip bytes of a journal's file."""
    outcomes = flips.run(rounds, draw.randrange(1 << 32))
    print(f"  {dict(outcomes)}")
    return [f"{outcomes[kind]} {kind}" for kind in ("unseen", "traceback") if outcomes[kind]]


def _killing(kill: Callable[[Path, int, random.Random], KillReport]) -> Kind:
    def run(folder: Path, draw: random.Random, rounds: int) -> list[str]:
        report = kill(folder, rounds, draw)
        print(f"  {report}")
        return report.violations

    return run


def _full_disks(_: Path, draw: random.Random, rounds: int) -> list[str]:
    return [problem for _ in range(rounds) for problem in fill_disk(draw)]


#: Kind → what does it, and how many rounds it has in a short run and in a long one.
KINDS: dict[str, tuple[Kind, int, int]] = {
    "capture": (_killing(kill_capture), 1, 6),
    "enrichment": (_killing(kill_enrichment), 0, 2),
    "import": (fault_kinds.kill_import, 1, 5),
    "reopening": (derived.reopen, 1, 4),
    "projection": (fault_kinds.kill_projection, 1, 5),
    "forgetting": (fault_kinds.kill_forgetting, 1, 8),
    "listeners": (fault_kinds.forget_listeners, 1, 8),
    "backup": (fault_kinds.kill_backup, 1, 5),
    "clocks": (fault_kinds.jump_clocks, 1, 10),
    "crowd": (fault_kinds.crowd, 0, 1),
    "slow disk": (fault_kinds.slow_disk, 1, 2),
    "full disk": (_full_disks, 1, 2),
    "flips": (flip_bytes, 5, 25),
    "spaces": (probe_spaces, 100, 500),
    "slow bodies": (fault_clients.slow_bodies, 1, 3),
    "pages": (fault_clients.foreign_pages, 1, 3),
    "model": (fault_servers.lose_model, 1, 3),
    "flood": (fault_servers.flood_model, 1, 2),
    "line": (fault_servers.cut_lines, 0, 10),
    "neo4j": (fault_servers.kill_neo4j, 0, 5),
}


def one_round(kinds: Mapping[str, int], draw: random.Random) -> list[str]:
    """Do so many rounds of some kinds; return what went wrong."""
    wrong: list[str] = []
    for kind, rounds in kinds.items():
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="meridia-faults-") as folder:
            try:
                problems = KINDS[kind][0](Path(folder), draw, rounds)
            except Exception:  # noqa: BLE001 - a traceback is what is looked for
                problems = [traceback.format_exc()]
        wrong += [f"{kind}: {problem}" for problem in problems]
        took = time.monotonic() - started
        print(f"  {kind}: {rounds} rounds, {len(problems)} wrong, {took:.0f} s", flush=True)
    return wrong


def main() -> int:
    """Do rounds for as long as asked, and tell what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--quick", action="store_true", help="a short round")
    parser.add_argument("--rounds", type=int, help="of each kind")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    chosen = parser.parse_args()
    if unknown := set(chosen.kinds) - set(KINDS):
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")
    usual = {kind: (short if chosen.quick else long) for kind, (_, short, long) in KINDS.items()}
    names = chosen.kinds or [kind for kind, rounds in usual.items() if rounds]
    kinds = {kind: chosen.rounds or usual[kind] or 1 for kind in names}
    seed = random.randrange(1 << 32) if chosen.seed is None else chosen.seed
    print(f"seed {seed}", flush=True)
    draw, end, wrong, rounds = random.Random(seed), time.monotonic() + 60 * chosen.minutes, [], 0
    while not rounds or time.monotonic() < end:
        rounds += 1
        print(f"round {rounds}", flush=True)
        wrong += one_round(kinds, draw)
    for problem in wrong:
        print(f"WRONG {problem}")
    print(f"{rounds} rounds, {len(wrong)} wrong (seed {seed})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
