"""What a model says is taken where words of the session show it, and else refused and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from meridia.ingest.enrichment.session_answers import sentence_around, shown_by
from meridia.ingest.enrichment.session_question import TranscriptLine, windows_of
from meridia.language.analyser import Analyser
from meridia.language.predicates import PREDICATES
from meridia.models import model_types
from meridia.models.answer_types import SessionAnswer
from meridia.storage.store import Store
from tests.ingest.model_session import HOME, LIGHT, WISH, add, whole

TEXTS = (
    ("Dana", "I moved to Turin in May. It isn’t easy."),
    (
        "Toby",
        "Good for you! I don't live in Turin. My brother Sam does. Did I buy a boat?",
    ),
    ("Dana", "I'll send you the photos of Turin tonight."),
    (None, "I am sad to hear it. The order is cancelled."),
)
FACT = {
    "message": 1,
    "speaker": "Dana",
    "quote": "I moved to Turin in May.",
    "subject": "Dana",
    "predicate": "lives_in",
    "object": "Turin",
}
PROMISE = {
    "message": 3,
    "speaker": "Dana",
    "quote": "I'll send you the photos",
    "kind": "promise",
    "verb": "send",
    "objects": ["photos"],
}
FEELING = {"message": 1, "speaker": "dana", "quote": "It isn't easy", "emotion": "sad"}


@pytest.fixture
def window(private_file: Store) -> Sequence[TranscriptLine]:
    for person, text in TEXTS:
        kind = "user_message" if person else "assistant_message"
        event = {**WISH, "kind": kind, "person": person, "payload": {"text": text}}
        add(private_file, whole({k: v for k, v in event.items() if v is not None}, LIGHT))
    return windows_of(private_file.journal.read(HOME))[0]


def taken(window: Sequence[TranscriptLine], field: str, item: Mapping[str, Any]) -> bool:
    answer = SessionAnswer.model_validate({"topic": "t", "summary": "s", field: [item]})
    kept, refused = shown_by(answer, window, Analyser())
    assert len(getattr(kept, field)) + refused == len(getattr(answer, field)) == 1
    return not refused


def test_the_sentence_of_a_quote_is_whole():
    text = "Well. I paid 3.5 euros, I think! Yes"
    assert text[slice(*sentence_around(text, (8, 12)))] == "I paid 3.5 euros, I think!"
    assert text[slice(*sentence_around(text, (33, 36)))] == "Yes"


def test_what_the_words_show_is_taken(window):
    assert taken(window, "facts", FACT)
    assert taken(window, "promises", PROMISE)
    assert taken(window, "feelings", FEELING)
    assert taken(window, "events", {k: FACT[k] for k in ("message", "speaker", "quote")})
    of_another = {"message": 2, "speaker": "Toby", "quote": "My brother Sam"}
    brother = {"subject": "Toby", "predicate": "brother", "object": "Sam"}
    assert taken(window, "facts", of_another | brother)


@pytest.mark.parametrize(
    ("field", "item"),
    [
        pytest.param("facts", FACT | {"quote": "I moved to Turin in June"}, id="invented"),
        pytest.param("facts", FACT | {"message": 3}, id="another message"),
        pytest.param("facts", FACT | {"message": 9}, id="no message"),
        pytest.param("facts", FACT | {"speaker": "Toby"}, id="wrong speaker"),
        pytest.param("facts", FACT | {"object": "Rome"}, id="object not in the quote"),
        pytest.param("facts", FACT | {"subject": "Sam"}, id="subject not in the quote"),
        pytest.param("facts", FACT | {"predicate": "haunts"}, id="unknown predicate"),
        pytest.param("facts", FACT | {"object": ""}, id="no object"),
        pytest.param(
            "facts",
            FACT | {"message": 2, "speaker": "Toby", "subject": "Toby", "quote": "live in Turin"},
            id="without its not",
        ),
        pytest.param(
            "facts",
            {
                **FACT,
                "message": 2,
                "speaker": "Toby",
                "subject": "Toby",
                "quote": "I buy a boat",
                "predicate": "owns",
                "object": "boat",
            },
            id="asked",
        ),
        pytest.param("promises", PROMISE | {"objects": ["letters"]}, id="deed nobody spoke of"),
        pytest.param("promises", PROMISE | {"objects": []}, id="no deed"),
        pytest.param(
            "feelings",
            FEELING | {"message": 4, "speaker": "Agent", "quote": "I am sad to hear it"},
            id="an agent's tone",
        ),
        pytest.param("feelings", FEELING | {"speaker": "Toby"}, id="of another"),
        pytest.param(
            "feelings",
            FEELING | {"message": 2, "speaker": "Toby", "quote": "Good for you"},
            id="about the other",
        ),
        pytest.param(
            "promises",
            PROMISE
            | {"message": 2, "speaker": "Toby", "quote": "I buy a boat", "objects": ["boat"]},
            id="asked whether",
        ),
    ],
)
def test_what_they_do_not_show_is_refused(window, field, item):
    assert not taken(window, field, item)


#: A quote, what a model makes of it, and whether the quote says that it holds, or that it ended.
POLARITIES = [
    ("I live in Bergen", "lives_in", "Bergen", "holds"),
    ("I'm living in Bergen now", "lives_in", "Bergen", "holds"),
    ("Bergen is where I live", "lives_in", "Bergen", "holds"),
    ("My home is in Bergen", "lives_in", "Bergen", "holds"),
    ("I don't live in Bergen", "lives_in", "Bergen", "ended"),
    ("I no longer live in Bergen", "lives_in", "Bergen", "ended"),
    ("I used to live in Bergen", "lives_in", "Bergen", "ended"),
    ("We left Bergen for good", "lives_in", "Bergen", "ended"),
    ("I work at Nordwind", "works_at", "Nordwind", "holds"),
    ("I love my job at Nordwind", "works_at", "Nordwind", "holds"),
    ("I quit my job at Nordwind", "works_at", "Nordwind", "ended"),
    ("I have left Nordwind", "works_at", "Nordwind", "ended"),
    ("We have a dog called Momo", "pet", "Momo", "holds"),
    ("Momo, our dog, is five", "pet", "Momo", "holds"),
    ("Our dog Momo died", "pet", "Momo", "ended"),
    ("I drink coffee every day and like coffee", "likes", "coffee", "holds"),
    ("I play the cello", "hobby", "cello", "holds"),
    ("I stopped playing the cello", "hobby", "cello", "ended"),
]


@pytest.mark.parametrize(("quote", "predicate", "object", "says"), POLARITIES)
def test_a_fact_is_taken_only_as_its_quote_says_it(private_file, quote, predicate, object, says):
    event = {**WISH, "person": "Dana", "payload": {"text": f"{quote}."}}
    add(private_file, whole(event, LIGHT))
    window = windows_of(private_file.journal.read(HOME))[0]
    item = {"message": 1, "speaker": "Dana", "quote": quote, "subject": "Dana"}
    item |= {"predicate": predicate, "object": object}
    assert not taken(window, "facts", item | {"ends": says == "holds"})
    assert taken(window, "facts", item | {"ends": says == "ended"})


def test_the_predicates_of_the_prompt_are_those_of_the_table():
    listed = model_types.load("session").system.split("predicate: one of\n")[1].split(";")[0]
    assert set(listed.replace(",", " ").split()) | {"favourite"} == set(PREDICATES)
