"""What messages commit to: deeds with objects; no formulas, wishes, jokes or conditions."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.text import Analyser
from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.ingest.extraction.commitments import commitments_of
from meridia.ingest.extraction.utterances import utterances_of
from meridia.models.embedder import MiniLmEmbedder

_ENCODER, ENGLISH = MiniLmEmbedder(), Analyser()
AT = datetime(2026, 3, 4, 10, tzinfo=UTC)


def commitments(text, *, by_agent=False):
    return commitments_of(analyse(text, _ENCODER.encode), ENGLISH, AT, by_agent=by_agent)


@pytest.mark.parametrize(
    ("text", "kind", "verb", "last"),
    [
        ("I'll send you the address of a teacher.", "promise", "send", None),
        ("I promise to call the school tomorrow.", "promise", "call", "2026-03-06"),
        ("I'll check that and get back to you.", "promise", "check", None),
        ("I'll keep you posted.", "promise", "tell", None),
        ("Sending you the recipe tonight!", "promise", "send", "2026-03-05"),
        ("I'll come over tomorrow if that's fine.", "promise", "come", "2026-03-06"),
        ("We're going to paint the door.", "plan", "paint", None),
        ("I'm going to a concert next month.", "plan", "go", "2026-05-01"),
        ("We're putting together a talent show next month.", "plan", "put", "2026-05-01"),
        ("Gonna check out career options.", "plan", "check", None),
        ("Will send it tomorrow.", "promise", "send", "2026-03-06"),
        ("I'm about to sign the lease for the workshop.", "plan", "sign", None),
        ("I'll call you tomorrow.", "promise", "call", "2026-03-06"),
        ("Planning to repaint the hallway next month.", "plan", "repaint", "2026-05-01"),
        ("We've booked a cabin for next month.", "plan", "book", "2026-05-01"),
        ("I'll take the dog to the vet tomorrow.", "promise", "take", "2026-03-06"),
        ("I plan to paint the hull this weekend.", "plan", "paint", "2026-03-09"),
        ("I've got a tournament next month.", "plan", "get", "2026-05-01"),
        ("We fly to Lisbon on the 14th.", "plan", "fli", "2026-03-15"),
        ("I'm organizing a charity run.", "plan", "organiz", None),
        ("We decided to paint the fence.", "plan", "paint", None),
        ("Can't wait to show you the model when it's ready!", "plan", "show", None),
        ("I can bring you the ladder tomorrow, is that ok?", "promise", "bring", "2026-03-06"),
        ("I'm taking some time off this weekend to clean the attic.", "plan", "take", "2026-03-09"),
        ("Count on me to bring the drinks.", "promise", "bring", None),
        ("Got an audition next Tuesday.", "plan", "", "2026-03-11"),
        ("I'll ask my boss if you can use the room.", "promise", "ask", None),
        ("I'll take care of the tickets tomorrow.", "promise", "take", "2026-03-06"),
        ("I'll let my mom know you said hi.", "promise", "tell", None),
        ("I'm gonna try making sushi.", "plan", "make", None),
        ("I'm seeing the dentist on Friday.", "plan", "see", "2026-03-07"),
        ("I'm starting on Monday.", "plan", "start", "2026-03-10"),
        ("See you tomorrow!", "plan", "see", "2026-03-06"),
        ("I need to file my taxes by April 15.", "deadline", "file", "2026-04-16"),
        ("I have to renew my passport before May 3.", "deadline", "renew", "2026-05-04"),
        ("Remind me to call the dentist on Friday.", "reminder", "call", "2026-03-07"),
        ("Todo: write the tests for the parser", "reminder", "write", None),
        ("Don't forget to water the plants tomorrow.", "reminder", "water", "2026-03-06"),
        ("Let's meet the neighbours on Sunday.", "proposal", "meet", "2026-03-09"),
        ("We're off to Crete on Sunday.", "plan", "", "2026-03-09"),
        ("Me and Ravi are gonna build a treehouse.", "plan", "build", None),
        ("Let me send you the link.", "promise", "send", None),
        ("Saturday at noon works for me.", "plan", "", "2026-03-08"),
        ("Adding it to my list right now.", "plan", "add", None),
        ("I'm definitely trying that recipe.", "plan", "tri", None),
        ("ill send u the photos", "promise", "send", None),
        ("I'll tell you all about it.", "promise", "tell", None),
        ("Will keep you updated!", "promise", "tell", None),
        ("I'll swing by after work.", "promise", "swing", None),
        ("I'll be there at seven with the cake.", "promise", "", None),
        ("If you like, I'll send you the pattern.", "promise", "send", None),
        ("I've agreed to mentor two coders next month.", "plan", "mentor", "2026-05-01"),
        ("I made an appointment for next Tuesday.", "plan", "make", "2026-03-11"),
        ("I've an appointment on Friday.", "plan", "", "2026-03-07"),
        ("I'll need to file my taxes by April 15.", "promise", "file", "2026-04-16"),
        ("We're getting married in September.", "plan", "marri", "2026-10-01"),
        ("I'd better renew my passport before May 3.", "deadline", "renew", "2026-05-04"),
        ("My plan is to finish the mural by the end of the month.", "plan", "finish", "2026-04-01"),
    ],
)
def test_a_deed_with_an_object_is_a_commitment(text, kind, verb, last):
    (commitment,) = (c for c in commitments(text) if c.kind != "done")
    due = commitment.due and commitment.due.date().isoformat()
    assert (commitment.kind.value, commitment.verb, due) == (kind, verb, last)
    assert text[commitment.start : commitment.end] == text


@pytest.mark.parametrize(
    "text",
    [
        "Is there anything else I can help you with?",
        "I'll do my best. Let me know if you need more.",
        "I'm going to race in pyjamas.",
        "I'll call you if I need help.",
        "If it rains I'll repair the roof.",
        "I'll never forget that day. I'll always love you.",
        "Maybe I'll buy a boat one day.",
        "I'll take the 9am flight on May 22.",
        "I have a flight on May 24 that I want to cancel.",
        "I need to change my flight to tomorrow.",
        "I'm travelling with my son on May 20 and need adjacent seats.",
        "I hope I'll see the sea.",
        "You should send the letter. He will send it. Will I send it?",
        "I'll keep working on my dreams.",
        "I'll check the book out sometime.",
        "I'll have to check it out.",
        "I'll give you a shout whenever I run out of books.",
        "We'll make some awesome memories!",
        "We should hang out sometime.",
        "Wishing you many happy years!",
        "Let's see. Let's face it.",
        "I'll let you go.",
        "I'll go with the first option.",
        "I need to change my flights to Oslo on May 19 and back the next day, May 20.",
        "We're off to a great start this week!",
        "My goal is to be happy next year.",
        "Let me tell you, it was wild.",
        "I'll always be there for you.",
        "I'll keep it up.",
        "I'm gonna nail it.",
        "I see my coach on Mondays.",
        "I'll leave it to you. I'll give you that one. I'll cross my fingers for you!",
        "I'll handle that later.",
        "My original flight is on the 5th.",
        "These figurines remind me of my family.",
        "I'm going to bed now, talk tomorrow!",
        "I'm going crazy this week with all the orders.",
        "We're having the best weather this week.",
        "I'm taking care of the neighbour's plants this week.",
        "I'll look back on this day with a smile.",
        "I'll trade you my kids for a week, haha.",
        "I'll bring my A game. I'm gonna give them a run for their money.",
        "",
    ],
)
def test_formulas_wishes_jokes_and_conditions_commit_to_nothing(text):
    assert [c.kind.value for c in commitments(text)] == []


def test_a_sentence_with_a_time_that_surely_commits_needs_no_known_form():
    read = analyse("My sister and I are set to repaint the boat on Friday.", _ENCODER.encode)
    (plan,) = commitments_of(read, ENGLISH, AT, utterances_of(read))
    assert (plan.kind, plan.due is not None) == ("plan", True)


@pytest.mark.parametrize(
    "text",
    [
        "I'm making progress on the model train tonight.",
        "My friend is getting married on Saturday.",
        "Send me the photos when you get home tonight.",
        "My doctor wants me to come back next month, we'll see.",
        "I'll be rooting for you at the finals on Saturday!",
    ],
)
def test_a_time_alone_commits_to_nothing(text):
    read = analyse(text, _ENCODER.encode)
    assert commitments_of(read, ENGLISH, AT, utterances_of(read)) == ()


def test_an_agent_that_lets_itself_look_promises_to():
    text = "Let me retrieve your reservation."
    (commitment,) = commitments(text, by_agent=True)
    assert (commitment.kind.value, commitment.verb) == ("promise", "retriev")
    assert commitments(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "I can help you find a train on June 3.",
        "I can book the train for you on June 3.",
        "I will need to verify your address first.",
        "The fee is due on June 4.",
        "I'll summarize what we have so far.",
    ],
)
def test_an_agent_promises_nothing_by_an_offer_a_date_or_what_it_says_next(text):
    assert commitments(text, by_agent=True) == ()


def test_what_waits_for_the_other_side_says_so():
    (waits,) = commitments("Please confirm, and I'll update your reservation.")
    (does,) = commitments("I'll update your reservation now.")
    assert (waits.awaits, does.awaits) == (True, False)


WORDS = st.sampled_from(
    "I'll let's gonna send sent wool teacher if not keep tomorrow ? . it".split()
)


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_every_commitment_stands_in_the_message(text):
    analysis = analyse(text, lambda _: None)
    for commitment in commitments_of(analysis, ENGLISH, AT):
        assert 0 <= commitment.start < commitment.end <= len(text)
        assert commitment.due is None or commitment.due > AT
