"""The load: well-behaved clients are served right, and the others are refused."""

from __future__ import annotations

import pytest

from bench.load import LoadReport, head, run


def test_growth_compares_late_memory_with_early_memory():
    report = LoadReport(memory_mb=[10, 50, 100, 100, 100, 100, 100, 110, 110, 110])
    assert report.growth() == pytest.approx(1.1)
    assert report.in_tenths()[-1] == 110


def test_a_head_says_how_long_the_body_is():
    assert b"Content-Length: 12\r\n" in head("/v1/recall", "k", 12)
    assert head("/v1/recall", "k", 12).endswith(b"\r\n\r\n")


@pytest.mark.thorough
@pytest.mark.parametrize("kill", [False, True], ids=["term", "kill"])
def test_nobody_is_answered_wrongly_and_nothing_acknowledged_is_lost(tmp_path, kill):
    report = run(tmp_path, 20, 15, encoder=False, kill=kill)
    assert report.wrong == []
    assert {who for who, _ in report.statuses} >= {"ask", "rewrite", "add", "too large", "no HTTP"}
    assert report.acknowledged
