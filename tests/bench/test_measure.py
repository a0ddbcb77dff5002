"""Comparisons count what they say, and an aim is met exactly up to its limit."""

import pytest

from bench.measure import aligned, at_most_above, at_most_times, interleaved, median_ms, table


def test_every_operation_is_run_once_a_round_and_warming_up_is_not_counted():
    calls = {"one": 0, "other": 0}

    def calling(name):
        def call():
            calls[name] += 1

        return call

    times = interleaved({name: calling(name) for name in calls}, rounds=5, warm_up=3)
    assert calls == {"one": 8, "other": 8}
    assert {name: len(seconds) for name, seconds in times.items()} == {"one": 5, "other": 5}


def test_an_operation_that_returns_a_float_tells_its_own_time():
    times = interleaved({"core": lambda: 0.25, "whole": lambda: None}, rounds=3)
    assert times["core"] == [0.25, 0.25, 0.25]
    assert all(0 <= seconds < 0.25 for seconds in times["whole"])


@pytest.mark.parametrize(("measured", "met"), [(1.5, True), (1.501, False)])
def test_a_ratio_is_met_up_to_its_limit(measured, met):
    found = at_most_times("fast", {"fast": [measured], "bare": [1.0]}, "bare", 1.5)
    assert (found.met, found.ratio) == (met, measured)


@pytest.mark.parametrize(("measured", "met"), [(0.013, True), (0.0131, False)])
def test_a_difference_is_met_up_to_its_limit(measured, met):
    found = at_most_above("fast", {"fast": [measured], "bare": [0.010]}, "bare", 3.0)
    assert found.met is met
    assert found.difference_ms == pytest.approx(measured * 1000 - 10)


def test_the_median_does_not_hear_of_an_outlier():
    assert median_ms([0.001, 0.001, 9.0]) == 1.0


def test_a_missed_aim_stands_out():
    times = {"slow": [3.0], "fast": [1.0], "bare": [1.0]}
    told = table([at_most_times(name, times, "bare", 2.0) for name in ("slow", "fast")])
    assert [line.split()[-1] for line in told.splitlines()[1:]] == ["MISSED", "met"]


def test_columns_stand_below_each_other():
    assert aligned([("name", "ms"), ("a", "10.5")], right={1}).splitlines() == [
        "name    ms",
        "a     10.5",
    ]
