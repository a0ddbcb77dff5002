"""What a pack sees: only what had happened and was known by then."""

from datetime import timedelta

from meridia.resume.builder import SnapshotReader
from tests.resume.pack_samples import NOW, opened, say, story


def test_nothing_later_and_nothing_unknown_is_seen():
    with opened() as memory:
        story(memory)
        memory.enrich()
        middle = memory.get("e3")
        early = SnapshotReader(memory.parts, memory.space, middle.at, 10**9).newest(100)
        known = SnapshotReader(memory.parts, memory.space, NOW, middle.seq).newest(100)
    assert [one.event_id for one in early] == ["e3", "e2", "e1", "e0"]
    assert [one.event_id for one in known] == ["e3", "e2", "e1", "e0"]


def test_what_is_shared_with_a_person_is_the_sessions_they_spoke_in():
    with opened() as memory:
        story(memory)
        say(memory, "Nobody of the others was there.", "Oskar", "alone", day=20)
        sight = SnapshotReader(memory.parts, memory.space, NOW, 10**9)
        with_robin = {one.event_id for one in sight.shared_with("Robin", 100)}
        with_oskar = {one.event_id for one in sight.shared_with("Oskar", 100)}
    assert with_robin == {"e0", "e1", "e2"}
    assert with_oskar == {"e7"}


def test_moments_carry_what_was_decided_and_felt():
    with opened() as memory:
        story(memory)
        memory.enrich()
        sight = SnapshotReader(memory.parts, memory.space, NOW, memory.parts.journal.head("s").seq)
        seen = sight.read(sight.newest(100))
        earlier = SnapshotReader(memory.parts, memory.space, NOW - timedelta(days=60), 10**9)
        assert earlier.newest(10) == []
    by_id = {one.memory.event_id: one for one in seen}
    assert by_id["e4"].error
    assert by_id["e4"].tool == "bash"
    assert by_id["e0"].feeling > 0
    assert by_id["e0"].significance > 0
