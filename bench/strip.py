"""Recall where memories lack what others have: their person, their session, or both.

    python -m bench.strip --data locomo.json [--shares 0.1 0.3 0.6] [--conversations 2]

The conversations are imported again with a share of all messages, drawn from a seed, without
person and session, and once with all evidence of the questions stripped of both. What is missing of
a memory is no reason to take another one: recall@10 should fall little. LoCoMo is CC BY-NC 4.0: it
is read from outside of this project and no part of it is kept here.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from bench.measure import aligned
from bench.scores import score
from meridia import Memory
from meridia.evaluation.questions import ALL, EvaluationQuestion, Measures, locomo_questions
from meridia.ingest.importers.import_reader import read
from meridia.ingest.importers.import_record import ImportRecord

CUTS = (5, 10)
EVIDENCE = "evidence"
#: Says of a record whether it is stripped.
Chosen = Callable[[ImportRecord], bool]


def stripped(records: list[ImportRecord], chosen: Chosen) -> list[ImportRecord]:
    """Return records of which the chosen have neither person nor session."""
    return [
        replace(record, event=record.event.model_copy(update={"person": None, "session": None}))
        if record.event is not None and chosen(record)
        else record
        for record in records
    ]


def _choice(share: str, evidence: set[str]) -> Chosen:
    if share == EVIDENCE:
        return lambda record: f"{record.space}/{record.event and record.event.id}" in evidence
    draw = random.Random(7)
    return lambda record: draw.random() < float(share)


def _score(memory: Memory, asked: Sequence[EvaluationQuestion]) -> Measures:
    memory.enrich()

    def rank(question: str) -> list[str]:
        hits = memory.recall(question, limit=max(CUTS)).hits
        return [str(hit.event_id).removeprefix(f"{memory.space}/") for hit in hits]

    return score(rank, asked, CUTS)[ALL]


def main() -> None:
    """Import, ask and print a line for each share."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="LoCoMo's JSON file")
    parser.add_argument("--shares", type=float, nargs="*", default=[0.0, 0.1, 0.3, 0.6])
    parser.add_argument("--conversations", type=int, help="only the first so many")
    arguments = parser.parse_args()
    samples = json.loads(arguments.data.read_text("utf-8"))[: arguments.conversations]
    names = {sample["sample_id"] for sample in samples}
    with read(arguments.data, "locomo") as every:
        records = [record for record in every if record.space in names]
    asked = {sample["sample_id"]: locomo_questions(sample) for sample in samples}
    evidence = {
        f"{n}/{id}" for n, questions in asked.items() for q in questions for id in q.evidence
    }
    lines = [("stripped", *(f"recall@{cut}" for cut in CUTS), "MRR")]
    for share in [*map(str, arguments.shares), EVIDENCE]:
        with Memory.open(enrich="manual") as memory:
            memory.import_records(stripped(records, _choice(share, evidence)))
            rows = [(len(of), _score(memory.in_space(name), of)) for name, of in asked.items()]
        whole = sum(count for count, _ in rows)
        means = [
            sum(count * of[name] for count, of in rows) / whole
            for name in (*(f"recall@{cut}" for cut in CUTS), "MRR")
        ]
        lines.append((share, *(f"{100 * mean:.1f}" for mean in means)))
    print(aligned(lines, right={1, 2, 3}))


if __name__ == "__main__":
    main()
