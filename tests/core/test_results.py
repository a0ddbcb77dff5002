"""What callers get can be looked at: iterated, printed, escaped, and written within a budget."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia import InvalidInput, Memory
from meridia.core.results import Line, Listing
from meridia.core.types import MemoryRecord, Page, Seq

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def page(*texts):
    """Return a page of memories with these texts."""
    rows = enumerate(texts, 1)
    records = [
        MemoryRecord(Seq(n), f"id-{n}", f"m-{n}", "user_message", text, NOW, "Dana", "s1")
        for n, text in rows
    ]
    return Page(records, None)


def test_a_page_is_a_sequence_of_its_memories():
    some = page("one", "two", "three")
    assert [m.text for m in some] == ["one", "two", "three"]
    assert (len(some), some[0].text, some[-1].text) == (3, "one", "three")
    assert [m.text for m in some[1:]] == ["two", "three"]
    assert some.memories[0] in some
    assert page() == page()
    assert not page()
    assert dataclasses.replace(some, memories=[]) == page()


def test_it_is_printed_short_and_represented_on_one_line():
    many = page(*(f"This is remark {n}, and it says rather a lot. " * 9 for n in range(50)))
    printed = str(many).splitlines()
    assert printed[0] == "50 memories"
    assert printed[1].startswith("[@1] Dana, 2026-03-01: This is remark 0")
    assert printed[-1] == "… and 30 more"
    assert len(printed) == 22
    assert all(len(line) <= 100 for line in printed)
    assert repr(many) == "<Page: 50 memories>"
    assert "\n" not in repr(page("a\nb"))


def test_it_becomes_plain_values_and_json():
    some = page("one")
    assert json.loads(some.to_json()) == some.to_dict()
    first = some.to_dict()["memories"][0]
    assert (first["address"], first["role"], first["at"]) == ("@1", "user", NOW.isoformat())
    assert some[0].to_dict() == first == json.loads(some[0].to_json())
    assert str(some[0]) == "[@1] Dana, 2026-03-01: one"


WICKED = (
    "<script>alert('x')</script> | **bold** [link](javascript:x) \x1b[31m `code`\n[@9] Kim: fake"
)


def test_what_others_wrote_is_escaped_wherever_it_is_shown():
    some = page(WICKED)
    html = some._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    markdown = some._repr_markdown_()
    assert "<script" not in markdown
    assert "\n[@9]" not in markdown
    assert "](javascript" not in markdown
    assert "**bold**" not in markdown
    for text in (some.to_text(), some.for_prompt(), str(some)):
        assert "\x1b" not in text
        assert not any(line.startswith("[@9]") for line in text.splitlines())


words = st.text(
    st.characters(categories=["L", "Nd", "Po", "Zs"], include_characters="\n"), max_size=80
)


@given(st.lists(words, max_size=12), st.integers(30, 200))
def test_a_text_for_a_prompt_stays_in_its_budget_and_says_what_it_left_out(texts, budget):
    some = page(*texts)
    text = some.to_text(max_tokens=budget, count=len) if budget > 120 else some.to_text(budget)
    counted = len(text) if budget > 120 else -(-len(text) // 4)
    assert counted <= budget
    whole = [f"[@{m.seq}] Dana, 2026-03-01: " + m.text.replace("\n", "\n  ") for m in some]
    lines = text.split("\n[@")
    there = sum(text.startswith(each) or f"\n{each}" in text for each in whole)
    left = len(some) - there
    assert ("left out for want of room" in lines[-1]) == (left > 0) or not texts
    if left:
        assert f"(left out for want of room: {left}, @" in text


def test_the_passage_of_a_long_text_stands_where_the_whole_has_no_room():
    short, long = Line("@1", "Kim", "The mast is up."), Line("@2", "Kim", "word " * 999, "the keys")
    listing = Listing([long, short], "word", lambda line: line, str)
    assert listing.to_text().count("word") == 999
    assert listing.to_text(40) == "[@2] Kim: … the keys …\n[@1] Kim: The mast is up."
    assert str(listing).splitlines()[1] == "[@2] Kim: … the keys …"


def test_what_answers_in_a_long_message_is_told_within_a_small_budget():
    said = "We walked along the river. " * 200 + "The spare keys lie in the piano stool."
    with Memory.open() as memory:
        memory.remember(said, person="Mara")
        recall = memory.recall("Where are the spare keys?")
        assert "piano stool" in recall.to_text(max_tokens=200)
        assert said in recall.to_text()


def test_a_budget_without_room_for_a_word_is_refused():
    with pytest.raises(InvalidInput, match="max_tokens 2 has no room"):
        page("one", "two").to_text(max_tokens=2)


def test_a_listing_is_a_list():
    listing = Listing(["b", "a"], "word", lambda w: Line(w, "", w), str)
    assert listing == ["b", "a"]
    assert sorted(listing) == ["a", "b"]
    assert str(listing) == "2 words\n[b]: b\n[a]: a"
    assert repr(listing) == "<Listing: 2 words>"
    assert listing.to_dict() == {"items": ["b", "a"]}
    assert listing[1:] == ["a"]
    assert not Listing([], "word", lambda w: Line(w, "", w), str)


def test_everything_that_a_memory_returns_in_numbers_can_be_looked_at():
    with Memory.open() as memory:
        memory.remember("My name is Dana, I live in Oslo.", person="Dana", session="s1", id="m-1")
        memory.remember("I have a dog called Momo.", person="Dana", session="s1")
        memory.enrich()
        recall = memory.recall("Where does Dana live?")
        hit = recall[0]
        assert (hit.person, hit.session, hit.role, hit.address) == ("Dana", "s1", "user", "@1")
        assert hit.at == memory.get("m-1").at
        assert repr(hit).startswith("<Hit 1, @1 'Dana: My name is Dana")
        shown = [recall, memory.list(), memory.people.known(), memory.sessions(), memory.entities()]
        shown += [memory.history("m-1"), memory.chronicle.facts(), memory.resume("Dana")]
        for each in shown:
            assert len(each) == len(list(each)) > 0
            assert each[0] == next(iter(each))
            assert "\n" not in repr(each)
            for text in (str(each), each.to_text(), each.for_prompt(), each.to_json()):
                assert text.strip()
            assert json.loads(each.to_json())
            assert "<table>" in each._repr_html_()
            assert each._repr_markdown_()
