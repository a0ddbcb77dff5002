"""Flip single bytes of a journal file: is each flip detected or without effect, with no traceback?

    python -m bench.flips --count 1000 [--seed N]

Flips one byte of a journal's file at a time and then lists, recalls, resumes, explains, queries and
verifies. An outcome is `found` (by verification), `refused` (an error that says what to do),
`harmless` (every answer as before), `unseen` (an answer differs and verification says whole) or
`traceback`. The last two are faults. Exit status 1 if there is one.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from meridia.core.errors import MeridiaError
from meridia.memory import Memory

_TEXTS = (
    ("Dana", "I moved to Bergen last week, and my dog Biscuit loves the harbour."),
    ("Robin", "How is the new flat?"),
    ("Dana", "Small. I am so happy that my sister Kim visits on Sunday."),
    ("Dana", "I promise I will send you the photos tomorrow."),
    ("Robin", "The mast is cracked; the repair costs 300 euros."),
    ("Dana", "My grandmother died in March. I miss her."),
)


def build(path: Path) -> None:
    """Make a journal with all lists, a kept answer and a pack."""
    with Memory.open(path) as memory:
        for number, (person, text) in enumerate(_TEXTS * 5):
            memory.remember(f"{text} ({number})", person=person, session=f"s{number // 6}")
        memory.enrich()
        memory.recall("Where does Dana live?")
        memory.resume("Dana")


def answers(path: Path) -> list[Any]:
    """Return what a user is shown of a journal, without what is made anew each time."""
    with Memory.open(path) as memory:
        shown = [(m.event_id, m.text, m.person, m.at) for m in memory.list(limit=100).memories]
        recall = memory.recall("Where does Dana live?", limit=5)
        hits = [(hit.event_id, hit.text) for hit in recall.hits]
        facts = [fact.text for fact in memory.chronicle.facts()]
        counts = memory.query("MATCH (n) RETURN count(n)").rows
        pack = memory.resume("Dana")
        return [shown, hits, facts, getattr(pack, "text", None), counts]


def outcome(path: Path, expected: list[Any]) -> str:
    """Use a journal, and say what became of it."""
    try:
        same = repr(answers(path)) == repr(expected)
        told = "harmless" if same else ""
    except MeridiaError:
        told = "refused"
    except Exception:  # noqa: BLE001 - what is counted here
        traceback.print_exc()
        return "traceback"
    if told:
        return told
    try:
        with Memory.open(path) as memory:
            return "found" if memory.upkeep.verify() else "unseen"
    except MeridiaError:
        return "found"
    except Exception:  # noqa: BLE001 - what is counted here
        traceback.print_exc()
        return "traceback"


def run(count: int, seed: int, report: Callable[[str], None] = print) -> Counter[str]:
    """Flip `count` bytes, one at a time; return how often each outcome came."""
    chance, outcomes = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        whole, damaged = Path(folder, "whole.db"), Path(folder, "damaged.db")
        build(whole)
        expected = answers(whole)
        size = whole.stat().st_size
        for _ in range(count):
            for old in Path(folder).glob("damaged.db*"):
                shutil.rmtree(old) if old.is_dir() else old.unlink()
            body = bytearray(whole.read_bytes())
            place, bit = chance.randrange(size), 1 << chance.randrange(8)
            body[place] ^= bit
            damaged.write_bytes(body)
            told = outcome(damaged, expected)
            outcomes[told] += 1
            if told in {"unseen", "traceback"}:
                report(f"byte {place} of {size}, bit {bit}: {told}")
    return outcomes


def main() -> int:
    """Run, and print a line an outcome."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}")
    outcomes = run(chosen.count, chosen.seed)
    for name, number in outcomes.most_common():
        print(f"{name:10} {number:5}")
    return 1 if outcomes["unseen"] + outcomes["traceback"] else 0


if __name__ == "__main__":
    sys.exit(main())
