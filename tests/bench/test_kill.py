"""The killer finds what it looks for: lost, doubled and renamed events; and finds none here."""

import random

import pytest

from bench.kill import (
    SPACE,
    JournalChecker,
    KillReport,
    _answers,
    kill_capture,
    kill_enrichment,
    write_events,
)
from meridia import Memory
from meridia.core.settings_loader import load
from tests.conftest import THOROUGH


@pytest.fixture
def memory(tmp_path):
    settings = load(flags={"embedding.enabled": False}).settings
    with Memory.open(tmp_path / "kill.db", SPACE, settings) as opened:
        yield opened


def _look(memory, *acknowledged):
    report = KillReport()
    JournalChecker(memory.parts.database.path).check_journal(acknowledged, report)
    return report


def _said(answer):
    return {"event_id": answer.event_id, "id": answer.id}


def test_an_event_that_is_there_is_no_violation(memory):
    report = _look(memory, _said(memory.remember("The heron is back.", id="one")))
    assert (report.acknowledged, report.lost, report.violations) == (1, 0, [])


def test_an_acknowledged_event_that_is_not_there_is_lost(memory):
    memory.remember("The heron is back.", id="one")
    report = _look(memory, {"event_id": "two", "id": "some-id"})
    assert report.lost == 1
    assert "two" in report.violations[0]


def test_events_acknowledged_in_a_space_that_is_not_there_are_a_violation(memory):
    assert _look(memory, {"event_id": "one", "id": "some-id"}).violations


def test_a_text_that_is_there_twice_is_doubled(memory):
    memory.remember("The heron is back.", id="one")
    memory.remember("The heron is back.", id="two")
    assert _look(memory).doubled == 1


def test_an_event_under_another_id_than_acknowledged_is_a_violation(memory):
    answer = memory.remember("The heron is back.", id="one")
    report = _look(memory, _said(answer) | {"id": "another"})
    assert "acknowledged as another" in report.violations[0]


def test_an_event_that_was_never_enriched_is_a_violation(memory):
    memory.remember("The heron is back.", id="one")
    report, checker = KillReport(), JournalChecker(memory.parts.database.path)
    checker.check_journal([], report)
    checker.check_enrichment(report)
    assert "never enriched" in report.violations[0]


def test_half_a_line_acknowledges_nothing():
    told = b'{"event_id": "one", "id": "a"}\n{"hits": 3}\n{"event_id": "two", "i'
    assert _answers(told) == [{"event_id": "one", "id": "a"}]


def test_every_text_of_every_file_is_like_no_other(tmp_path):
    files = [write_events(tmp_path, number) for number in (0, 1)]
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
    assert len(set(lines)) == 800


@pytest.mark.thorough
def test_killing_an_import_loses_nothing(tmp_path):
    rounds = 10 if THOROUGH else 1
    report = kill_capture(tmp_path, rounds, random.Random(5))
    assert report.violations == []
    assert report.rounds == rounds
    assert report.acknowledged >= 400
    assert report.recalls > 0


@pytest.mark.thorough
def test_killing_enrichment_leaves_it_completable(tmp_path):
    report = kill_enrichment(tmp_path, 1, random.Random(5))
    assert report.violations == []
    assert (report.acknowledged, report.rebuilds) == (400, 1)
