"""What somebody states in a text, for the tests of the rules."""

from __future__ import annotations

from functools import cache

from meridia.ingest.extraction.statements import Statement, extract_statements
from meridia.language.reading import factual_spans, read_message
from meridia.language.tagging import Analysis, analyse
from meridia.models.embedder import MiniLmEmbedder
from tests.ingest.ingest_events import user


@cache
def _encoder() -> MiniLmEmbedder:
    return MiniLmEmbedder()


def analysed(text: str) -> Analysis:
    """Return the analysis of a text."""
    return analyse(text, _encoder().encode)


def statements(text: str, speaker: str | None = "Dana") -> list[Statement]:
    """Return what somebody states."""
    return extract_statements(user(text), speaker, text, factual_spans(read_message(text)))


def utterance(text: str) -> list[tuple[str, str]]:
    """Return what Dana states: predicate, with "not" where it ends, and object."""
    return [("not " * s.ends + s.predicate, s.object) for s in statements(text)]
