from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.encodings import Utf16Reader
from meridia.ingest.importers.import_reader import read
from meridia.ingest.importers.import_record import ImportSource


@given(st.text(st.characters(exclude_categories=["Cs"])), st.booleans(), st.integers(2, 40))
def test_a_text_in_utf_16_is_read_whole_wherever_it_is_cut(
    text: str, big: bool, begun: int
) -> None:
    body = ("\ufeff" + text).encode("utf-16-be" if big else "utf-16-le")
    reader = Utf16Reader(body[:begun], io.BytesIO(body[begun:]))
    assert reader.read().decode("utf-8") == text


def test_what_is_no_utf_16_costs_one_sign() -> None:
    reader = Utf16Reader(b"\xff\xfea\0", io.BytesIO(b"\x3d\xd8b\0"))
    assert reader.read().decode("utf-8") == "a�b"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_events_in_utf_16_are_read_and_it_is_told(encoding: str) -> None:
    line = '{"kind": "user_message", "payload": {"text": "Zażółć 🎻"}}\n'
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    records = read(io.BytesIO((mark + line * 3000).encode(encoding)))
    events = [record.event for record in records]
    assert [event and event.payload["text"] for event in events] == ["Zażółć 🎻"] * 3000
    assert any("UTF-16" in line for line in records.report.lines())


def test_lines_are_those_of_the_text() -> None:
    source = ImportSource(io.BytesIO("one\u2028more\ntwo\n".encode("utf-16")), "x")
    assert source.readline(100).decode("utf-8") == "one\u2028more\n"
    assert source.readline(100) == b"two\n"
