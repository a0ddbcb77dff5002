"""Does `recall.confidence` separate questions that a memory answers from those that none answers?

    python -m bench.confidence --locomo locomo.json [--db FILE]

Answered: the questions of each conversation over itself. Not answered: those of the other
conversations with the speakers' names exchanged, and bench/data/unanswerable.txt. Prints the area
under the ROC curve and how many of each kind are marked "probably nothing here". LoCoMo is read
from outside of this project; its form is that of bench/locomo.py.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.locomo import import_conversations, questions_of
from bench.measure import aligned
from meridia import Memory
from meridia.core.settings_loader import load

UNANSWERABLE = Path(__file__).parent / "data" / "unanswerable.txt"
ANSWERED, EXCHANGED, NONSENSE = "answered", "names exchanged", "nonsense"
_EXCHANGED_MAX, _SEED = 150, 5


def main() -> None:
    """Import, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--locomo", type=Path, required=True, help="LoCoMo's JSON file")
    parser.add_argument("--db", type=Path, help="a database of bench.locomo, imported before")
    arguments = parser.parse_args()
    samples = json.loads(arguments.locomo.read_text("utf-8"))
    settings = load(flags={"recall.keep": False}).settings
    with tempfile.TemporaryDirectory() as folder:
        database = arguments.db or Path(folder) / "locomo.db"
        with Memory.open(database, settings=settings) as memory:
            if arguments.db is None:
                import_conversations(memory, arguments.locomo, merged=False)
            found = confidences(memory, samples)
    print(report(found, settings.recall.confidence_min))


def confidences(memory: Memory, samples: Sequence[dict[str, Any]]) -> dict[str, list[float]]:
    """Ask every question of every kind over every conversation; return the confidences by kind."""
    chance = random.Random(_SEED)
    own = {s["sample_id"]: [q.question for q in questions_of(s)] for s in samples}
    names = {s["sample_id"]: _speakers(s) for s in samples}
    nonsense = UNANSWERABLE.read_text("utf-8").splitlines()
    found: dict[str, list[float]] = {ANSWERED: [], EXCHANGED: [], NONSENSE: []}
    for name, questions in own.items():
        others = [(other, text) for other in own if other != name for text in own[other]]
        some = chance.sample(others, min(_EXCHANGED_MAX, len(others)))
        asked = {
            ANSWERED: questions,
            EXCHANGED: [_exchanged(text, names[other], names[name]) for other, text in some],
            NONSENSE: nonsense,
        }
        here = memory.in_space(name)
        for kind, texts in asked.items():
            found[kind] += [here.recall(text).confidence for text in texts]
    return found


def roc_area(answered: Sequence[float], others: Sequence[float]) -> float:
    """Return the chance that an answered question has the larger confidence; ties count half."""
    ours, theirs = np.array(answered)[:, None], np.array(others)[None, :]
    return float(np.mean((ours > theirs) + 0.5 * (ours == theirs)))


def report(found: Mapping[str, Sequence[float]], threshold: float) -> str:
    """Return the figures as a table."""
    rows = [["questions", "count", "marked", "ROC area against answered"]]
    for kind, values in found.items():
        marked = f"{np.mean(np.array(values) < threshold):.1%}"
        area = "" if kind == ANSWERED else f"{roc_area(found[ANSWERED], values):.3f}"
        rows.append([kind, str(len(values)), marked, area])
    return aligned(rows)


def _speakers(sample: Mapping[str, Any]) -> tuple[str, str]:
    talk = sample["conversation"]
    return talk["speaker_a"], talk["speaker_b"]


def _exchanged(text: str, before: Sequence[str], after: Sequence[str]) -> str:
    """Put the names of one conversation's speakers in the place of another's."""
    other = dict(zip(before, after, strict=True))
    pattern = r"\b(" + "|".join(map(re.escape, before)) + r")\b"
    return re.sub(pattern, lambda match: other[match[1]], text)


if __name__ == "__main__":
    main()
