"""Weights are learned from evidence, near the built-in ones, and judged by what was left out."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from bench import association, train_ranker, work
from bench.ablation import EvaluationSpace
from bench.baselines import settings
from bench.train_ranker import NAMES, Example, examples, learn, left_out, scored, table, trained
from meridia import Memory
from meridia.evaluation.questions import EvaluationQuestion
from meridia.models.embedder import MiniLmEmbedder
from meridia.retrieval.ranking.ranking_weights import RERANK_WEIGHTS, read

TOLD = {
    "boat": "The mast of the old boat is made of oak",
    "tractor": "I sold the red tractor last spring",
    "puppy": "We adopted a puppy and named him Oscar",
}


def example(number: int, told: str = "speaker", fold: int = 0) -> Example:
    """Return a question whose evidence alone has one of the weights, besides noise in two."""
    chance = np.random.default_rng(number)
    units = np.zeros((12, len(NAMES)))
    units[:, NAMES.index("token_match")] = chance.uniform(0, 1, 12)
    units[:, NAMES.index("length")] = chance.uniform(0, 1, 12)
    found = np.arange(12) == number % 12
    units[found, NAMES.index(told)] = 1.0
    ids = [f"m{place}" for place in range(12)]
    asked = EvaluationQuestion(f"question {number}", frozenset({f"m{number % 12}"}), ())
    return Example("coding", fold, asked, ids, np.arange(12), units, found)


def test_what_tells_evidence_from_the_rest_comes_to_count_more():
    start = replace(RERANK_WEIGHTS, speaker=0.1)
    weights = learn([example(number) for number in range(20)], start)
    assert weights.speaker > 0.5
    assert weights.when == start.when
    assert weights.meaning_alone == start.meaning_alone


def test_signs_are_kept():
    weights = learn([example(number, "length") for number in range(20)], RERANK_WEIGHTS)
    assert RERANK_WEIGHTS.length < weights.length <= 0


def test_learning_twice_gives_the_same_weights():
    given = [example(number) for number in range(9)]
    assert learn(given, RERANK_WEIGHTS) == learn(given, RERANK_WEIGHTS)


def test_without_evidence_nothing_is_learned():
    one = example(1)
    assert learn([replace(one, evidence_mask=np.zeros(12, bool))], RERANK_WEIGHTS) == RERANK_WEIGHTS


def test_the_slope_is_that_of_the_loss():
    one, weights = example(3), np.random.default_rng(0).normal(size=len(NAMES))

    def loss(at):
        odds = np.exp(one.units @ at)
        rest = odds[~one.evidence_mask].sum()
        return -np.log(odds[one.evidence_mask] / (odds[one.evidence_mask] + rest)).sum()

    small = np.eye(len(NAMES)) * 1e-6
    wanted = [(loss(weights + step) - loss(weights - step)) / 2e-6 for step in small]
    assert np.allclose(train_ranker._slope(one, weights), wanted, atol=1e-6)


def test_every_question_is_judged_by_weights_that_never_saw_it(monkeypatch):
    seen = []

    def learned_from(given, start):
        seen.append({one.asked.question for one in given})
        return replace(start, speaker=float(len(seen)))

    monkeypatch.setattr(train_ranker, "learn", learned_from)
    several = [replace(example(n, fold=n % 3), set="locomo") for n in range(9)]
    halves = [example(n, fold=n % 2) for n in range(10, 16)]
    pairs = left_out([*several, *halves], RERANK_WEIGHTS)
    assert sorted(one.asked.question for one, _ in pairs) == sorted(
        one.asked.question for one in (*several, *halves)
    )
    for one, weights in pairs:
        assert one.asked.question not in seen[int(weights.speaker) - 1]


def test_scores_are_those_of_the_ranking_by_the_weights():
    good, bad = (
        replace(RERANK_WEIGHTS, token_match=0.0, length=0.0),
        replace(RERANK_WEIGHTS, speaker=-9.0),
    )
    assert scored([(example(2), good)])["coding"]["MRR"] == 1.0
    assert scored([(example(2), bad)])["coding"]["MRR"] == pytest.approx(1 / 12)


def test_columns_with_their_weights_are_the_products_own_scores():
    embedder = MiniLmEmbedder(threads=1)
    with Memory(None, "default", settings(), embedder=embedder) as memory:
        memory.remember_many({"text": text, "id": id, "session": id} for id, text in TOLD.items())
        memory.enrich()
        asked = [EvaluationQuestion("What wood is the mast made of?", frozenset({"boat"}), ())]
        (one,) = examples({"coding": [EvaluationSpace(memory, asked, embedder)]})
        hits = {hit.event_id: hit.score for hit in memory.recall(asked[0].question).hits}
    scores = one.units @ np.array(list(asdict(RERANK_WEIGHTS).values()))
    assert dict(zip(one.ids, scores, strict=True)) == pytest.approx(hits, abs=1e-5)
    assert [id for id, holds in zip(one.ids, one.evidence_mask, strict=True) if holds] == ["boat"]


def test_the_file_that_is_written_can_be_used(tmp_path):
    found = trained([example(number, fold=number % 2) for number in range(8)])
    path = tmp_path / "ranker.json"
    path.write_text(json.dumps(found), "utf-8")
    assert read(str(path))[1].speaker == found["close"]["speaker"]
    assert found["trained_on"] == {"coding": 8}
    assert [line.split()[:3] for line in table(found["figures"]).splitlines()[1:]] == [
        ["coding", "built-in", "100.0"],
        ["coding", "left", "out"],
        ["coding", "all", "100.0"],
    ]


@pytest.mark.thorough
def test_the_bench_writes_the_file_and_prints_the_figures(monkeypatch, capsys, tmp_path):
    pairs = association.pairs()[:3]
    asked = [one for one in work.questions() if one.set == "coding"][:3]
    monkeypatch.setattr(association, "pairs", lambda: pairs)
    monkeypatch.setattr(work, "questions", lambda: asked)
    out = tmp_path / "ranker.json"
    train_ranker.main(["--out", str(out), "--work", str(tmp_path)])
    assert "left out" in capsys.readouterr().out
    assert json.loads(out.read_text("utf-8"))["trained_on"] == {"association": 3, "coding": 3}
    assert read(str(out))
