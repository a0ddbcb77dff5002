"""Rank LoCoMo's questions through the public API, in the format of its scorer.

    python -m bench.locomo --data locomo.json --out rankings.jsonl [--profile simple] [--db FILE]
    python -m bench.locomo --data locomo.json --out rankings.jsonl --merged

Each conversation is its own space of one database; with `--merged` all of them are one space, in
which a turn's id is `sample_id/dia_id`. In a ranking the turns of the question's own conversation
then stand under their own ids, as the scorer knows them, and all others under the long ones.
Annotations and questions are never imported; every question is asked with the same settings.
`--out` appears in one step when all are ranked. LoCoMo is CC BY-NC 4.0: it is read from outside of
this project and no part of it is kept here.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from meridia import Memory
from meridia.core.settings_loader import load
from meridia.ingest.importers.import_reader import read
from meridia.ingest.importers.import_record import ImportRecord
from meridia.models.encoders import LIGHT

LIMIT = 20
MERGED = "merged"


def main() -> None:
    """Import, ask, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="LoCoMo's JSON file")
    parser.add_argument("--out", type=Path, required=True, help="rankings, one JSON object a line")
    parser.add_argument("--db", type=Path, help="keep the imported database here for another run")
    parser.add_argument("--profile", default="default", choices=("default", "simple"))
    parser.add_argument("--limit", type=int, default=LIMIT, help="turns ranked a question")
    parser.add_argument("--merged", action="store_true", help="all conversations in one space")
    parser.add_argument("--model", default=LIGHT, help="the sentence encoder, as embedding.model")
    arguments = parser.parse_args()
    samples = json.loads(arguments.data.read_text("utf-8"))
    settings = load(
        flags={
            "recall.profile": arguments.profile,
            "recall.keep": False,
            "embedding.model": arguments.model,
        }
    ).settings
    with tempfile.TemporaryDirectory() as folder:
        database = arguments.db or Path(folder) / "locomo.db"
        with Memory.open(database, settings=settings) as memory:
            import_conversations(memory, arguments.data, merged=arguments.merged)
            rows = [
                row
                for sample in samples
                for row in rank(memory, sample, arguments.limit, merged=arguments.merged)
            ]
    pending = arguments.out.with_name(arguments.out.name + ".part")
    pending.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    pending.replace(arguments.out)


def import_conversations(memory: Memory, data: Path, *, merged: bool) -> list[str]:
    """Import and enrich all conversations; return the spaces that they are in."""
    with read(data, "locomo") as records:
        prepared = [_into_merged_space(record) if merged else record for record in records]
    memory.import_records(prepared)
    spaces = list(dict.fromkeys(record.space or memory.space for record in prepared))
    for space in spaces:
        memory.in_space(space).enrich()
    return spaces


def _into_merged_space(record: ImportRecord) -> ImportRecord:
    """Return a record of one conversation as one of the space that holds them all."""
    event, sample = record.event, record.space
    if event is None or event.session is None:
        return replace(record, space=MERGED)
    session = event.session.model_copy(update={"key": f"{sample}/{event.session.key}"})
    changes = {"id": f"{sample}/{event.id}", "session": session}
    return replace(record, event=event.model_copy(update=changes), space=MERGED)


def rank(
    memory: Memory, sample: dict[str, Any], limit: int, *, merged: bool
) -> Iterator[dict[str, Any]]:
    """Yield one ranking for each question of a conversation."""
    name = sample["sample_id"]
    here = memory.in_space(MERGED if merged else name)
    for index, question in enumerate(sample["qa"]):
        started = time.perf_counter()
        recall = here.recall(question["question"], limit=limit)
        yield {
            "sample_id": name,
            "question": index,
            "ranked": [hit.event_id.removeprefix(f"{name}/") for hit in recall.hits],
            "ms": round((time.perf_counter() - started) * 1000, 3),
        }


if __name__ == "__main__":
    main()
