"""Reflection: feelings and engagement over time, what recurs, what is recalled, what grew."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.experience import Anchor, Phenomenology
from meridia.core.vocabulary import Emotion, Engagement
from meridia.language.analyser import Analyser
from meridia.resume.reflection import reflect_on
from tests.resume.experience_builders import experience, feeling

ENGLISH = Analyser()
DAY, WEEK = 24, 7 * 24
BAD, GOOD = feeling(-0.6, Emotion.FRUSTRATED), feeling(0.7, Emotion.RELIEVED)


def reflect(*experiences, recalled=None):
    return reflect_on(experiences, recalled or {}, ENGLISH)


def test_row_37_a_long_time_is_told_by_weeks_with_feelings_and_engagement():
    struggling = Phenomenology(BAD.signature, Engagement.STRUGGLING)
    found = reflect(
        experience(0, phenomenology=struggling),
        experience(1, phenomenology=BAD),
        experience(WEEK, phenomenology=GOOD),
        experience(2 * WEEK, phenomenology=GOOD),
    )
    assert found.periods_by == "week"
    first, second, third = found.periods
    assert [period.name for period in found.periods] == ["2026-W10", "2026-W11", "2026-W12"]
    assert (first.emotions, first.engagement) == ({"frustrated": 2}, {"struggling": 1})
    assert (first.valence, second.valence) == (-0.6, 0.7)
    assert third.strongest is not None
    assert third.strongest.id == f"m{2 * WEEK}"
    assert found.emotions == {"frustrated": 2, "relieved": 2}


def test_row_37_a_short_time_is_told_by_sessions_in_the_order_they_began():
    found = reflect(
        experience(1, session="b", phenomenology=BAD),
        experience(2, session="a"),
        experience(3, session="b"),
        experience(4, session=None),
    )
    assert found.periods_by == "session"
    assert [(p.name, p.experiences) for p in found.periods] == [
        ("b", 2),
        ("a", 1),
        ("(no session)", 1),
    ]
    assert found.periods[1].valence is None


def test_row_37_an_uncertainty_recurs_when_it_comes_up_again_in_other_words():
    found = reflect(
        experience(1, phenomenology=feeling(-0.3, uncertain=("Does the brake of the loom slip?",))),
        experience(
            2, phenomenology=feeling(-0.3, uncertain=("Does the loom's brake slip again?",))
        ),
        experience(3, phenomenology=feeling(-0.3, uncertain=("How long is the warp?",))),
    )
    (again,) = found.recurring
    assert again.text == "Does the brake of the loom slip?"
    assert [memory.id for memory in again.memories] == ["m1", "m2"]


def test_row_37_anchors_that_get_recalled_come_first():
    held = Phenomenology(anchors=(Anchor("the warp holds", "it worked"),))
    found = reflect(
        experience(1),
        experience(2, phenomenology=held),
        experience(3),
        recalled={"m1": 5, "m2": 1, "gone": 9},
    )
    assert [(r.memory.id, r.times, r.anchors) for r in found.recalled] == [
        ("m2", 1, ("the warp holds",)),
        ("m1", 5, ()),
    ]


def loom(seq, **more):
    return experience(seq, topics={"loom": "loom"}, **more)


def test_row_54_the_tone_of_a_text_is_no_feeling():
    rest = [experience(n, topics={"bread": "bread"}) for n in (4, 5)]
    found = reflect(loom(1, phenomenology=feeling(-0.6)), *rest, loom(9, phenomenology=GOOD))
    assert found.periods[0].strongest is not None
    assert found.periods[0].strongest.id == "m9"
    assert found.periods[0].valence == 0.7


def test_nothing_lived_is_an_empty_reflection():
    found = reflect()
    assert (found.first, found.experiences, list(found.periods)) == (None, 0, [])
    assert found.as_json()["recalled"] == []


def test_a_reflection_as_json_names_memories_by_address():
    shape = reflect(
        loom(1, phenomenology=BAD), loom(2, phenomenology=GOOD), experience(3), recalled={"m1": 2}
    ).as_json()
    assert shape["recalled"] == [{"uri": "meridia://m1", "times": 2, "anchors": []}]
    assert shape["turns"] == [
        {"text": "frustrated → relieved", "uris": ["meridia://m1", "meridia://m2"], "who": "Nora"}
    ]
    assert shape["periods"][0]["uri"] in {"meridia://m1", "meridia://m2"}


FELT = st.sampled_from([BAD, GOOD, Phenomenology(), feeling(0.0)])


@given(st.lists(FELT, max_size=40), st.integers(1, 50))
def test_the_periods_hold_every_experience_and_every_feeling_once(phenomenology, step):
    found = reflect(
        *(experience(n * step, phenomenology=how) for n, how in enumerate(phenomenology))
    )
    assert sum(period.experiences for period in found.periods) == len(phenomenology)
    for word, count in found.emotions.items():
        assert sum(period.emotions.get(word, 0) for period in found.periods) == count


def test_row_37_an_agents_tone_and_a_tools_failure_are_nobodys_feeling():
    worried = feeling(-0.4, Emotion.CONCERNED)
    memories = [
        experience(1, "It failed.", None, kind="assistant_message", phenomenology=worried),
        experience(2, "no seats", None, kind="tool_result", phenomenology=worried),
    ]
    found = reflect_on(memories, {}, Analyser())
    assert found.emotions == {}
    assert (found.periods[0].valence, found.periods[0].strongest) == (None, None)
