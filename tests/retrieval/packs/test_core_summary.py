"""The core summary: topics and news of full tens of memories, cited, at most twenty of them."""

import re

import pytest

from meridia import Memory
from meridia.retrieval.packs.layout import SectionTitle
from meridia.retrieval.packs.prose import render_prose
from tests.fakes import WAITING
from tests.retrieval.packs.test_prose import Teller

TALK = (
    "My sister Mira moved to Bergen last week.",
    "We repaired the sails of the old boat today.",
    "The boat needs another coat of paint.",
    "Mira sent a picture of the harbour in Bergen.",
    "I finally passed the sailing exam on Friday!",
)


@pytest.fixture
def memory(embedder, clock, random_bytes):
    with Memory(None, "s", WAITING, clock, random_bytes, embedder) as memory:
        yield memory


def fill(memory: Memory, count: int, session: str) -> None:
    for place in range(count):
        memory.remember(TALK[place % len(TALK)], person="Dana", session=session)


def core(memory: Memory):
    return memory.reconstitute("core_summary")


def test_row_107_it_is_renewed_every_ten_memories(memory):
    fill(memory, 9, "a")
    assert core(memory) is None
    fill(memory, 1, "b")
    first = core(memory)
    assert {item.memories[0].session for s in first.sections for li in s.lines for item in li.items}
    fill(memory, 9, "c")
    assert core(memory).hash == first.hash
    fill(memory, 1, "c")
    second = core(memory)
    assert second.hash != first.hash
    assert memory.packs.reissue(second.id).hash == second.hash


def test_every_line_cites_and_twenty_memories_are_the_most(demo):
    pack = demo.reconstitute("core-summary")
    assert [section.title for section in pack.sections][:2] == [
        SectionTitle.THEMES,
        SectionTitle.NEWS,
    ]
    assert 5 < len(pack.citations) <= 20
    assert len(re.sub(r"\[meridia[^]]*\]", "", pack.text).split()) <= 500
    lines = [line for line in pack.text.splitlines() if line and not line.startswith("#")]
    assert all("meridia://@" in line for line in lines)


def test_a_model_tells_it_in_prose_where_it_cites(memory):
    fill(memory, 10, "a")
    pack = core(memory)
    teller = Teller(f"Dana mends a boat [{pack.citations[0].uri}].")
    prose = render_prose(pack, teller, 5.0)
    assert prose.by == "model"
    assert "Dana mends a boat" in prose.text
    assert memory.packs.prose(pack).by == "rule"
