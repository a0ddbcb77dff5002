"""What sentences do, by the heads that ship: news, promises, thanks, questions."""

from __future__ import annotations

import json

import pytest

from meridia.ingest.extraction import utterances
from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.ingest.extraction.utterances import utterances_of
from meridia.language.reading import LIKELY_MIN
from meridia.models.embedder import MiniLmEmbedder

_ENCODER = MiniLmEmbedder()


def likeliest(text: str) -> list[str]:
    analysis = analyse(text, _ENCODER.encode)
    ranked = [sorted(u.kinds.items(), key=lambda kind: -kind[1]) for u in utterances_of(analysis)]
    return [
        next(kind for kind, _ in kinds if kind not in {"commitment", "reaction", "setback"})
        for kinds in ranked
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("My dad passed away last month.", "news"),
        ("We moved to Lisbon in March.", "news"),
        ("I'll send you the photos tonight.", "promise"),
        ("What did you do at the weekend?", "question"),
        ("Thank you so much!", "thanks"),
    ],
)
def test_a_plain_sentence_is_of_its_kind(text: str, kind: str):
    assert likeliest(text) == [kind]


def test_each_sentence_has_its_place_in_the_message():
    text = "Hi Ana! We adopted a puppy yesterday."
    given = utterances_of(analyse(text, _ENCODER.encode))
    assert text[given[-1].start : given[-1].end] == "We adopted a puppy yesterday."
    assert given[-1].kinds["news"] > 0.5
    assert all(LIKELY_MIN <= by <= 1 for u in given for by in u.kinds.values())


def test_without_an_encoder_nothing_is_felt_and_what_a_sentence_does_is_read_all_the_same():
    (given,) = utterances_of(analyse("We adopted a puppy yesterday.", lambda _: None))
    assert given.kinds["news"] > 0.5
    assert given.feelings == {}


def test_the_figures_ship_with_the_weights():
    described = json.loads(utterances._WEIGHTS.read_text("utf-8"))
    assert described["heads"]["setback"]["figures"]["area"] > 0.85
