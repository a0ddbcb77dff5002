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
