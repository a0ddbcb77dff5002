"""What is held of spaces stays within one budget; of what was used longest ago, all goes."""

from __future__ import annotations

import gc
import threading
from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from meridia.storage.space_caches import SpaceCache, SpaceCaches, weigh

ONE, TWO, THREE = "one", "two", "three"


def bytes_of(_value: object) -> int:
    return 10


def test_what_was_used_longest_ago_goes_from_every_cache():
    caches = SpaceCaches(40, 100)
    first, second = SpaceCache[str](caches, bytes_of), SpaceCache[str](caches, bytes_of)
    for space in (ONE, TWO):
        first.put(space, f"first {space}")
        second.put(space, f"second {space}")
    assert first.get(ONE) == "first one"
    first.put(THREE, "first three")
    assert (first.get(TWO), second.get(TWO)) == (None, None)
    assert (first.get(ONE), second.get(ONE)) == ("first one", "second one")
    assert caches.bytes == 30


def test_what_one_space_needs_is_held_though_it_is_too_much():
    caches = SpaceCaches(5, 100)
    cache = SpaceCache[str](caches, bytes_of)
    cache.put(ONE, "large")
    assert cache.get(ONE) == "large"
    cache.put(TWO, "large too")
    assert caches.spaces == [TWO]


def test_files_are_part_of_the_budget_and_closed():
    caches, closed = SpaceCaches(10**9, 4), []
    cache = SpaceCache[str](
        caches, bytes_of, handles=2, give_up=lambda value: closed.append(value) is None
    )
    for space in (ONE, TWO, THREE):
        cache.put(space, f"graph of {space}")
    assert closed == ["graph of one"]
    assert caches.handles == 4
    cache.put(THREE, "graph of three")
    assert caches.handles == 4


def test_what_is_in_use_is_kept_and_another_goes():
    caches, busy = SpaceCaches(20, 100), {"graph of one"}
    cache = SpaceCache[str](caches, bytes_of, give_up=lambda value: value not in busy)
    for space in (ONE, TWO, THREE):
        cache.put(space, f"graph of {space}")
    assert caches.spaces == [ONE, THREE]
    busy.clear()
    cache.put(TWO, "graph of two")
    assert cache.get(ONE) is None


def test_a_cache_that_is_gone_holds_nothing():
    caches = SpaceCaches(100, 100)
    first, second = SpaceCache[str](caches, bytes_of), SpaceCache[str](caches, bytes_of)
    first.put(ONE, "kept")
    second.put(ONE, "gone")
    del second
    gc.collect()
    assert caches.bytes == 10
    assert first.pop(ONE) == "kept"
    assert (first.pop(ONE), caches.bytes, caches.spaces) == (None, 0, [])


def test_dropping_all_leaves_what_has_files_open():
    caches = SpaceCaches(100, 100)
    plain = SpaceCache[str](caches, bytes_of)
    open_file = SpaceCache[str](caches, bytes_of, handles=1)
    for cache in (plain, open_file):
        cache.put(ONE, "value")
    caches.clear()
    assert (plain.get(ONE), open_file.get(ONE)) == (None, "value")
    assert open_file.clear() == ["value"]


def test_a_space_that_is_read_makes_no_other_wait():
    cache = SpaceCache[str](SpaceCaches(100, 100))
    reading, done = threading.Event(), threading.Event()

    def read() -> None:
        with cache.lock(ONE):
            reading.set()
            done.wait(10)

    thread = threading.Thread(target=read)
    thread.start()
    assert reading.wait(10)
    with cache.lock(TWO):
        assert not done.is_set()
    done.set()
    thread.join()
    with cache.lock(ONE):
        pass


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 2), st.booleans())))
def test_counts_are_those_of_what_is_held(steps):
    caches = SpaceCaches(60, 7)
    held = [SpaceCache[str](caches, bytes_of, handles=number) for number in range(3)]
    for space, number, is_put in steps:
        if is_put:
            held[number].put(space, "value")
        else:
            held[number].pop(space)
        left = {(s, n) for s in caches.spaces for n, c in enumerate(held) if c.get(s)}
        assert caches.bytes == 10 * len(left)
        assert caches.handles == sum(n for _, n in left)
        assert len(caches.spaces) <= 1 or (caches.bytes <= 60 and caches.handles <= 7)


@dataclass
class Pair:
    """Two arrays and some names."""

    rows: np.ndarray
    same: np.ndarray
    names: list[str]


def test_arrays_are_weighed_each_once():
    rows = np.zeros(100_000)
    pair = Pair(rows, rows, ["name"] * 1000)
    assert 800_000 < weigh(pair) < 1_000_000
    assert weigh(pair, rows) < 200_000
    assert weigh({number: rows.copy() for number in range(3)}) > 2_400_000
    assert weigh("text") < 1000
    assert weigh([]) < 1000
