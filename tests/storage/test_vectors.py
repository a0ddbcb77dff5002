"""Vectors beside the journal: recorded once, loaded in steps, the best part of a text counts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import ModelMismatch
from meridia.core.ids import content_hash
from meridia.models.tokens import DIMENSION, Small
from meridia.storage import sorted_arrays, vectors
from meridia.storage.sorted_arrays import distinct, largest, lookup_values, places
from meridia.storage.store import Store
from meridia.storage.upkeep import rebuild_lists
from meridia.storage.vectors import (
    RowBuffer,
    TokenVectorCache,
    TokenVectors,
    VectorIndex,
    VectorIndexes,
    VectorTable,
)
from tests.fakes import numbered, private_journal
from tests.graph.journal_drafts import AWAY, HOME, message_draft
from tests.histories import outline
from tests.storage.projections.test_experience_list import ODD, expire, reevaluate

MODEL, WIDTH = "fake:4:1", 4


def unit(*numbers: float) -> np.ndarray:
    row = np.array(numbers, np.float32)
    return row / np.linalg.norm(row)


def drawn_rows(parts: int) -> st.SearchStrategy[np.ndarray]:
    """Draw unit vectors of all parts of a text, as they are stored."""
    row = st.lists(st.integers(-5, 5), min_size=WIDTH, max_size=WIDTH).filter(any)
    return st.lists(row, min_size=parts, max_size=parts).map(
        lambda rows: np.array([unit(*r) for r in rows]).astype(np.float16).astype(np.float32)
    )


def record(file: Store, text: str, rows: np.ndarray, model: str = MODEL) -> None:
    VectorTable(numbered(file)).record(model, content_hash(text), rows)


def index(file: Store, *untils: int, model: str = MODEL) -> VectorIndex:
    """Load an index in steps."""
    found = VectorIndex.empty(WIDTH)
    for until in untils:
        found = found.extended(VectorTable(numbered(file)), model, until)
    return found


texts_with_parts = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.integers(0, 3)), min_size=1, max_size=10
)


@given(st.data(), texts_with_parts, st.lists(st.integers(0, 10), max_size=4))
def test_an_index_loaded_in_steps_is_the_one_loaded_at_once_and_right(data, texts, cuts):
    with private_journal() as file:
        kept: dict[str, np.ndarray] = {}
        for text, parts in texts:
            file.journal.append(HOME, [message_draft(text)])
            if parts and text not in kept:
                kept[text] = data.draw(drawn_rows(parts))
                record(file, text, kept[text])
        once, steps = index(file, 10), index(file, *sorted(cuts), 10)
        for name in ("rows", "seqs", "starts", "until"):
            assert np.array_equal(getattr(once, name), getattr(steps, name))
        query = unit(1, 2, -1, 0.5)
        best = {
            seq: max(float(row @ query) for row in kept[text])
            for seq, (text, _) in enumerate(texts, 1)
            if text in kept
        }
        assert once.seqs.tolist() == list(best)
        assert once.similarities(query) == pytest.approx(list(best.values()), abs=1e-5)
        places = once.places(np.arange(len(texts) + 2))
        assert [bool(place >= 0) for place in places] == [seq in best for seq in range(len(places))]


def test_the_best_part_of_a_long_text_counts(private_file):
    private_file.journal.append(HOME, [message_draft("long"), message_draft("short")])
    record(private_file, "long", np.array([unit(1, 0, 0, 0), unit(0, 1, 0, 0), unit(0, 0, 1, 0)]))
    record(private_file, "short", np.array([unit(1, 1, 0, 0)]))
    found = index(private_file, 2)
    assert found.similarities(unit(0, 0, 1, 0)) == pytest.approx([1, 0], abs=1e-3)


def test_an_index_of_nothing_answers_nothing(private_file):
    private_file.journal.append(HOME, [message_draft("one")])
    for found in (index(private_file), index(private_file, 1)):
        assert found.similarities(unit(1, 0, 0, 0)).shape == (0,)
        assert found.places(np.array([1, 2])).tolist() == [-1, -1]


def test_an_index_does_not_change_when_another_goes_on_from_it(private_file):
    private_file.journal.append(HOME, [message_draft("one"), message_draft("two")])
    for text in ("one", "two"):
        record(private_file, text, np.array([unit(1, 2, 3, 4)]))
    first = index(private_file, 1)
    second = first.extended(VectorTable(numbered(private_file)), MODEL, 2)
    assert (first.seqs.tolist(), second.seqs.tolist()) == ([1], [1, 2])
    assert second.extended(VectorTable(numbered(private_file)), MODEL, 1) is second


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), max_size=12))
def test_rows_handed_out_stay_as_they_are_whichever_of_them_go_on(steps: list[tuple[int, int]]):
    room = RowBuffer(2)
    handed = [(room.rows, room.rows.tolist())]
    for number, (which, count) in enumerate(steps):
        before, _ = handed[which % len(handed)]
        fresh = np.full((count, 2), number, np.float32)
        rows = room.appended(before, fresh)
        handed.append((rows, [*before.tolist(), *fresh.tolist()]))
    assert all(rows.tolist() == expected for rows, expected in handed)


def test_the_first_vector_recorded_for_a_text_stands(private_file):
    private_file.journal.append(HOME, [message_draft("one")])
    record(private_file, "one", np.array([unit(1, 0, 0, 0)]))
    record(private_file, "one", np.array([unit(0, 1, 0, 0)]))
    assert index(private_file, 1).rows.tolist() == [[1, 0, 0, 0]]


def test_vectors_of_another_model_or_space_are_never_loaded(private_file):
    private_file.journal.append(HOME, [message_draft("one")])
    record(private_file, "one", np.array([unit(1, 0, 0, 0)]), model="other:4:1")
    with private_file.database.writing():
        rows = np.array([unit(0, 1, 0, 0)])
        VectorTable(numbered(private_file, 2)).record(MODEL, content_hash("one"), rows)
    assert len(index(private_file, 1).seqs) == 0


def test_what_is_embedded_already_is_known_by_space_model_and_text(private_file):
    record(private_file, "one", np.array([unit(1, 0, 0, 0)]))
    hashes = [content_hash(text) for text in ("one", "two")]
    assert VectorTable(numbered(private_file)).embedded_hashes(MODEL, hashes) == {hashes[0]}
    assert VectorTable(numbered(private_file)).embedded_hashes("other", hashes) == set()
    assert VectorTable(numbered(private_file, 2)).embedded_hashes(MODEL, hashes) == set()
    assert VectorTable(numbered(private_file)).embedded_hashes(MODEL, []) == set()


def test_vectors_of_texts_are_found_by_hash_with_all_their_parts(private_file):
    private_file.journal.append(HOME, [message_draft("one")])
    record(private_file, "one", np.array([unit(1, 0, 0, 0), unit(0, 1, 0, 0)]))
    record(private_file, "asked", np.array([unit(0, 0, 1, 0)]))
    record(private_file, "asked", np.array([unit(0, 0, 0, 1)]), model="other:4:1")
    hashes = [content_hash(text) for text in ("one", "asked", "unknown")]
    found = VectorTable(numbered(private_file)).of_texts(MODEL, hashes)
    assert {key: rows.tolist() for key, rows in found.items()} == {
        hashes[0]: [[1, 0, 0, 0], [0, 1, 0, 0]],
        hashes[1]: [[0, 0, 1, 0]],
    }


def test_an_index_says_whose_vectors_it_holds(private_file):
    private_file.journal.append(HOME, [message_draft("one"), message_draft("two")])
    record(private_file, "one", np.array([unit(1, 0, 0, 0)]))
    whole = VectorIndexes(private_file).index(HOME, MODEL, WIDTH, 2)
    assert whole.model == whole.upto(1).model == MODEL


def test_another_model_is_refused_and_both_are_named(private_file):
    VectorTable(numbered(private_file)).check_model(MODEL)
    record(private_file, "one", np.array([unit(1, 0, 0, 0)]))
    VectorTable(numbered(private_file)).check_model(MODEL)
    VectorTable(numbered(private_file, 2)).check_model("other:4:1")
    with pytest.raises(ModelMismatch, match=rf"{MODEL}, but the model in use is other:4:1"):
        VectorTable(numbered(private_file)).check_model("other:4:1")


def same(one: VectorIndex, other: VectorIndex) -> bool:
    names = ("rows", "seqs", "starts", "until")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@given(st.data(), texts_with_parts, st.lists(st.integers(0, 12), max_size=3), st.integers(0, 9))
def test_a_screen_lets_everything_through_that_is_near(data, texts, cuts, gone):
    with private_journal() as file, pytest.MonkeyPatch.context() as patched:
        patched.setattr(vectors, "SCREENED_MIN", 3)
        patched.setattr(vectors, "_DIRECTIONS", 2)
        for text, parts in texts:
            file.journal.append(HOME, [message_draft(text)])
            if parts:
                record(file, text, data.draw(drawn_rows(parts)))
        whole = index(file, *sorted(cuts), 12)
        query = unit(*data.draw(st.tuples(*[st.integers(1, 5)] * WIDTH)))
        for found in (whole, whole.upto(5), whole.without([gone], 1)):
            assert len(found.likely(query)) == len(found.seqs)
            assert found.screen or found is not whole or len(whole.rows) < 3
            if found.screen:
                bounds = found.screen.heads @ found.screen.heads_of(query[None])[0]
                assert np.all(bounds >= found.rows @ query)
        places = np.arange(len(whole.seqs))
        assert whole.cosines(query, places[::2]) == pytest.approx(whole.similarities(query)[::2])


@given(st.data(), texts_with_parts, st.lists(st.integers(0, 12), min_size=1, max_size=6))
def test_an_index_of_any_time_is_the_one_loaded_directly(data, texts, untils):
    with private_journal() as file:
        for text, parts in texts:
            file.journal.append(HOME, [message_draft(text)])
            if parts:
                record(file, text, data.draw(drawn_rows(parts)))
        indexes = VectorIndexes(file)
        for until in untils:
            assert same(indexes.index(HOME, MODEL, WIDTH, until), index(file, until))
        whole = index(file, 12)
        for until in range(13):
            assert same(whole.upto(until), index(file, until))


def test_an_earlier_index_shares_the_rows_of_the_newest(private_file):
    private_file.journal.append(HOME, [message_draft("one"), message_draft("two")])
    for text in ("one", "two"):
        record(private_file, text, np.array([unit(1, 2, 3, 4), unit(1, 0, 0, 0)]))
    indexes = VectorIndexes(private_file)
    newest = indexes.index(HOME, MODEL, WIDTH, 2)
    earlier = indexes.index(HOME, MODEL, WIDTH, 1)
    assert np.shares_memory(earlier.rows, newest.rows)
    assert earlier.similarities(unit(1, 0, 0, 0)) == pytest.approx([1], abs=1e-3)
    assert indexes.index(HOME, MODEL, WIDTH, 2) is newest


def test_what_is_recorded_later_is_found_at_a_later_time(private_file):
    private_file.journal.append(HOME, [message_draft("one"), message_draft("two")])
    record(private_file, "one", np.array([unit(1, 0, 0, 0)]))
    indexes = VectorIndexes(private_file)
    assert indexes.index(HOME, MODEL, WIDTH, 1).seqs.tolist() == [1]
    record(private_file, "two", np.array([unit(0, 1, 0, 0)]))
    assert indexes.index(HOME, MODEL, WIDTH, 2).seqs.tolist() == [1, 2]


def test_what_was_erased_is_gone_once_a_space_is_forgotten(private_file):
    private_file.journal.append(HOME, [message_draft("one")])
    record(private_file, "one", np.array([unit(1, 0, 0, 0)]))
    indexes = VectorIndexes(private_file)
    indexes.index(HOME, MODEL, WIDTH, 1)
    with private_file.database.writing() as connection:
        connection.execute("DELETE FROM embedding")
    indexes.forget(AWAY)
    assert len(indexes.index(HOME, MODEL, WIDTH, 1).seqs) == 1
    indexes.forget(HOME)
    assert len(indexes.index(HOME, MODEL, WIDTH, 1).seqs) == 0


def test_spaces_and_models_have_indexes_of_their_own(private_file):
    private_file.journal.append(HOME, [message_draft("one")])
    record(private_file, "one", np.array([unit(1, 0, 0, 0)]))
    record(private_file, "one", np.array([unit(0, 1, 0, 0)]), model="other:4:1")
    indexes = VectorIndexes(private_file)
    private_file.journal.append(AWAY, [message_draft("two")])
    found = [indexes.index(HOME, model, WIDTH, 1).rows.tolist() for model in (MODEL, "other:4:1")]
    assert found == [[[1, 0, 0, 0]], [[0, 1, 0, 0]]]
    assert len(indexes.index(AWAY, MODEL, WIDTH, 1).seqs) == 0


def test_another_model_is_refused_before_anything_is_loaded(private_file):
    private_file.journal.append(HOME, [message_draft("one")])
    record(private_file, "one", np.array([unit(1, 0, 0, 0)]))
    with pytest.raises(ModelMismatch):
        VectorIndexes(private_file).index(HOME, "other:4:1", WIDTH, 1)


def test_threads_that_ask_at_once_get_the_same(journal_file):
    for number in range(20):
        journal_file.journal.append(HOME, [message_draft(str(number))])
        record(journal_file, str(number), np.array([unit(1, number, 0, 0)]))
    indexes = VectorIndexes(journal_file)
    untils = [20, 5, 13, 1] * 4
    with ThreadPoolExecutor(4) as threads:
        found = threads.map(lambda until: indexes.index(HOME, MODEL, WIDTH, until), untils)
        for until, each in zip(untils, found, strict=True):
            assert same(each, index(journal_file, until))


TOKENS = "fake:384:1"


def rows(value: int, count: int = 2) -> Small:
    return np.full((count, DIMENSION), value, np.int8)


def record_tokens(file: Store, seq: int, kept: Small, model: str = TOKENS, space: int = 1) -> None:
    TokenVectors(numbered(file, space)).record(model, seq, kept)


def load(file: Store, *seqs: int, model: str = TOKENS, space: int = 1) -> dict[int, list]:
    found = {
        seq: rows
        for seq, (rows, _) in TokenVectors(numbered(file, space)).load(model, seqs).items()
    }
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
        record_tokens(file, 1, kept)
        found, _ = TokenVectors(numbered(file)).load(TOKENS, [1])[1]
        assert found.dtype == np.int8
        assert np.array_equal(found, kept)


def test_those_without_are_left_out_and_nobody_else_comes_back(file):
    for seq in (1, 3):
        record_tokens(file, seq, rows(seq))
    assert load(file, 1, 2, 9) == {1: rows(1).tolist()}
    assert load(file) == {}


def test_an_experience_that_says_nothing_has_vectors_all_the_same(file):
    record_tokens(file, 2, rows(0, count=0))
    assert load(file, 2) == {2: []}


def test_a_later_version_overwrites_them(file):
    record_tokens(file, 1, rows(5))
    record_tokens(file, 1, rows(6))
    assert load(file, 1) == {1: rows(6).tolist()}


def test_each_model_and_each_space_has_its_own(file):
    record_tokens(file, 1, rows(1))
    record_tokens(file, 1, rows(2), model="other:384:1")
    assert load(file, 1) == {1: rows(1).tolist()}
    assert load(file, 1, model="other:384:1") == {1: rows(2).tolist()}
    assert load(file, 1, model="third:384:1") == load(file, 1, space=2) == {}


def test_a_rebuild_keeps_them(file):
    record_tokens(file, 1, rows(1))
    rebuild_lists(file, HOME)
    assert load(file, 1) == {1: rows(1).tolist()}


def test_they_are_erased_with_a_held_text_and_with_no_other(private_file):
    outline(private_file.journal, HOME, ODD)
    private_file.journal.append(HOME, [message_draft("another")])
    for seq in (1, 2):
        record_tokens(private_file, seq, rows(seq))
    assert expire(private_file) == 1
    assert load(private_file, 1, 2) == {2: rows(2).tolist()}


def test_those_of_a_held_text_that_is_kept_for_good_stay(private_file):
    id = outline(private_file.journal, HOME, ODD)
    record_tokens(private_file, 1, rows(1))
    reevaluate(private_file, id, "upgraded", event=ODD.as_json())
    assert expire(private_file) == 0
    assert load(private_file, 1) == {1: rows(1).tolist()}


def test_what_was_read_before_is_not_read_again(file):
    cache, space = TokenVectorCache(), numbered(file)
    record_tokens(file, 1, rows(1))
    assert cache.load(space, TOKENS, [1, 2]).keys() == {1}
    for seq in (1, 2):
        record_tokens(file, seq, rows(9))
    found = cache.load(space, TOKENS, [1, 2])
    assert [int(found[seq][0, 0]) for seq in (1, 2)] == [1, 9]


def test_those_of_a_held_text_are_read_each_time(private_file):
    outline(private_file.journal, HOME, ODD)
    record_tokens(private_file, 1, rows(1))
    cache, space = TokenVectorCache(), numbered(private_file)
    assert cache.load(space, TOKENS, [1]).keys() == {1}
    assert expire(private_file) == 1
    assert cache.load(space, TOKENS, [1]) == {}


def test_only_so_many_are_held_in_memory(file, monkeypatch):
    monkeypatch.setattr(vectors, "_CACHED_MAX", 2 * (1 + len(rows(1))))
    cache, space = TokenVectorCache(), numbered(file)
    for seq in (1, 2, 3):
        record_tokens(file, seq, rows(seq))
        cache.load(space, TOKENS, [seq])
    for seq in (1, 2, 3):
        record_tokens(file, seq, rows(9))
    found = cache.load(space, TOKENS, [1, 2, 3])
    assert [int(found[seq][0, 0]) for seq in (1, 2, 3)] == [9, 2, 3]


INTS = st.lists(st.integers(-9, 9), max_size=20)


@given(INTS)
def test_distinct_values_are_ascending_and_each_once(values: list[int]):
    assert distinct(np.array(values, np.int64)).tolist() == sorted(set(values))


@given(INTS, INTS)
def test_a_place_is_where_a_value_stands_or_minus_one(values: list[int], wanted: list[int]):
    known = sorted(set(values))
    found = places(known, np.array(wanted, np.int64))
    assert found.tolist() == [known.index(one) if one in known else -1 for one in wanted]


def test_places_keep_the_shape_of_what_is_wanted():
    wanted = np.array([[3, 4], [5, 3]], np.int64)
    assert places([3, 5], wanted).tolist() == [[0, -1], [1, 0]]
    assert places([], wanted).tolist() == [[-1, -1], [-1, -1]]


@given(st.dictionaries(st.integers(-9, 9), st.floats(-1, 1)), INTS)
def test_what_is_not_a_key_has_the_value_0(table: dict[int, float], wanted: list[int]):
    keys = sorted(table)
    values = np.array([table[key] for key in keys])
    found = lookup_values(np.array(keys, np.int64), values, np.array(wanted, np.int64))
    assert found.tolist() == [table.get(one, 0.0) for one in wanted]


@given(st.lists(st.floats(-1, 1, width=32), max_size=300), st.integers(1, 40), st.integers(1, 8))
def test_the_largest_are_the_largest_whatever_the_sample(values, limit, every):
    found = _largest(np.array(values, np.float32), limit, every)
    assert len(set(found)) == len(found) == min(limit, len(values))
    chosen = sorted((values[place] for place in found), reverse=True)
    assert chosen == sorted(values, reverse=True)[:limit]


@pytest.mark.parametrize("order", ["rising", "falling", "same", "one above", "periodic"])
def test_the_largest_of_many_in_any_order(order):
    count = 3 * sorted_arrays._MANY
    values = {
        "rising": np.arange(count),
        "falling": -np.arange(count),
        "same": np.zeros(count),
        "one above": np.eye(1, count, 7)[0],
        "periodic": np.arange(count) % sorted_arrays._EVERY,
    }[order].astype(np.float32)
    found = largest(values, 200)
    assert len(set(found.tolist())) == 200
    assert sorted(values[found]) == sorted(np.sort(values)[-200:])


def _largest(values: np.ndarray, limit: int, every: int) -> list[int]:
    before = sorted_arrays._MANY, sorted_arrays._EVERY
    sorted_arrays._MANY, sorted_arrays._EVERY = 20, every
    try:
        return largest(values, limit).tolist()
    finally:
        sorted_arrays._MANY, sorted_arrays._EVERY = before
