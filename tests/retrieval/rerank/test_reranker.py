"""Two stages: what search found, in its order or in a new one, and what can be said of it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.retrieval.rerank.facets import Facets, Hints
from meridia.retrieval.rerank.reranker import (
    LOW_CONFIDENCE,
    RerankCandidate,
    RerankContext,
    candidate,
    is_safe,
    profile_of,
    rerank,
    rerank_context,
)
from tests.retrieval.rerank.facet_strategies import facets_drawn, hints_drawn, json_values

ANALYST = RerankContext(Hints(focus_entities=("mx8",)), profile_of({"analyst": 1}))
ABOUT_MX8 = Facets(entities=("mx8",), archetypes=("analyst",))

distances = st.floats(-0.5, 2.0) | st.sampled_from([0.0, 0.25, 0.5, 1.0])
found = st.lists(
    st.builds(RerankCandidate, st.text("abcd", max_size=3), distances, facets_drawn, st.booleans()),
    unique_by=lambda one: one.id,
    max_size=20,
)
askers = st.builds(
    RerankContext, hints_drawn, st.sampled_from([profile_of(None), profile_of({"analyst": 1})])
)


def ids(reranked) -> list[str]:
    return [hit.candidate.id for hit in reranked.hits]


def test_scores_are_nearness_and_boosts_and_the_order_follows_them():
    """Row 116: base = 1 − distance; the boosts are added; best first."""
    near, far = RerankCandidate("near", 0.25), RerankCandidate("far", 0.3125, ABOUT_MX8)
    ranked = rerank([near, far], ANALYST)
    assert ids(ranked) == ["far", "near"]
    first, second = ranked.hits
    assert first.base == 0.6875
    assert first.score == pytest.approx(0.6875 + 0.10 + 0.08 * 0.8)
    assert second.score == second.base == 0.75


def test_twelve_are_returned_unless_more_are_asked_for():
    """Row 116: the top 12."""
    every = [RerankCandidate(f"{n:03}", n / 512) for n in range(300)]
    assert ids(rerank(every, ANALYST)) == [f"{n:03}" for n in range(12)]
    assert len(rerank(every, ANALYST, limit=250).hits) == 250
    assert len(rerank(every, ANALYST, limit=1).hits) == 1


def test_only_the_nearest_are_looked_at():
    """Row 108: at most the candidate limit, nearest first, so the best facets further off lose."""
    every = [RerankCandidate(f"{n:02}", n / 1000) for n in range(60)]
    beyond = RerankCandidate("beyond", 0.0605, ABOUT_MX8)
    ranked = rerank([beyond, *every], ANALYST)
    assert ranked.candidates == 60
    assert "beyond" not in ids(ranked)
    wider = rerank([beyond, *every], ANALYST, 61)
    assert ids(wider)[0] == "beyond"


def test_of_equally_near_ones_the_ids_say_who_is_looked_at():
    """Row 108: where the candidate limit cuts through a tie, the first ids stay, boosts or not."""
    every = [RerankCandidate(f"{n:02}", 0.5, ABOUT_MX8 if n > 11 else Facets()) for n in range(20)]
    ranked = rerank(reversed(every), ANALYST, 13)
    assert ids(ranked) == ["12", *(f"{n:02}" for n in range(11))]


def test_what_is_not_safe_takes_no_place():
    """Row 109: what may not be shown is left out before candidates are counted."""
    hidden = [RerankCandidate(f"h{n}", 0.0, ABOUT_MX8, safe=False) for n in range(60)]
    ranked = rerank([*hidden, RerankCandidate("shown", 0.9)], ANALYST)
    assert ids(ranked) == ["shown"]
    assert ranked.refused == 60


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        {},
        {"visibility": "public", "confidentiality": " Normal ", "status": "done"},
        {"document": {"status": "ACTIVE", "visibility": None}},
        {"document": "guide.pdf"},
    ],
)
def test_active_public_and_normal_is_safe_and_so_is_what_is_not_said(metadata):
    """Row 109."""
    assert is_safe(metadata)


@pytest.mark.parametrize(
    "said",
    [
        {"visibility": "private"},
        {"visibility": ["public"]},
        {"visibility": ""},
        {"confidentiality": "restricted"},
        {"confidentiality": 0},
        {"status": "deprecated"},
        {"status": "Planned"},
    ],
)
def test_anything_else_is_not_safe_at_either_level(said):
    """Row 109: active; memory and document public and normal."""
    assert not is_safe(said)
    assert not is_safe({"document": said})
    assert not is_safe({"document": json.dumps(said)})


def test_a_document_is_active_or_not_to_be_shown():
    """Row 109: a memory's own status has other uses, a document's has not."""
    assert is_safe({"status": "open"})
    assert not is_safe({"document": {"status": "draft"}})


@pytest.mark.parametrize(
    ("distance", "expected", "low"),
    [(-0.5, 1, False), (0.0, 1, False), (0.875, 0.125, False), (0.91, 0.09, True), (2, 0, True)],
)
def test_confidence_comes_from_nearness_alone(distance, expected, low):
    """Row 117: the best base score, within 0 to 1, and low below .1, with and without boosts."""
    ranked = rerank([RerankCandidate("a", distance, ABOUT_MX8)], ANALYST)
    assert ranked.max_score == pytest.approx(expected)
    assert (ranked.max_score < LOW_CONFIDENCE) is low


def test_confidence_counts_a_candidate_that_boosts_pushed_out():
    """Row 117: the nearest counts though another took its place."""
    ranked = rerank(
        [RerankCandidate("a", 0.25), RerankCandidate("b", 0.3, ABOUT_MX8)], ANALYST, limit=1
    )
    assert ids(ranked) == ["b"]
    assert ranked.max_score == 0.75


def test_nothing_found_is_low_confidence():
    assert rerank([], ANALYST).max_score < LOW_CONFIDENCE
    assert rerank([], ANALYST).hits == ()


@given(found, askers, st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_of_what_was_found(every, asked, random):
    """Row 116: by score, then base score, then id."""
    shuffled = list(every)
    random.shuffle(shuffled)
    ranked = rerank(every, asked)
    assert rerank(shuffled, asked) == ranked
    keys = [(-hit.score, -hit.base, hit.candidate.id) for hit in ranked.hits]
    assert keys == sorted(keys)


def test_equal_scores_go_by_nearness_and_then_by_id():
    """Row 116, the tie-break: .75 = .65 + .10."""
    boosted = RerankCandidate("a", 0.35, Facets(entities=("mx8",)))
    asked = RerankContext(Hints(focus_entities=("mx8",)))
    plain = [RerankCandidate("c", 0.25), RerankCandidate("b", 0.25)]
    ranked = rerank([boosted, *plain], asked)
    assert [hit.score for hit in ranked.hits] == [0.75] * 3
    assert ids(ranked) == ["b", "c", "a"]


@given(found, askers)
def test_a_score_is_its_base_and_its_lines(every, asked):
    """Row 116: score − base is the sum of the lines."""
    for hit in rerank(every, asked).hits:
        lines = (*hit.facet_boost.lines, *hit.archetype_boost.lines)
        assert hit.score - hit.base == pytest.approx(sum(line.value for line in lines), abs=1e-9)


@given(st.lists(json_values, max_size=5), json_values, json_values, json_values)
def test_no_metadata_hints_or_profile_stop_a_recall(metadata, hints, profile, signals):
    """Rows 110 to 116: whatever JSON callers hand in, there is an answer."""
    every = [candidate(str(n), n / 8, given_) for n, given_ in enumerate(metadata)]
    asked = rerank_context(hints, profile=profile, signals=signals)
    ranked = rerank(every, asked)
    assert len(ranked.hits) == sum(one.safe for one in every)


def test_a_message_counts_for_its_own_recall():
    """Row 121: the mode in force and the profile after this message, not the one before it."""
    analyst = candidate("a", 0.5, {"archetypes": ["analyst"], "modes": ["owner"]})
    before = rerank_context({"mode": "prospect"})
    now = rerank_context({"mode": "prospect"}, mode="owner", signals={"analyst": 1})
    assert rerank([analyst], before).hits[0].score == 0.5
    hit = rerank([analyst], now).hits[0]
    assert hit.facet_boost.value == 0.08
    share = (0.2 + 0.25) / 1.25
    assert hit.archetype_boost.value == pytest.approx(0.08 * share * 0.8)
    next_one = rerank_context(None, profile=now.profile, signals={"analyst": 1})
    assert next_one.profile.as_json()["analyst"] > share


@pytest.mark.parametrize(
    ("asked", "limit", "fetched"),
    [(60, 12, 60), (5, 12, 12), (-3, 12, 12), (500, 12, 200), (500, 1000, 1000), (60, 80, 80)],
)
def test_candidates_are_never_fewer_than_results_nor_more_than_200(asked, limit, fetched):
    """Row 118: at least the limit, at most 200, the limit first."""
    every = [RerankCandidate(str(n), 0.5) for n in range(1_200)]
    assert rerank(every, ANALYST, asked, limit).candidates == fetched


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit):
    with pytest.raises(InvalidInput, match="of at least 1"):
        rerank([], ANALYST, limit=limit)


@pytest.mark.parametrize("distance", [float("nan"), float("inf")])
def test_a_distance_that_is_no_number_is_refused(distance):
    with pytest.raises(InvalidInput, match="candidate a"):
        RerankCandidate("a", distance)
