"""The finder of the extra `ner`: a real small spaCy pipeline, made here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from meridia.core.entities.entity_gazetteer import EntityGazetteer, EntityType
from meridia.core.errors import InvalidInput, Unavailable
from meridia.core.lazy import LazyLibrary
from meridia.core.people import Gazetteer
from meridia.ingest.extraction.entities import EntityRecogniser, extract_mentions

# Loaded by who runs these tests, not by each process that collects them.
spacy = LazyLibrary("spacy")
PATTERNS = {
    "Dana Reed": "PERSON",
    "Acme": "ORG",
    "Oslo": "GPE",
    "Lake Tahoe": "LOC",
    "Sky Tower": "FAC",
    "Postgres": "PRODUCT",
    "welding": "SKILL",
    "Moby Dick": "WORK_OF_ART",
    "Tuesday": "DATE",
    "Norwegian": "NORP",
    "Hi": "PERSON",
}


@pytest.fixture
def pipeline(tmp_path: Path) -> str:
    language = spacy.blank("en")
    ruler = language.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": label, "pattern": name} for name, label in PATTERNS.items()])
    language.to_disk(tmp_path / "names")
    return str(tmp_path / "names")


def test_labels_of_the_library_become_our_types_and_others_are_dropped(pipeline):
    text = ", ".join(PATTERNS)
    result = {text[start:end]: type for start, end, type in EntityRecogniser(pipeline)(text)}
    assert result == {
        "Dana Reed": "PERSON",
        "Acme": "ORG",
        "Oslo": "PLACE",
        "Lake Tahoe": "PLACE",
        "Sky Tower": "PLACE",
        "Postgres": "PRODUCT",
        "Moby Dick": "WORK",
        "welding": "SKILL",
        "Hi": "PERSON",
    }
    assert {*result.values()} <= {*EntityType}


def test_what_it_finds_becomes_mentions_where_it_can_be_a_name(pipeline):
    event = {"kind": "user_message", "payload": {"text": "Hi, the Acme opens in Oslo on Tuesday"}}
    result = extract_mentions(
        event, "s", EntityGazetteer(), Gazetteer([]), EntityRecogniser(pipeline)
    )
    assert [(mention.type, mention.name) for mention in result] == [
        ("ORG", "Acme"),
        ("PLACE", "Oslo"),
    ]
    assert all(0.75 <= mention.confidence < 1 for mention in result)


def test_the_pipeline_is_loaded_at_the_first_text():
    finder = EntityRecogniser("no_such_pipeline")
    with pytest.raises(Unavailable, match="no_such_pipeline.*cannot be loaded.*spacy download"):
        finder("text")


def test_without_spacy_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(Unavailable, match=r"pip install 'meridia\[ner\]'"):
        EntityRecogniser("en_core_web_sm")("text")


def test_a_folder_that_is_no_pipeline_cannot_be_loaded(tmp_path):
    with pytest.raises(Unavailable, match="cannot be loaded"):
        EntityRecogniser(str(tmp_path))("text")


def test_a_pipeline_that_finds_no_names_is_refused(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InvalidInput, match="finds no names"):
        EntityRecogniser(str(tmp_path / "blank"))("text")


def test_an_empty_name_is_refused():
    with pytest.raises(InvalidInput, match="has no name"):
        EntityRecogniser("  ")
