"""Fitting into a budget: hard, the most important first, and said what was left out."""

import pytest

from meridia.core.errors import InvalidInput
from tests.retrieval.packs.pack_samples import opened, say, story


def test_what_is_open_comes_before_the_history_when_room_is_short():
    with opened() as memory:
        story(memory)
        for place in range(30):
            say(memory, f"Item {place}: rope {place * 7} and sail {place * 3}.", session="b", day=9)
        pack = memory.resume("Dana", tokens=300)
    assert pack.next_actions
    assert pack.open_uncertainties
    assert pack.tokens <= 300
    assert pack.meta.truncated
    (left, *_) = pack.omitted
    assert left.why == "no room in the budget"
    assert set(left.event_ids) & set(pack.cited) == {pack.cited[-1]}, "only as the example"
    assert "had no room in 300 tokens" in pack.text


def test_a_budget_without_room_for_one_line_says_what_to_do():
    with opened() as memory:
        story(memory)
        with pytest.raises(InvalidInput, match="no room for one line: ask for more"):
            memory.resume("Dana", tokens=15)


def test_another_way_of_counting_holds_too():
    def words(text):
        return len(text.split())

    with opened() as memory:
        story(memory)
        pack = memory.resume("Dana", tokens=60, count=words)
        assert words(pack.text) == pack.tokens <= 60
        assert memory.packs.reissue(pack.id, words).hash == pack.hash
