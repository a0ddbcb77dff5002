"""How many classes of the package are made on the way of a message and of a question.

A reader who follows one has to know each of them. The bounds may only become smaller.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fakes import FakeEmbedder

from meridia import Memory, Settings

REMEMBER_MAX, ENRICH_MAX, RECALL_MAX = 13, 34, 39


@contextmanager
def made() -> Iterator[set[str]]:
    """Collect the names of the package's classes of which an object is made."""
    found: set[str] = set()

    def note(frame, event, _argument):
        if event == "call" and frame.f_code.co_name == "__init__":
            kind = type(frame.f_locals.get("self"))
            if kind.__module__.startswith("meridia."):
                found.add(f"{kind.__module__}.{kind.__name__}")

    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)


def test_few_classes_stand_between_a_message_and_its_answer():
    with Memory(None, "default", Settings(), embedder=FakeEmbedder()) as memory:
        memory.remember("I mend sails in Kiel.", person="Dana", session="s0")
        memory.enrich()
        memory.recall("When do I mend sails?")  # what is opened once is open
        with made() as remembering:
            memory.remember("The race is on the 12th of May.", person="Dana", session="s1")
        with made() as enriching:
            memory.enrich()
        with made() as recalling:
            assert memory.recall("When is the race?").hits
    assert len(remembering) <= REMEMBER_MAX, sorted(remembering)
    assert len(enriching) <= ENRICH_MAX, sorted(enriching)
    assert len(recalling) <= RECALL_MAX, sorted(recalling)
