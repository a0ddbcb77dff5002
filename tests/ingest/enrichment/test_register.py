"""The experiential register: what counts as a change, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.codec import encode
from meridia.core.experience import EmotionalSignature, Phenomenology, RegisterState
from meridia.core.settings import TransitionsSettings
from meridia.core.vocabulary import Emotion, Engagement, TransitionField
from meridia.ingest.enrichment.register import STANDARD, step, transitioned
from tests.ingest.ingest_events import at

EMPTY = RegisterState()
FOCUSED = EmotionalSignature((Emotion.FOCUSED,), 0.5, 0.3)
PHENOMENOLOGIES = st.builds(
    Phenomenology,
    signature=st.none()
    | st.builds(
        EmotionalSignature,
        primary=st.lists(st.sampled_from(Emotion), max_size=2, unique=True).map(tuple),
        intensity=st.floats(0, 1),
        valence=st.none() | st.floats(-1, 1),
    ),
    engagement=st.none() | st.sampled_from(Engagement),
    uncertainties=st.lists(st.sampled_from(["A?", "a?", "B?"]), max_size=2).map(tuple),
)
TOPICS = st.sampled_from([None, "parser", "Parser", "lexer"])


def feel(primary=Emotion.FOCUSED, intensity=0.5, valence=0.3):
    words = () if primary is None else (primary,)
    return Phenomenology(EmotionalSignature(words, intensity, valence))


def steps(*phenomenologies, topics=(), thresholds=STANDARD):
    state, fields_by_step = EMPTY, []
    for place, phenomenology in enumerate(phenomenologies):
        topic = topics[place] if topics else None
        state, changes = step(state, phenomenology, topic, at(place), f"e{place}", thresholds)
        fields_by_step.append([change.field for change in changes])
    return state, fields_by_step


def test_row_44_the_register_holds_engagement_feeling_uncertainties_and_focus():
    """Row 44: the running register of a session; a first value is no change."""
    phenomenology = Phenomenology(FOCUSED, Engagement.ENGAGED)
    state, changes = step(EMPTY, phenomenology, "parser", at(0), "e0")
    assert state == RegisterState(Engagement.ENGAGED, FOCUSED, (), "parser")
    assert changes == []


def test_row_45_a_change_of_engagement_is_a_transition():
    """Rows 45 and 46: field, from, to, trigger, ts."""
    state = RegisterState(engagement=Engagement.ROUTINE)
    _, changes = step(state, Phenomenology(engagement=Engagement.DEEP_FLOW), None, at(7), "e7")
    assert [encode(change) for change in changes] == [
        {
            "field": "engagement",
            "from": "routine",
            "to": "deep-flow",
            "trigger": "e7",
            "ts": "2026-03-01T10:00:07.000000Z",
        }
    ]


@pytest.mark.parametrize(
    ("after", "changed"),
    [
        (feel(valence=0.59), False),
        (feel(valence=0.6), True),
        (feel(valence=0.0), True),
        (feel(intensity=0.79), False),
        (feel(intensity=0.8), True),
        (feel(Emotion.CURIOUS), True),
        (feel(None), False),
        (feel(None, valence=-0.2), True),
        (feel(None, 0.0, 0.0), False),
        (feel(None, 0.9, 0.0), True),
        (Phenomenology(), False),
    ],
)
def test_d7_a_feeling_changes_by_its_words_or_by_3_of_valence_or_intensity(after, changed):
    """D7: set of primary emotions changed; |Δvalence| ≥ .3 or |Δintensity| ≥ .3.

    A neutral tone without a word says nothing, and a tone without a word changes no word.
    """
    state, fields_by_step = steps(feel(), after)
    assert fields_by_step[1] == ([TransitionField.EMOTIONAL_SIGNATURE] if changed else [])
    assert state.signature == (after.signature if changed else FOCUSED)


def test_d7_a_slow_drift_is_noticed_when_it_has_gone_far_enough():
    state, fields_by_step = steps(*(feel(valence=0.3 - 0.1 * n) for n in range(5)))
    assert [len(changes) for changes in fields_by_step] == [0, 0, 0, 1, 0]
    assert state.signature
    assert state.signature.valence == pytest.approx(0.0)


def test_the_order_of_words_is_no_change():
    words = (Emotion.FOCUSED, Emotion.CURIOUS)
    first, second = (Phenomenology(EmotionalSignature(w, 0.5, 0.3)) for w in (words, words[::-1]))
    assert steps(first, second)[1] == [[], []]


def test_d7_thresholds_can_be_set():
    assert steps(feel(), feel(valence=0.4), thresholds=TransitionsSettings(valence=0.1))[1][1]
    assert not steps(feel(), feel(valence=-0.6), thresholds=TransitionsSettings(valence=1.0))[1][1]


def test_d7_an_uncertainty_opens_once():
    """D7: an uncertainty opened."""
    phenomenology = Phenomenology(uncertainties=("Will it hold?", "will  it hold?"))
    state, opened = step(EMPTY, phenomenology, None, None, "e1")
    again, none = step(state, phenomenology, None, None, "e2")
    assert [(c.field, c.before, c.after) for c in opened] == [
        (TransitionField.UNCERTAINTY, None, "Will it hold?")
    ]
    assert (again, none) == (state, [])


def test_old_uncertainties_fade_silently():
    phenomenologies = [Phenomenology(uncertainties=(f"{n}?",)) for n in range(4)]
    state, fields_by_step = steps(
        *phenomenologies, thresholds=TransitionsSettings(uncertainties_max=2)
    )
    assert state.uncertainties == ("2?", "3?")
    assert [len(changes) for changes in fields_by_step] == [1, 1, 1, 1]


def test_d7_a_change_of_topic_is_a_change_of_focus():
    """D7: focus (topic) changed; no topic and another spelling say nothing."""
    nothing = Phenomenology()
    state, fields_by_step = steps(
        *[nothing] * 5, topics=["parser", None, "PARSER", "lexer", "lexer"]
    )
    assert fields_by_step == [[], [], [], [TransitionField.FOCUS], []]
    assert state.topic == "lexer"


@given(st.lists(st.tuples(PHENOMENOLOGIES, TOPICS), max_size=8))
def test_living_through_the_same_again_changes_nothing(session):
    state = EMPTY
    for phenomenology, topic in session:
        state, _ = step(state, phenomenology, topic, None, None)
        assert step(state, phenomenology, topic, None, None) == (state, [])


@given(st.lists(st.tuples(PHENOMENOLOGIES, TOPICS), max_size=8))
def test_the_transitions_tell_the_way_from_one_register_to_the_next(session):
    """Row 45, as a property: every transition leads from the old value to the new one."""
    state = EMPTY
    for phenomenology, topic in session:
        later, changes = step(state, phenomenology, topic, at(1), "e")
        for change in changes:
            assert change.before != change.after
            if change.field is TransitionField.ENGAGEMENT:
                assert (change.before, change.after) == (state.engagement, later.engagement)
            elif change.field is TransitionField.FOCUS:
                assert (change.before, change.after) == (state.topic, later.topic)
            elif change.field is TransitionField.UNCERTAINTY:
                assert change.before is None
                assert change.after in later.uncertainties
            else:
                assert change.before == encode(state.signature)
                assert change.after == encode(later.signature)
        if not changes and state.signature:
            assert later.signature is state.signature
        state = later


def test_each_person_feels_from_their_own_earlier_state_and_only_what_a_word_names():
    state, fields = EMPTY, []
    for place, (person, felt) in enumerate(
        [
            ("nora", feel(Emotion.SAD, valence=-0.4)),
            ("ben", feel(Emotion.EXCITED, valence=0.6)),
            (None, feel(Emotion.CONCERNED, valence=-0.3)),
            ("nora", feel(None, valence=0.9)),
            ("nora", feel(Emotion.RELIEVED, valence=0.5)),
        ]
    ):
        state, changes = step(state, felt, None, at(place), f"e{place}", person=person)
        fields.append([(c.before["primary"], c.after["primary"]) for c in changes])
    assert fields == [[], [], [], [], [(["sad"], ["relieved"])]]
    assert state.signature == feel(Emotion.CONCERNED, valence=-0.3).signature
    assert {*state.signatures} == {"nora", "ben"}
    entry = transitioned(changes[0], "t", "s", "e", "nora")
    assert entry.person == "nora"
