"""Associations: exact cosines, from new to old, however the stream was cut."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.entries import MemoriesAssociated
from meridia.core.errors import InvalidInput
from meridia.ingest.enrichment import vector_pass
from meridia.ingest.enrichment.vector_pass import (
    NEAR,
    RELATED,
    RELATED_MAX,
    ExperienceVectors,
    Standing,
    canonical,
)
from meridia.ingest.enrichment.vector_pass import associate as associate_all
from meridia.storage.vectors import Screen, VectorIndex

NOBODY = []
ORDINARY = Standing.ORDINARY


class Association(NamedTuple):
    """What was found of one experience."""

    experience: str
    related: tuple = ()
    near: tuple | None = None


def unit(*components):
    vector = np.array(components, np.float64)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def turned(cosine):
    """Return a vector of two dimensions with this cosine to (1, 0)."""
    return unit(cosine, (1 - cosine**2) ** 0.5)


def vectors(*rows, first=0, standing=ORDINARY):
    """Return experiences m0, m1, … of one row each, of two dimensions."""
    named = enumerate(rows, first)
    return [(f"m{n}", row.reshape(1, -1), standing) for n, row in named]


def together(experiences):
    """Return the vectors of experiences: id, rows and standing of each."""
    counts = [len(rows) for _, rows, _ in experiences]
    places, starts = np.arange(len(counts)), np.cumsum([0, *counts[:-1]])
    rows = np.concatenate([rows for _, rows, _ in experiences])
    ids, standing = [id for id, *_ in experiences], [standing for *_, standing in experiences]
    index = VectorIndex(rows, places, starts, len(places))
    return ExperienceVectors(index, lambda at: [ids[n] for n in at], np.array(standing, np.int8))


def associate(new, old, canonical_ids):
    """Associate new experiences with each other and with old ones: the same with a screen."""
    if not new:
        return []
    plain = together([*old, *new])
    index = replace(plain.index, screen=Screen.of(plain.index.rows))
    found = associate_all(plain, len(old), canonical_ids.get)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(vector_pass, "SCREENED_AT_ONCE", 1_000)
        screened = replace(plain, index=index)
        assert associate_all(screened, len(old), canonical_ids.get) == found
    results = {id: Association(id) for id, *_ in new}
    for payload in found:
        about = results[payload.experience]
        results[payload.experience] = (
            about._replace(related=payload.related)
            if isinstance(payload, MemoriesAssociated)
            else about._replace(near=(payload.canonical, payload.similarity))
        )
    return list(results.values())


def related(association):
    return dict(association.related)


def in_batches(experiences, cuts, canonical_ids=()):
    """Associate a whole stream in batches that end at `cuts`; return the list for all of it."""
    canonical_ids, results, start = dict(canonical_ids), [], 0
    for end in [*cuts, len(experiences)]:
        fresh = associate(experiences[start:end], experiences[:start], canonical_ids)
        canonical_ids |= {result.experience: result.near[0] for result in fresh if result.near}
        results += fresh
        start = end
    return results


def test_row_102_related_from_a_cosine_of_6_and_at_most_10():
    """Row 102: RELATED ≥ .6, ≤ 10, best first."""
    cosines = [0.9 - 0.02 * n for n in range(12)]
    old = vectors(*(turned(cosine) for cosine in (0.5999, 0.6, *cosines)))
    [association] = associate(vectors(unit(1, 0), first=99), old, {})
    assert association.experience == "m99"
    assert association.related == tuple((f"m{n + 2}", round(cosines[n], 4)) for n in range(10))
    few = vectors(turned(0.5999), turned(0.6), turned(-0.9))
    assert associate(vectors(unit(1, 0), first=9), few, {})[0].related == (("m1", 0.6),)


@pytest.mark.parametrize(("cosine", "near"), [(0.9198, None), (0.92, 0.92), (0.99, 0.99)])
def test_row_100_from_a_cosine_of_92_on_a_memory_is_repeated(cosine, near):
    """Row 100: near duplicates (cosine ≥ .92) reinforce."""
    old = vectors(turned(0.7), turned(cosine))
    [association] = associate(vectors(unit(1, 0), first=9), old, {})
    assert association.near == (near and ("m1", near))
    assert related(association)["m1"] == cosine


def test_cosines_are_compared_as_they_are_reported():
    [association] = associate(vectors(unit(1, 0), first=9), vectors(turned(0.59996)), {})
    assert association.related == (("m0", 0.6),)


def test_of_equal_ones_the_older_comes_first():
    old = vectors(turned(0.8), *[turned(0.95)] * 12)
    [association] = associate(vectors(unit(1, 0), first=99), old, {})
    assert [id for id, _ in association.related] == [f"m{n}" for n in range(1, 11)]
    assert association.near == ("m1", 0.95)


def test_a_new_one_is_related_to_those_before_it_in_its_batch_and_never_to_itself():
    associations = associate(vectors(unit(1, 0), turned(0.8), turned(0.7)), NOBODY, {})
    assert associations[0] == Association("m0")
    assert related(associations[1]) == {"m0": 0.8}
    assert related(associations[2]).keys() == {"m0", "m1"}


def test_a_repetition_of_a_repetition_counts_for_the_first():
    steps = [unit(np.cos(angle), np.sin(angle)) for angle in (0, 0.35, 0.7)]
    associations = associate(vectors(*steps), NOBODY, {})
    assert associations[1].near == ("m0", 0.9394)
    assert associations[2].near == ("m0", 0.9394)
    assert related(associations[2])["m0"] < NEAR
    [later] = associate(vectors(steps[2], first=9), vectors(*steps[1:], first=1), {"m1": "m0"})
    assert later.near == ("m2", 1.0)
    [chained] = associate(vectors(steps[1], first=9), vectors(*steps[1:], first=1), {"m1": "m0"})
    assert chained.near == ("m0", 1.0)


def test_canonical_goes_back_to_the_first_and_refuses_a_circle():
    canonical_ids = {"c": "b", "b": "a"}
    assert [canonical(id, canonical_ids.get) for id in "abcd"] == ["a", "a", "a", "d"]
    with pytest.raises(InvalidInput, match="repeats itself"):
        canonical("a", {"a": "b", "b": "a"}.get)


def test_a_long_text_is_as_close_as_its_closest_row_and_repeats_only_as_a_whole():
    first, second = np.eye(2, dtype=np.float32)
    long = ("long", np.array([first, second]), ORDINARY)
    old = [("whole", first.reshape(1, -1), ORDINARY), long]
    quotes = ("quotes", np.array([second, first]), ORDINARY)
    partial = ("part", np.array([turned(0.95)]), ORDINARY)
    associations = associate([quotes, partial], old, {})
    assert associations[0].related == (("whole", 1.0), ("long", 1.0))
    assert associations[0].near == ("long", 1.0)
    assert associations[1].near == ("whole", 0.95)
    assert related(associations[1])["long"] == 0.95


@pytest.mark.parametrize(
    ("new", "old", "is_related", "is_near"),
    [
        (Standing.ORDINARY, Standing.ORDINARY, True, True),
        (Standing.ORDINARY, Standing.MANUAL, True, True),
        (Standing.MANUAL, Standing.ORDINARY, True, False),
        (Standing.UNFIT, Standing.ORDINARY, True, False),
        (Standing.ORDINARY, Standing.UNFIT, True, False),
        (Standing.ECHO, Standing.ORDINARY, False, False),
        (Standing.ORDINARY, Standing.ECHO, False, False),
    ],
)
def test_manual_captures_and_unfit_texts_repeat_nothing_and_echoes_are_left_alone(
    new, old, is_related, is_near
):
    """Row 100: the near check is skipped for manual captures; an "ok" reinforces nothing."""
    fresh = vectors(unit(1, 0), first=9, standing=new)
    [association] = associate(fresh, vectors(unit(1, 0), standing=old), {})
    assert (bool(association.related), association.near is not None) == (is_related, is_near)


def test_vectors_that_are_no_unit_vectors_are_refused():
    for wrong in ([2, 0], [0, 0], [np.nan, 1]):
        with pytest.raises(InvalidInput, match="row 1 .*unit vectors"):
            associate(vectors(unit(1, 0), np.array(wrong, np.float32)), NOBODY, {})


def reference_associate(experiences):
    """Associate a stream in the plainest way: exact fractions, all pairs, sorted in full."""
    whole = [
        [[round(Fraction(float(x)) * 2**26) for x in row] for row in rows]
        for _, rows, _ in experiences
    ]
    canonical_ids, results = {}, []
    for new, (id, _, standing) in enumerate(experiences):
        scored, nears = [], []
        for old in range(new):
            table = [
                [Fraction(sum(map(int.__mul__, a, b)), 2**52) for b in whole[old]]
                for a in whole[new]
            ]
            cosine = max(map(max, table))
            same = min(*map(max, table), *map(max, zip(*table, strict=True)))
            if Standing.ECHO not in (standing, experiences[old][2]):
                scored.append((-round(cosine, 4), old))
                if standing == ORDINARY and experiences[old][2] <= Standing.MANUAL:
                    nears.append((-round(same, 4), old))
        best = [
            (experiences[old][0], float(-c)) for c, old in sorted(scored) if -float(c) >= RELATED
        ]
        near = None
        if nears and -float(min(nears)[0]) >= NEAR:
            nearest = experiences[min(nears)[1]][0]
            near = canonical_ids[id] = canonical_ids.get(nearest, nearest), -float(min(nears)[0])
            canonical_ids[id] = near[0]
        results.append(Association(id, tuple(best[:RELATED_MAX]), near))
    return results


COMPONENTS = st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any)
ROWS = st.lists(COMPONENTS, min_size=1, max_size=3).map(
    lambda rows: np.array([unit(*r) for r in rows])
)
STANDINGS = st.sampled_from([ORDINARY, ORDINARY, ORDINARY, *Standing])
STREAMS = st.lists(st.tuples(ROWS, STANDINGS), max_size=20).map(
    lambda stream: [(f"m{n}", rows, standing) for n, (rows, standing) in enumerate(stream)]
)


@given(STREAMS, st.data())
def test_batches_of_any_sizes_give_what_the_plain_way_gives(experiences, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(experiences)), max_size=5)))
    assert in_batches(experiences, cuts) == reference_associate(experiences)


@pytest.mark.parametrize("repeats", [1, 40])
def test_in_many_dimensions_the_cut_changes_no_digit(repeats):
    """Different products of matrices sum in different orders; the cosines stay the same."""
    random = np.random.default_rng(7)
    centres = random.standard_normal((3, 384))
    rows = centres[random.integers(0, 3, 150 // repeats)] + 0.6 * random.standard_normal(
        (150 // repeats, 384)
    )
    stored = np.array([unit(*row) for row in rows]).astype(np.float16).astype(np.float32)
    experiences = [(f"m{n}", row.reshape(1, -1), ORDINARY) for n, row in enumerate(stored)]
    experiences = [
        (f"{id}-{n}", row, kind) for n in range(repeats) for id, row, kind in experiences
    ]
    whole = in_batches(experiences, [])
    assert any(association.related for association in whole)
    assert in_batches(experiences, range(1, len(experiences))) == whole
    assert in_batches(experiences, [7, 64, 65, 130]) == whole


def test_memory_does_not_grow_with_what_is_remembered():
    """A product of 64 and 200,000 rows alone would be 51 MB."""
    random = np.random.default_rng(0)
    rows = random.standard_normal((200_000, 4)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows = np.concatenate([rows, rows[:64]])
    places = np.arange(len(rows))
    index = VectorIndex(rows, places, places, len(rows))
    every = ExperienceVectors(index, lambda at: [str(n) for n in at], np.zeros(len(rows), np.int8))
    tracemalloc.start()
    try:
        associations = associate_all(every, 200_000, {}.get)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    of_related = [each for each in associations if isinstance(each, MemoriesAssociated)]
    assert [len(each.related) for each in of_related] == [10] * 64
    assert peak < 20_000_000
