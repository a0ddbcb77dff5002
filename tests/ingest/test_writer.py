"""What a memory takes in: every role, metadata to filter by, corrections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput, NotFound
from tests.fakes import WAITING


@pytest.fixture
def empty():
    """Return a new memory."""
    with Memory.open(settings=WAITING) as memory:
        yield memory


def test_remember_takes_every_role(empty: Memory):
    empty.remember("Can you run the tests?", person="Dana", session="s")
    empty.remember("Yes, one moment.", role="assistant", session="s")
    empty.remember("3 failed, 40 passed", role="tool", tool="pytest", error=True, session="s")
    empty.remember("Dana likes short answers.", role="note")
    kinds = [memory.kind for memory in empty.list().memories]
    assert kinds == ["user_message", "assistant_message", "tool_result", "manual_capture"]
    assert empty.recall("which tests failed?", kind="tool_result").hits[0].text.startswith("pytest")


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "  "},
        {"text": "hello", "role": "wizard"},
        {"text": "3 failed", "role": "tool"},
        {"text": "hello", "error": True},
        {"text": "hello", "tool": "pytest"},
    ],
)
def test_remember_refuses_what_says_nothing_or_nothing_clear(empty: Memory, wrong: dict[str, Any]):
    with pytest.raises(InvalidInput):
        empty.remember(**wrong)
    assert empty.status().seq == 0


def test_where_takes_values_lists_and_comparisons(empty: Memory):
    for priority, tags in ((1, ["home"]), (2, ["work", "urgent"]), (3, ["work"])):
        text = f"Task number {priority} for the harbour."
        empty.remember(text, id=f"t{priority}", metadata={"priority": priority, "tags": tags})
    empty.remember("A task without a priority, at the harbour.", id="t0")

    def found(where: dict[str, Any]) -> list[str]:
        listed = [memory.event_id for memory in empty.list(where=where).memories]
        recalled = {hit.event_id for hit in empty.recall("harbour task", where=where).hits}
        assert recalled == set(listed)
        return listed

    assert found({"priority": 2}) == ["t2"]
    assert found({"priority": [1, 3]}) == ["t1", "t3"]
    assert found({"priority": {"gte": 2}}) == ["t2", "t3"]
    assert found({"priority": {"gt": 1, "lt": 3}}) == ["t2"]
    assert found({"tags": "work"}) == ["t2", "t3"]
    assert found({"tags": "work", "priority": {"ne": 3}}) == ["t2"]
    assert found({"priority": {"ne": [1, 2]}}) == ["t3", "t0"]
    assert found({"priority": "2"}) == []
    with pytest.raises(InvalidInput, match="where priority: 'above' is not a comparison"):
        empty.list(where={"priority": {"above": 2}})


def test_a_correction_stands_in_the_place_of_what_it_corrects(empty: Memory):
    first = empty.remember("The race is on the 12th of May.", person="Dana", session="s")
    other = empty.remember("I bought new shoes.", person="Dana", session="s")
    second = empty.update(first.id, "The race is on the 13th of May.")
    third = empty.update(first.id, "The race is on the 14th of May.", metadata={"sure": True})

    assert [hit.id for hit in empty.recall("When is the race?").hits][:1] == [third.id]
    assert {first.id, second.id}.isdisjoint(hit.id for hit in empty.recall("race in May").hits)
    assert [memory.id for memory in empty.list().memories] == [other.id, third.id]
    for version in (first, second, third):
        assert [v.id for v in empty.history(version.id)] == [first.id, second.id, third.id]
    assert empty.get(first.id).text == "The race is on the 14th of May."
    assert empty.get(first.id).event_id == first.id
    assert empty.get(f"@{first.seq}").text == "The race is on the 12th of May."
    assert empty.get(f"meridia://{first.id}").superseded_by == second.seq
    assert empty.get(third.id).person == "Dana"
    then = empty.recall("When is the race?", as_of=other.seq)
    assert then.hits[0].id == first.id, "what was known then is what stood then"
    with pytest.raises(NotFound):
        empty.update("nothing", "x")


def test_a_rebuild_keeps_corrections(tmp_path: Path):
    with Memory.open(tmp_path / "m.db", settings=WAITING, enrich="manual") as memory:
        first = memory.remember("The race is on the 12th of May.", person="Dana")
        second = memory.update(first.id, "The race is on the 13th of May.")
        before = memory.graph.digest()
        memory.upkeep.rebuild()
        assert memory.graph.digest() == before
        assert [m.id for m in memory.list().memories] == [second.id]


def test_what_was_corrected_is_stated_nowhere_and_why_not_says_so(empty: Memory):
    first = empty.remember("I live in Berlin.", person="Dana", session="s")
    second = empty.update(first.id, "I live in Porto.")
    recall = empty.recall("Where does Dana live?")
    assert "corrected: @" in empty.reasons.why_not(recall.id, f"@{first.seq}").because[0]
    text = empty.resume("Dana").text
    assert "Porto" in text
    assert "Berlin" not in text
    assert "Berlin" not in str(empty.plan("Where does Dana live?").as_json())
    assert second.seq > first.seq


@pytest.mark.parametrize(
    "note",
    [
        *("Nut allergy", "喜欢喝茶", "좌석 12A", "Blood: 0-", "7", "Нет орехов", "חלב", "π ≈ 3"),
        "a boat " * 15_000,
    ],
)
def test_a_note_of_any_length_and_script_is_kept_whole(empty: Memory, note: str):
    answer = empty.remember(note, role="note")
    assert answer.outcome not in {"refused", "failed"}
    assert empty.get(answer.id).text == note


@pytest.mark.parametrize("junk", ["ok", "Thanks!", "...", "?!", "谢谢", "danke", "🙂", "—"])
def test_a_note_that_says_nothing_is_refused(empty: Memory, junk: str):
    with pytest.raises(InvalidInput, match="says nothing beyond an answer or a greeting"):
        empty.remember(junk, role="note")
