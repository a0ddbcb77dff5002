"""Bad news of the speaker's own."""

from __future__ import annotations

import pytest

from meridia.ingest.extraction.affect.bad_news import BadNews, bad_news_of, only_sounds_bad
from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.ingest.extraction.utterances import utterances_of
from meridia.models.embedder import MiniLmEmbedder

_ENCODER = MiniLmEmbedder()


def news(text: str) -> BadNews | None:
    analysis = analyse(text, _ENCODER.encode)
    return bad_news_of(analysis, utterances_of(analysis))


@pytest.mark.parametrize(
    "text",
    [
        "I lost my job.",
        "I failed my exam.",
        "I got laid off yesterday.",
        "My laptop crashed and I lost my drafts.",
        "My son got hurt at school.",
        "I had a bit of a setback recently.",
        "My dog has to have surgery for a torn ligament next Thursday.",
        "So the launch didn't go as planned, the site went down.",
        "work has been brutal lately, three people quit",
        "Me and Priya had a big fight about the wedding, it was ugly.",
        "Tough match, didn't make it to the finals.",
        "They cancelled our gig at the last minute, gutted.",
        "My tomatoes got blight and I had to pull the whole lot.",
        "Got some rough news, they let me go. But I'm excited to start something of my own!",
        "We lost the final on Saturday. I'm really proud of my team!",
        "I can't afford the dance studio anymore.",
        "My car broke down again, can you believe it?",
        "My knee has been acting up, so I had to give up the race.",
        "Last week I got fired from the gallery, but I'm staying positive!",
    ],
)
def test_own_bad_news_are_noticed(text: str):
    assert news(text) in {BadNews.MISFORTUNE, BadNews.BLOW}


@pytest.mark.parametrize(
    "text",
    [
        "My dad passed away last month.",
        "We had to put our cat down.",
        "I lost my grandmother in May.",
    ],
)
def test_the_death_of_somebody_near_is_one(text: str):
    assert news(text) is BadNews.DEATH


def test_a_sure_misfortune_is_a_blow():
    assert news("I lost my job yesterday.") is BadNews.BLOW
    assert news("My tomatoes are very late this year.") is BadNews.MISFORTUNE


def test_good_news_in_bad_words_only_sound_bad():
    def sounds(text: str) -> bool:
        analysis = analyse(text, _ENCODER.encode)
        return only_sounds_bad(analysis, utterances_of(analysis))

    assert sounds("My first customer cried when she saw her portrait!")
    assert not sounds("We went to the harbour on Sunday. I hate this awful weather.")
    assert not sounds("I hate this awful weather.")


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry that your dad died.",
        "The author died in 1910.",
        "I passed my exam!",
        "My sister passed her driving test.",
        "I lost ten pounds!",
        "If I lost my job, I would move.",
        "I didn't fail.",
        "My friends helped me through tough times.",
        "Did you lose your keys?",
        "I'm so sorry to hear about your dog's surgery.",
        "Losing a friend is always hard, you know.",
        "Work has been great lately, I finally got the hang of it.",
        "It was a tough match but we won in the end.",
        "I beat my brother at chess, he was crushed lol",
        "I'm writing a thriller where the detective loses his partner.",
        "",
    ],
)
def test_what_is_no_bad_news_or_somebody_else_s_is_none(text: str):
    assert news(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "It was a close match, but we pulled it off.",
        "I got through the whole season without an injury.",
        "Yoga took away my back pain.",
        "My sister's surgery went well and she's home again.",
    ],
)
def test_what_ended_well_is_no_bad_news(text: str):
    assert news(text) is None
