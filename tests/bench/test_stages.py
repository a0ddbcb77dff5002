"""Timers find every stage of the recall core, and leave the product as it was."""

import pytest

from bench.stages import Stages
from bench.synthetic import SPACE, Language, built, opened
from meridia.core.settings import RecallSettings
from meridia.core.types import Filters
from meridia.ingest.curation import gazetteer
from meridia.retrieval.ranking import spreading
from meridia.retrieval.recall_service import RecallRequest, RecallService, SpaceInfo
from meridia.storage.search.term_index import TermIndex


def test_the_product_is_as_before_after_measuring():
    before = (TermIndex.match, spreading.words, RecallService.rank)
    with Stages():
        assert (TermIndex.match, spreading.words, RecallService.rank) != before
    assert (TermIndex.match, spreading.words, RecallService.rank) == before


def test_the_stages_add_up_to_the_core(tmp_path):
    language = Language()
    with opened(built(100, tmp_path, language), language) as space:
        recall_service = RecallService(
            space.file, space.adjacency, space.indexes, RecallSettings(keep=False)
        )
        enrichment, question = space.enrichment, space.questions(1)[0]
        info = SpaceInfo(gazetteer(space.file, SPACE), enrichment.cursor(SPACE))
        with Stages() as stages:
            request = RecallRequest(question, 5, Filters())
            answer = recall_service.answer(SPACE, "a", request, space.embedder, info)
        recall_service.close()
    found = stages.median_ms()
    assert {"match", "gather", "gather: similarities", "meaning", "the rest"} <= set(found)
    assert sum(found.values()) == pytest.approx(answer.timings_ms["core"], rel=0.2, abs=0.5)
