"""Recall while another process captures without a pause: how long each answer takes.

    python -m bench.capture_load [--rate N] [--seconds N] [--wait S] [--embed]

One process captures `--rate` events a second (77 by default); this one recalls all the while, with
`recall.wait_s` = `--wait` (2 by default). Tells how many answers there were, their times, how many
came with the note that the newest memories may be missing, and how many lacked a memory that was
captured before the question and had no note. Exit status 1 if there was no answer, one lacked a
memory without a note, or one took longer than the wait and `_SLACK_S` more, for ranking.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.fault_checks import SPACE, message
from meridia.core.recall_settings import RecallSettings
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.memory import Memory

_ROOT = Path(__file__).parent.parent
_SLACK_S = 1.0


def capture(path: Path, rate: float) -> None:
    """Capture so many events a second until killed."""
    settings = Settings(embedding=EmbeddingSettings(enabled=False))
    with Memory(path, SPACE, settings) as memory:
        start = time.monotonic()
        number = 0
        while True:
            memory.remember(**message(f"l-{number}"))
            number += 1
            if number == 1:
                print("ready", flush=True)
            time.sleep(max(0.0, start + number / rate - time.monotonic()))


def recall_beside(
    folder: Path, rate: float, seconds: float, wait_s: float, *, embed: bool
) -> tuple[list[float], int, int, int]:
    """Return the seconds of each answer, noted and lacking ones, and the events captured."""
    path = folder / "load.db"
    settings = Settings(
        embedding=EmbeddingSettings(enabled=embed), recall=RecallSettings(wait_s=wait_s)
    )
    command = [sys.executable, "-m", "bench.capture_load", "--child", str(path)]
    process = subprocess.Popen(
        [*command, "--rate", str(rate)],
        stdout=subprocess.PIPE,
        cwd=_ROOT,
    )
    times: list[float] = []
    noted = lacking = 0
    try:
        assert process.stdout is not None
        process.stdout.readline()
        with Memory(path, SPACE, settings) as memory:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                count = sum(memory.parts.catalog.kinds(memory.space).values())
                started = time.monotonic()
                recall = memory.recall(f"l-{count - 1}", limit=100)
                times.append(time.monotonic() - started)
                is_noted = any("not read yet" in note for note in recall.notes)
                noted += is_noted
                newest = f"l-{count - 1}"
                lacking += not is_noted and newest not in [hit.event_id for hit in recall.hits]
            captured = sum(memory.parts.catalog.kinds(memory.space).values())
    finally:
        process.kill()
        process.communicate()
    return times, noted, lacking, captured


def main() -> int:
    """Measure, and print a line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rate", type=float, default=77.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--wait", type=float, default=2.0)
    parser.add_argument("--embed", action="store_true", help="with the sentence encoder")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        capture(chosen.child, chosen.rate)
    with tempfile.TemporaryDirectory(prefix="meridia-load-") as folder:
        times, noted, lacking, captured = recall_beside(
            Path(folder), chosen.rate, chosen.seconds, chosen.wait, embed=chosen.embed
        )
    middle = sorted(times)[len(times) // 2] if times else 0.0
    print(
        f"{captured} events captured beside {len(times)} answers: median {middle:.2f} s, longest "
        f"{max(times, default=0):.2f} s (wait {chosen.wait:g} s), {noted} with the note, {lacking} "
        "without the newest memory and without the note"
    )
    return 0 if times and not lacking and max(times) <= chosen.wait + _SLACK_S else 1


if __name__ == "__main__":
    sys.exit(main())
