"""Topics: noun phrases and names as somebody would put them into an index."""

from __future__ import annotations

import pytest

from meridia.language.analyser import Analyser
from meridia.language.tagging import analyse
from meridia.language.topics import TOPICS_MAX, extract_topics
from meridia.models.embedder import MiniLmEmbedder

english = Analyser()
_ENCODER = MiniLmEmbedder()


def topics(text: str, *names: str) -> dict[str, str]:
    return extract_topics(analyse(text, _ENCODER.encode), english, names)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("I signed up for a pottery class yesterday.", ["pottery class"]),
        ("I'm looking into adoption agencies.", ["adoption agencies"]),
        ("We talked about mental health.", ["mental health"]),
        ("She made dairy-free desserts for the party.", ["dairy-free desserts", "party"]),
        ("Last weekend we went hiking.", ["hiking"]),
        ("It was a really great new job.", ["job"]),
        ("What a lovely way to spend the time, lots of things to do!", []),
        ("I have three kids.", ["kids"]),
        ("Rome", ["Rome"]),
        ("", []),
        ("They know a lot of people at the museum.", ["museum"]),
    ],
)
def test_a_topic_is_what_an_index_would_have(text: str, named: list[str]):
    assert list(topics(text).values()) == named


def test_who_is_spoken_to_is_no_topic():
    named = topics("Thanks Mel! The garden is lovely, Melanie.", "melanie")
    assert list(named.values()) == ["garden"]


def test_the_key_is_of_stems_and_the_text_as_written():
    assert topics("Pottery classes are fun.") == {"potteri class": "pottery classes"}
    assert topics("I love my pottery class.") == {"potteri class": "pottery class"}


def test_a_message_has_few_topics_and_rather_compounds():
    text = (
        "I sold the boat, the car, the house, the desk, the lamp and the piano for music lessons."
    )
    named = topics(text)
    assert len(named) == TOPICS_MAX
    assert "music lessons" in named.values()
