"""What the story of a relationship adds to a pack."""

from meridia.retrieval.packs.layout import SectionTitle
from tests.retrieval.packs.pack_samples import opened, say, story


def test_what_changed_since_the_last_meeting_is_told_and_cited():
    with opened() as memory:
        story(memory)
        id = say(memory, "My name is Zoe, I live in Oslo.", "Zoe", "later", day=20)
        pack = memory.resume("Dana")
        assert any("Zoe was met" in line for line in pack.lines(SectionTitle.CHANGED))
        assert id in pack.cited


def test_nothing_changed_is_not_said():
    with opened() as memory:
        story(memory)
        assert memory.resume("Dana").lines(SectionTitle.CHANGED) == []
