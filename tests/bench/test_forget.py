"""Nothing is left of a person who is forgotten; what is left would be told."""

from __future__ import annotations

import random

import pytest

from bench import forget
from meridia.core.settings import Settings


@pytest.fixture
def used(tmp_path):
    """Build a small journal in which somebody said planted words, and use it."""
    language, settings = forget.Language(), Settings()
    files = forget.write_files(tmp_path, 120, 10, language)
    path = tmp_path / "journal.db"
    forget.build(path, files[0], settings, language)
    with forget.opened(path, settings, language) as memory:
        forget.use(memory, 10)
    return path, files


def test_what_is_looked_for_is_found_before(used):
    path, _ = used
    every = {forget.word(number) for number in range(10)}
    assert forget.words_in_files(path) == every
    with forget.opened(path, Settings(), forget.Language()) as memory:
        assert forget.words_in_graph(memory) == every


@pytest.mark.thorough
def test_what_is_left_is_told(used, monkeypatch):
    path, files = used
    dry = forget.Memory.forget
    monkeypatch.setattr(
        forget.Memory, "forget", lambda self, **asked: dry(self, **asked, dry_run=True)
    )
    wrong = forget.forget_and_look(path, files, Settings(), 10).wrong
    for told in (
        "10 planted words in bytes of the files",
        "in the graph",
        "receipt: 2",
        "import: 0",
    ):
        assert any(told in problem for problem in wrong), (told, wrong)


@pytest.mark.thorough
def test_nothing_is_left_also_after_kills(tmp_path):
    looked = forget.run(tmp_path, 600, 40, 3, random.Random(1))
    assert looked.wrong == []
    assert looked.kills, "none was killed before its end"
