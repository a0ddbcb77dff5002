"""Does `recall.confidence` separate questions that a memory answers from those that none answers?

    python -m bench.confidence [--locomo locomo.json [--db FILE]]

On thirty small personal memories (bench/data/personal_questions.txt, ten questions each, half of
them answered by the memory that is named), and on twelve spaces of other kinds (logs, diaries,
notes and chats in bench/data/near_misses.txt, fourteen questions each, nine of them near the topic
and answered by nothing). Both had a part in the fit.
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
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from bench.locomo import import_conversations
from bench.measure import aligned
from meridia import Memory
from meridia.core.settings import Settings
from meridia.core.settings_loader import load
from meridia.evaluation.questions import locomo_questions

UNANSWERABLE = Path(__file__).parent / "data" / "unanswerable.txt"
#: Spaces by headings; a memory of the latter begins with its speaker.
SMALL = {
    "personal": UNANSWERABLE.with_name("personal_questions.txt"),
    "near the topic": UNANSWERABLE.with_name("near_misses.txt"),
}
_SPEAKER = re.compile(r"([\w-]+): (.*)", re.DOTALL)
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
    print(small(settings))
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


def small(settings: Settings) -> str:
    """Return as a table what is said of right first answers and of what nothing answers."""
    rows = [["set", "questions", "count", *_CERTAINTIES]]
    for name, path in SMALL.items():
        said: dict[str, list[str]] = {}
        for space in path.read_text("utf-8").split("# ")[1:]:
            for kind, certainty in _asked(settings, *space.splitlines()):
                said.setdefault(kind, []).append(certainty)
        for kind, states in sorted(said.items()):
            shares = [f"{states.count(each) / len(states):.1%}" for each in _CERTAINTIES]
            rows.append([name, kind, str(len(states)), *shares])
    return aligned(rows)


def _asked(settings: Settings, heading: str, *lines: str) -> Iterator[tuple[str, str]]:
    """Yield for each question of a space whether the first memory is right, and the certainty."""
    asked = [line[4:] for line in lines if line.startswith("- ? ")]
    texts = [line[2:] for line in lines if line[:2] == "- " and line[:4] != "- ? "]
    answered = [line[2:].rsplit(" = ", 1) for line in lines if line.startswith("+ ")]
    with Memory.open(settings=settings, enrich="manual") as memory:
        for number, line in enumerate(texts, 1):
            at, named = _BEGINNING + timedelta(days=3 * number), _SPEAKER.match(line)
            person, text = named.groups() if named else (heading, line)
            memory.remember(text, person=person, session=f"s{number}", at=at, id=str(number))
        memory.enrich()
        for question, right in [*answered, *((question, "0") for question in asked)]:
            recall = memory.recall(question)
            is_right = "right first" if recall.hits[0].event_id == right else "other"
            yield is_right if right != "0" else "not answered", recall.certainty


def confidences(memory: Memory, samples: Sequence[dict[str, Any]]) -> dict[str, list[float]]:
    """Ask every question of every kind over every conversation; return the confidences by kind."""
    chance = random.Random(_SEED)
    own = {s["sample_id"]: [q.question for q in locomo_questions(s)] for s in samples}
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
