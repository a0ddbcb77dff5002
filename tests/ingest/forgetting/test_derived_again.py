"""What stays is told again where what was forgotten had a part in it."""

from __future__ import annotations

from meridia import Memory
from tests.ingest.forgetting.told import PLAIN, tell


def facts(memory: Memory) -> dict[str, bool]:
    """Return the places where Dana lived, and whether that is over."""
    listed = memory.list(kind="fact").memories
    return {
        row.metadata["object"]: row.metadata["t_invalid"] is not None
        for row in listed
        if row.metadata["predicate"] == "lives_in" and row.person == "Dana"
    }


def test_a_fact_that_another_message_states_too_is_read_from_there():
    with Memory(None, "default", PLAIN) as memory:
        tell(memory, [0, 3, 6])
        memory.forget(ids=["m-3"])
        assert facts(memory)["Berlin"] is False
        assert facts(memory)["Paris"] is True


def test_a_fact_holds_until_the_next_that_stays():
    with Memory(None, "default", PLAIN) as memory:
        tell(memory, [0, 3, 8])
        memory.forget(ids=["m-3"])
        assert facts(memory) == {"Paris": True, "Lisbon": False}


def test_a_fact_holds_again_where_nothing_that_stays_ends_it():
    with Memory(None, "default", PLAIN) as memory:
        tell(memory, [0, 3])
        memory.forget(ids=["m-3"])
        assert facts(memory) == {"Paris": False}


def test_no_change_of_a_session_begins_with_what_is_gone():
    with Memory(None, "default", PLAIN) as memory:
        tell(memory, [0, 1, 2])
        memory.forget(ids=["m-1"])
        focus = [r.text for r in memory.list(kind="transition").memories if "topic" in r.text]
        assert focus == ["focus: topic 0 → topic 2"]


def test_a_session_that_was_over_is_told_again_at_once():
    said = (
        *("I moved to Lisbon last week.", "The regatta begins on Sunday.", "Our mast is mended."),
        *("I sold the old boat to a friend.", "My sister paints the new sail."),
    )
    with Memory(None, "default", PLAIN) as memory:
        for place, text in enumerate(said):
            memory.remember(text, person="Dana", session="s", id=f"m-{place}")
        end = {"kind": "session_boundary", "payload": {"phase": "end"}, "session": {"key": "s"}}
        memory.capture(end)
        memory.enrich()
        (before,) = memory.chronicle.episodes()
        memory.forget(ids=["m-2"])
        (after,) = memory.chronicle.episodes()
    assert "mast" in before.summary
    assert "mast" not in after.summary
    assert "regatta" in after.summary
