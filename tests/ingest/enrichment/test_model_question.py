"""How an event is read to a model, and what a score makes of a skeleton."""

from __future__ import annotations

import pytest

from meridia.core.entries import DecisionRecord, ExperienceCaptured
from meridia.core.settings import ModelSettings
from meridia.core.vocabulary import RecordStatus
from meridia.ingest.capture.scoring import Scoring
from meridia.ingest.enrichment.session_question import (
    StageSources,
    is_repetition,
    prompt_text,
    status_of,
)
from meridia.storage.store import Store
from tests.ingest.model_session import BUILD, GREETING, HOME, LIGHT, add, whole


def test_an_event_is_read_with_who_said_it_and_whether_it_failed():
    assert prompt_text(GREETING) == "From Dana:\nGood morning!"
    assert prompt_text(BUILD).startswith("It failed:\nbash\n")


@pytest.mark.parametrize(
    ("score", "status"),
    [
        (0.5, RecordStatus.UPGRADED),
        (0.49, RecordStatus.SKELETON),
        (0.2, RecordStatus.NOISE),
    ],
)
def test_a_score_raises_or_lowers(score: float, status: RecordStatus):
    assert status_of(score, 0.5, Scoring()) is status


def test_a_copy_is_nothing_new():
    decision = DecisionRecord(0.5, RecordStatus.EVALUATED)
    assert not is_repetition(ExperienceCaptured(GREETING, decision))
    assert is_repetition(ExperienceCaptured(GREETING, decision, marks=("echo",)))


def test_no_model_sees_what_is_restricted_or_gone(private_file: Store):
    sources = StageSources(private_file, ModelSettings(), Scoring())
    open_, restricted = add(
        private_file,
        whole(GREETING, LIGHT),
        whole(GREETING | {"metadata": {"visibility": "private"}}, LIGHT),
    )
    assert sources.memory(HOME, open_) is not None
    assert sources.memory(HOME, restricted) is None
    assert sources.memory(HOME, "nothing") is None
