from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.ingest.importers.import_options import ImportOptions
from meridia.ingest.importers.import_reader import read
from meridia.ingest.importers.import_record import ImportRecord
from tests.ingest.importers.samples import DATA

CELLS = st.text("ab,;\"'\n é", min_size=1).filter(str.strip)


def records(text: str, **mapping: str) -> list[ImportRecord]:
    options = ImportOptions(mapping=mapping)
    return list(read(io.BytesIO(text.encode()), "csv", options=options))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@given(texts=st.lists(CELLS))
def test_every_row_is_a_message_whatever_stands_in_it(delimiter: str, texts: list[str]) -> None:
    written = io.StringIO()
    writer = csv.writer(written, delimiter=delimiter)
    writer.writerows([["speaker", "text"], *(["Dana", text] for text in texts)])
    events = [record.event for record in records(written.getvalue())]
    assert [event and event.payload["text"] for event in events] == texts


def test_columns_and_names_are_mapped_and_what_is_left_is_metadata() -> None:
    mapping = {"said": "text", "who": "person", "when": "at", "helper": "assistant"}
    first, second, bad_time, too_long = read(
        DATA / "table.csv", options=ImportOptions(mapping=mapping)
    )
    assert first.event is not None
    assert second.event is not None
    assert first.event.payload == {"text": "The pump leaks,\nagain."}
    assert (first.event.id, first.event.person) == ("m1", "Odile")
    assert first.event.session is not None
    assert first.event.session.key == "dock"
    assert first.event.metadata == {"csv": {"mood": "cross"}}
    assert (second.event.kind.value, second.event.person) == ("assistant_message", None)
    assert str(second.event.ts) == "2026-03-01 10:02:00+00:00"
    assert "'soon' is not a time" in str(bad_time.problem)
    assert "has 7 values, but the first row names 6 columns" in str(too_long.problem)


def test_a_table_without_a_column_for_the_text_says_which_there_are() -> None:
    (record,) = records("who,said\nDana,hi\n")
    assert "no column is known as text, of who, said: name it with --map" in str(record.problem)


def test_a_field_or_role_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'said' cannot be mapped to 'words'"):
        records("said\nhi\n", said="words")
