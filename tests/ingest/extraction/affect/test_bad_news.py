"""Bad news of the speaker's own."""

from __future__ import annotations

import pytest

from meridia.ingest.extraction.affect.bad_news import BadNews, bad_news_of
from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.ingest.extraction.utterances import utterances_of
from meridia.models.embedder import MiniLmEmbedder

_ENCODER = MiniLmEmbedder()


def news(text: str) -> BadNews | None:
    analysis = analyse(text, _ENCODER.encode)
    return bad_news_of(analysis, utterances_of(analysis))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My dad passed away last month.", BadNews.DEATH),
        ("We had to put our cat down.", BadNews.DEATH),
        ("I lost my grandmother in May.", BadNews.DEATH),
        ("I lost my job.", BadNews.MISFORTUNE),
        ("I failed my exam.", BadNews.MISFORTUNE),
        ("I got laid off yesterday.", BadNews.MISFORTUNE),
        ("My laptop crashed and I lost my drafts.", BadNews.MISFORTUNE),
        ("My son got hurt at school.", BadNews.MISFORTUNE),
        ("I had a bit of a setback recently.", BadNews.MISFORTUNE),
        ("My dog has to have surgery for a torn ligament next Thursday.", BadNews.MISFORTUNE),
        ("So the launch didn't go as planned, the site went down.", BadNews.MISFORTUNE),
        ("work has been brutal lately, three people quit", BadNews.MISFORTUNE),
        ("Me and Priya had a big fight about the wedding, it was ugly.", BadNews.MISFORTUNE),
        ("Tough match, didn't make it to the finals.", BadNews.MISFORTUNE),
        ("They cancelled our gig at the last minute, gutted.", BadNews.MISFORTUNE),
        ("My tomatoes got blight and I had to pull the whole lot.", BadNews.MISFORTUNE),
    ],
)
def test_own_bad_news_are_noticed(text: str, told: BadNews):
    assert news(text) is told


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
