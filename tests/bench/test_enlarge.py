"""A space is enlarged by copies that are memories like the others, and by nothing else."""

from collections import Counter

import pytest

from bench.enlarge import enlarge
from bench.scale import messages, opened
from bench.synthetic import SPACE, Language
from meridia.core.events import event_of
from meridia.core.types import EntryKind

BASE = 60


@pytest.fixture(scope="module")
def language():
    return Language()


@pytest.fixture(scope="module")
def memory(tmp_path_factory, language):
    told = messages(language)
    with opened(tmp_path_factory.mktemp("enlarged") / "a.db", language) as memory:
        memory.capture_many([next(told) for _ in range(BASE)])
        memory.enrich()
        enlarge(memory, 3 * BASE, language, BASE)
        yield memory


def test_each_copy_has_other_words_later_days_and_ids_of_its_own(memory):
    captured = memory.parts.journal.of_kind(SPACE, EntryKind.EXPERIENCE_CAPTURED)
    assert len(captured) == 3 * BASE
    texts = {event_of(entry)["payload"]["text"] for entry in captured}
    assert len(texts) == 3 * BASE
    assert captured[0].at < captured[BASE].at < captured[2 * BASE].at
    people = Counter(event_of(entry)["person"] for entry in captured)
    assert people["Vesna"] == sum(event_of(e)["person"] == "Vesna" for e in captured[:BASE])


def test_copies_are_enriched_found_listed_and_whole(memory):
    assert memory.enrichment.lag(SPACE) == 0
    counts = memory.parts.journal.count(SPACE)
    assert counts["ExperienceEnriched"] == counts["ExperienceCaptured"]
    copied = memory.get("s0-3c2")
    assert memory.recall(copied.text).hits[0].id == copied.id
    first, second = memory.list(session="s0", limit=100), memory.list(session="s0c1", limit=100)
    assert len(first.memories) == len(second.memories) > 3
    assert memory.upkeep.verify() == []


def test_a_rebuild_makes_the_same_of_copies(memory):
    before = memory.graph.digest()
    memory.upkeep.rebuild()
    assert memory.graph.digest() == before
