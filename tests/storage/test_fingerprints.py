"""Fingerprints of forgotten events: the same event is known again, nothing else is told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.storage.fingerprints import fingerprints, matching

SALT = bytes(range(16))


@given(st.dictionaries(st.integers(1, 99), st.sampled_from("abcd"), min_size=1, max_size=3))
def test_only_the_same_event_at_the_same_place_matches(hashes):
    events = fingerprints(hashes, SALT)
    for seq in (*hashes, 100):
        for guess in "abcd":
            expected = guess == hashes[seq] if seq in hashes else None
            assert matching([events], seq, guess) is expected


def test_the_same_content_looks_different_in_another_forgetting():
    one, other = fingerprints({1: "a"}, SALT), fingerprints({1: "a"}, bytes(16))
    assert one.fingerprints != other.fingerprints
    assert matching([other, one], 1, "a")


def test_a_hash_costs_less_where_there_are_many():
    costs = [fingerprints(dict.fromkeys(range(n), "a"), SALT).cost for n in (1, 99, 100, 1000)]
    assert costs == [10, 10, 9, 6]
    assert fingerprints({}, SALT) is None
    assert matching([], 1, "a") is None
