"""Addresses: every form of them leads to its memory, and can be read as text."""

import pytest

from meridia.core.errors import NotFound
from tests.retrieval.packs.packed import opened, story


def test_every_form_of_an_address_leads_to_the_same_memory():
    with opened() as memory:
        story(memory)
        found = memory.get("e0")
        for address in (found.id, found.uri, f"@{found.seq}", f"meridia://@{found.seq}"):
            assert memory.get(address) == found
            assert memory.resolve(address).id == found.id


@pytest.mark.parametrize("address", ["@0", "@99999", "@", "@x", "@" + "9" * 40, "@٣", "meridia://"])
def test_what_is_not_there_is_not_found(address):
    with opened() as memory:
        story(memory)
        assert not memory.holds(address)
        assert memory.resolve(address) is None
        with pytest.raises(NotFound):
            memory.read(address)


def test_a_short_address_of_another_space_is_none_of_ours():
    with opened() as memory:
        story(memory)
        other = memory.in_space("other")
        other.remember("Elsewhere.", id="x")
        assert not memory.holds(f"@{other.get('x').seq}")


def test_a_memory_and_a_pack_are_read_by_their_addresses():
    with opened() as memory:
        story(memory)
        pack = memory.resume("Dana")
        assert memory.read("meridia://@1") == memory.get("e0").text
        assert memory.read(pack.uri) == pack.text
