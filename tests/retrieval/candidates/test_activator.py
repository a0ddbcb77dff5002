"""The activator: arrays and queries give one ranking, and an engine that is down costs a note."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from meridia import Memory
from meridia.core.settings import GraphSettings, RecallSettings, Settings

QUESTIONS = [
    "Why did publishing the website fail?",
    "What did Oskar promise Dana?",
    "What did I say about boats?",
    "Who mended the sail with Robin last spring?",
    "zygote",
]
NOWHERE = {"engine": "neo4j", "neo4j_uri": "bolt://127.0.0.1:9", "neo4j_password": "none"}


def answers(path: Path, graph: dict[str, Any], **recall: Any) -> tuple[list, list[str]]:
    """Return what every question brings back with its score, and all notes."""
    settings = Settings(recall=RecallSettings(**recall), graph=GraphSettings(**graph))
    with Memory(path, "demo", settings) as memory:
        found = [memory.recall(question, limit=30) for question in QUESTIONS]
    ranked = [[(hit.id, hit.score) for hit in recall.hits] for recall in found]
    return ranked, [note for recall in found for note in recall.notes]


def test_without_the_engine_recall_answers_from_memory_and_says_so(
    copied: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("meridia.retrieval.recall_service.seed_of", lambda recall, request: 5)
    arrays, _ = answers(copied, {"engine": "embedded"}, traverse="arrays", policy="walk")
    alone, notes = answers(copied, NOWHERE, traverse="cypher", policy="walk")
    assert alone == arrays
    assert len(notes) == len(QUESTIONS)  # told once an answer
    assert all("the graph did not answer" in note for note in notes)


def test_arrays_never_ask_the_engine(copied: Path):
    _, notes = answers(copied, NOWHERE, traverse="arrays")
    assert notes == []
