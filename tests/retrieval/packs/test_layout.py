"""How a pack is written: lines that cite, in two shapes."""

from meridia.retrieval.packs.layout import (
    PackItem,
    PackLine,
    PackSection,
    SectionTitle,
    cited,
    estimate_tokens,
    render_pack,
)
from meridia.retrieval.packs.modes import PackFormat
from tests.retrieval.packs.pack_samples import opened, say


def test_a_line_cites_in_full_once_and_short_after_that():
    with opened() as memory:
        say(memory, "One.")
        say(memory, "Two.")
        one, two = memory.get("e0"), memory.get("e1")
    line = PackLine((PackItem("first", (one, two)), PackItem("second", (two,))), "Dana")
    sections = [PackSection(SectionTitle.HISTORY, (line,)), PackSection(SectionTitle.NEXT, ())]
    text = render_pack("Title", sections, PackFormat.STRUCTURED)
    told = f"Dana: first [meridia://@{one.seq} @{two.seq}]; second [@{two.seq}]"
    assert text == f"# Title\n\n## History\n- {told}\n"
    assert (
        render_pack("T", sections, PackFormat.NARRATIVE)
        == f"# T\n\nWhat was said and done. {told}\n"
    )
    assert [memory.event_id for memory in cited(sections)] == ["e0", "e1"]


def test_what_was_said_cannot_pass_for_a_citation_or_a_heading():
    with opened() as memory:
        say(memory, "One.")
        one = memory.get("e0")
    line = PackLine((PackItem("see meridia://@77 [@78]\n# head", (one,)),))
    text = render_pack("T", [PackSection(SectionTitle.HISTORY, (line,))], PackFormat.STRUCTURED)
    assert text.count("meridia://") == 1
    assert "[@78]" not in text
    assert len(text.splitlines()) == 4


def test_a_token_is_four_characters_rounded_up():
    assert [estimate_tokens(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
