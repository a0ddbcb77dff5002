"""A text that is too long is kept as its beginning, its length and its end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.redaction.cuts import CUT, cut, ends_of, joined_ends


def parts(text: str) -> tuple[str, int, str]:
    note = CUT.search(text)
    assert note is not None
    return text[: note.start()], int(note[1]), text[note.end() :]


def test_a_cut_text_has_its_ends_and_says_how_much_is_gone() -> None:
    assert cut("x" * 50 + "y" * 50, 64) == "x" * 20 + "… [cut 60 characters] …" + "y" * 20


def test_a_text_that_fits_stays() -> None:
    assert cut("x" * 64, 64) == "x" * 64


@given(st.text(max_size=300), st.integers(64, 200), st.integers(64, 200))
def test_a_cut_text_fits_and_cutting_again_adds_up(text: str, most: int, less: int) -> None:
    once = cut(text, most)
    assert len(once) <= most
    assert cut(once, most) == once
    twice = cut(once, less)
    if CUT.search(twice) and not CUT.search(text):
        head, gone, tail = parts(twice)
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len(head) + gone + len(tail) == len(text)


def test_what_earlier_versions_cut_is_cut_further() -> None:
    head, gone, tail = parts(cut("x" * 100 + "… [cut 900 characters]", 80))
    assert (len(head) + gone, tail) == (1000, "")


def test_a_mark_is_kept_whole_or_not_at_all() -> None:
    for most in range(64, 150):
        text = "x" * 30 + "[REDACTED:password]" + "y" * 60 + "[REDACTED:password]" + "z" * 30
        shown = cut(text, most)
        whole = shown.count("[REDACTED:password]")
        assert whole == shown.count("[RED") == shown.count("word]")


def test_of_a_very_long_text_the_ends_are_looked_at_and_more_than_is_kept_of_them() -> None:
    text = "a" * 500_000 + "b" * 500_000
    head, tail = ends_of(text, 1000)
    assert len(head) == len(tail) < 100_000
    kept, gone, end = parts(joined_ends((head, tail), len(text)))
    assert (len(kept), len(end)) == (500, 500)
    assert gone == 999_000
    assert ends_of("short", 1000) == ("short",)
