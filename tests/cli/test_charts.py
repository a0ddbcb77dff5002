"""A session's arc as one line of text, and charts that fit the terminal."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from meridia.cli import charts
from meridia.cli.charts import arc, count_bars, session_chart, sparkline, valence_chart
from meridia.core.experience import EmotionalSignature, Phenomenology, RegisterState, Transition
from meridia.core.vocabulary import Emotion, Engagement, TransitionField
from meridia.ingest.enrichment.register import step
from meridia.resume.relationship_summary import trajectory
from meridia.resume.space_history import ArcPoint
from tests.ingest.ingest_events import at
from tests.resume import experience_builders

FOCUSED = EmotionalSignature((Emotion.FOCUSED,), 0.4, 0.3)
CONCERNED = EmotionalSignature((Emotion.CONCERNED,), 0.8, -0.3)
RELIEVED = EmotionalSignature((Emotion.RELIEVED,), 0.7, 0.6)
TONE = EmotionalSignature((), 0.7, -0.5)
QUESTION = "Will the anchor hold?"


def lived(*experiences):
    """Live through (signature, engagement, questions, topic); return points and the register."""
    state, points = RegisterState(), []
    for number, (signature, engagement, asked, topic) in enumerate(experiences):
        felt = Phenomenology(signature, engagement, uncertainties=asked)
        state, changes = step(state, felt, topic, at(60 * number), f"e{number}")
        points.append(ArcPoint(f"e{number}", at(60 * number), signature, tuple(changes)))
    return points, state


def transitions(points):
    return [change for point in points for change in point.transitions]


SESSION = lived(
    (FOCUSED, Engagement.ROUTINE, (), None),
    (CONCERNED, Engagement.STRUGGLING, (QUESTION,), None),
    (RELIEVED, None, (), None),
)


def test_row_45_an_arc_is_one_line():
    """Row 45: the diffs of a session, read in order."""
    points, state = SESSION
    line = "focused (routine) → concerned (struggling) ↑intensity → relieved; 1 open question"
    assert arc(transitions(points), [state]) == line
    assert arc(transitions(points)) == line


def test_an_arc_says_what_was_resolved_and_what_it_was_about():
    points, state = lived(
        (FOCUSED, None, (QUESTION, "Why?"), "parser"), (FOCUSED, None, ("How?",), "lexer")
    )
    gone = [Transition(TransitionField.UNCERTAINTY, QUESTION, None)]
    state = replace(state, uncertainties=("Why?", "How?"))
    line = arc([*transitions(points), *gone], [RegisterState(), state])
    assert line == "focused; about parser, then lexer; 2 open questions; 1 resolved"


@pytest.mark.parametrize(
    ("states", "line"),
    [
        ((), "nothing felt yet"),
        ((RegisterState(),), "nothing felt yet"),
        ((RegisterState(Engagement.ROUTINE, FOCUSED),), "focused (routine)"),
        ((RegisterState(Engagement.ROUTINE),), "routine"),
        ((RegisterState(signature=TONE),), "a bad tone"),
        ((RegisterState(signature=EmotionalSignature((), 0.5, 0.1)),), "a good tone"),
        ((RegisterState(signature=EmotionalSignature((), 0.5)),), "an even tone"),
    ],
)
def test_a_session_without_a_change_is_as_the_register_says(states, line):
    assert arc([], states) == line


def test_valence_is_named_only_where_the_words_stay():
    darker = EmotionalSignature((Emotion.FOCUSED,), 0.4, -0.4)
    points, state = lived((FOCUSED, None, (), None), (darker, None, (), None))
    assert arc(transitions(points), [state]) == "focused → focused ↓valence"


def test_changes_of_one_moment_are_one_step_and_those_of_two_are_two():
    points, state = lived(
        (None, Engagement.ROUTINE, (), None),
        (None, Engagement.ENGAGED, (), None),
        (None, Engagement.DEEP_FLOW, (), None),
    )
    assert arc(transitions(points), [state]) == "routine → engaged → deep-flow"
    nowhere = [
        Transition(TransitionField.ENGAGEMENT, "routine", "engaged"),
        Transition(TransitionField.ENGAGEMENT, "engaged", "routine"),
    ]
    assert arc(nowhere) == "routine → engaged → routine"


def test_a_long_arc_leaves_out_its_middle():
    pair = (FOCUSED, None, (), None), (CONCERNED, None, (), None)
    points, state = lived(*pair * 20)
    line = arc(transitions(points), [state])
    assert line.startswith("focused → concerned ↑intensity → focused ↓intensity →")
    assert " → (28 more) → " in line
    assert line.count("→") == 12


def test_a_topic_moves_no_cursor_and_stays_on_its_line():
    state = RegisterState(signature=FOCUSED, topic="\x1b[31mtwo\nlines " + "x" * 99)
    line = arc([], [state])
    assert "\x1b" not in line
    assert "\n" not in line
    assert len(line) < 60


def test_a_sparkline_has_a_bar_for_each_value_and_a_gap_where_there_is_none():
    assert sparkline([-1, -0.5, None, 0, 1], (-1, 1), 80) == "▁▂ ▄█"
    assert sparkline([], (0, 1), 80) == ""


@pytest.mark.parametrize("extreme", [-1, 1])
@pytest.mark.parametrize("place", [0, 1_999])
def test_the_extremes_of_more_values_than_columns_are_seen(extreme, place):
    values = [extreme if number == place else 0.0 for number in range(2_000)]
    bars = sparkline(values, (-1, 1), 40)
    assert len(bars) == 40
    assert bars[0 if place == 0 else -1] == ("█" if extreme > 0 else "▁")


def test_a_session_is_two_lines_and_its_times():
    points, _ = SESSION
    assert str(session_chart(points, 64)).splitlines() == [
        "valence    ▆▃▇",
        "intensity  ▄▇▆",
        "           2026-03-01 10:00 to 2026-03-01 10:02",
    ]


def test_a_session_without_a_feeling_has_no_picture():
    nothing = ArcPoint("e1", at(0), None, ())
    assert str(session_chart([])) == str(session_chart([nothing], 80)) == "nothing felt yet"


def test_the_width_is_the_terminals_unless_given(monkeypatch):
    points, _ = lived(*[(FOCUSED, None, (), None)] * 99)
    monkeypatch.setattr(charts.console, "width", 50)
    assert (
        str(session_chart(points))
        == str(session_chart(points, 50))
        != str(session_chart(points, 51))
    )


def shown(picture, terminal):
    out = StringIO()
    Console(file=out, force_terminal=terminal, width=80, _environ={"TERM": "xterm"}).print(picture)
    return out.getvalue()


def test_colours_are_for_terminals():
    picture = session_chart(SESSION[0], 80)
    assert "\x1b[" in shown(picture, terminal=True)
    assert "\x1b[" not in shown(picture, terminal=False)


SIGNATURES = st.none() | st.builds(
    EmotionalSignature,
    primary=st.lists(st.sampled_from(Emotion), max_size=2, unique=True).map(tuple),
    intensity=st.floats(0, 1),
    valence=st.none() | st.floats(-1, 1),
)
LIVES = st.lists(
    st.tuples(
        SIGNATURES,
        st.none() | st.sampled_from(Engagement),
        st.lists(st.sampled_from(["A?", "B?"]), max_size=2).map(tuple),
        st.sampled_from([None, "parser", "lexer"]),
    ),
    max_size=40,
)


@given(LIVES, st.integers(1, 150))
def test_every_session_has_an_arc_and_a_picture_that_fits(experiences, width):
    points, state = lived(*experiences)
    line = arc(transitions(points), [state])
    assert line
    assert "\n" not in line
    for row in str(session_chart(points, width)).splitlines()[:2]:
        assert len(row) <= max(width, 24)


# Longer times: several sessions, and counts over time


def journey_of(*valences, width=60):
    named = {True: Emotion.RELIEVED, False: Emotion.FRUSTRATED}
    felt = [
        experience_builders.experience(
            n, session=f"s{n // 2}", phenomenology=experience_builders.feeling(v, named[v > 0])
        )
        for n, v in enumerate(valences)
    ]
    return str(valence_chart(trajectory(felt, "Nora"), width))


def test_row_53_a_journey_shows_valence_sessions_and_turns():
    assert journey_of(-0.8, -0.6, 0.7, 0.9).splitlines() == [
        "valence    ▁▂▇█",
        "           2026-03-02 09:00 to 2026-03-02 12:00",
        "2026-03-02 → 2026-03-02: frustrated → relieved",
    ]


def test_a_journey_where_nothing_was_felt_says_so():
    assert journey_of() == "nothing felt yet"


@given(st.lists(st.floats(-1, 1), max_size=40), st.integers(50, 120))
def test_a_journey_fits_its_width(valences, width):
    for line in journey_of(*valences, width=width).splitlines():
        assert len(line) <= width


def test_row_37_counts_over_time_are_bars_to_one_scale():
    lines = str(count_bars({"curious": [0, 4, 1], "calm": [2, 0, 0]}, 60)).splitlines()
    assert lines == [" curious  ·█▂  5", " calm     ▄··  2"]


def test_of_more_counts_than_there_is_room_for_the_last_are_shown():
    (line,) = str(count_bars({"calm": [0] * 100 + [3]}, 40)).splitlines()
    assert len(line) <= 40
    assert line.endswith("█  3")


def test_no_counts_are_no_bars():
    assert str(count_bars({})) == ""
