"""Each mechanism can be switched off alone, in the product's own formula, and the table says so."""

from dataclasses import asdict

import pytest

from bench import ablation, association, work
from bench.ablation import FULL, MECHANISMS, Ablation, EvaluationSpace, measured, table
from bench.baselines import settings
from meridia import Memory
from meridia.core.settings import RecallSettings
from meridia.evaluation.questions import EvaluationQuestion
from meridia.models.embedder import MiniLmEmbedder
from meridia.retrieval.ranking.ranking_weights import DEFAULT_WEIGHTS, RERANK_WEIGHTS

TOLD = {
    "boat": "The mast of the old boat is made of oak",
    "tractor": "I sold the red tractor last spring",
    "puppy": "We adopted a puppy and named him Oscar",
}


@pytest.fixture(scope="module")
def world():
    embedder = MiniLmEmbedder(threads=1)
    with Memory(None, "default", settings(), embedder=embedder) as memory:
        memory.remember_many({"text": text, "id": id, "session": id} for id, text in TOLD.items())
        memory.enrich()
        asked = [
            EvaluationQuestion("What wood is the mast?", frozenset({"boat"}), ("c1",)),
            EvaluationQuestion("Which pet did you take home?", frozenset({"puppy"}), ("c4",)),
        ]
        yield EvaluationSpace(memory, asked, embedder), memory


@pytest.mark.parametrize("off", MECHANISMS, ids=lambda off: off.name)
def test_every_mechanism_is_one_that_the_product_has(off):
    assert set(off.weights) <= set(asdict(DEFAULT_WEIGHTS))
    assert set(off.settings) <= set(RecallSettings.model_fields)
    changed = (
        off.applied(DEFAULT_WEIGHTS) != DEFAULT_WEIGHTS
        or off.applied(RERANK_WEIGHTS) != RERANK_WEIGHTS
    )
    assert (changed or bool(off.settings) or off.raw or not off.vectors) == (off.name != FULL)


def test_every_weight_of_the_formula_is_switched_off_by_some_mechanism():
    assert {name for off in MECHANISMS for name in off.weights} == set(asdict(DEFAULT_WEIGHTS))


def test_with_nothing_off_the_ranking_is_the_products_own(world):
    here, memory = world
    rank = here.ranker(Ablation(FULL))
    for one in here.asked:
        hits = memory.recall(one.question, limit=20).hits
        assert rank(one.question) == [hit.event_id for hit in hits]


def test_without_vectors_only_what_shares_words_is_found(world):
    here, _ = world
    rank = here.ranker(Ablation("all vectors", vectors=False))
    assert rank("What wood is the mast?")[0] == "boat"
    assert rank("Which pet did you take home?") == []


def test_questions_of_several_spaces_count_once_each(world):
    here, _ = world
    found = measured([here, here], Ablation("all vectors", vectors=False))
    assert found["all"]["recall@10"] == 0.5
    assert (found["c1"]["recall@10"], found["c4"]["recall@10"]) == (1.0, 0.0)


def test_the_table_shows_the_defaults_figures_and_what_is_lost():
    def row(value):
        return {"all": {"recall@10": value}}

    found = {"association": {FULL: row(0.5), "words": row(0.25)}}
    lines = [line.split() for line in table(found).splitlines()]
    assert lines[0][0] == "without"
    assert lines[1:][-2:] == [["default", "50.0"], ["words", "-25.0"]]


@pytest.mark.thorough
def test_the_bench_prints_a_line_for_each_mechanism(monkeypatch, capsys, tmp_path):
    pairs, questions = association.pairs()[:3], work.questions()[:3]
    monkeypatch.setattr(association, "pairs", lambda: pairs)
    monkeypatch.setattr(work, "questions", lambda: questions)
    monkeypatch.setattr(ablation, "MECHANISMS", MECHANISMS[:2])
    ablation.main(["--work", str(tmp_path), "--json", str(tmp_path / "found.json")])
    printed = capsys.readouterr().out
    assert "all vectors" in printed
    assert (tmp_path / "found.json").exists()
