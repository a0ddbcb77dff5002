from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.redaction.scanner import unescape


def test_escapes_are_undone() -> None:
    for text, expected in [
        (r"a\"b\\\"c", 'a"b"c'), (r"a\nb\tc", "a\nb\tc"), ("a\\\n  b", "ab"), (r"\u0041\x42", "AB"),
        ("a%3Db", "a=b"), ("a=3Db", "a=b"), ("x" * 70 + "=\ny", "x" * 70 + "y"),
        ("&quot;a&#39;&#x41;&amp;", "\"a'A&"), ("\x1b[1;31ma\x1b[0mb", "ab"),
        (r"\u001b[31ma", "a"), ("'a' + 'b'", "'ab'"), ('"a"\n  "b"', '"ab"'), ("a\u200bb", "ab"),
    ]:  # fmt: skip
        view = unescape(text)
        assert view is not None
        assert view.text == expected


def test_what_has_no_escapes_has_no_view() -> None:
    for text in ["plain", "don't", '"a", "b"', "5 % off", "a & b", "C:", "é", ""]:
        assert unescape(text) is None


def test_a_span_of_the_view_leads_to_what_it_was_read_from() -> None:
    text = r"x\"\u0041bc\"y"
    view = unescape(text)
    assert view is not None
    assert view.text == 'x"Abc"y'
    start, end = view.span(2, 5)
    assert text[start:end] == r"\u0041bc"


@given(st.text(alphabet="ab\\\"'nu0041%&x=\n+ ;\x1b[m", max_size=60))
def test_every_span_of_a_view_lies_within_the_text_in_order(text: str) -> None:
    view = unescape(text)
    if view is not None:
        ends = [0]
        for at in range(len(view.text)):
            start, end = view.span(at, at + 1)
            assert ends[-1] <= start < end <= len(text)
            ends.append(end)
