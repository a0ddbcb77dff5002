"""Rules for what somebody does."""

from __future__ import annotations

import pytest

from meridia.ingest.extraction.facts.statement_extraction import extract_statements
from tests.ingest.ingest_events import user


def utterance(text):
    """Return what Dana states: predicate, object, and whether it ends."""
    made = extract_statements(user(text), "Dana")
    return [("not " * s.ends + s.predicate, s.object) for s in made]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I work at Acme.", [("works_at", "Acme")]),
        ("I'm working for the Red Cross.", [("works_at", "the Red Cross")]),
        ("I just got a job at Google!", [("works_at", "Google")]),
        (
            "I work as a nurse at Mercy Hospital.",
            [("works_at", "Mercy Hospital"), ("works_as", "a nurse")],
        ),
        ("I work at Acme as an engineer.", [("works_at", "Acme"), ("works_as", "an engineer")]),
        ("I'm a senior software engineer.", [("works_as", "a senior software engineer")]),
        ("I no longer work at Acme.", [("not works_at", "Acme")]),
        ("I used to work for Acme.", [("not works_at", "Acme")]),
        ("I quit my job.", [("not works_at", ""), ("not works_as", "")]),
        ("I got laid off.", [("not works_at", ""), ("not works_as", "")]),
        ("I lost my job at Door Dash.", [("not works_at", "Door Dash"), ("not works_as", "")]),
        ("I am no longer a teacher.", [("not works_as", "a teacher")]),
        ("I study physics at MIT.", [("studies", "physics"), ("studies_at", "MIT")]),
        ("I'm majoring in computer science.", [("studies", "computer science")]),
        ("I have a PhD in physics from MIT.", [("studied", "physics")]),
        ("I graduated from Harvard University.", [("graduated_from", "Harvard University")]),
        ("I use Neovim.", [("uses", "Neovim")]),
        ("we use docker", [("uses", "docker")]),
        ("I switched from Emacs to VSCode.", [("uses", "VSCode"), ("not uses", "Emacs")]),
        ("I stopped using Slack.", [("not uses", "Slack")]),
        ("My time zone is Europe/Berlin.", [("timezone", "Europe/Berlin")]),
        ("I'm on Pacific time.", [("timezone", "Pacific")]),
    ],
)
def test_a_person_says_what_they_do(text, stated):
    assert utterance(text) == stated


@pytest.mark.parametrize(
    "text",
    [
        "I work at night.",
        "I work for free.",
        "I quit smoking.",
        "I won't quit!",
        "I'm a doctor's daughter.",
        "That works for me.",
        "I use my phone.",
        "I'd use Emacs.",
        "I'm studying for an exam.",
    ],
)
def test_what_only_sounds_alike_says_nothing(text):
    assert utterance(text) == []
