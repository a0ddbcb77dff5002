"""Acknowledgements are timed while a sink is filled behind them."""

from __future__ import annotations

from bench.sinks import NOWHERE, acknowledged
from bench.synthetic import Language


def test_every_event_is_timed_and_what_a_sink_lacks_is_told(tmp_path):
    language = Language()
    seconds, share, lacks = acknowledged(tmp_path / "a.db", "", 30, language)
    assert (len(seconds), share, lacks) == (30, 0, 0)
    assert all(each > 0 for each in seconds)


def test_a_postgres_is_filled_meanwhile(tmp_path, postgres_url):
    language = Language()
    assert acknowledged(tmp_path / "a.db", postgres_url, 30, language)[2] == 0
    assert acknowledged(tmp_path / "b.db", NOWHERE, 5, language)[2] > 0
