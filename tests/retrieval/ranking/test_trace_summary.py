"""A trace told shortly says where the evidence lies, and its places sum to the score."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.retrieval.ranking.contributions import WORDING, Evidence, PathStep, TraceNode
from meridia.retrieval.ranking.score_trace import PLACES_MAX, summarise

LEAVES = st.lists(
    st.builds(
        TraceNode,
        label=st.sampled_from(["says “a”", "is close", "is long"]),
        value=st.floats(-5, 20),
        evidence=st.sampled_from(Evidence),
        word=st.sampled_from(["a", None]),
        stem=st.sampled_from(["a", "b", None]),
        offset=st.sampled_from([-2, 0, 1]),
        seq=st.sampled_from([None, 7]),
    ),
    max_size=8,
)


def a_trace(leaves):
    value = sum(leaf.value for leaf in leaves)
    return TraceNode("score", value, children=(TraceNode("words", value, children=tuple(leaves)),))


@given(LEAVES)
def test_places_and_rest_sum_to_the_score(leaves):
    trace = a_trace(leaves)
    summary = summarise(trace)
    every = [*summary.places, *summary.rest]
    assert sum(place.value for place in every) == pytest.approx(trace.value, abs=1e-9)
    assert len(summary.places) <= PLACES_MAX
    assert summary.sentence.endswith(".")
    for place in every:
        assert sum(value for _, value in place.components) == pytest.approx(place.value, abs=1e-9)


@given(LEAVES)
def test_every_number_of_a_sentence_is_the_sum_of_leaves(leaves):
    """Of some of them: every clause is about leaves of one place, and none counts twice."""
    summary = summarise(a_trace(leaves))
    numbers = [float(n) for n in re.findall(r"\((-?\d+\.\d)(?: of [^)]*)?\)", summary.sentence)]
    sums = {
        round(sum(chosen), 1)
        for count in range(len(leaves) + 1)
        for chosen in combinations([leaf.value for leaf in leaves], count)
    }
    for number in numbers:
        assert any(abs(number - one) <= 0.1001 for one in sums)


def test_a_word_claims_no_more_than_its_own_leaves():
    word = TraceNode("says “boat”", 1.0, evidence=Evidence.OWN_WORDS, word="boat", stem="boat")
    wording = TraceNode("an answer's wording", 6.0, evidence=Evidence.OWN_WORDS)
    sentence = summarise(a_trace([word, wording])).sentence
    assert sentence == "It is worded like an answer (6.0 of 7.0)."
    word = TraceNode("says “boat”", 4.0, evidence=Evidence.OWN_WORDS, word="boat", stem="boat")
    sentence = summarise(a_trace([word, wording])).sentence
    assert sentence == "Its own words say “boat” (4.0 of 10.0); it is worded like an answer (6.0)."


def test_a_sentence_names_the_place_the_word_and_the_message():
    words = TraceNode(
        "says “sailing”", 2.0, evidence=Evidence.OWN_WORDS, word="sailing", stem="sail"
    )
    beside = TraceNode(
        "the message after says “sails”: @7 “…”",
        6.0,
        "NEXT",
        "meridia://x",
        evidence=Evidence.NEIGHBOUR,
        word="sails",
        stem="sail",
        offset=1,
        seq=7,
    )
    summary = summarise(a_trace([words, beside]))
    assert summary.sentence == (
        "@7 after it says “sails” (6.0 of 8.0); its own words say “sailing” (2.0)."
    )
    assert (summary.method, summary.hops) == ("neighbour", 1)


def test_a_path_of_activation_is_as_many_hops_as_it_has_edges():
    steps = (PathStep("ABOUT", "meridia://x", "c"), PathStep("ABOUT", "meridia://y", "c"))
    path = TraceNode(
        "via Concept mill, 2 hops, from @7 “…”",
        1.0,
        "ABOUT",
        "meridia://x",
        steps=steps,
        evidence=Evidence.TOPIC,
        word="mill",
        seq=7,
    )
    summary = summarise(a_trace([path]))
    assert (summary.method, summary.hops) == ("activation", 2)
    assert summary.sentence == "It shares the topic “mill” with @7 (1.0 of 1.0)."


def test_a_longer_path_is_no_shared_topic():
    step = PathStep("ABOUT", "meridia://x", "c")
    more = {"steps": (step,) * 4, "evidence": Evidence.TOPIC, "seq": 7}
    path = TraceNode("via …", 1.0, "ABOUT", "meridia://x", word="mill and @9 “…” and rye", **more)
    sentence = summarise(a_trace([path])).sentence
    assert sentence == "It is linked to @7 through mill and @9 “…” and rye (1.0 of 1.0)."


def test_what_one_message_beside_it_says_is_one_reason_with_the_sum_of_what_it_names():
    def beside(label: str, value: float, **more: str) -> TraceNode:
        evidence = Evidence.NEIGHBOUR
        return TraceNode(label, value, "NEXT", "x", evidence=evidence, offset=1, seq=7, **more)

    leaves = [
        beside("the message after says “sails”: @7", 2.0, word="sails", stem="sail"),
        beside(f"the message after: {WORDING}", 1.5),
        beside("the message after is close in meaning", -0.5),
    ]
    assert summarise(a_trace(leaves)).sentence == (
        "@7 after it says “sails” and is worded like an answer (3.5 of 3.0)."
    )
