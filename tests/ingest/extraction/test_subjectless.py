"""What sentences without a subject commit to."""

from __future__ import annotations

import pytest

from meridia.core.text import Analyser
from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.ingest.extraction.subjectless import commitments_without_subject

ENGLISH = Analyser()


def commitments(text, *, has_due=False, by_agent=False):
    (sentence,) = analyse(text, lambda _: None).sentences
    found = commitments_without_subject(sentence, ENGLISH, has_due=has_due, by_agent=by_agent)
    return [(kind.value, deed.verb) for kind, deed in found]


@pytest.mark.parametrize(
    ("text", "commitment"),
    [
        ("Will send the form.", ("promise", "send")),
        ("Gonna paint the fence.", ("plan", "paint")),
        ("Sending you the map.", ("promise", "send")),
        ("You'll be the first to know!", ("promise", "tell")),
    ],
)
def test_a_sentence_that_opens_with_its_verb_commits(text, commitment):
    assert commitments(text) == [commitment]


@pytest.mark.parametrize(
    ("text", "commitment"),
    [
        ("Got a recital on Sunday.", "plan"),
        ("Let's meet the neighbours on Sunday.", "proposal"),
        ("Repainting the hallway on Sunday.", "plan"),
    ],
)
def test_some_need_a_time(text, commitment):
    assert [kind for kind, _ in commitments(text, has_due=True)] == [commitment]
    assert commitments(text) == []


def test_only_an_agent_promises_what_it_lets_itself_do():
    assert commitments("Let me check the order.", by_agent=True) == [("promise", "check")]
    assert commitments("Let me check the order.") == []


@pytest.mark.parametrize(
    "text",
    [
        "Counting from now it is done by Friday.",
        "Let me explain how the fees work.",
        "Maybe gonna paint the fence.",
        "The fence is green.",
    ],
)
def test_others_commit_to_nothing(text):
    assert commitments(text, has_due=True, by_agent=True) == []
