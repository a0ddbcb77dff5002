"""Episodes: a session told in short, in words that were said, within its limits."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.codec import decode_text, encode_text
from meridia.core.entries import EpisodeSynthesised
from meridia.core.events import text_of
from meridia.core.experience import Anchor, EmotionalSignature, Phenomenology, Utterance
from meridia.core.time import to_text
from meridia.core.vocabulary import Emotion
from meridia.ingest.capture.event_view import at_of
from meridia.ingest.enrichment.episode import (
    SUMMARY_CHARS_MAX,
    TOPIC_CHARS_MAX,
    EpisodeExperience,
    synthesise,
)
from meridia.ingest.enrichment.reading.findings import with_prose
from meridia.models.answer_types import SessionAnswer
from tests.ingest.ingest_events import EVENTS, agent, at, result, user

SIGNATURES = st.builds(
    EmotionalSignature,
    st.lists(st.sampled_from(Emotion), max_size=3, unique=True).map(tuple),
    st.floats(0, 1),
)
PHENOMENOLOGIES = st.none() | st.builds(
    Phenomenology,
    signature=st.none() | SIGNATURES,
    anchors=st.lists(
        st.builds(Anchor, st.sampled_from(["a", "b c", "dé", "x" * 200]), st.just("why")),
        max_size=2,
    ).map(tuple),
)
ANY_EVENTS = EVENTS | st.builds(
    lambda speak, text: speak(text),
    st.sampled_from([user, agent]),
    st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1, max_size=700)
    | st.text(alphabet="abcI'll A.!?\n-*#", min_size=1, max_size=400),
)


def experiences_of(*events, **fields):
    """Return events as they were lived, each half significant."""
    return [
        EpisodeExperience(f"e{n}", event, at_of(event), 0.5, **fields)
        for n, event in enumerate(events)
    ]


SESSIONS = st.lists(
    st.builds(
        EpisodeExperience,
        st.uuids().map(str),
        ANY_EVENTS,
        st.none(),
        st.floats(0, 1),
        PHENOMENOLOGIES,
    ),
    max_size=15,
).map(lambda session: [replace(item, at=at_of(item.event)) for item in session])

BOOKING = experiences_of(
    user("Hi! I'm looking to book a flight from Porto to Oslo on May 20th.", 0),
    agent("Could you please provide your user ID?", 10),
    user("It is dana_7.", 20),
    result("book_flight", {"to": "OSL", "paid": 255}, "Error: 305 is due", 30, failed=True),
    agent("The fare is actually $305. Please confirm.", 40),
    user("Yes, I confirm.", 50),
    result("book_flight", {"to": "OSL", "paid": 305}, "booked", 60),
    agent("Your flight from Porto to Oslo has been booked.", 70),
    user("Thank you so much!", 80),
)
FRIENDS = experiences_of(
    user("Hey Ravi! How have you been?", person="Dana"),
    user("Good! I joined a pottery class last week.", person="Ravi"),
    user("Wow, a pottery class! What do you make there?", person="Dana"),
    user("Mostly bowls. The pottery teacher lent me a kiln.", person="Ravi"),
    user("I'll bring you some glaze from Lisbon.", person="Dana"),
)


@given(SESSIONS)
def test_row_32_an_episode_keeps_its_limits_whatever_was_said(session):
    """Row 32, as a property: D26's three experiences, and the sizes of an episode's parts."""
    episode = synthesise("ep1", "s1", session)
    if len(session) < 3:
        assert episode is None
        return
    assert len(episode.topic) <= TOPIC_CHARS_MAX
    assert len(episode.summary) <= SUMMARY_CHARS_MAX
    assert [*episode.sources] == [experience.id for experience in session]
    assert len(episode.anchors) <= 10
    assert len(episode.emotions) <= 5
    assert {*episode.emotions} <= {*Emotion}
    assert len(episode.consequences) <= 5
    assert 0 <= episode.significance <= 1
    assert (episode.since is None) == all(experience.at is None for experience in session)
    assert decode_text(EpisodeSynthesised, encode_text(episode)) == episode


@given(SESSIONS.filter(lambda session: len(session) > 2))
def test_row_32_a_summary_quotes_and_invents_nothing(session):
    """Row 32, as a property: between quotation marks stand only characters that were said."""
    summary = synthesise("ep1", "s1", session).summary
    characters = {*"…“”: "}.union(*(text_of(experience.event) for experience in session))
    for quoted in re.findall("“([^”]*)”", summary):
        assert {*quoted} - {*" "} <= characters


def test_row_32_two_experiences_are_no_episode():
    """Row 32: at least three, as D26 says."""
    assert synthesise("ep1", "s1", FRIENDS[:2]) is None
    assert synthesise("ep1", "s1", FRIENDS[:3]) is not None


def test_a_session_with_an_agent_is_about_what_was_asked_for():
    episode = synthesise("ep1", "s1", BOOKING)
    assert episode.topic == "Book a flight from Porto to Oslo on May 20th"
    assert [*episode.tools] == ["book_flight"]
    assert (episode.since, episode.until) == (to_text(at(0)), to_text(at(80)))
    assert (episode.session, episode.by, episode.significance) == ("s1", "rule", 0.5)


def test_its_summary_tells_request_failure_and_outcome_in_order():
    summary = synthesise("ep1", "s1", BOOKING).summary
    moments = [
        "User: “I'm looking to book",
        "book_flight failed: “Error: 305 is due”.",
        "book_flight (OSL 305).",
        "Agent: “Your flight from Porto to Oslo has been booked.”",
    ]
    places = [summary.find(moment) for moment in moments]
    assert -1 not in places
    assert places == sorted(places)
    assert "Thank you" not in summary
    assert "provide" not in summary


def test_its_consequences_are_what_was_solved_and_done():
    assert [*synthesise("ep1", "s1", BOOKING).consequences] == [
        "Solved: book_flight failed: “Error: 305 is due”; it worked with paid 305 instead of 255",
        "Done: book_flight",
    ]


def test_a_conversation_is_about_what_its_people_come_back_to():
    episode = synthesise("ep1", "s1", FRIENDS)
    assert episode.topic.startswith("Dana and Ravi: pottery class")
    assert "Ravi: “I joined a pottery class last week.”" in episode.summary
    assert "How have you been" not in episode.summary
    assert [*episode.consequences] == ["Dana: “I'll bring you some glaze from Lisbon.”"]
    assert (episode.since, episode.until) == (None, None)


def test_the_title_of_a_chat_says_what_happened_and_its_quotes_tell_news():
    texts = ["Hey Ben! I sold my boat.", "Wow, great to hear from you, Sara!", "I miss the boat."]
    told = [
        (
            Utterance(0, 8, {"greeting": 0.9}, {}),
            Utterance(9, 24, {"news": 0.9}, {}, "Sara sold boat"),
        ),
        (Utterance(0, 34, {"greeting": 0.9}, {}),),
        (),
    ]
    session = [
        replace(item, utterances=utterances)
        for item, utterances in zip(
            experiences_of(*(user(text, person="Sara") for text in texts)), told, strict=True
        )
    ]
    episode = synthesise("ep1", "s1", session)
    assert episode.topic == "Sara sold boat"
    assert "Sara: “I sold my boat.”" in episode.summary
    assert "great to hear" not in episode.summary


def _titled(*messages):
    """Return the title of a chat of (speaker, text, headline of its first sentence)."""
    session = [
        replace(item, utterances=(Utterance(0, len(text), {"news": 0.9}, {}, headline),))
        for item, (_, text, headline) in zip(
            experiences_of(*(user(text, person=who) for who, text, _ in messages)),
            messages,
            strict=True,
        )
    ]
    return synthesise("ep1", "s1", session).topic


def test_two_people_of_one_first_name_have_their_whole_names_in_a_title():
    title = _titled(
        ("Ana Ruiz", "I sold the car.", "Ana sold the car"),
        ("Ana Petrova", "What a pity!", None),
        ("Ana Petrova", "We have a bike you can use.", None),
    )
    assert title == "Ana Ruiz sold the car"


def test_what_answers_a_question_about_others_is_no_deed_of_who_answers():
    asked = ("Osei", "What did the poor kid do?", None)
    answer = "Deleted the photos of a whole wedding."
    headline = "Mireille deleted the photos of a whole wedding"
    rest = ("Osei", "Terrible.", None)
    assert _titled(asked, ("Mireille", answer, headline), rest) != headline
    to_her = ("Osei", "What did you do?", None)
    assert _titled(to_her, ("Mireille", answer, headline), rest) == headline


def test_without_news_a_chat_is_about_what_its_messages_share():
    session = experiences_of(
        *(user("the regatta rules, please", person="Sara") for _ in range(3)),
        topics={"boat": "boat", "regatta rule": "regatta rules"},
    )
    assert synthesise("ep1", "s1", session).topic == "Sara: regatta rules, boat"


def test_a_chat_without_news_is_told_by_what_was_said():
    idle = (Utterance(0, 40, {"opinion": 0.9}, {}),)
    session = experiences_of(
        user("The red cover looks like a cookbook.", person="Theo"),
        agent("A darker palette could help the cover."),
        user("Good idea.", person="Theo"),
        utterances=idle,
    )
    assert "“The red cover looks like a cookbook.”" in synthesise("ep1", "s1", session).summary


def test_a_topic_given_by_the_caller_wins():
    own = user("x y z", metadata={"topic": "The  move", "tags": ["home", 7]})
    episode = synthesise(
        "ep1", "s1", experiences_of(own, *[experience.event for experience in FRIENDS])
    )
    assert episode.topic == "The move"
    assert episode.tags[0] == "home"


@pytest.mark.parametrize(
    ("asked", "topic"),
    [
        ("Could you help me to repair the broken build?", "Repair the broken build"),
        ("Hello, I need to cancel my Lisbon flight, please.", "Cancel my Lisbon flight"),
        (
            "I need some help with my travel plans. Can you assist me with cancelling a booking?",
            "Cancelling a booking",
        ),
        ("Fix the failing test in parser.py", "Fix the failing test in parser.py"),
    ],
)
def test_a_request_becomes_a_heading(asked, topic):
    session = experiences_of(user(asked), agent("Sure."), result("read"))
    assert synthesise("ep1", "s1", session).topic == topic


def test_tool_results_alone_make_an_episode_too():
    session = experiences_of(*(result("make", {"target": f"t{n}"}, seconds=n) for n in range(3)))
    episode = synthesise("ep1", "s1", session)
    assert "make" in episode.topic
    assert [*episode.tools] == ["make"]


def test_erased_experiences_stay_sources_and_are_not_told():
    erased = {"kind": "tool_result", "tool": {"name": "read"}}
    session = [*FRIENDS, EpisodeExperience("gone", erased, None, 0.3)]
    episode = synthesise("ep1", "s1", session)
    assert episode.sources[-1] == "gone"
    assert [*episode.tools] == ["read"]
    assert episode.summary == synthesise("ep1", "s1", FRIENDS).summary
    assert synthesise("ep1", "s1", [session[-1]] * 3).summary == ""


def test_the_significant_is_told_before_the_rest():
    chat = [
        user(f"The {word} of number {n} stood in the garden.")
        for n, word in enumerate(
            "anvil basin candle drum easel flute gate hinge inkwell jar kettle lamp".split()
        )
    ]
    for place in (0, 7, 11):
        session = experiences_of(*chat)
        session[place] = replace(session[place], significance=1.0)
        summary = synthesise("ep1", "s1", session).summary
        assert summary.count("“") < len(chat)
        assert f"number {place} " in summary


def test_anchors_and_feelings_come_from_how_it_was_lived():
    strong = Phenomenology(
        EmotionalSignature((Emotion.RELIEVED,), 0.9), anchors=(Anchor("blue door", "why"),)
    )
    weak = Phenomenology(
        EmotionalSignature((Emotion.CURIOUS,), 0.2), anchors=(Anchor("grey mat", "why"),)
    )
    session = [
        replace(experience, phenomenology=how, significance=worth)
        for experience, how, worth in zip(
            FRIENDS, [weak, strong, None, weak, None], [0.2, 0.9] * 3, strict=False
        )
    ]
    episode = synthesise("ep1", "s1", session)
    assert [*episode.anchors] == ["blue door", "grey mat"]
    assert [*episode.emotions] == ["relieved", "curious"]


def test_a_tools_failure_and_the_tone_of_an_agent_are_nobodys_feeling():
    worried = Phenomenology(EmotionalSignature((Emotion.CONCERNED,), 0.9))
    session = [
        replace(item, phenomenology=worried if item.event["kind"] != "user_message" else None)
        for item in BOOKING
    ]
    assert [*synthesise("ep1", "s1", session).emotions] == []


def test_row_32_a_models_prose_replaces_topic_and_summary_and_nothing_else():
    """Row 32: prose by model, sources kept."""
    ruled = synthesise("ep1", "s1", BOOKING)
    by_model = with_prose(ruled, SessionAnswer(topic="A flight", summary="I booked a flight."))
    assert (by_model.topic, by_model.summary, by_model.by) == (
        "A flight",
        "I booked a flight.",
        "model",
    )
    same = {"topic": ruled.topic, "summary": ruled.summary, "by": "rule"}
    assert replace(by_model, **same) == ruled
    assert ruled.by == "rule"


def test_its_topic_is_the_task_and_neither_the_prompt_nor_who_asks():
    prompt = (
        "We're solving an issue of our repository with the tools below. Here's the issue text:\n"
        "ISSUE:\nParsing of durations fails for negative hours\nIt returns 0 instead."
    )
    run = [user(prompt, 0), result("bash", {"command": "ls"}), agent("I fixed the parser.", 2)]
    assert synthesise("e", "s", experiences_of(*run)).topic == (
        "Parsing of durations fails for negative hours"
    )
    asked = [
        user("Hi! My user ID is mia_kim_4397, and the reservation ID is H9ZU1C.", 0),
        agent("How can I help you, Mia?", 1),
        user("I need to remove Ethan Lopez from this reservation.", 2),
    ]
    assert synthesise("e", "s", experiences_of(*asked)).topic == (
        "Remove Ethan Lopez from this reservation"
    )
