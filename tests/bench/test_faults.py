"""Faults: no space gives anything of another, and a full disk loses nothing acknowledged."""

from __future__ import annotations

import random

import pytest

from bench import faults
from meridia import Memory


def test_no_operation_of_one_space_gives_anything_of_another(tmp_path):
    assert faults.probe_spaces(tmp_path, random.Random(1), 150) == []


def test_what_is_looked_for_is_found_in_the_space_that_has_it(tmp_path):
    faults.probe_spaces(tmp_path, random.Random(1), 0)
    with Memory.open(tmp_path / "spaces.db", "other", faults.QUICK) as other:
        answers = {name: repr(ask()) for name, ask in faults.operations(other, "theirs-1", "last")}
    seen = {name for name, answer in answers.items() if "secret" in answer}
    assert seen >= {"get", "read", "history", "recall", "list a person", "export", "query"}


def test_a_full_disk_loses_and_doubles_nothing():
    assert faults.fill_disk(random.Random(1)) == []


def test_a_kind_that_fails_or_finds_something_is_told(capsys, monkeypatch):
    def fails(*_):
        raise ZeroDivisionError

    kinds = {"a": (fails, 1, 1), "b": (lambda *_: ["a row of another"], 1, 1)}
    monkeypatch.setattr(faults, "KINDS", kinds | {"c": (lambda *_: [], 0, 1)})
    for arguments, wrong in (["--quick"], 2), (["b"], 1), (["c", "--seed", "5"], 0):
        monkeypatch.setattr("sys.argv", ["faults", *arguments])
        assert faults.main() == bool(wrong)
        assert f"1 rounds, {wrong} wrong (seed " in capsys.readouterr().out


@pytest.mark.thorough
def test_thousands_of_probes_give_nothing_of_another_space(tmp_path):
    assert faults.probe_spaces(tmp_path, random.Random(2), 2000) == []
