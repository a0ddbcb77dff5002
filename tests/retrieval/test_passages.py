"""A hit of a long message names the passage that answers, and where it stands."""

from __future__ import annotations

import json

import pytest

from meridia import Memory
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.retrieval.recall_result import as_json
from tests.thorough import THOROUGH

FACT = "The spare key of the boathouse is under the third flowerpot."
ASKED = "Where is the spare key of the boathouse?"
FILLER = [
    "The tram was late again and full of wet coats.",
    "We baked two loaves and gave one to the neighbours.",
    "Somebody has to call the plumber before the weekend.",
    "The choir sings in the old town hall in December.",
    "I painted the fence green, and the gate stayed white.",
]


def a_long_text(sentences: int, place: float) -> str:
    said = [FILLER[(n * 3) % len(FILLER)] for n in range(sentences)]
    said.insert(round(place * sentences), FACT)
    return " ".join(said)


def opened(path, *, enabled: bool = True, **embedding) -> Memory:
    settings = Settings(embedding=EmbeddingSettings(enabled=enabled, **embedding))
    return Memory.open(path, settings=settings, enrich="manual")


@pytest.mark.parametrize("place", [0.0, 0.4, 1.0] if THOROUGH else [0.4])
@pytest.mark.parametrize("enabled", [True, False])
def test_the_passage_of_a_long_text_is_where_it_answers(tmp_path, place, enabled):
    with opened(tmp_path / "m.db", enabled=enabled) as memory:
        memory.remember(a_long_text(90, place), session="s")
        memory.remember(FILLER[0], session="t")
        memory.enrich()
        answer = memory.recall(ASKED)
        hit, short = answer.hits[0], memory.recall(FILLER[0]).hits[0]
        assert hit.passage is not None
        assert "third flowerpot" in hit.passage.text
        assert hit.text[hit.passage.start : hit.passage.end] == hit.passage.text
        assert len(hit.passage.text) < len(hit.text) / 3
        assert short.text == FILLER[0]
        assert short.passage is None
        first = as_json(answer)["hits"][0]["passage"]
        passage = hit.passage
        assert first == {"text": passage.text, "start": passage.start, "end": passage.end}
        assert json.loads(json.dumps(hit.to_dict()))["passage"] == first


def test_what_was_split_otherwise_still_has_its_passage(tmp_path):
    with opened(tmp_path / "m.db", chunk_words=30) as memory:
        memory.remember(a_long_text(90, 0.7), session="s")
        memory.enrich()
        small = memory.recall(ASKED).hits[0].passage
    with opened(tmp_path / "m.db") as memory:
        again = memory.recall(ASKED).hits[0].passage
    assert small is not None
    assert again is not None
    assert len(small.text.split()) <= 30
    assert "boathouse" in again.text


def test_what_is_not_read_yet_has_its_passage_by_words(tmp_path):
    with opened(tmp_path / "m.db") as memory:
        memory.remember(a_long_text(90, 0.5), session="s")
        passage = memory.recall(ASKED).hits[0].passage
    assert passage is not None
    assert "boathouse" in passage.text


TOLD = {
    "Which animal lives with us?": "A tortoise called Humphrey sleeps under the sofa.",
    "What am I allergic to?": "Walnuts make my throat swell at once.",
}


def test_a_sentence_of_a_long_text_counts_by_itself(tmp_path):
    with opened(tmp_path / "m.db") as memory:
        for number, fact in enumerate(TOLD.values()):
            text = a_long_text(120, 0.2 + 0.3 * number).replace(FACT, fact)
            memory.remember(text, session=f"s{number}")
        for sentence in FILLER:
            memory.remember(sentence, session=sentence[:5])
        memory.enrich()
        said = 0
        for asked, fact in TOLD.items():
            recall = memory.recall(asked)
            first = next(hit for hit in recall.hits if hit.passage is not None)
            assert fact in first.text
            assert memory.reasons.replay(recall.id).identical
            for hit in recall.hits:
                leaves = hit.trace.leaves()
                assert hit.score == pytest.approx(sum(leaf.value for leaf in leaves))
                is_said = any("a sentence of it" in leaf.label for leaf in leaves)
                assert hit.passage is not None or not is_said
                said += is_said
        assert said
