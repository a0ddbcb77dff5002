"""Two that have one file open, and two spaces in it: whoever does what, both see the same.

The caches of each, the graph that one owns and the other has a copy of, and the one sequence that
all spaces share must not matter.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from meridia import Memory
from tests.acceptance.test_random_forgettings import (
    PEOPLE,
    PLAIN,
    Life,
    forgotten,
    others,
    said,
)
from tests.thorough import THOROUGH

pytestmark = pytest.mark.timeout(3600)

SPACES = ("home", "Home/../office")
step = st.one_of(said, said, others, st.tuples(st.just("forget"), forgotten))
#: Who does it, in which space, and what.
histories = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), step), min_size=8, max_size=40)


class SharedLife(Life):
    """A life of one space, which several may have open."""

    is_alone = False

    def word(self) -> str:
        """Return a word that is said in this space alone."""
        return f"{super().word()}{SPACES.index(self.memory.space)}"


def seen_by(memory: Memory) -> dict[str, Any]:
    """Return what one who has the file open sees of a space."""
    memory.catch_up(60)
    texts = {each.event_id: each.text for each in memory.list(limit=1000).memories}
    questions = (*list(texts.values())[-2:], "Where is Robin?")
    asked = [memory.recall(question, keep=False) for question in questions]
    return {
        "memories": texts,
        "people": memory.people.known().people,
        "answers": [[(hit.memory.id, hit.score) for hit in answer.hits] for answer in asked],
        "graph": memory.graph.digest(),
        "entities": [str(entity) for entity in memory.entities()],
        "sessions": [str(session) for session in memory.sessions()],
        "packs": [str(memory.resume(person)) for person in PEOPLE if person],
    }


@settings(
    max_examples=150 if THOROUGH else 3, deadline=None, phases=(Phase.explicit, Phase.generate)
)
@given(histories)
def test_all_who_have_a_file_open_see_what_its_journal_says(history: list[Any]):
    folder = Path(tempfile.mkdtemp(prefix="meridia-hands-"))
    try:
        path = folder / "journal.db"
        with Memory(path, SPACES[0], PLAIN) as one, Memory(path, SPACES[0], PLAIN) as two:
            hands = [[each.in_space(space) for space in SPACES] for each in (one, two)]
            lives = [SharedLife(hands[0][place]) for place in range(len(SPACES))]
            for who, where, what in history:
                lives[where].memory = hands[who][where]
                lives[where].live(what)
            for place, life in enumerate(lives):
                life.memory = hands[1][place]
                life.memory.enrich()
                assert seen_by(hands[0][place]) == seen_by(hands[1][place])
        for space, life in zip(SPACES, lives, strict=True):
            with Memory(path, space, PLAIN) as memory:
                life.memory = memory
                memory.graph.project()
                life.check()
                memory.graph.store().drop()
    finally:
        shutil.rmtree(folder)
