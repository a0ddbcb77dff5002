"""Views in memory follow the journal."""

from meridia import Memory
from meridia.core.settings import Settings


def test_what_was_just_remembered_is_found_by_meaning():
    with Memory(None, "s", Settings()) as memory:
        memory.remember("My sister adopted a kitten last week.", person="Mira", session="a")
        assert memory.recall("a young cat joined the family").hits[0].text.startswith("My sister")
        memory.remember("The engine of the lorry broke down.", person="Mira", session="a")
        found = memory.recall("trouble with a truck's motor").hits[0]
        assert found.text.startswith("The engine")
        assert any(leaf.label == "close in meaning" for leaf in found.trace.leaves())


def test_two_memories_over_one_file_see_each_others_events(tmp_path):
    path = tmp_path / "a.db"
    with Memory(path, "s", Settings()) as one, Memory(path, "s", Settings()) as two:
        one.remember("The lighthouse is painted white.", id="w")
        assert two.recall("white lighthouse").hits[0].event_id == "w"
        two.remember("The harbour wall is red.", id="r")
        assert one.recall("red harbour wall").hits[0].event_id == "r"


def test_an_answer_says_what_time_it_took(demo: Memory):
    timings = demo.recall("boat").timings_ms
    assert set(timings) == {"embed", "views", "core", "texts"}
    assert all(value >= 0 for value in timings.values())
