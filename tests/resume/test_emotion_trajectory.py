"""How it felt over time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.vocabulary import Emotion
from meridia.resume.relationship_summary import VALENCE_MIN, points_of, trajectory
from tests.resume.experience_builders import agent, experience, feeling

BAD = feeling(-0.6, Emotion.FRUSTRATED)
GOOD = feeling(0.7, Emotion.RELIEVED)


def test_row_53_a_frustration_that_gives_way_to_relief_is_a_turn_and_names_both_ends():
    path = trajectory(
        [
            experience(1, phenomenology=BAD),
            experience(2),
            experience(3, phenomenology=GOOD, session="s2"),
        ]
    )
    (turn,) = path.turns
    assert turn.words == "frustrated → relieved"
    assert [memory.id for memory in turn.memories] == ["m1", "m3"]


def test_a_session_has_the_mood_of_its_strongest_named_feeling():
    loud = feeling(0.9)
    path = trajectory(
        [
            experience(1, phenomenology=loud),
            experience(2, phenomenology=BAD),
            experience(3, phenomenology=loud, session="s2"),
        ]
    )
    assert [(mood.session, mood.words) for mood in path.moods] == [
        ("s1", "frustrated"),
        ("s2", "a good tone"),
    ]
    first = path.moods[0]
    assert (first.first.id, first.memory.id) == ("m1", "m2")
    assert first.valence == (0.9 - 0.6) / 2


def test_what_others_felt_or_what_a_tool_returned_is_not_a_persons_feeling():
    happened = experience(3, "error", None, kind="tool_result", phenomenology=BAD)
    others = [
        experience(1, person="Ilse", phenomenology=GOOD),
        agent(2, "Oh!"),
        happened,
        experience(4, phenomenology=GOOD),
    ]
    assert [point.memory.id for point in points_of(others, "Nora")] == ["m4"]
    assert [point.memory.id for point in points_of(others)] == ["m1", "m3", "m4"]


def test_what_one_felt_is_not_what_another_felt_before():
    agents = experience(
        4, "Sorry.", None, kind="assistant_message", phenomenology=feeling(-0.6, Emotion.CONCERNED)
    )
    tools = experience(5, "error", None, kind="tool_result", tool="bash", phenomenology=BAD)
    path = trajectory(
        [
            experience(1, person="Ilse", phenomenology=GOOD),
            experience(2, person="Nora", phenomenology=BAD),
            experience(3, person="Ilse", phenomenology=BAD),
            agents,
            tools,
            experience(6, person="Nora", phenomenology=GOOD),
        ]
    )
    told = [(turn.who, [memory.id for memory in turn.memories]) for turn in path.turns]
    assert told == [("Ilse", ["m1", "m3"]), ("Nora", ["m2", "m6"])]


def test_the_same_word_again_is_no_turn_however_its_tone_changed():
    surprised = [feeling(valence, Emotion.SURPRISED) for valence in (-0.7, 0.7)]
    assert (
        trajectory([experience(n, phenomenology=how) for n, how in enumerate(surprised)]).turns
        == []
    )


def test_a_tone_without_a_word_is_named_by_its_valence():
    tones = [feeling(0.6), feeling(-0.6), feeling(0.1)]
    points = points_of(experience(place, phenomenology=tone) for place, tone in enumerate(tones))
    assert [point.words for point in points] == ["a good tone", "a bad tone", "an even tone"]


def test_where_nothing_was_felt_there_is_no_trajectory():
    path = trajectory([experience(1), experience(2)])
    assert (path.points, path.moods, path.turns) == ([], [], [])


@given(st.lists(st.floats(-1, 1), max_size=30))
def test_every_turn_goes_from_one_sign_to_the_other_in_order(valences):
    word = {True: Emotion.RELIEVED, False: Emotion.CONCERNED}
    path = trajectory(
        [experience(n, phenomenology=feeling(v, word[v > 0])) for n, v in enumerate(valences)]
    )
    for turn in path.turns:
        assert turn.before.at < turn.after.at
        assert turn.before.valence * turn.after.valence < 0
        assert min(abs(turn.before.valence), abs(turn.after.valence)) >= VALENCE_MIN
    assert [t.after.at for t in path.turns] == sorted(t.after.at for t in path.turns)
