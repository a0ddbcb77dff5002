"""Whatever is asked, and whatever is in the way of it: a score is the sum of its trace."""

from __future__ import annotations

import random

import pytest

from meridia.core.settings import RecallSettings, Settings
from tests.retrieval.random_spaces import PEOPLE, questions, world
from tests.thorough import THOROUGH

#: Worlds, and questions in each: 10,000 recalls where MERIDIA_THOROUGH is set.
WORLDS, QUESTIONS = (20, 500) if THOROUGH else (3, 20)
SETTINGS = (
    RecallSettings(concept_share_max=0.3),
    RecallSettings(spread=False),
    RecallSettings(profile="simple"),
    RecallSettings(candidates=10, concept_share_max=1.0),
)


@pytest.mark.parametrize("seed", range(WORLDS))
def test_a_score_is_the_sum_of_the_leaves_of_its_trace(seed: int):
    chance, seen = random.Random(1000 + seed), 0
    settings = Settings(recall=SETTINGS[seed % len(SETTINGS)])
    with world(None, seed, count=chance.randint(1, 150), settings=settings) as memory:
        for _ in range(QUESTIONS):
            limit = chance.choice([1, 10, 10, 200, 1000])
            filters = chance.choice([{}, {}, {"person": chance.choice(PEOPLE)}, {"as_of": 40}])
            for hit in memory.recall(questions(chance), limit=limit, **filters).hits:
                leaves = sum(leaf.value for leaf in hit.trace.leaves())
                assert leaves == pytest.approx(hit.score, abs=1e-9)
                assert hit.trace.value == pytest.approx(hit.score, abs=1e-9)
                seen += 1
    assert seen
