"""What stands for a word that nobody used: found, below the word itself, and kept for a replay."""

from __future__ import annotations

import pytest

from meridia import Memory
from meridia.core.settings import Settings
from tests.fakes import FakeEmbedder, SeededBytes, TickingClock


@pytest.fixture
def memory():
    given = Settings(), TickingClock(), SeededBytes(), FakeEmbedder()
    with Memory(None, "s", *given) as opened:
        for number in range(30):
            opened.remember(f"Berth {number} is free, said the harbour master.", session="a")
        yield opened


def test_the_word_itself_stands_above_what_is_like_it(memory):
    memory.remember("The rope is plaited from manilla.", session="b")
    memory.remember("The rope is plaited from manila.", session="c")
    assert memory.recall("manila").hits[0].text.endswith("manila.")
    assert memory.recall("mannila").hits[0].text.endswith(("manila.", "manilla."))


def test_what_stood_for_a_word_is_kept_with_the_answer_and_used_again(memory):
    memory.remember("The anchorage is deep.", session="b")
    recall = memory.recall("anchoraje")
    assert recall.hits[0].text == "The anchorage is deep."
    assert sum(leaf.value for leaf in recall.hits[0].trace.leaves()) == pytest.approx(
        recall.hits[0].score
    )
    memory.remember("The anchoraj is a place of dreams.", session="c")
    memory.enrich()
    replay = memory.reasons.replay(recall.id)
    assert replay.identical, replay.differences


def test_a_word_is_found_as_soon_as_it_is_said_and_no_more_when_it_is_forgotten(memory):
    assert "chandlery" not in memory.recall("chandlerry").hits[0].text
    said = memory.remember("The chandlery is closed.", session="b")
    assert memory.recall("chandlerry").hits[0].text == "The chandlery is closed."
    memory.forget(ids=[said.id])
    assert all("chandlery" not in hit.text for hit in memory.recall("chandlerry").hits)
