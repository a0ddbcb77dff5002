"""A session's arc: one line of text, and a picture that fits the terminal."""

from __future__ import annotations

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from meridia.cli import charts
from meridia.cli.charts import ChartPoint, arc, count_bars, session_chart, valence_chart
from meridia.core.experience import EmotionalSignature, Phenomenology, RegisterState, Transition
from meridia.core.vocabulary import Emotion, Engagement, TransitionField
from meridia.ingest.enrichment.register import resolve, step
from meridia.retrieval.history.emotion_trajectory import trajectory
from tests.ingest.ingest_events import at
from tests.retrieval.history import experience_builders

FOCUSED = EmotionalSignature((Emotion.FOCUSED,), 0.4, 0.3)
CONCERNED = EmotionalSignature((Emotion.CONCERNED,), 0.8, -0.3)
RELIEVED = EmotionalSignature((Emotion.RELIEVED,), 0.7, 0.6)
TONE = EmotionalSignature((), 0.7, -0.5)
QUESTION = "Will the anchor hold?"
MARKS = set("123456789abcdefghijklmnop+•")


def lived(*experiences):
    """Live through (signature, engagement, questions, topic); return points and the register."""
    state, points = RegisterState(), []
    for number, (signature, engagement, asked, topic) in enumerate(experiences):
        felt = Phenomenology(signature, engagement, uncertainties=asked)
        state, changes = step(state, felt, topic, at(60 * number), f"e{number}")
        points.append(ChartPoint(at(60 * number), signature, tuple(changes)))
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
    state, gone = resolve(state, [QUESTION], at(200), "e9")
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


def rows(picture, title, count):
    """Return the rows below a title, without their axis."""
    lines = str(picture).splitlines()
    start = lines.index(title) + 1
    return [line[4:] for line in lines[start : start + count]]


def heights(points, title, count):
    """Return for each row of a curve whether anything is drawn in it."""
    return ["".join(row).strip(" ·") != "" for row in rows(session_chart(points, 80), title, count)]


@pytest.mark.parametrize(
    ("valence", "intensity", "row", "other"), [(1, 1, 0, 0), (0, 0.5, 3, 2), (-1, 0, 6, 4)]
)
def test_a_constant_feeling_is_a_line_at_its_height(valence, intensity, row, other):
    points = [ChartPoint(signature=EmotionalSignature((), intensity, valence))] * 3
    assert [n for n, drawn in enumerate(heights(points, "valence", 7)) if drawn] == [row]
    assert [n for n, drawn in enumerate(heights(points, "intensity", 5)) if drawn] == [other]


def test_where_nothing_was_felt_the_curve_has_a_gap():
    felt = ChartPoint(signature=EmotionalSignature((), 0.5, 0.9))
    whole = rows(session_chart([felt] * 9, 80), "valence", 7)[0]
    broken = rows(
        session_chart([*[felt] * 3, ChartPoint(), ChartPoint(), *[felt] * 4], 80), "valence", 7
    )[0]
    assert " " not in whole.strip()
    assert " " * 10 in broken.strip()


@pytest.mark.parametrize("count", [1, 2, 7, 76, 77, 500, 5_000])
@pytest.mark.parametrize("extreme", [-1, 1])
def test_the_first_and_the_last_of_any_number_are_drawn(count, extreme):
    """Also at the ends of the scale, where a dot more would fall off."""
    rest = ChartPoint(signature=EmotionalSignature((), 0.5, 0.0))
    edge = ChartPoint(signature=EmotionalSignature((), 0.5, extreme))
    row = 0 if extreme > 0 else 6
    for place in {0, count - 1}:
        points = [edge if number == place else rest for number in range(count)]
        assert heights(points, "valence", 7)[row]


def test_changes_are_marked_where_they_happened_and_listed():
    points, _ = SESSION
    lines = str(session_chart(points, 64)).splitlines()
    axis = next(line for line in lines if line.startswith("   └"))
    assert [axis.index(mark) - 4 for mark in "12"] == [30, 50]
    assert len(axis) == 64
    assert lines[-2:] == [
        " 1  10:01 engagement: routine → struggling; focused → concerned…",
        " 2  10:02 concerned → relieved",
    ]
    assert "    2026-03-01 10:00                            2026-03-01 10:02" in lines


def test_changes_that_stand_together_and_too_many_to_list_are_still_seen():
    pair = (FOCUSED, None, (), None), (CONCERNED, None, (), None)
    points, _ = lived(*pair * 20)
    wide, narrow = (str(session_chart(points, width)).splitlines() for width in (120, 24))
    assert wide[-1] == " •  14 more"
    assert sum(line[:4].strip() in MARKS for line in wide if line[:4].strip()) == 26
    assert any(line.startswith("   └") and "+" in line for line in narrow)


def test_questions_and_topics_are_listed_without_control_characters():
    changes = (
        Transition(TransitionField.UNCERTAINTY, None, "\x1b[2Jreally?"),
        Transition(TransitionField.UNCERTAINTY, QUESTION, None),
        Transition(TransitionField.FOCUS, "parser", "[b]lexer[/b]"),
    )
    last = str(
        session_chart([ChartPoint(signature=FOCUSED, transitions=changes)], 120)
    ).splitlines()[-1]
    assert last == f" 1  opened: �[2Jreally?; resolved: {QUESTION}; focus: parser → [b]lexer[/b]"


def test_a_session_without_a_feeling_has_no_picture():
    assert (
        str(session_chart([]))
        == str(session_chart([ChartPoint(), ChartPoint(at(0))], 80))
        == "nothing felt yet"
    )


def test_the_width_is_the_terminals_unless_given(monkeypatch):
    points, _ = SESSION
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
    assert [line.rstrip() for line in shown(picture, terminal=False).splitlines()] == [
        line.rstrip() for line in str(picture).splitlines()
    ]


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
    lines = str(session_chart(points, width)).splitlines()
    assert max(map(len, lines)) <= max(width, 24)
    if len(lines) > 1:
        axis = next(experience for experience in lines if experience.startswith("   └"))
        changed = sum(bool(point.transitions) for point in points)
        assert bool(MARKS & set(axis)) == bool(changed)


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
    lines = journey_of(-0.8, -0.6, 0.7, 0.9).splitlines()
    assert lines[0] == "valence"
    (axis,) = [line for line in lines if line.startswith("   └")]
    assert axis.count("┴") == 1, "the second session begins at the turn, whose mark stands there"
    assert axis.count("1") == 1
    assert lines[-1] == " 1  2026-03-02 → 2026-03-02: frustrated → relieved"


def test_a_journey_where_nothing_was_felt_says_so():
    assert journey_of() == "nothing felt yet"


@given(st.lists(st.floats(-1, 1), max_size=40), st.integers(30, 120))
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
