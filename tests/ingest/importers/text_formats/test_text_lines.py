from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.import_record import ImportSource
from meridia.ingest.importers.text_formats.text_lines import text_lines


@given(st.lists(st.text("ab ", max_size=9)), st.sampled_from(["\n", "\r\n"]))
def test_every_line_has_its_number_and_no_end(lines: list[str], end: str) -> None:
    source = ImportSource(io.BytesIO("".join(line + end for line in lines).encode()), "x")
    assert list(text_lines(source)) == list(enumerate(lines, 1))


def test_a_long_line_comes_in_pieces_of_one_number_and_bad_bytes_are_marked() -> None:
    source = ImportSource(io.BytesIO(b"abcdef\n\xff\n"), "x")
    source.bytes_max = 4
    assert list(text_lines(source)) == [(1, "abcd"), (1, "ef"), (2, "\ufffd")]
