"""Lateral thinking: its finds stand beside the answer, marked, and are the same asked again."""

from collections.abc import Iterator

import numpy as np
import pytest

from meridia import Memory
from meridia.core.settings import RecallSettings, Settings
from meridia.core.types import Filters
from meridia.retrieval.ranking import optional_terms
from meridia.retrieval.ranking.formula import first_vectors
from meridia.retrieval.recall_service import RecallRequest
from meridia.retrieval.space_snapshot import space_view
from tests.fakes import SeededBytes, TickingClock
from tests.thorough import THOROUGH

QUESTIONS = (
    *("What about the boat?", "Who is afraid of the exam?", "Where is the harbour?"),
    *("What does Priya plan?", "Which website failed?", "What was mended?"),
)


@pytest.fixture(scope="module")
def always(demo: Memory) -> Iterator[Memory]:
    settings = Settings(recall=RecallSettings(lateral=1.0))
    with Memory(demo.parts.path, "demo", settings, TickingClock(), SeededBytes()) as memory:
        yield memory


def view_of(memory: Memory, seed: int):
    recalls = memory._components.recalls
    embedder, enriched = memory._components.embedder(), memory.enrichment.cursor(memory.space)
    snapshot = recalls.snapshot(memory.space, embedder, enriched)
    return space_view(
        memory.parts, memory.space, snapshot, RecallRequest("", 10, Filters(), seed=seed)
    )


def test_row_105_a_find_stands_beside_an_answer_that_stays_as_it_was(always, demo):
    finds = []
    for question in QUESTIONS:
        answer, plain = always.recall(question), demo.recall(question)
        assert [(hit.id, hit.score) for hit in answer.hits] == [
            (hit.id, hit.score) for hit in plain.hits
        ]
        assert not plain.lateral
        assert not {hit.id for hit in answer.lateral} & {hit.id for hit in answer.hits}
        finds += answer.lateral
    assert finds
    for hit in finds:
        leaves = hit.trace.leaves()
        assert sum(leaf.value for leaf in leaves) == pytest.approx(hit.score)
        assert [branch.label for branch in hit.trace.children] == ["lateral"]
        assert {len(leaf.steps) for leaf in leaves} <= {2, 3}
        assert "by lateral thinking" in leaves[0].label


def test_an_answer_asked_after_later_has_the_same_find(always):
    answer = next(a for a in map(always.recall, QUESTIONS * 3) if a.lateral)
    again = always.reasons.recall(answer.id)
    assert [(h.id, h.score) for h in again.lateral] == [(h.id, h.score) for h in answer.lateral]
    assert always.reasons.replay(answer.id).identical


def test_finds_come_as_often_as_the_probability_says(demo):
    spaces = [view_of(demo, seed) for seed in range(300 if THOROUGH else 120)]

    def found(probability: float) -> int:
        return sum(
            optional_terms.find_laterally(space, np.arange(5), probability) is not None
            for space in spaces
        )

    every = found(1.0)
    assert every > len(spaces) / 6
    assert 0.05 * every < found(0.15) < 0.25 * every
    assert found(0.0) == 0


def test_what_says_the_same_or_has_faded_is_no_find(demo):
    for seed in range(40):
        space = view_of(demo, seed)
        found = optional_terms.find_laterally(space, np.arange(5), 1.0)
        if found is None:
            continue
        rows = np.array([found[0], *range(5)])
        vectors = first_vectors(space.view, space.index, rows)
        assert (vectors[1:] @ vectors[0]).max() <= optional_terms.SIMILARITY_MAX
        age_s = space.view.experiences.at.max() - space.view.experiences.at[found[0]]
        assert optional_terms.decay(age_s / 86_400) >= optional_terms.DECAY_MIN


def test_decay_is_that_of_the_source_with_its_floor():
    assert optional_terms.decay(0) == pytest.approx(0.05 + 0.95 / (1 + np.exp(-4)))
    assert optional_terms.decay(28) == pytest.approx(0.525)
    assert optional_terms.decay(1e6) == pytest.approx(0.05)
