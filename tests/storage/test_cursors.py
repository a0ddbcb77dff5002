"""Cursors: how far a projection has come, moved with its work, forwards only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.storage.store import Store
from tests.fakes import numbered, private_journal


def position(file: Store, space: int = 1, projection: str = "p", version: int = 1) -> int:
    return numbered(file, space).cursors.position(projection, version)


def move(file: Store, seq: int, version: int = 1, space: int = 1) -> None:
    numbered(file, space).cursors.move("p", version, seq)


def test_a_projection_that_never_ran_stands_at_nothing(private_file):
    assert position(private_file) == 0


@given(st.lists(st.integers(0, 2**62), min_size=1, max_size=8))
def test_a_cursor_never_goes_back(seqs):
    with private_journal() as file:
        for seq in seqs:
            move(file, seq)
        assert position(file) == max(seqs)


def test_each_space_and_projection_has_its_own(private_file):
    move(private_file, 7)
    assert position(private_file, space=2) == 0
    assert position(private_file, projection="q") == 0
    move(private_file, 3, space=2)
    assert (position(private_file), position(private_file, space=2)) == (7, 3)


@pytest.mark.parametrize("other", [0, 2])
def test_a_cursor_of_another_version_counts_for_nothing(private_file, other):
    move(private_file, 7)
    assert position(private_file, version=other) == 0
    move(private_file, 2, version=other)
    assert position(private_file, version=other) == 2
    assert position(private_file) == 0


def test_a_cursor_is_undone_with_the_work_that_failed(private_file):
    def fail() -> None:
        with private_file.database.writing():
            numbered(private_file).cursors.move("p", 1, 7)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert position(private_file) == 0


def test_one_is_taken_back_and_never_forward(private_file):
    move(private_file, 7)
    numbered(private_file).cursors.take_back("p", 9)
    assert position(private_file) == 7
    numbered(private_file).cursors.take_back("p", 3)
    assert position(private_file) == 3
