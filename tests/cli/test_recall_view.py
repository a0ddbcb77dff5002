"""How an answer looks on a narrow terminal."""

from __future__ import annotations

import re

_PLACE = re.compile(r" +-?\d+\.\d\d  (its|the rest|a shared)")
QUESTION = "Why did publishing the club website keep failing?"


def test_no_line_is_wider_than_the_terminal_and_places_are_one_line_each(meridia, demo):
    asked = ("recall", QUESTION, *demo.where, "--limit", 3, "--explain")
    lines = meridia(*asked, env={"COLUMNS": "60"}).out.splitlines()
    assert max(map(len, lines)) <= 60
    wide = meridia(*asked, env={"COLUMNS": "500"}).out.splitlines()
    narrow, all_of_it = (
        [line for line in printed if _PLACE.match(line)] for printed in (lines, wide)
    )
    assert len(narrow) == len(all_of_it) > 3


def test_on_a_narrow_terminal_components_are_folded_and_still_sum(meridia, demo):
    printed = meridia(
        "recall", QUESTION, *demo.where, "--limit", 3, "--explain", env={"COLUMNS": "60"}
    ).out
    lines = [line for line in printed.splitlines() if _PLACE.match(line)]
    assert not [line for line in lines if line.endswith("…")]
    for line in lines:
        total, *components = [float(number) for number in re.findall(r"-?\d+\.\d\d", line)]
        assert not components or abs(sum(components) - total) < 0.005, line
