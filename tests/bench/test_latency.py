"""The written graph is one that the product could have made, and what it holds is counted whole."""

import json

import numpy as np
import pytest

from bench.latency import RULES, a_view, as_in_recall, bytes_of, main, times_of
from meridia.traversal.tracerank import unranked


@pytest.fixture(scope="module")
def view():
    return a_view(1000)


def test_a_memory_has_ten_edges_kept_in_both_directions(view):
    for way in (view.outgoing, view.incoming):
        edges = sum(len(layer.targets) for links in way.values() for layer in links.layers)
        assert edges == pytest.approx(10_000, rel=0.02)


def test_sessions_are_of_twenty_and_neighbours_are_in_the_same_one(view):
    experiences = view.experiences
    assert np.bincount(experiences.session).tolist() == [20] * 50
    has = experiences.before >= 0
    here, before = experiences.session[has], experiences.session[experiences.before[has]]
    assert has.sum() == 950
    assert np.array_equal(here, before)


def test_all_arrays_are_counted(view):
    ends = 2 * 9950 * (4 + 4)
    assert bytes_of(view) > ends


def test_every_set_of_rules_finds_something_to_time(view):
    for rules in RULES.values():
        for rank in (unranked, as_in_recall(view)):
            times = times_of(view, rules, rank, 3)
            assert len(times) == 3
            assert min(times) >= 0


def test_the_bench_prints_and_writes_what_it_found(tmp_path, capsys):
    main(["--memories", "500", "--questions", "2", "--json", str(tmp_path / "r.json")])
    printed = capsys.readouterr().out
    assert all(name in printed for name in RULES)
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert report["held_bytes"] >= 0.9 * report["arrays_bytes"]
