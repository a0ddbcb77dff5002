"""Does `recall.confidence` separate questions that a memory answers from those that none answers?

    python -m bench.confidence [--locomo locomo.json [--db FILE]]

On thirty small personal memories (bench/data/personal_questions.txt, ten questions each, half of
them answered by the memory that is named): the even ones had a part in the fit, the odd ones none.
With LoCoMo also on long dialogues. Answered: the questions of each conversation over itself. Not
answered: those of the other conversations with the speakers' names exchanged, and
bench/data/unanswerable.txt. Prints the area
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
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from bench.locomo import import_conversations, questions_of
from bench.measure import aligned
from meridia import Memory
from meridia.core.settings import Settings
from meridia.core.settings_loader import load

UNANSWERABLE = Path(__file__).parent / "data" / "unanswerable.txt"
PERSONAL = UNANSWERABLE.with_name("personal_questions.txt")
_CERTAINTIES, _BEGINNING = ("sure", "maybe", "probably nothing"), datetime(2026, 1, 5, tzinfo=UTC)
ANSWERED, EXCHANGED, NONSENSE = "answered", "names exchanged", "nonsense"
_EXCHANGED_MAX, _SEED = 150, 5


def main() -> None:
    """Import, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--locomo", type=Path, help="LoCoMo's JSON file")
    parser.add_argument("--db", type=Path, help="a database of bench.locomo, imported before")
    arguments = parser.parse_args()
    settings = load(flags={"recall.keep": False}).settings
    print(personal(settings))
    if arguments.locomo is None:
        return
    samples = json.loads(arguments.locomo.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        database = arguments.db or Path(folder) / "locomo.db"
        with Memory.open(database, settings=settings) as memory:
            if arguments.db is None:
                import_conversations(memory, arguments.locomo, merged=False)
            found = confidences(memory, samples)
    print(report(found, settings.recall.confidence_min))


def personal(settings: Settings) -> str:
    """Return as a table what is said of right first answers and of what nothing answers."""
    rows = [["half", "questions", "count", *_CERTAINTIES]]
    said: dict[tuple[str, str], list[str]] = {}
    for place, space in enumerate(PERSONAL.read_text("utf-8").split("# ")[1:]):
        person, *lines = space.splitlines()
        asked = [line[4:] for line in lines if line.startswith("- ? ")]
        texts = [line[2:] for line in lines if line[:2] == "- " and line[:4] != "- ? "]
        answered = [line[2:].rsplit(" = ", 1) for line in lines if line.startswith("+ ")]
        with Memory.open(settings=settings, enrich="manual") as memory:
            for number, text in enumerate(texts):
                at = _BEGINNING + timedelta(days=3 * number)
                memory.remember(text, person=person, session=f"s{number}", at=at)
            memory.enrich()
            half = ("fitted", "held out")[place % 2]
            for question, right in [*answered, *((question, "0") for question in asked)]:
                recall, kind = memory.recall(question), "not answered"
                if right != "0":
                    kind = (
                        "right first" if recall.hits[0].text == texts[int(right) - 1] else "other"
                    )
                said.setdefault((half, kind), []).append(recall.certainty)
    for (half, kind), states in sorted(said.items()):
        shares = [f"{states.count(each) / len(states):.1%}" for each in _CERTAINTIES]
        rows.append([half, kind, str(len(states)), *shares])
    return aligned(rows)


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
