"""The scores by which a walk finds where to begin: rows 84 to 86."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from meridia import Memory
from meridia.core.settings_loader import load
from meridia.core.types import Filters
from meridia.language.questions.question import parse_question
from meridia.retrieval.recall_record import RecallRequest
from meridia.retrieval.source_profile.reference_profile import (
    NO_MATCHES,
    AnticipatedMatches,
    ReferenceProfile,
    Scores,
    score,
)
from meridia.retrieval.space_snapshot import space_view
from tests.fakes import FakeEmbedder

DAY = datetime(2026, 3, 1, 10, tzinfo=UTC)
LATER = DAY + timedelta(days=60)


@pytest.fixture
def memory():
    settings = load(flags={"recall.profile": "reference"}, environment={}).settings
    with Memory(None, "s", settings, embedder=FakeEmbedder()) as opened:
        opened.remember("Torn sails need needles.", person="Dana", id="a", at=DAY)
        opened.remember("Needles are cheap.", person="Oskar", id="b", at=DAY + timedelta(days=30))
        opened.remember("Dana sails at noon.", person="Oskar", id="c", at=LATER)
        opened.enrich()
        yield opened


def scored(
    memory: Memory, text: str, expected: AnticipatedMatches = NO_MATCHES, *, seen: bool = True
) -> Scores:
    embedder, file = memory._components.embedder(), memory.parts
    snapshot = memory._components.recalls.snapshot(
        memory.space, embedder, memory.enrichment.cursor("s")
    )
    space = space_view(file, memory.space, snapshot, RecallRequest(text, 10, Filters()))
    question = parse_question(text, file.analyser, memory.people.known(), LATER)
    named = ReferenceProfile(file, memory.adjacency, memory.settings.recall)._named(space, question)
    vector = embedder.embed([text])[0] if seen else None
    return score(space, question, vector, expected, named, 0.6)


def test_row_84_content_and_the_best_anticipated_question_are_mixed(memory: Memory):
    expected = AnticipatedMatches(np.array([1]), np.array([0.5]), ("?",))
    found = scored(memory, "Torn sails need needles.", expected)
    assert found.content[0] == pytest.approx(1.0, abs=1e-3)
    assert found.semantic[0] == found.content[0]
    assert found.semantic[1] == pytest.approx(0.4 * found.content[1] + 0.6 * 0.5)


def test_row_85_keywords_are_compared_by_jaccard(memory: Memory):
    found = scored(memory, "sails and needles")
    # torn, sail, need, needl | needl, cheap | sail, noon
    assert found.keyword.tolist() == pytest.approx([2 / 4, 1 / 3, 1 / 3])


def test_row_85_of_people_whom_a_question_names_those_count_who_speak_or_are_named(memory: Memory):
    assert scored(memory, "What of Dana?").entity.tolist() == [1, 0, 1]
    assert scored(memory, "What of Dana and Oskar?").entity.tolist() == [0.5, 0.5, 1]
    assert scored(memory, "What of needles?").entity.tolist() == [0, 0, 0]


def test_row_85_a_time_that_is_named_decides_and_recency_where_none_is(memory: Memory):
    assert scored(memory, "sails on 1 March 2026").temporal[0] == 1
    assert scored(memory, "sails on 1 March 2026").timed
    found = scored(memory, "sails")
    assert found.temporal.tolist() == pytest.approx([math.exp(-2), math.exp(-1), 1])
    assert not found.timed


def test_rows_85_and_86_are_weighted_sums(memory: Memory):
    found = scored(memory, "Did Dana sail?")
    metadata = 0.5 * found.keyword + 0.3 * found.temporal + 0.2 * found.entity
    assert found.metadata == pytest.approx(metadata)
    assert found.hybrid == pytest.approx(0.6 * metadata + 0.4 * found.semantic)


def test_without_vectors_the_hybrid_score_is_that_of_metadata(memory: Memory):
    found = scored(memory, "Did Dana sail?", seen=False)
    assert found.hybrid == pytest.approx(found.metadata)
    assert not found.content.any()
