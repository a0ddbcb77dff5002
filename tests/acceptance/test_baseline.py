"""Row 98: a hundred memories, a dozen questions, the real encoder; better than meaning alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.baselines import Baselines, product, settings, texts_of
from bench.scores import score
from meridia import Memory
from meridia.evaluation.questions import EvaluationQuestion
from meridia.models.encoders import LIGHT, encoder_of

ROOT = Path(__file__).parents[2]
DEMO, QUESTIONS = ROOT / "cli/data/demo.jsonl", ROOT / "bench/data/demo_questions.jsonl"
MEMORIES, ASKED, CUT = 100, 15, 10


@pytest.mark.thorough
def test_row_98_recall_beats_the_ranking_by_meaning_alone(tmp_path):
    lines = DEMO.read_text("utf-8").splitlines()[:MEMORIES]
    ids = {json.loads(line)["id"] for line in lines}
    source = tmp_path / "demo.jsonl"
    source.write_text("\n".join(lines), "utf-8")
    rows = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    asked = [
        EvaluationQuestion(row["question"], frozenset(row["evidence"]), ("all",))
        for row in rows
        if row["evidence"] and ids.issuperset(row["evidence"])
    ][:ASKED]
    assert len(asked) >= 10
    embedder, database = encoder_of(LIGHT), tmp_path / "demo.db"
    with Memory(database, "demo", settings(), embedder=embedder) as memory:
        memory.import_file(source, space="demo")
        memory.enrich()
        baselines = Baselines(texts_of(memory), embedder)
    with product(database, "demo", settings(), CUT, embedder) as rank:
        ours = score(rank, asked, (CUT,))["all"]
    meaning = score(baselines.by_meaning, asked, (CUT,))["all"]
    assert ours["MRR"] > meaning["MRR"] + 0.1
    assert ours[f"recall@{CUT}"] >= meaning[f"recall@{CUT}"]
