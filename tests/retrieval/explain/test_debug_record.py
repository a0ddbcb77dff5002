"""A debug log says how scores came about, and nothing of what anybody said."""

from __future__ import annotations

import json
import logging
import re

import pytest

from meridia import Memory
from meridia.core.settings import RecallSettings, Settings
from meridia.retrieval.recall_record import TOP_HITS_MAX, debug_record

QUESTION = "What did Oskar promise Dana about the sail?"


def test_the_parts_of_each_score_add_up(demo: Memory):
    recall = demo.recall(QUESTION, limit=20)
    record = debug_record(recall, 99, 4)
    assert len(record["top"]) == TOP_HITS_MAX
    for told, hit in zip(record["top"], recall.hits, strict=False):
        assert (told["id"], told["rank"], told["score"]) == (hit.id, hit.rank, hit.score)
        assert told["base"] + sum(told["additions"].values()) == pytest.approx(hit.score, abs=1e-9)
        assert sum(told["terms"].values()) == pytest.approx(hit.score, abs=1e-9)
        boosts = told["facet_boost"] + told["profile_boost"]
        assert told["score_before_boosts"] + boosts == pytest.approx(hit.score, abs=1e-9)
    assert record["question_chars"] == len(QUESTION)
    assert (record["candidates"], record["question_terms"]) == (99, 4)


def test_no_word_of_a_question_or_a_memory_is_in_it(demo: Memory):
    recall = demo.recall(QUESTION, limit=20)
    record = json.dumps(debug_record(recall, 99, 4))
    names = {word for word in re.findall(r"[a-z]+", record.casefold()) if len(word) > 3}
    said = " ".join([QUESTION, *(hit.text for hit in recall.hits)]).casefold()
    spoken = {word for word in re.findall(r"[a-z]+", said) if len(word) > 3}
    ours = {"recall", "score", "meaning", "words", "session", "time", "form", "notes", "hits"}
    ours |= {"views", "rank", "question", "terms", "texts", "core", "profile", "speaker", "base"}
    assert names & spoken <= ours


def test_it_is_logged_only_where_it_is_asked_for(demo: Memory, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO, "meridia.recall")
    demo.recall(QUESTION)
    assert caplog.records == []
    with Memory(demo.parts.database.path, "demo", Settings(recall=RecallSettings(debug=True))) as m:
        recall = m.recall(QUESTION)
    (line,) = [record.getMessage() for record in caplog.records]
    assert json.loads(line)["recall"] == recall.id
    assert "\n" not in line
