"""Facets and profile in recall: off they change nothing, on they only add, and say what."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import numpy as np
import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.core.settings import RecallSettings, Settings
from meridia.core.settings_loader import load
from meridia.retrieval.explain.counterfactual import Cause
from meridia.retrieval.rerank.reranker import candidate_count, rerank_context_of, validate_hints
from tests.fakes import FakeEmbedder, SeededBytes, TickingClock

HINTS = {"mode": "owner", "topics": ["platform_mx8"], "focusEntities": ["mx8"]}
ANALYST = {"analyst": 0.8, "legacy": 0.2}
FILED = {"platforms": ["mx8"], "primary_modes": ["owner"], "related_entities": {"models": ["mx8"]}}
MESSAGES = {
    "plain": ("The stock is fitted by hand.", {}),
    "filed": ("The stock is fitted at home.", FILED),
    "analyst": ("The stock is fitted in May.", {"archetype_bias": ["analyst"]}),
    "legacy": ("The stock is fitted at last.", {"archetype_bias": ["legacy"]}),
    "internal": ("The stock is fitted and paid.", {"confidentiality": "internal"}),
    "planned": ("The stock is fitted soon.", {"document": {"status": "planned"}}),
}
QUESTION = "fitted stock"


def shop(**flags: object) -> Memory:
    given = {f"recall.{key}": value for key, value in flags.items()}
    settings = load(flags=given, environment={}).settings
    memory = Memory(None, "shop", settings, TickingClock(), SeededBytes(), embedder=FakeEmbedder())
    for id, (text, metadata) in MESSAGES.items():
        memory.remember(text, id=id, session=id, metadata=metadata)
    return memory


@pytest.fixture
def plain() -> Iterator[Memory]:
    with shop() as memory:
        yield memory


@pytest.fixture
def reranking() -> Iterator[Memory]:
    with shop(rerank=True) as memory:
        yield memory


def ranking(memory: Memory, **how: object) -> list[tuple[str, float]]:
    return [(hit.event_id, hit.score) for hit in memory.recall(QUESTION, **how).hits]


def test_row_119_switched_off_order_and_scores_are_those_without_hints(plain: Memory):
    hinted = ranking(plain, hints=HINTS | {"profile_vector": ANALYST})
    assert hinted == ranking(plain)
    assert all(hit.base == hit.score for hit in plain.recall(QUESTION, hints=HINTS).hits)
    assert {id for id, _ in hinted} == set(MESSAGES) - {"internal", "planned"}


def test_row_116_what_agrees_with_the_hints_gains_and_the_rest_keeps_its_score(
    plain: Memory, reranking: Memory
):
    before, hits = dict(ranking(plain)), reranking.recall(QUESTION, hints=HINTS).hits
    for hit in hits:
        assert hit.base == pytest.approx(before[hit.event_id], abs=1e-9)
        assert (hit.score > hit.base) == (hit.event_id == "filed")
    assert hits[0].event_id == "filed"


def test_row_116_twelve_memories_are_returned_unless_another_number_is_asked_for():
    with shop(rerank=True) as memory:
        for number in range(20):
            memory.remember(f"The stock is fitted on day {number}.")
        assert len(memory.recall(QUESTION).hits) == 12
        assert len(memory.recall(QUESTION, limit=3).hits) == 3


def test_row_117_the_best_score_without_boosts_is_in_the_answer(plain: Memory, reranking: Memory):
    answer = reranking.recall(QUESTION, hints=HINTS | {"profile_vector": ANALYST})
    best = max(hit.similarity for hit in answer.hits)
    assert 0 < best <= answer.max_score <= 1
    everything = reranking.recall(QUESTION, limit=100)
    assert everything.max_score == pytest.approx(max(hit.similarity for hit in everything.hits))
    assert plain.recall(QUESTION).max_score is None


def test_row_113_a_boost_counts_as_so_much_cosine_and_every_score_is_the_sum_of_its_trace(
    reranking: Memory,
):
    hits = reranking.recall(QUESTION, hints=HINTS | {"profile_vector": ANALYST}).hits
    found = {hit.event_id: hit for hit in hits}
    # Mode .08, platform .05, entity .10.
    assert found["filed"].score - found["filed"].base == pytest.approx(8 * 0.23, abs=1e-9)
    for hit in hits:
        leaves = sum(leaf.value for leaf in hit.trace.leaves())
        assert hit.score == pytest.approx(leaves, abs=1e-9)


def test_row_114_a_profile_lifts_what_is_for_its_archetype(reranking: Memory):
    hits = reranking.recall(QUESTION, hints={"profile_vector": ANALYST}).hits
    gained = {hit.event_id: hit.score - hit.base for hit in hits}
    assert gained["analyst"] == pytest.approx(8 * 0.08 * 0.8 * 0.8, abs=1e-9)
    assert gained["analyst"] > gained["legacy"] > 0
    assert gained["plain"] == 0


def test_row_121_what_this_message_signals_counts_for_it(reranking: Memory):
    hints = {"profile_vector": ANALYST, "signals": {"legacy": 5.0}}
    hits = reranking.recall(QUESTION, hints=hints).hits
    gained = {hit.event_id: hit.score - hit.base for hit in hits}
    assert gained["legacy"] > gained["analyst"]


def test_row_109_what_is_not_for_everybody_is_left_out_and_counted(reranking: Memory):
    recall = reranking.recall(QUESTION)
    assert {"internal", "planned"}.isdisjoint(hit.event_id for hit in recall.hits)
    why = reranking.reasons.why_not(recall.id, reranking.get("planned").id)
    assert why.cause is Cause.FILTERED
    assert "planned or out of use" in why.because[0]
    asked = reranking.recall(QUESTION, where={"NOT": {"status": "none"}})
    assert "1 of the memories found are restricted, and are left out" in asked.notes
    why = reranking.reasons.why_not(asked.id, reranking.get("planned").id)
    assert why.cause is Cause.NO_CANDIDATE
    assert "not for everybody" in why.because[0]
    why = reranking.reasons.why_not(recall.id, reranking.get("internal").id)
    assert why.cause is Cause.FILTERED
    assert "access.restricted" in why.because[0]


@pytest.mark.parametrize("profile", ["default", "simple", "reference"])
def test_a_replay_is_the_same_in_every_profile(profile: str):
    with shop(rerank=True, profile=profile) as memory:
        recall = memory.recall(QUESTION, hints=HINTS | {"profile_vector": ANALYST})
        assert any(hit.score > hit.base for hit in recall.hits)
        replay = memory.reasons.replay(recall.id)
    assert replay.identical
    assert replay.missing == []


def test_row_118_no_fewer_candidates_are_looked_at_than_are_returned():
    settings = RecallSettings(rerank=True, rerank_candidates=3)
    assert candidate_count(settings, 2) == 3
    assert candidate_count(settings, 12) == 12
    with shop(rerank=True, rerank_candidates=1) as memory:
        assert len(memory.recall(QUESTION, limit=4).hits) >= 2
        assert len(memory.recall(QUESTION, limit=1, hints=HINTS).hits) == 1


class OneAngle:
    """Gives every memory the same cosine with every question."""

    model, dimension = "angle:2:1", 2

    def __init__(self, cosine: float) -> None:
        self.memory = (cosine, (1 - cosine**2) ** 0.5)

    def embed(self, texts):
        return np.array([(1, 0) if text == QUESTION else self.memory for text in texts], np.float32)


@pytest.mark.parametrize(("cosine", "low"), [(0.05, True), (0.2, False)])
def test_row_117_confidence_is_judged_by_cosine_and_never_by_boosts(cosine: float, low: bool):
    settings = Settings(recall=RecallSettings(rerank=True))
    with Memory(None, "shop", settings, embedder=OneAngle(cosine)) as memory:
        memory.remember("The stock is fitted.", metadata=FILED)
        recall = memory.recall(QUESTION, hints=HINTS)
        assert recall.hits[0].score > recall.hits[0].base > 1
    assert any("low confidence" in note for note in recall.notes) is low


def test_row_120_the_debug_log_tells_boosts_and_no_content(caplog: pytest.LogCaptureFixture):
    with shop(rerank=True, debug=True) as memory, caplog.at_level(logging.INFO, "meridia.recall"):
        memory.recall(QUESTION, hints=HINTS)
    record = json.loads(caplog.messages[-1])
    assert record["top"][0]["additions"]["facets"] == pytest.approx(8 * 0.23)
    assert all(word not in caplog.messages[-1] for word in ("mx8", "owner", "stock"))


def test_the_switches_are_called_as_in_the_source():
    named = {
        "MERIDIA_ENABLE_RERANK": "on",
        "MERIDIA_RERANK_CANDIDATE_LIMIT": "80",
        "MERIDIA_ENABLE_RETRIEVAL_DEBUG": "1",
    }
    found = load(environment=named).settings.recall
    assert (found.rerank, found.rerank_candidates, found.debug) == (True, 80, True)
    assert not Settings().recall.rerank


def test_archetypes_are_the_callers_to_name():
    settings = RecallSettings(archetypes=("novice", "expert"))
    assert rerank_context_of({"profile_vector": {"expert": 1}}, settings).profile.as_json() == {
        "novice": 0.0,
        "expert": 1.0,
    }


def test_hints_that_are_no_json_are_refused(plain: Memory):
    assert validate_hints(None) is None
    assert validate_hints({"topics": ("a",)}) == {"topics": ["a"]}
    with pytest.raises(InvalidInput, match="not a JSON object"):
        plain.recall(QUESTION, hints={"topics": object()})


def test_hints_that_hold_a_secret_are_not_kept(reranking: Memory):
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z45"
    recall = reranking.recall(QUESTION, hints={"keywords": [secret]})
    record = json.dumps(dict(reranking.reasons.record(recall.id)))
    assert secret not in record
    with pytest.raises(InvalidInput, match="ask the question again"):
        reranking.reasons.replay(recall.id)
