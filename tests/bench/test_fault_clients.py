"""Slow bodies and pages of other sites: nothing goes wrong, and what would go wrong is told."""

from __future__ import annotations

import random

import pytest

from bench import fault_clients
from meridia.service.request_limits import RequestLimits
from tests.chromium import path_of_browser


def test_slow_bodies_hold_nobody_up(tmp_path):
    assert fault_clients.slow_bodies(tmp_path, random.Random(1), 1) == []


@pytest.mark.thorough
def test_pages_of_other_sites_are_not_answered(tmp_path):
    path_of_browser()
    assert fault_clients.foreign_pages(tmp_path, random.Random(1), 1) == []


@pytest.mark.thorough
def test_a_page_that_is_answered_would_be_told(tmp_path, monkeypatch):
    path_of_browser()
    monkeypatch.setattr(RequestLimits, "_check_page", lambda *_, **__: None)
    wrong = fault_clients.foreign_pages(tmp_path, random.Random(1), 1)
    assert any("/v1/people" in problem for problem in wrong)
