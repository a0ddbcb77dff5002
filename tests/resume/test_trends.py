"""Trends: what changed between the halves of a stretch, with the quotes that show it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.vocabulary import Emotion
from meridia.resume.reflection import reflect_on
from meridia.resume.trends import trends_of
from tests.resume.experience_builders import experience, feeling, memory_of

SAD, GLAD = feeling(-0.6, Emotion.FRUSTRATED), feeling(0.6, Emotion.SATISFIED)


def life(*felt, person="Nora"):
    """Return one experience a feeling, four in each session."""
    return [
        experience(place, f"Message {place}.", person, f"s{place // 4}", phenomenology=each)
        for place, each in enumerate(felt)
    ]


def test_a_mood_that_turned_is_named_with_a_quote_of_each_half():
    views = life(*[GLAD] * 8, *[SAD] * 8)
    worse, *others = trends_of(views)
    assert (worse.kind, worse.before, worse.after) == ("valence", pytest.approx(0.6), -0.6)
    assert worse.text == "Nora felt worse: mean valence +0.60, then -0.60"
    assert [memory.session for memory in worse.shown] == ["s0", "s2"]
    assert [text for text, _ in worse.quotes] == ["“Message 0.”", "“Message 8.”"]
    assert {each.text for each in others} == {
        "Nora satisfied less often: 8 of 8, then 0 of 8",
        "Nora frustrated more often: 0 of 8, then 8 of 8",
    }


@given(st.permutations(["Nora", "Piet"]))
def test_what_one_felt_is_no_trend_of_another(people):
    one, other = people
    views = [
        *life(*[GLAD] * 4, *[SAD] * 4, person=one),
        *life(*[SAD] * 8, person=other),
    ]
    assert {each.text.partition(" ")[0] for each in trends_of(views)} == {one}


def test_topics_of_one_half_alone_are_named_where_several_sessions_have_them():
    def about(place, **topics):
        return replace(experience(place, f"Of {place}.", session=f"s{place}"), topics=topics)

    boat, hens = {"boat": "boat"}, {"hen": "hens"}
    views = [about(n, **boat) for n in range(4)] + [about(n, **hens) for n in range(4, 8)]
    assert [each.text for each in trends_of(views)] == [
        "no longer: boat, in 4 messages",
        "new: hens, in 4 messages",
    ]
    once = [replace(view, memory=replace(view.memory, session="a")) for view in views[:4]]
    assert "boat" not in {each.name for each in trends_of([*once, *views[4:]])}


@given(st.lists(st.sampled_from([SAD, GLAD]), max_size=4))
def test_a_single_session_has_no_trend(felt):
    assert trends_of(life(*felt)) == []


@given(st.lists(st.sampled_from([SAD, GLAD, feeling(0.0)]), max_size=24))
def test_each_trend_is_a_change_and_stands_on_memories_that_are_there(felt):
    views = life(*felt)
    there = [view.memory for view in views]
    for trend in reflect_on(views, {}, None).trends:
        assert trend.before != trend.after
        assert trend.shown
        assert all(memory in there for memory in trend.shown)


def test_a_reflection_pack_names_trends_and_cites_what_shows_them():
    said = [("I am so happy today!", 4), ("I am so frustrated with the loom.", 4)]
    messages = [
        (f"m{day}{n}", day, f"s{day}", "Nora", f"{text} It is day {day}, word {n}.")
        for (text, _), days in zip(said, ((0, 1), (2, 3)), strict=True)
        for day in days
        for n in range(2)
    ]
    with memory_of(*messages) as memory:
        memory.enrich()
        text = memory.reconstitute("reflection").text
        weeks = memory.packs.quality_over_time()
    (line,) = [line for line in text.splitlines() if line.startswith("Nora felt worse")]
    assert "“I am so happy today!" in line
    assert "@1;" in line
    assert [row["packs"] for row in weeks] == [1]
    assert 0 < weeks[0]["budget_use"] <= 1
