"""Gists: the telling part of a message, in its own words."""

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.experience import Utterance
from meridia.core.sentences import split_sentences
from meridia.core.text import Analyser
from meridia.retrieval.packs.excerpts import excerpt_of, rarity_of, telling_excerpt
from meridia.retrieval.packs.standing_alone import StandingAlone

TERMS = Analyser().terms


def gist(text, chars=60, rest=("I like it a lot", "that is good")):
    return excerpt_of(text, TERMS, rarity_of([TERMS(one) for one in (text, *rest)]), chars)


def test_small_talk_before_the_point_is_left_out():
    assert gist("Hey Mel! Yeah, I ran a charity race on Saturday.").text == (
        "I ran a charity race on Saturday"
    )


def test_a_statement_is_worth_more_than_a_question():
    found = gist("Did you see the oak mast step? The oak mast step costs 1,850 euros.")
    assert found.text == "The oak mast step costs 1,850 euros"


def test_what_is_cut_away_leaves_a_mark():
    long = "We talked for hours, and the boatbuilder Henrike found rot in two of the floor timbers."
    found = gist(long, 50, ("We talked for hours", "We talked"))
    assert len(found.text) <= 50
    assert "…" in found.text
    assert "Henrike" in found.text


def test_a_word_in_fewer_texts_is_rarer():
    rarity = rarity_of([["boat", "mast"], ["boat"], ["boat", "boat"]])
    assert rarity["mast"] > rarity["boat"] > 0


@given(st.text(max_size=300), st.integers(20, 120))
def test_a_gist_keeps_within_its_length_and_on_one_line(text, chars):
    found = gist(text, chars)
    assert len(found.text) <= chars
    assert "\n" not in found.text


def told(text, *tells, chars=120):
    """Return the excerpt of a message whose sentences tell so much each."""
    utterances, end = [], 0
    for sentence, worth in zip(split_sentences(text), tells, strict=True):
        start = text.index(sentence, end)
        end = start + len(sentence)
        utterances.append(Utterance(start, end, {"news": worth}, {}))
    excerpt = telling_excerpt(text, utterances, StandingAlone(TERMS, ["jo"]), chars)
    return excerpt and excerpt.text


def test_chatter_is_no_news_and_an_open_pronoun_is_told_with_what_it_means():
    assert told("Hey Jo! Just wanted to say hi!", 0.1, 0.9) is None
    assert told("Got a bowl from a friend. She painted it for my birthday.", 0.2, 0.9) == (
        "Got a bowl from a friend. She painted it for my birthday"
    )
    assert told("Great! I made it in class.", 0.1, 0.9) is None


def test_what_names_more_is_told_before_what_names_one_thing():
    long = "Last month I got hurt and had to take a break from pottery, which I use for peace."
    assert told(f"Recently I had a setback. {long}", 0.9, 0.7, chars=90) == long.rstrip(".")


def test_a_word_that_is_thrown_in_is_no_news():
    alone = StandingAlone(TERMS, ())

    def told(text):
        news = Utterance(0, len(text), {"news": 0.9}, {})
        return telling_excerpt(text, [news], alone, 80)

    assert told("Ouch.") is None
    assert told("Not covered.") is None
    assert told("I passed!") is not None
    assert told("The appointment was good.") is not None


def test_what_tells_of_the_listener_is_told_last():
    said = "I bet they loved your cake in Ulm! I fell off my new bike."
    assert told(said, 0.9, 0.6, chars=40) == "I fell off my new bike"
