"""Addresses: every form of them leads to its memory, and can be read as text."""

import pytest

from meridia.core.errors import InvalidInput, NotFound
from tests.resume.pack_samples import opened, story


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


def test_row_127_facets_are_counted_over_every_memory_of_the_space():
    """Row 127: whatever number of pages that takes."""
    with opened() as memory:
        texts = ({"text": f"Sail number {n}.", "metadata": {"tags": ["sail"]}} for n in range(1001))
        memory.remember_many(texts)
        memory.remember("Without any.")
        memory.in_space("other").remember("Elsewhere.", metadata={"tags": ["x"], "modes": ["y"]})
        counted = memory.facets()
    assert (counted.memories, counted.filled["tags"]) == (1002, 1001)
    assert "modes" in counted.empty


def test_row_18_memories_are_listed_by_emotion_and_engagement():
    """Row 18: what was said a moment ago is found too, and an unknown word names the known."""
    with opened() as memory:
        memory.remember("This crash makes me furious, I hate it!", id="bad")
        felt = {"emotionalSignature": {"primary": ["curious", "excited"], "intensity": 0.7}}
        lived = {"phenomenology": felt | {"engagementQuality": "deep-flow"}}
        memory.remember("A new harbour.", id="good", metadata=lived)

        def listed(**filters):
            return [found.event_id for found in memory.list(**filters).memories]

        assert listed(emotion="excited") == listed(engagement="deep-flow") == ["good"]
        assert listed(emotion="excited", engagement="struggling") == []
        memory.in_space("other").remember("Elsewhere.")
        assert memory.in_space("other").list(emotion="excited").memories == []
        with pytest.raises(InvalidInput, match="emotion is 'gleeful': give one of curious"):
            memory.list(emotion="gleeful")
