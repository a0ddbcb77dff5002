"""Which pairs of memories are proposed: what shares something rare, is like, and is not linked."""

import numpy as np
import pytest

from meridia import Memory
from meridia.core.settings import Settings
from meridia.ingest.ideas import pairs_of
from meridia.storage.vectors import VectorIndexes


@pytest.fixture
def memory(embedder):
    with Memory(None, "s", Settings(), embedder=embedder) as memory:
        for count in range(8):
            memory.remember(f"Number {count} is about the weather", session=f"d{count}")
        memory.remember("The loom in the attic needs a shuttle", session="a")
        memory.remember("My grandmother taught weaving on her loom", session="b")
        memory.remember("The loom again, in the same session", session="b")
        memory.enrich()
        yield memory


def pairs(memory: Memory, insight_min: float = 0.0, since: int = 0, limit: int = 9, mask=None):
    embedder = memory._components.embedder()
    view = memory.adjacency.view(memory.space, None)
    index = VectorIndexes(memory.parts).index(
        memory.space, embedder.model, embedder.dimension, view.until
    )
    allowed = np.ones(len(view.experiences.seqs), np.bool_) if mask is None else mask
    return pairs_of(view, index, allowed, since, insight_min, limit)


def test_a_pair_shares_a_topic_over_two_sessions(memory):
    found = pairs(memory)
    session = memory.adjacency.view(memory.space, None).experiences.session
    assert found
    assert all(session[pair.earlier] != session[pair.later] for pair in found)
    assert all(0 <= pair.insight <= 1 and pair.earlier < pair.later for pair in found)
    rows = [row for pair in found for row in (pair.earlier, pair.later)]
    assert len(rows) == len(set(rows))
    assert 8 in rows  # the loom in the attic


def test_only_what_is_new_gives_pairs_and_no_more_than_asked(memory):
    last = int(memory.adjacency.view(memory.space, None).experiences.seqs[-1])
    assert pairs(memory, since=last) == []
    assert pairs(memory, limit=0) == []
    assert pairs(memory, insight_min=1.01) == []


def test_what_may_not_be_seen_is_in_no_pair(memory):
    mask = np.ones(11, np.bool_)
    mask[8] = False
    assert 8 not in {row for pair in pairs(memory, mask=mask) for row in (pair.earlier, pair.later)}
