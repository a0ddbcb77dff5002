"""Addresses: each form leads to the memory that it names, and says what it is not."""

from __future__ import annotations

import pytest

from meridia import InvalidInput, Memory, NotFound
from meridia.storage.projections.addresses import find_memory, is_address, last_hit


def test_an_own_id_that_looks_like_another_form_comes_first():
    with Memory.open() as memory:
        memory.remember("A first remark.", id="last 1")
        memory.recall("remark")
        assert memory.get("last 1").text == "A first remark."


def test_the_newest_recall_has_as_many_memories_as_it_has():
    with Memory.open() as memory:
        with pytest.raises(NotFound, match="no answer is kept"):
            memory.get("last 1")
        memory.remember("A first remark.")
        memory.recall("remark")
        assert memory.get(" last 1 ").text == "A first remark."
        with pytest.raises(NotFound, match="has 1 memories: there is no number 2"):
            memory.get("last 2")
        with pytest.raises(InvalidInput, match="write `last 1`"):
            memory.get("last")
        assert last_hit(memory.parts.trace, memory.space, 1) == memory.get("@1").uri
        assert find_memory(memory.parts.catalog, memory.parts.trace, memory.space, "@1").seq == 1


def test_what_can_only_be_an_address_is_told_from_an_id():
    assert all(map(is_address, ("@1", "meridia://x", "last", "last 3")))
    assert not any(map(is_address, ("m-1", "last-3", "x@1", "lasting 3")))
