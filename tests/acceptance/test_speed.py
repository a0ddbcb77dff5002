"""What enrichment by rule costs, as a ratio to embedding the same texts alone in the same run."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from meridia import Memory
from meridia.cli import main
from meridia.core.settings import Settings
from meridia.models.embedder import MiniLmEmbedder
from meridia.models.tokens import Encoded

DEMO = Path(main.__file__).with_name("data") / "demo.jsonl"
RATIO_MAX = 2.0


class Recorder(MiniLmEmbedder):
    """The encoder, remembering which texts it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        self.asked += texts
        return super().encode_all(texts)

    def alone(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed without anything else."""
        return np.array([each.vector for each in super().encode_all(texts)])


def conversation() -> list[dict[str, Any]]:
    """Return the project's own conversation twice; the second time every text is another one."""
    once = [json.loads(line) for line in DEMO.read_text("utf-8").splitlines()]
    again = json.loads(json.dumps(once))
    for event in again:
        event["id"] = f"again-{event['id']}"
        event["session"]["key"] = f"again-{event['session']['key']}"
        for name in ("text", "result"):
            if isinstance(event["payload"].get(name), str):
                event["payload"][name] = f"Told again: {event['payload'][name]}"
    return [*once, *again]


@pytest.mark.thorough
def test_enrichment_without_a_model_costs_little_more_than_embedding(tmp_path):
    encoder = Recorder()
    with Memory(tmp_path / "a.db", "agent", Settings(), embedder=encoder) as memory:
        warm_up, *events = conversation()
        memory.capture(warm_up)
        memory.enrich()
        encoder.asked.clear()
        for event in events:
            memory.capture(event)
        began = time.process_time()
        memory.enrich()
        enriching = time.process_time() - began
    texts = list(encoder.asked)
    assert len(texts) >= 150
    began = time.process_time()
    encoder.alone(texts)
    embedding = time.process_time() - began
    ratio = enriching / embedding
    told = f"enrichment {enriching:.2f} s, embedding {len(texts)} texts {embedding:.2f} s"
    print(f"\n{told}: ×{ratio:.2f}")
    assert ratio <= RATIO_MAX
