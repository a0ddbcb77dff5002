"""Token vectors beside the journal: recorded once, by model and space, erased with their text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.models.tokens import DIMENSION, Small
from meridia.storage import token_vectors
from meridia.storage.store import Store
from meridia.storage.token_vectors import TokenVectorCache, TokenVectors
from meridia.storage.upkeep import rebuild_lists
from tests.fakes import numbered, private_journal
from tests.graph.journal_drafts import HOME, message_draft
from tests.histories import outline
from tests.storage.projections.test_experience_list import ODD, expire, reevaluate

MODEL = "fake:384:1"


def rows(value: int, count: int = 2) -> Small:
    return np.full((count, DIMENSION), value, np.int8)


def record(file: Store, seq: int, kept: Small, model: str = MODEL, space: int = 1) -> None:
    TokenVectors(numbered(file, space)).record(model, seq, kept)


def load(file: Store, *seqs: int, model: str = MODEL, space: int = 1) -> dict[int, list]:
    found = TokenVectors(numbered(file, space)).load(model, seqs)
    return {seq: kept.tolist() for seq, kept in found.items()}


@pytest.fixture
def file(private_file) -> Store:
    private_file.journal.append(HOME, [message_draft(f"message {n}") for n in range(4)])
    return private_file


@given(st.lists(st.lists(st.integers(-127, 127), min_size=DIMENSION, max_size=DIMENSION)))
def test_what_is_recorded_comes_back_bit_for_bit(drawn):
    kept = np.array(drawn, np.int8).reshape(-1, DIMENSION)
    with private_journal() as file:
        file.journal.append(HOME, [message_draft()])
        record(file, 1, kept)
        found = TokenVectors(numbered(file)).load(MODEL, [1])
        assert found[1].dtype == np.int8
        assert np.array_equal(found[1], kept)


def test_those_without_are_left_out_and_nobody_else_comes_back(file):
    for seq in (1, 3):
        record(file, seq, rows(seq))
    assert load(file, 1, 2, 9) == {1: rows(1).tolist()}
    assert load(file) == {}


def test_an_experience_that_says_nothing_has_vectors_all_the_same(file):
    record(file, 2, rows(0, count=0))
    assert load(file, 2) == {2: []}


def test_a_later_version_overwrites_them(file):
    record(file, 1, rows(5))
    record(file, 1, rows(6))
    assert load(file, 1) == {1: rows(6).tolist()}


def test_each_model_and_each_space_has_its_own(file):
    record(file, 1, rows(1))
    record(file, 1, rows(2), model="other:384:1")
    assert load(file, 1) == {1: rows(1).tolist()}
    assert load(file, 1, model="other:384:1") == {1: rows(2).tolist()}
    assert load(file, 1, model="third:384:1") == load(file, 1, space=2) == {}


def test_a_rebuild_keeps_them(file):
    record(file, 1, rows(1))
    rebuild_lists(file, HOME)
    assert load(file, 1) == {1: rows(1).tolist()}


def test_they_are_erased_with_a_held_text_and_with_no_other(private_file):
    outline(private_file.journal, HOME, ODD)
    private_file.journal.append(HOME, [message_draft("another")])
    for seq in (1, 2):
        record(private_file, seq, rows(seq))
    assert expire(private_file) == 1
    assert load(private_file, 1, 2) == {2: rows(2).tolist()}


def test_those_of_a_held_text_that_is_kept_for_good_stay(private_file):
    id = outline(private_file.journal, HOME, ODD)
    record(private_file, 1, rows(1))
    reevaluate(private_file, id, "upgraded", event=ODD.as_json())
    assert expire(private_file) == 0
    assert load(private_file, 1) == {1: rows(1).tolist()}


def test_what_was_read_before_is_not_read_again(file):
    cache, space = TokenVectorCache(), numbered(file)
    record(file, 1, rows(1))
    assert cache.load(space, MODEL, [1, 2]).keys() == {1}
    for seq in (1, 2):
        record(file, seq, rows(9))
    found = cache.load(space, MODEL, [1, 2])
    assert [int(found[seq][0, 0]) for seq in (1, 2)] == [1, 9]


def test_those_of_a_held_text_are_read_each_time(private_file):
    outline(private_file.journal, HOME, ODD)
    record(private_file, 1, rows(1))
    cache, space = TokenVectorCache(), numbered(private_file)
    assert cache.load(space, MODEL, [1]).keys() == {1}
    assert expire(private_file) == 1
    assert cache.load(space, MODEL, [1]) == {}


def test_only_so_many_are_held_in_memory(file, monkeypatch):
    monkeypatch.setattr(token_vectors, "_CACHED_MAX", 2 * (1 + len(rows(1))))
    cache, space = TokenVectorCache(), numbered(file)
    for seq in (1, 2, 3):
        record(file, seq, rows(seq))
        cache.load(space, MODEL, [seq])
    for seq in (1, 2, 3):
        record(file, seq, rows(9))
    found = cache.load(space, MODEL, [1, 2, 3])
    assert [int(found[seq][0, 0]) for seq in (1, 2, 3)] == [9, 2, 3]
