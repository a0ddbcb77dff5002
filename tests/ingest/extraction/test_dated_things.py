"""What has a date of its own: appointments, what is due, and dates that were moved."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from meridia.core.text import Analyser
from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.ingest.extraction.commitments import commitments_of
from meridia.models.embedder import MiniLmEmbedder

_ENCODER, ENGLISH = MiniLmEmbedder(), Analyser()
AT = datetime(2026, 3, 4, 10, tzinfo=UTC)


def commitments(text):
    return [
        (one.kind.value, one.due and one.due.date().isoformat())
        for one in commitments_of(analyse(text, _ENCODER.encode), ENGLISH, AT)
        if one.kind != "done"
    ]


@pytest.mark.parametrize(
    ("text", "kind", "last"),
    [
        ("My exam is on Monday.", "plan", "2026-03-10"),
        ("My thesis is due next month.", "deadline", "2026-05-01"),
        ("They want the report by Friday.", "deadline", "2026-03-07"),
        ("The office has moved my start again. 15 June.", "plan", "2026-06-16"),
        ("They postponed our wedding to May 3.", "plan", "2026-05-04"),
    ],
)
def test_what_has_a_date_is_a_commitment(text, kind, last):
    assert commitments(text) == [(kind, last)]


@pytest.mark.parametrize(
    "text",
    [
        "The museum is open on Monday.",
        "My brother is nice on Monday.",
        "They moved the sofa again.",
        "Have they moved my start? 15 June.",
    ],
)
def test_what_is_of_others_or_has_no_date_is_none(text):
    assert commitments(text) == []
