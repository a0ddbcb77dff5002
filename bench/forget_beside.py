"""How long does forgetting take, and how long does it hold up another process that remembers?

    python -m bench.forget_beside [--size 20000] [--journal PATH] [--messages 20]

Forgets messages one by one, then as many at once, in a copy of a journal of so many memories (or of
the one that is given), while another process remembers something every few milliseconds. Prints
seconds of wall and of processor for each, and the longest that the other waited.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.forget import SPACE, build, copied, opened, write_files
from bench.synthetic import Language
from meridia.core.settings_loader import load
from meridia.memory import Memory

_ROOT = Path(__file__).parent.parent
_PAUSE_S = 0.02


def remember_on(path: Path) -> None:
    """Remember again and again until a file says stop; print how long each took, seconds."""
    stop, number = path.with_name("stop"), 0
    with opened(path, load().settings, Language()) as memory:
        while not stop.exists():
            number += 1
            began = time.perf_counter()
            memory.remember(f"The heron stood near kettle {number}.", person="Robin", session="b")
            print(json.dumps(time.perf_counter() - began), flush=True)
            time.sleep(_PAUSE_S)


def timed(memory: Memory, asked: list[list[str]]) -> tuple[float, float]:
    """Forget by ids, call by call; return seconds of wall and of processor."""
    wall, processor = time.perf_counter(), time.process_time()
    for ids in asked:
        notes = memory.forget(ids=ids).notes
        if notes:
            print(notes)
    return time.perf_counter() - wall, time.process_time() - processor


def beside(path: Path, calls: list[list[str]]) -> dict[str, float]:
    """Forget while another process remembers; return what it took, and the other's waits."""
    command = [sys.executable, "-m", "bench.forget_beside", "--child", str(path)]
    stop = path.with_name("stop")
    stop.unlink(missing_ok=True)
    with opened(path, load().settings, Language()) as memory:
        memory.recall("the heron near the kettle")
        memory.project()
        other = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=_ROOT, text=True)
        assert other.stdout is not None
        for _ in range(20):
            other.stdout.readline()
        wall, processor = timed(memory, calls)
        stop.touch()
        waits = [json.loads(line) for line in other.communicate()[0].splitlines()]
        began = time.perf_counter()
        memory.recall("the heron near the kettle")
        recall = time.perf_counter() - began
        began = time.perf_counter()
        memory.project()
        project = time.perf_counter() - began
    return {
        "wall_s": wall,
        "processor_s": processor,
        "other_waited_s_max": max(waits, default=0.0),
        "next_recall_s": recall,
        "next_project_s": project,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--messages", type=int, default=20)
    parser.add_argument("--journal", type=Path)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        remember_on(chosen.child)
        return
    with tempfile.TemporaryDirectory(prefix="meridia-beside-") as folder:
        path, settings, language = Path(folder) / "journal.db", load().settings, Language()
        if chosen.journal:
            path.write_bytes(chosen.journal.read_bytes())
        else:
            build(path, write_files(path.parent, chosen.size, 1, language)[0], settings, language)
        with opened(path, settings, language) as memory:
            memory.enrich()
            listed = [one.event_id for one in memory.list(limit=chosen.size).memories]
        ids = random.Random(1).sample(listed, 2 * chosen.messages)
        one_by_one = [[id] for id in ids[: chosen.messages]]
        print(f"{len(listed):,} memories, {path.stat().st_size / 1e6:.0f} MB, {SPACE}")
        for name, calls in (("one by one", one_by_one), ("at once", [ids[chosen.messages :]])):
            copy = copied(path, f"{name.replace(' ', '-')}.db")
            took = beside(copy, calls)
            print(name, {key: round(value, 3) for key, value in took.items()}, flush=True)


if __name__ == "__main__":
    main()
