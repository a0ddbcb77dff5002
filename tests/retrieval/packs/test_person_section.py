"""What the story of a relationship adds to a pack."""

from meridia.retrieval.packs.layout import SectionTitle
from tests.retrieval.packs.pack_samples import opened, say, story, use


def test_what_changed_since_the_last_meeting_is_told_and_cited():
    with opened() as memory:
        story(memory)
        id = say(memory, "My name is Zoe, Dana told me of you.", "Zoe", "later", day=20)
        pack = memory.resume("Dana")
        assert any("Zoe was met" in line for line in pack.lines(SectionTitle.CHANGED))
        assert id in pack.cited


def test_row_53_what_strangers_say_since_is_no_news_to_a_person():
    with opened() as memory:
        story(memory)
        say(memory, "I am Zoe Brandt and I live in Oslo, near Holmen Harbour.", "Zoe", "z", day=20)
        use(memory, "find_user", "Jonas Berg, Harbour Street 4", "z", day=20)
        assert memory.resume("Dana").lines(SectionTitle.CHANGED) == []


def test_nothing_changed_is_not_said():
    with opened() as memory:
        story(memory)
        assert memory.resume("Dana").lines(SectionTitle.CHANGED) == []
