"""Malformed command lines end in words and lose nothing; one that did otherwise would be told."""

from __future__ import annotations

import random

import pytest

from bench import odd_lines
from tests.cli.command import Done


def test_every_command_that_ends_by_itself_is_drawn():
    names = {" ".join(path) for path, _ in odd_lines.commands()}
    assert {"remember", "recall", "import", "forget", "receipt", "keys"} <= names
    assert not {"serve", "inspect", "mcp", "shell"} & names


@pytest.mark.thorough
def test_some_drawn_lines_end_in_words(tmp_path):
    statuses, wrong = odd_lines.run(8, random.Random(7), tmp_path)
    assert statuses.total() == 8
    assert wrong == []


@pytest.mark.parametrize(
    ("done", "told"),
    [
        (Done(1, "", "Traceback (most recent call last)\n…"), "a traceback"),
        (Done(3, "", " \n"), "status 3, and not a word"),
        (Done(-11, "", "dumped"), "status -11"),
        (Done(2, "", "Error: no such option"), None),
        (Done(0, "", ""), None),
    ],
)
def test_a_line_that_ends_otherwise_is_told(done, told):
    problem = odd_lines.fault(done)
    assert problem is None if told is None else str(problem).startswith(told)


@pytest.mark.thorough
@pytest.mark.timeout(3600)
def test_many_drawn_lines_end_in_words(tmp_path):
    statuses, wrong = odd_lines.run(300, random.Random(), tmp_path)
    assert wrong == []
    assert statuses.total() == 300
