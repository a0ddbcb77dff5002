"""Facts in lines: each once, with the memories of those that it covers."""

import pytest

from meridia.retrieval.packs.layout import SectionTitle
from tests.retrieval.packs.pack_samples import opened, say


def _facts(*statements: str, cited: bool = False) -> str:
    with opened() as memory:
        for day, statement in enumerate(statements):
            say(memory, statement, "Gil", f"s{day}", day=day + 1)
        pack = memory.resume("Gil")
        return pack.text if cited else "\n".join(pack.lines(SectionTitle.FACTS))


@pytest.mark.parametrize(
    ("statements", "told", "covered"),
    [
        (
            ["I own a shop.", "I own an online shop.", "I own an online yarn shop."],
            "owns an online yarn shop",
            ["owns a shop", "owns an online shop;"],
        ),
        (["I love pottery.", "I love pottery classes."], "likes pottery", ["pottery classes"]),
        (
            ["I lost my job at Tide & Co.", "I lost my job."],
            "lost their job at Tide & Co",
            ["lost their job;"],
        ),
    ],
)
def test_row_37_the_same_fact_is_told_once(statements, told, covered):
    line = _facts(*statements)
    assert told in line
    assert not [words for words in covered if words in line]


def test_what_covers_another_fact_cites_both():
    text = _facts("I own a shop.", "I own an online shop.", cited=True)
    assert "owns an online shop [meridia://@2 @1]" in text


def test_two_events_are_two_and_so_are_two_tastes():
    line = _facts("I went to a pride parade.", "I went to a film festival.", "I love jazz.")
    assert "parade" in line
    assert "festival" in line
    assert "jazz" in line
