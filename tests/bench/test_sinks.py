"""Acknowledgements are timed while sinks are filled behind them."""

from __future__ import annotations

import pytest

from bench.sinks import AGAIN, ALL, KINDS, NONE, NOWHERE, Acknowledged, acknowledged, ratios
from bench.synthetic import Language
from meridia.core.settings import GraphitiSettings, PostgresSettings


@pytest.fixture(scope="module")
def language() -> Language:
    return Language()


def test_every_event_is_timed_and_what_sinks_lack_is_told(tmp_path, language):
    none = acknowledged(tmp_path / "a.db", None, 10, 10, language)
    assert (none.meanwhile, none.lacks) == (0, 0)
    assert none.thread > 0
    assert none.clock > 0
    assert none.mean > 0
    assert acknowledged(tmp_path / "b.db", NOWHERE, 3, 2, language).lacks > 0


def test_a_postgres_is_filled_meanwhile(tmp_path, postgres_url, language):
    named = PostgresSettings(url=postgres_url), GraphitiSettings()
    assert acknowledged(tmp_path / "a.db", named, 10, 10, language).lacks == 0


def test_each_round_is_compared_with_both_of_its_own_without_a_sink():
    def took(*seconds):
        return [Acknowledged(each, each, each / 2, 0.0, 0) for each in seconds]

    measured = {NONE: took(1.0, 3.0), AGAIN: took(3.0, 5.0), ALL: took(2.0, 8.0)}
    for kind in KINDS:
        assert ratios(measured, ALL, kind) == [1.0, 2.0]
