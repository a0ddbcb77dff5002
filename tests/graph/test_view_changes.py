"""A view that is held over forgettings is the view that is read anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.settings import Settings
from meridia.graph.view import GraphView
from tests.acceptance.test_random_forgettings import PLAIN, forgotten, histories, lived
from tests.thorough import THOROUGH


@settings(max_examples=200 if THOROUGH else 12)
@given(histories, st.lists(forgotten, min_size=1, max_size=3))
def test_a_view_that_is_held_over_forgettings_is_one_that_is_read_anew(
    history: list[Any], last: list[Any]
):
    with lived(PLAIN) as life:
        memory, held = life.memory, None
        memory.remember("A boat.")
        for step in [*history, ("enrich", 0), *(("forget", each) for each in last)]:
            life.live(step)
            memory.adjacency.catch_up(memory.space)
            held = memory.adjacency.view(memory.space, held)
            compare(held, memory.adjacency.view(memory.space))


def compare(held: GraphView, anew: GraphView) -> None:
    assert (held.until, held.changes) == (anew.until, anew.changes)
    assert held.numbers.tolist() == anew.numbers.tolist()
    assert held.experience_of.tolist() == anew.experience_of.tolist()
    for name in ("seqs", "at", "words", "traits", "node", "before", "after"):
        one, other = (getattr(view.experiences, name).tolist() for view in (held, anew))
        assert one == other, name
    assert names(held, "person", "people") == names(anew, "person", "people")
    assert names(held, "session", "sessions") == names(anew, "session", "sessions")
    for one, other in ((held.outgoing, anew.outgoing), (held.incoming, anew.incoming)):
        types = {type for links in (one, other) for type in links}
        for type in types:
            assert edges(one, type, held) == edges(other, type, anew), type


def names(view: GraphView, column: str, listed: str) -> list[str | None]:
    places = getattr(view.experiences, column).tolist()
    return [None if place < 0 else getattr(view, listed)[place] for place in places]


def edges(links: Any, type: str, view: GraphView) -> list[Any]:
    if type not in links:
        return []
    rows = links[type].of(np.arange(len(view.numbers)))
    return list(
        zip(rows.position.tolist(), rows.target.tolist(), rows.weight.tolist(), strict=True)
    )


SAID = (
    "I bought a telescope in Bergen.",
    "The tripod of the telescope broke.",
    "We saw Saturn from the harbour.",
    "My sister moved to Oslo in March.",
    "The ferry to Oslo leaves at nine.",
    "I promise to mend the tripod on Friday.",
)


@pytest.mark.parametrize("place", range(len(SAID)))
def test_answers_after_a_forgetting_are_those_of_who_opens_the_file_anew(tmp_path, place: int):
    def answers(memory: Memory) -> list[Any]:
        asked = ("What broke?", "Where is Oslo?", "telescope", "Who moved?")
        return [
            [(hit.id, pytest.approx(hit.score, rel=1e-9)) for hit in memory.recall(each).hits]
            for each in asked
        ]

    with Memory(tmp_path / "j.db", "home", Settings()) as memory:
        for number, text in enumerate(SAID):
            memory.remember(text, person="Dana", session=f"s{number // 4}", id=f"m{number}")
        memory.enrich()
        answers(memory)
        memory.forget(ids=[f"m{place}"])
        memory.remember("The boat is blue.", person="Kim", session="s1")
        memory.enrich()
        held = answers(memory)
    with Memory(tmp_path / "j.db", "home", Settings()) as memory:
        assert held == answers(memory)
