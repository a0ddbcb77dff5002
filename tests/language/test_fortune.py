"""Good and bad news of the speaker's own, and bereavements."""

from __future__ import annotations

import pytest

from meridia.language.reading import factual_spans, read_message
from meridia.language.tone import Fortune, fortune_of


def fortunes(text: str) -> set[Fortune]:
    read = read_message(text)
    told = factual_spans(read)
    found = {
        fortune_of(text[each.start : each.end], each.kinds)
        for each in read
        if (each.start, each.end) in told
    }
    return {fortune for fortune in found if fortune}


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
        "I can't afford the dance studio anymore.",
        "My knee has been acting up, so I had to give up the race.",
        "Last week I got fired from the gallery, but I'm staying positive!",
    ],
)
def test_own_bad_news_are_noticed(text: str):
    assert fortunes(text) == {Fortune.BAD}


@pytest.mark.parametrize(
    "text",
    [
        "My dad passed away last month.",
        "We had to put our cat down.",
        "I lost my grandmother in May.",
        "My best friend Ana died on Sunday.",
        "Our dog is no longer with us.",
    ],
)
def test_the_death_of_somebody_near_is_one(text: str):
    assert fortunes(text) == {Fortune.DEATH}
    assert Fortune.DEATH not in fortunes(f"If {text}")
    assert Fortune.DEATH not in fortunes(f"{text.rstrip('.')}?")


@pytest.mark.parametrize(
    "text",
    [
        "I got the job!",
        "I passed my exam!",
        "My daughter graduated last week.",
        "I got engaged!",
        "My knee has healed.",
        "It was a close match, but we pulled it off.",
        "Yoga took away my back pain.",
        "My sister's surgery went well and she's home again.",
        "I paid off my loan.",
        "I finally finished the report.",
    ],
)
def test_own_good_news_are_noticed(text: str):
    assert fortunes(text) == {Fortune.GOOD}


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry that your dad died.",
        "The author died in 1910.",
        "If I lost my job, I would move.",
        "I didn't fail.",
        "Did you lose your keys?",
        "I'm so sorry to hear about your dog's surgery.",
        "Losing a friend is always hard, you know.",
        "I'm writing a thriller where the detective loses his partner.",
        "I nearly got the job.",
        "I hope to get the job.",
        "The file has forty lines.",
        "We went to the harbour on Sunday.",
        "",
    ],
)
def test_what_is_no_news_or_somebody_elses_is_none(text: str):
    assert fortunes(text) == set()
