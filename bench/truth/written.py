"""What was written for this project: tools' outputs and instructions held out, and two readers.

The halves that are held out here are learned by no head (bench/data/utterances.md). Agreement is
Cohen's kappa of the second reader with the first, over the sentences that both read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.measure import aligned
from meridia.language.reading import read_message
from meridia.language.runs.failure_signs import is_error
from meridia.resume.standing import ASKED_MIN

_DATA = Path(__file__).parents[1] / "data"
_TALKS = ("mentions-a", "mentions-b")
_KINDS = ("instruction", "withdrawal", "news", "setback", "plan", "promise", "question")


def written_table() -> str:
    """Return the figures as lines: what is judged, how much of it is right, and how much found."""
    rows = [("written for this project", "right", "found")]
    rows += [_row("failures of tools not seen", outputs()), _row("asked for", orders())]
    rows += [(f"two readers: {kind}", f"kappa {by:.2f}", "") for kind, by in readers()]
    return aligned(rows, right={1, 2})


def outputs() -> list[tuple[bool, bool]]:
    """Return for each output that is held out whether it is called a failure, and is one."""
    rows = [json.loads(line) for line in _lines("tool_outputs.jsonl")]
    return [(is_error(_event(row)), row["failed"]) for row in rows if row["half"] == "held out"]


def orders() -> list[tuple[bool, bool]]:
    """Return for each sentence that is held out whether it is asked for good, and was."""
    pairs = []
    for line in _lines("instructions.held.tsv"):
        label, text = line.split("\t")
        kinds = [each.kinds for each in read_message(text)]
        names = ("asked", "instruction", "withdrawal")
        likely = max((each.get(name, 0.0) for each in kinds for name in names), default=0.0)
        pairs.append((likely >= ASKED_MIN, label != "-"))
    return pairs


def readers() -> Iterator[tuple[str, float]]:
    """Yield the kappa of two readers, for `mention` and for kinds of sentences."""
    pairs = [pair for name in _TALKS for pair in _read_twice(name)]
    people = [(a, b) for a, b in pairs if a["role"] == "person"]
    yield "mention", kappa([(a["mention"], b["mention"]) for a, b in people])
    for kind in _KINDS:
        yield kind, kappa([(kind in a["labels"], kind in b["labels"]) for a, b in pairs])


def kappa(pairs: Sequence[tuple[Any, Any]]) -> float:
    """Return Cohen's kappa: agreement beyond that of chance, 1 for all."""
    count = max(len(pairs), 1)
    values = {value for pair in pairs for value in pair}
    agreed = sum(first == second for first, second in pairs) / count
    first, second = ([pair[place] for pair in pairs] for place in (0, 1))
    chance = sum(first.count(value) * second.count(value) for value in values) / count**2
    return 1.0 if chance >= 1 else (agreed - chance) / (1 - chance)


def _read_twice(name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield a sentence as both readers have it; the second names it by its place."""
    rows = [json.loads(line) for line in _lines(f"{name}.jsonl")]
    by_talk = {key: list(of) for key, of in groupby(rows, key=lambda row: row["conversation"])}
    second = [json.loads(line) for line in _lines(f"{name}.reader2.jsonl")]
    start = min(row["index"] for row in second)
    for row in second:
        yield by_talk[row["conversation"]][row["index"] - start], row


def _event(row: dict[str, Any]) -> dict[str, Any]:
    payload = {"args": row["args"], "result": row["result"]}
    return {"kind": "tool_result", "tool": {"name": row["tool"]}, "payload": payload}


def _row(name: str, pairs: Sequence[tuple[bool, bool]]) -> tuple[str, str, str]:
    right = sum(given and wanted for given, wanted in pairs)
    given, wanted = (sum(pair[place] for pair in pairs) for place in (0, 1))
    return name, f"{right}/{given}", f"{right}/{wanted}"


def _lines(name: str) -> list[str]:
    return (_DATA / name).read_text("utf-8").splitlines()
