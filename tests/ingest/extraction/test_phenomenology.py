"""Phenomenology: the heuristic twin's rules, and what is left of a model's answer."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.codec import decode, encode
from meridia.core.experience import Anchor, EmotionalSignature, Phenomenology
from meridia.core.vocabulary import Channel, Emotion, Engagement, Texture
from meridia.ingest.extraction.phenomenology import heuristic, merge, open_questions
from meridia.language.tone import Fortune
from tests.ingest.ingest_events import EVENTS, SESSIONS, agent, boundary, result, user

FALLBACK = Phenomenology(EmotionalSignature((Emotion.FOCUSED,), 0.6, 0.3), Engagement.ROUTINE)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "emotionalSignature": JSON
        | st.fixed_dictionaries(
            {},
            optional={
                "primary": JSON | st.lists(st.sampled_from([*Emotion, "happy"])),
                "secondary": JSON,
                "intensity": JSON | st.floats(),
                "valence": JSON | st.floats(),
                "texture": JSON | st.sampled_from([*Texture, "soft"]),
            },
        ),
        "engagementQuality": JSON | st.sampled_from([*Engagement, "bored"]),
        "anchors": JSON
        | st.lists(
            st.fixed_dictionaries(
                {"phrase": st.text(), "significance": st.text(min_size=290)},
                optional={"sensoryChannel": JSON},
            )
        ),
        "uncertainties": JSON | st.lists(st.text()),
        "reconstitutionHints": JSON | st.lists(st.text()),
    },
)


@pytest.mark.parametrize(
    ("failed", "emotion", "valence"),
    [(True, Emotion.CONCERNED, -0.3), (False, Emotion.FOCUSED, 0.3)],
)
@pytest.mark.parametrize(
    ("significance", "engagement"),
    [(0.4, Engagement.ROUTINE), (0.8, Engagement.ROUTINE), (0.81, Engagement.ENGAGED)],
)
def test_row_16_the_rule_for_tool_results(failed, emotion, valence, significance, engagement):
    """Row 16: error concerned/−.3, else focused/.3; intensity = significance; engaged if > .8."""
    phenomenology = heuristic(result(failed=failed), significance)
    assert phenomenology == Phenomenology(
        EmotionalSignature((emotion,), significance, valence), engagement
    )


def test_d5_a_message_has_the_tone_of_its_words_and_the_feelings_that_are_told():
    event = user("I'm really frustrated with this.")
    assert heuristic(event, 0.4).signature.primary == ()
    phenomenology = heuristic(event, 0.4, [Emotion.FRUSTRATED])
    assert phenomenology.signature
    assert phenomenology.signature.primary == (Emotion.FRUSTRATED,)
    assert phenomenology.signature.valence
    assert phenomenology.signature.valence < -0.3
    assert phenomenology.engagement is Engagement.ROUTINE


@pytest.mark.parametrize(
    ("feelings", "fortunes", "primary"),
    [
        ([], [Fortune.BAD], ()),
        ([Emotion.SAD], [], (Emotion.SAD,)),
        ([Emotion.SATISFIED], [Fortune.BAD], (Emotion.SATISFIED,)),
    ],
)
def test_bad_news_and_bad_feelings_are_bad_whatever_the_words(feelings, fortunes, primary):
    event = user("Thanks, that is great and lovely of them, wonderful!")
    signature = heuristic(event, 0.6, feelings, fortunes).signature
    assert signature.primary == primary
    assert signature.valence == -0.3


def test_grief_outranks_politeness():
    event = user("Thank you so much, I'm grateful. My mum died.")
    felt, told = [Emotion.SATISFIED, Emotion.SAD], [Fortune.GOOD, Fortune.DEATH]
    signature = heuristic(event, 0.6, felt, told).signature
    assert signature.primary == (Emotion.GRIEVING, Emotion.SAD)
    assert signature.valence == -0.6


@pytest.mark.parametrize(("feelings", "told"), [([], [Fortune.GOOD]), ([Emotion.EXCITED], [])])
def test_good_news_and_good_feelings_are_good_whatever_the_words(feelings, told):
    event = user("The terrible exam is over, no more dreadful mornings!")
    assert heuristic(event, 0.6, feelings, told).signature.valence == 0.3


def test_a_neutral_message_has_no_word():
    signature = heuristic(agent("The file has forty lines."), 0.6).signature
    assert signature == EmotionalSignature((), 0.0, 0.0)


def test_a_boundary_is_not_felt():
    assert heuristic(boundary(), 0.6) == Phenomenology(engagement=Engagement.ROUTINE)


@given(EVENTS, st.floats(0, 1))
def test_d5_no_heuristic_gives_anchors_uncertainties_or_hints(event, significance):
    """Row 16 and D5: those need understanding."""
    phenomenology = heuristic(event, significance)
    assert (phenomenology.anchors, phenomenology.uncertainties, phenomenology.hints) == ((), (), ())


def test_a_question_left_unanswered_is_an_open_thread():
    """D5: a question mark left unanswered."""
    session = [
        user("Where do the logs go?", person="Dana"),
        agent("To /var/log."),
        user("Good. And who rotates them?", person="Dana"),
    ]
    assert [(q.place, q.text) for q in open_questions(session)] == [(2, "And who rotates them?")]
    assert open_questions([*session, agent("Logrotate does.")]) == ()


@pytest.mark.parametrize(
    "reply",
    ["Which logs do you mean?", "I'll check and get back to you.", "No idea.", "…"],
)
def test_a_question_back_and_a_promise_are_no_answer(reply):
    asked = user("Where do the logs go?")
    assert open_questions([asked, agent(reply)])[0].place == 0


def test_nobody_answers_their_own_question_and_work_is_no_answer():
    asked = user("Where do the logs go?", person="Dana")
    for other in (user("I need them today.", person="Dana"), result("grep", output="found")):
        assert [q.place for q in open_questions([asked, other])] == [0]
    assert open_questions([asked, user("To /var/log.", person="Ravi")]) == ()


def test_a_tag_asks_nothing_and_the_last_question_stands_for_a_message():
    assert open_questions([user("We ship today, right? OK?")]) != ()
    assert open_questions([user("Right?"), user("OK?")]) == ()
    assert (
        open_questions([user("Is it on? And who has the key?")])[0].text == "And who has the key?"
    )


def test_questions_of_any_script_and_length_are_kept():
    assert open_questions([user("ログはどこですか?")])[0].text == "ログはどこですか?"
    assert len(open_questions([user("why " * 200 + "?")])[0].text) == 300


@given(SESSIONS)
def test_an_open_question_was_asked_in_the_session(events):
    for question in open_questions(events):
        assert "?" in events[question.place]["payload"]["text"]


def test_row_11_a_valid_answer_is_taken_whole():
    """Row 11: the answer of the extraction prompt, as JSON."""
    answer = {
        "emotionalSignature": {
            "primary": ["Relieved", "satisfied"],
            "intensity": 0.7,
            "valence": 0.5,
            "texture": "warm",
        },
        "engagementQuality": "deep flow",
        "anchors": [
            {"phrase": "it went green", "significance": "at last", "sensoryChannel": "visual"}
        ],
        "uncertainties": ["Will it hold?"],
        "reconstitutionHints": [],
    }
    merged, dropped = merge(answer, FALLBACK)
    assert merged == Phenomenology(
        EmotionalSignature((Emotion.RELIEVED, Emotion.SATISFIED), 0.7, 0.5, Texture.WARM),
        Engagement.DEEP_FLOW,
        (Anchor("it went green", "at last", Channel.VISUAL),),
        ("Will it hold?",),
    )
    assert dropped == Counter()


def test_rows_12_to_14_words_outside_the_vocabulary_are_dropped_and_counted():
    """Rows 12, 13, 14 and D4: dropped, counted, gaps filled from the heuristic."""
    answer = {
        "emotionalSignature": {
            "primary": ["joyful", "curious", "bored"],
            "intensity": 0.4,
            "texture": "velvet",
        },
        "engagementQuality": "asleep",
    }
    merged, dropped = merge(answer, FALLBACK)
    assert merged == Phenomenology(
        EmotionalSignature((Emotion.CURIOUS,), 0.4, 0.3), Engagement.ROUTINE
    )
    assert dropped == {"primary": 2, "texture": 1, "engagementQuality": 1}


def test_row_15_limits_cut_and_count():
    """Row 15: at most 2 anchors of ≤ 200 characters, 2 uncertainties and 2 hints of ≤ 300."""
    anchor = {"phrase": "p" * 250, "significance": "s"}
    answer = {
        "anchors": [{**anchor, "phrase": f"{n}" * 250} for n in range(4)],
        "uncertainties": ["a", "b", "c"],
        "reconstitutionHints": ["h" * 400, "  ", 7],
    }
    merged, dropped = merge(answer, FALLBACK)
    assert [len(anchor.phrase) for anchor in merged.anchors] == [200, 200]
    assert merged.uncertainties == ("a", "b")
    assert merged.hints == ("h" * 299 + "…",)
    assert dropped == {"anchors": 2, "uncertainties": 1, "reconstitutionHints": 2}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("intensity", 1.2),
        ("intensity", -0.1),
        ("valence", 2),
        ("valence", "high"),
        ("intensity", True),
        ("intensity", float("nan")),
        ("intensity", 10**400),
    ],
)
def test_numbers_out_of_range_are_dropped_and_counted(field, value):
    """Row 9: what a model says out of range, the heuristic says instead."""
    merged, dropped = merge({"emotionalSignature": {field: value}}, FALLBACK)
    assert merged == FALLBACK
    assert dropped == {field: 1}


@pytest.mark.parametrize("answer", [None, [], "I feel fine.", 3])
def test_row_9_an_answer_that_is_none_falls_back_to_the_heuristic(answer):
    """Row 9: heuristic fallback."""
    assert merge(answer, FALLBACK) == (FALLBACK, {"answer": 1})
    assert merge({}, FALLBACK) == (FALLBACK, {})


def test_an_anchor_needs_a_phrase_and_a_reason_and_a_lone_value_is_a_list_of_one():
    anchors = [{"phrase": "a"}, {"significance": "b"}, "c", {"phrase": " ", "significance": "d"}]
    merged, dropped = merge({"anchors": anchors, "uncertainties": "Why?"}, FALLBACK)
    assert merged.anchors == ()
    assert merged.uncertainties == ("Why?",)
    assert dropped == {"anchors": 4}


def test_a_text_that_no_journal_can_keep_is_cleaned():
    merged, _ = merge({"uncertainties": ["a\0b\ud800c\nd"]}, FALLBACK)
    assert merged.uncertainties == ("abc d",)


def test_without_a_feeling_on_either_side_there_is_none():
    felt = {"emotionalSignature": {"valence": 0.5}}
    assert merge(felt, Phenomenology())[0].signature is None
    named = {"emotionalSignature": {"primary": ["curious"], "intensity": 0.5}}
    assert merge(named, Phenomenology())[0].signature == EmotionalSignature((Emotion.CURIOUS,), 0.5)


@given(ANSWERS | JSON, st.sampled_from([FALLBACK, Phenomenology()]))
def test_whatever_a_model_answers_the_result_is_valid_and_never_says_less(answer, fallback):
    merged, dropped = merge(answer, fallback)
    assert decode(Phenomenology, encode(merged)) == merged
    assert merged.engagement or not fallback.engagement
    assert merged.signature or not fallback.signature
    assert all(count > 0 for count in dropped.values())
