"""How much the files grow: 1,000 memories, each followed by a recall."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import pytest

from meridia import Memory

UTTERANCES = Path(__file__).parents[2] / "bench" / "data" / "utterances.tsv"
COUNT = 1_000
#: A message of a conversation has about so many sentences of the file: 120 characters.
SENTENCES = 3
BYTES_MAX = 9_000_000


def bytes_in(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_1000_memories_and_1000_recalls_take_9_megabytes_at_most(tmp_path):
    lines = UTTERANCES.read_text(encoding="utf-8").splitlines()
    sentences = [line.rsplit("\t", 1)[1] for line in lines]
    questions = cycle(text for text in sentences if text.endswith("?"))
    Memory.open(tmp_path / "agent.db").close()
    empty = bytes_in(tmp_path)
    with Memory.open(tmp_path / "agent.db") as memory:
        for number in range(COUNT):
            start = SENTENCES * number
            text = " ".join(sentences[start : start + SENTENCES])
            memory.remember(text, person=f"person {number % 5}", session=f"s{number // 20}")
            memory.recall(next(questions))
        memory.enrich()
    assert bytes_in(tmp_path) - empty <= BYTES_MAX
