"""Does recall find events of work: a failure, its solution, who asked for it?

    python -m bench.work [--data airline.json] [--swe-agent FOLDER] [--profile default]
                         [--model FOLDER] [--json FILE]

The questions of bench/data/work.jsonl, over three spaces: `coding`, six sessions of four people and
an agent that were written for this bench (bench/data/coding.jsonl), `airline`, tau-bench's 200
runs of an airline's agent, and `swe-agent`, six of the runs that SWE-agent shows as demonstrations.
The last two are read from outside of this project, and left out where they are not named.
Each question names the events that answer it; where the same thing happened in several runs, all
of them. A question's `person` is whose words answer it: it is never handed to recall.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.baselines import (
    CHANCE,
    MEANING,
    NAMES,
    PROFILES,
    PROTOTYPE,
    Baselines,
    Text,
    product,
    settings,
    texts_of,
)
from bench.scores import score, table
from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.core.types import Outcome
from meridia.evaluation.questions import EvaluationQuestion, Measures
from meridia.models.encoders import LIGHT, encoder_of
from meridia.models.tokens import Embedder

QUESTIONS = Path(__file__).parent / "data" / "work.jsonl"
CODING = Path(__file__).parent / "data" / "coding.jsonl"
KINDS = ("failed", "fixed", "asked", "printed", "decided", "changed")
SETS = {"coding": "native", "airline": "tau-bench", "swe-agent": "swe-agent"}
#: The files of the last set: five challenges (ctf/…) and the replay of marshmallow-1867 "default,
#: install from source", named as here.
SWE_AGENT = (
    *("BabyTimeCapsule.traj", "flash.traj", "i_got_id_demo.traj", "marshmallow-1867.traj"),
    *("networking_1.traj", "rock.traj"),
)
CUTS = (5, 10)
MEASURES = ("recall@5", "recall@10", "all@10", "MRR")
#: As far down as a ranking is looked at.
_DEPTH = 100


@dataclass(frozen=True, slots=True)
class WorkQuestion:
    """A question over one of the sets, and the events that answer it."""

    id: str
    set: str
    kind: str
    question: str
    evidence: Sequence[str]
    person: str | None = None


def questions(path: Path = QUESTIONS) -> list[WorkQuestion]:
    """Read the questions."""
    return [WorkQuestion(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def import_set(name: str, data: Path, database: Path, embedder: Embedder) -> list[Text]:
    """Import a set, a file or the folder of `SWE_AGENT`, into the space of its name.

    Returns what can be recalled of it. Raises `InvalidInput` when nothing of a file could be
    captured.
    """
    with Memory(database, name, settings(), embedder=embedder) as memory:
        for file in [data / each for each in SWE_AGENT] if name == "swe-agent" else [data]:
            summary = memory.import_file(file, format=SETS[name], space=name)
            if not summary.total(Outcome.CAPTURED):
                problems = summary.problems[:3]
                raise InvalidInput(f"{file}: nothing in it could be captured: {problems}")
        memory.enrich()
        return texts_of(memory)


def compare(
    name: str,
    items: Sequence[WorkQuestion],
    data: Path,
    profiles: Sequence[str],
    embedder: Embedder,
) -> dict[str, dict[str, Measures]]:
    """Return the scores over one set of the product's profiles and of all baselines, by kind."""
    asked = [
        EvaluationQuestion(question.question, frozenset(question.evidence), (question.kind,))
        for question in items
        if question.set == name
    ]
    scores: dict[str, dict[str, Measures]] = {}
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "work.db"
        baselines = Baselines(import_set(name, data, database, embedder), embedder)
        for profile in profiles:
            with product(database, name, settings(profile), _DEPTH, embedder) as rank:
                scores[NAMES.get(profile, profile)] = score(rank, asked, CUTS)
    return scores | {
        MEANING: score(baselines.by_meaning, asked, CUTS),
        PROTOTYPE: score(baselines.by_prototype, asked, CUTS),
        CHANCE: score(baselines.at_random, asked, CUTS),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Import, ask, print a table for each set and write the report that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="tau-bench's airline runs, a JSON file")
    parser.add_argument("--swe-agent", type=Path, help="a folder of SWE-agent's demonstrations")
    parser.add_argument("--profile", action="append", choices=PROFILES, help="may be repeated")
    parser.add_argument("--model", default=LIGHT, help="the sentence encoder, as embedding.model")
    parser.add_argument("--json", type=Path, help="write the scores here")
    chosen = parser.parse_args(arguments)
    profiles, embedder, items = (
        chosen.profile or ("default", "simple"),
        encoder_of(chosen.model),
        questions(),
    )
    files = {"coding": CODING, "airline": chosen.data, "swe-agent": chosen.swe_agent}
    report = {}
    for name, data in ((name, data) for name, data in files.items() if data):
        report[name] = compare(name, items, data, profiles, embedder)
        print(f"{name}\n{table(report[name], MEASURES)}\n")
    if chosen.json:
        chosen.json.write_text(json.dumps(report, indent=1), "utf-8")


if __name__ == "__main__":
    main()
