"""Episodes: a session told in short, in words that were said, within its limits."""

from __future__ import annotations

import re
from dataclasses import replace

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
from meridia.ingest.enrichment.session_answers import with_prose
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


def test_its_consequences_are_what_was_solved_and_done():
    assert [*synthesise("ep1", "s1", BOOKING).consequences] == [
        "Solved: book_flight failed: “Error: 305 is due”; it worked with paid 305 instead of 255",
        "Done: book_flight",
    ]


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


def test_a_session_with_an_agent_is_about_what_was_asked_for():
    episode = synthesise("ep1", "s1", BOOKING)
    assert episode.topic.startswith("User: “I'm looking to book a flight from Porto to Oslo")
    assert [*episode.tools] == ["book_flight"]
    assert (episode.since, episode.until) == (to_text(at(0)), to_text(at(80)))
    assert (episode.session, episode.by, episode.significance) == ("s1", "rule", 0.5)


def test_its_summary_quotes_the_request_and_tells_the_failure_in_order():
    summary = synthesise("ep1", "s1", BOOKING).summary
    moments = ["User: “I'm looking to book", "book_flight failed: “Error: 305 is due”."]
    places = [summary.find(moment) for moment in moments]
    assert -1 not in places
    assert places == sorted(places)


def test_the_title_of_a_chat_is_the_quote_that_tells_most():
    episode = synthesise("ep1", "s1", FRIENDS)
    assert episode.topic in {
        "Ravi: “I joined a pottery class last week.”",
        "Dana: “I'll bring you some glaze from Lisbon.”",
    }
