"""Timers find every stage of the recall core, and leave the product as it was."""

import pytest

from bench.stages import Stages
from bench.synthetic import SPACE, Language, built, opened
from meridia.core.settings import RecallSettings
from meridia.core.types import Filters
from meridia.graph import search
from meridia.retrieval import ranking
from meridia.retrieval.recollection import Known, Recollection, Request


def test_the_product_is_as_before_after_measuring():
    before = (search.match, ranking.words, Recollection.rank)
    with Stages():
        assert (search.match, ranking.words, Recollection.rank) != before
    assert (search.match, ranking.words, Recollection.rank) == before


def test_the_stages_add_up_to_the_core(tmp_path):
    language = Language()
    with opened(built(100, tmp_path, language), language) as space:
        recollection = Recollection(
            space.file, space.adjacency, space.indexes, RecallSettings(keep=False)
        )
        enrichment, question = space.enrichment, space.questions(1)[0]
        known = Known(enrichment.gazetteer(SPACE), enrichment.cursor(SPACE))
        with Stages() as stages:
            request = Request(question, 5, Filters())
            answer = recollection.answer(SPACE, "a", request, space.embedder, known)
        recollection.close()
    found = stages.median_ms()
    assert {"match", "gather", "gather: similarities", "meaning", "the rest"} <= set(found)
    assert sum(found.values()) == pytest.approx(answer.timings_ms["core"], rel=0.2, abs=0.5)
