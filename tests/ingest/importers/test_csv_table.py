"""Csv table"""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.ingest.importers.format_detection import detect
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


@given(
    st.permutations(["who", "what", "when"]),
    st.lists(st.sampled_from(["Ann", "Bo", "Cy Roe"]), min_size=2, max_size=9),
    st.sampled_from(",;\t|"),
    st.sampled_from(["2026-03-{:02}T10:00:00Z", "{:02}.03.2026 10:00", "{:02}/03/2026 10:00"]),
)
def test_columns_of_any_name_and_order_are_told_by_what_they_hold(order, names, mark, time) -> None:
    names = [*names, *set(names), "Ann", "Bo", "Ann"]
    rows = [{"who": name, "what": f"Look at the {n}. boat of the day!", "when": time.format(n)}
            for n, name in enumerate(names, 1)]  # fmt: skip
    titles = {"who": "col 1", "what": "col 2", "when": "col 3"}
    lines = [mark.join(titles[c] for c in order)] + [mark.join(r[c] for c in order) for r in rows]
    text = "\n".join(lines)
    assert detect(text.encode()) == "csv"
    events = [record.event for record in records(text)]
    assert [e and (e.person, e.payload["text"], e.ts and e.ts.day) for e in events] == [
        (row["who"], row["what"], n) for n, row in enumerate(rows, 1)
    ]


@pytest.mark.parametrize(
    "table",
    ["id,price\n1,2.5\n2,3\n", "city,day,note\nRome,2026-03-01,a b c\nOslo,2026-03-02,d e f\n"],
)
def test_a_table_in_which_nobody_speaks_again_is_no_chat(table: str) -> None:
    with pytest.raises(InvalidInput, match="no known format"):
        detect(table.encode())


def test_what_a_row_lacks_at_its_end_is_empty() -> None:
    (record,) = records("person,text,session\nAnn,The fence fell.\n")
    assert record.event is not None
    assert (record.event.person, record.event.payload["text"]) == ("Ann", "The fence fell.")


@pytest.mark.parametrize(
    ("dates", "months"),
    [
        (("3/1/2026 9:05 AM", "3/2/2026 9:05 PM"), (3, 3)),
        (("3/1/2026 9:05", "13/1/2026 9:05"), (1, 1)),
        (("30/1/2026", "1/2/2026"), (1, 2)),
    ],
)
def test_the_whole_column_says_whether_days_or_months_come_first(
    dates: tuple[str, str], months: tuple[int, int]
) -> None:
    events = [r.event for r in records("who,text,date\n" + "".join(f"Ann,hi,{d}\n" for d in dates))]
    assert tuple(event and event.ts and event.ts.month for event in events) == months
