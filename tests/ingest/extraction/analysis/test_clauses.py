"""Clauses: who does what, when, and whether it is denied."""

from __future__ import annotations

import pytest

from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.ingest.extraction.analysis.clauses import Clause, Tense
from meridia.models.embedder import MiniLmEmbedder

_ENCODER = MiniLmEmbedder()


def clauses(text: str) -> list[Clause]:
    return [c for s in analyse(text, _ENCODER.encode).sentences for c in s.clauses]


@pytest.mark.parametrize(
    ("text", "subject", "verbs", "tense", "object"),
    [
        ("I quit my job at Deloitte last week.", "I", ["quit"], Tense.PAST, "my job"),
        ("My dad passed away two years ago.", "My dad", ["passed"], Tense.PAST, None),
        (
            "I'm gonna sign up for a pottery class next month!",
            "I",
            ["sign"],
            Tense.FUTURE,
            None,
        ),
        ("I just signed up for a class.", "I", ["signed"], Tense.PAST, None),
        ("I'll send you the recipe tonight.", "I", ["send"], Tense.FUTURE, "you"),
        ("We've had Pixie for three years.", "We", ["had"], Tense.PERFECT, "Pixie"),
        ("You should try the soup.", "You", ["try"], Tense.MODAL, "the soup"),
        ("I need to file my taxes by April 15.", "I", ["file"], Tense.PRESENT, "my taxes"),
    ],
)
def test_one_clause(text: str, subject: str, verbs: list[str], tense: Tense, object: str | None):
    clause = clauses(text)[0]
    assert clause.subject is not None
    assert clause.subject.text == subject
    assert [verb.lower for verb in clause.verbs] == verbs
    assert clause.tense is tense
    assert (clause.object.text if clause.object else None) == object


def test_a_second_verb_has_the_same_subject_or_its_own():
    first, second = clauses("I quit my job and moved to Berlin.")
    assert (second.verb, second.subject) == ("moved", first.subject)
    first, second = clauses("I don't like olives but my wife Ana loves them.")
    assert first.negated
    assert first.complement == "olives"
    assert second.subject is not None
    assert second.subject.text == "my wife Ana"
    assert not second.negated
    assert second.is_first_person
    assert not second.is_own


def test_a_relative_clause_is_about_what_stands_before_it():
    lives, had = clauses("My best friend Tom, who lives in Oslo, just had a baby.")
    assert lives.subject is not None
    assert had.subject is not None
    assert lives.subject.text == had.subject.text == "My best friend Tom"


def test_what_a_clause_depends_on_and_what_follows_a_preposition():
    send, find = clauses("I'll send it to my brother Ali if I find it.")
    assert (send.depends_on, find.depends_on) == ("", "if")
    behind = send.after("to")
    assert behind is not None
    assert behind.core == "my brother Ali"
    assert send.after("from") is None
