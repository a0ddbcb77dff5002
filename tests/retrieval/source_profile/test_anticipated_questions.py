"""Anticipated questions: the nearest one of a memory counts, once it was written down."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from meridia import Memory
from meridia.core.settings import Settings
from meridia.core.types import Filters
from meridia.retrieval.recall_record import RecallRequest
from meridia.retrieval.source_profile.reference_profile import (
    AnticipatedMatches,
    AnticipatedQuestions,
)
from meridia.retrieval.space_snapshot import space_view
from tests.fakes import FakeEmbedder

SOLVED = {"trigger": "problem-solution"}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(None, "s", Settings(), embedder=FakeEmbedder()) as opened:
        opened.remember("the torn genoa", id="genoa", metadata=SOLVED)
        opened.remember("the loft is open", id="loft")
        opened.enrich()
        yield opened


def nearest(
    memory: Memory, question: str, as_of: int | None = None, by: AnticipatedQuestions | None = None
) -> AnticipatedMatches:
    embedder = memory._components.embedder()
    snapshot = memory._components.recalls.snapshot(
        memory.space, embedder, memory.enrichment.cursor("s")
    )
    request = RecallRequest(question, 10, Filters(), as_of)
    space = space_view(memory.parts, memory.space, snapshot, request)
    anticipated = by or AnticipatedQuestions(memory.parts, memory.adjacency)
    return anticipated.nearest(space, embedder.embed([question])[0])


def test_row_82_the_nearest_of_a_memorys_questions_counts(memory: Memory):
    fixed, work = (f"What {asked} this: the torn genoa?" for asked in ("solved", "can I do about"))
    for question in (fixed, work):
        found = nearest(memory, question)
        assert found.questions == (question,)
        assert found.cosines == pytest.approx([1.0], abs=1e-3)


def test_only_memories_that_were_worth_a_question_have_one(memory: Memory):
    assert nearest(memory, "anything").rows.tolist() == [0]


def test_a_question_that_was_not_written_down_by_then_does_not_count(memory: Memory):
    first = memory.get("genoa").seq
    assert nearest(memory, "anything", as_of=first).questions == ()


def test_what_comes_later_is_found_too_and_as_if_it_were_read_at_once(memory: Memory):
    kept = AnticipatedQuestions(memory.parts, memory.adjacency)
    nearest(memory, "anything", by=kept)
    memory.remember("the broken boom", id="boom", metadata=SOLVED)
    memory.enrich()
    found, anew = nearest(memory, "boom", by=kept), nearest(memory, "boom")
    assert found.rows.tolist() == anew.rows.tolist() == [0, 2]
    assert np.array_equal(found.cosines, anew.cosines)
    assert found.questions == anew.questions
