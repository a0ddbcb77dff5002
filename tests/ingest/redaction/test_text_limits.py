from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.redaction.sanitise import bounded
from meridia.ingest.redaction.scanner import cut


def test_a_cut_text_says_how_much_is_gone() -> None:
    assert cut("x" * 100, 64) == "x" * 42 + "… [cut 58 characters]"


def test_a_text_that_fits_stays() -> None:
    assert cut("x" * 64, 64) == "x" * 64


@given(st.text(max_size=300), st.integers(64, 200), st.integers(64, 200))
def test_a_cut_text_fits_and_cutting_again_adds_up(text: str, most: int, less: int) -> None:
    once = cut(text, most)
    assert len(once) <= most
    assert cut(once, most) == once
    twice = cut(once, less)
    if twice != once:
        start, _, rest = twice.rpartition("… [cut ")
        assert text.startswith(start)
        assert len(start) + int(rest.split()[0]) == len(text)


def test_a_mark_is_kept_whole_or_not_at_all() -> None:
    for most in range(64, 110):
        text = "x" * 50 + "[REDACTED:password]" + "y" * 60
        shown = cut(text, most)
        assert shown.count("[REDACTED:password]") == shown.count("[RED")


def test_each_text_or_all_of_them_are_held_to_a_limit() -> None:
    value = {"a": "x" * 100, "b": ["y" * 200, 5, "z" * 10], "c": None}
    each, cut_each = bounded(value, 80, each=True)
    assert [len(each["a"]), len(each["b"][0]), cut_each] == [79, 80, 2]
    total, cut_total = bounded(value, 150, each=False)
    assert total == {
        "a": "x" * 100,
        "b": ["y" * 28 + "… [cut 172 characters]", 5, "z" * 10],
        "c": None,
    }
    assert cut_total == 1
