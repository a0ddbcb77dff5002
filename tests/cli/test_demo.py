"""`meridia demo`: the main job, with nothing to set up."""

from __future__ import annotations

import re
import shlex

import pytest


def test_the_demo_shows_the_four_steps_and_what_to_try_next(demo):
    steps = [line for line in demo.result.out.splitlines() if line.endswith("─")]
    assert [step[:8] for step in steps] == [
        "1. 127 e",
        "2. merid",
        "3. merid",
        "4. merid",
        "Try next",
    ]
    assert "Dana is back (" in demo.result.out
    assert "MATCH (s:Session)" in demo.result.out
    assert demo.result.out.rstrip().splitlines()[-1].startswith("  meridia --help")


def test_the_statement_that_is_shown_is_the_one_that_runs(meridia, demo):
    shown = re.search(r"^MATCH.*?LIMIT 8$", demo.result.out, re.DOTALL | re.MULTILINE)[0]
    rows = meridia("query", shown, *demo.where, "--csv").out.splitlines()
    result = [line.split() for line in demo.result.out.splitlines()]
    assert len(rows) == 9
    assert all(row.replace(",", " ").split() in result for row in rows)


def test_what_it_says_to_try_next_works(meridia, demo):
    tips = demo.result.out.partition("Try next")[2].splitlines()[1:]
    kept = [shlex.split(tip)[1:] for tip in tips if str(demo.db) in tip]
    assert [tip[4] for tip in kept] == ["recall", "shell"]
    done = meridia(*kept[0])
    assert done.status == 0
    assert "address" in done.out
    assert meridia(*kept[1], stdin="RETURN 1 AS one;").status == 0


@pytest.mark.thorough
def test_without_keep_nothing_is_left_behind(meridia, tmp_path):
    environment = {"XDG_DATA_HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = meridia("demo", "--json", cwd=tmp_path, env=environment)
    assert done.status == 0, done.err
    assert done.json["captured"] == 127
    assert len(done.json["recalled"]) == 3
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_not_touched(meridia, tmp_path):
    (tmp_path / "mine.db").write_text("mine")
    done = meridia("demo", "--keep", "mine.db", cwd=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert (tmp_path / "mine.db").read_text() == "mine"
