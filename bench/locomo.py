"""Rank LoCoMo's questions through the public API, in the format of its scorer.

    python -m bench.locomo --data locomo.json --out rankings.jsonl [--profile simple] [--db FILE]

Each conversation is its own space of one database. Annotations and questions are never imported;
every question is asked with the same settings. `--out` appears in one step when all are ranked.
LoCoMo is CC BY-NC 4.0: it is read from outside of this project and no part of it is kept here.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from meridia import Memory
from meridia.core.settings import Settings, load

LIMIT = 20


def main() -> None:
    """Import, ask, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="LoCoMo's JSON file")
    parser.add_argument("--out", type=Path, required=True, help="rankings, one JSON object a line")
    parser.add_argument("--db", type=Path, help="keep the imported database here for another run")
    parser.add_argument("--profile", default="default", choices=("default", "simple"))
    parser.add_argument("--limit", type=int, default=LIMIT, help="turns ranked a question")
    arguments = parser.parse_args()
    samples = json.loads(arguments.data.read_text("utf-8"))
    settings = load(flags={"recall.profile": arguments.profile, "recall.keep": False}).settings
    with tempfile.TemporaryDirectory() as folder:
        database = arguments.db or Path(folder) / "locomo.db"
        with Memory.open(database, settings=settings) as memory:
            memory.import_file(arguments.data, format="locomo")
        rows = [
            row for sample in samples for row in rank(sample, database, settings, arguments.limit)
        ]
    pending = arguments.out.with_name(arguments.out.name + ".part")
    pending.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    pending.replace(arguments.out)


def rank(
    sample: dict[str, Any], database: Path, settings: Settings, limit: int
) -> Iterator[dict[str, Any]]:
    """Yield one ranking for each question of a conversation."""
    space = sample["sample_id"]
    with Memory.open(database, space=space, settings=settings) as memory:
        memory.enrich()
        for index, question in enumerate(sample["qa"]):
            started = time.perf_counter()
            recall = memory.recall(question["question"], limit=limit)
            yield {
                "sample_id": space,
                "question": index,
                "ranked": [hit.event_id for hit in recall.hits],
                "ms": round((time.perf_counter() - started) * 1000, 3),
            }


if __name__ == "__main__":
    main()
