"""Csv table"""

from __future__ import annotations

import csv
import io
import json
import random

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


# JSON of messages and notes that no program we know has written

SAID = [("Odile", "The pump leaks, again."), ("Bastien", "Then I bring a seal."), ("Odile", "Do!")]
TEXTS = ["text", "message", "body", "content", "msg", "comment", "Nachricht", "full_text"]
PEOPLE = ["author", "sender", "from", "user", "username", "Absender", "createdBy", "nick"]
TIMES = ["timestamp", "created_at", "sentAt", "ts", "originServerTs", "postedDateTime", "date"]
WRITERS = {
    "seconds": lambda at: at,
    "thousandths": lambda at: at * 1000,
    "text": lambda at: f"2026-03-01T09:00:{at % 60:02d}Z",
}


def drawn(seed: int) -> tuple[object, list[tuple[str, str]]]:
    """Return what some program may have written of a talk, and who says what in it."""
    draw = random.Random(seed)
    text, person, time = (draw.choice(names) for names in (TEXTS, PEOPLE, TIMES))
    person = "sender" if person == "nick" else person
    deep_text, deep_person = draw.random() < 0.4, draw.random() < 0.4
    at = draw.choice(list(WRITERS.values()))
    items = []
    for second, (who, words) in enumerate(SAID):
        item = {
            "id": draw.choice([second, f"m-{second}"]),
            person: {draw.choice(["name", "login", "displayName"]): who} if deep_person else who,
            text: {"type": "plain", "body": words} if deep_text else words,
            time: at(1772355600 + second),
            "reactions": [],
            "edited": None,
        }
        items.append(dict(draw.sample(list(item.items()), len(item))))
    wrapped = {"version": 2, "room": {"name": "dock"}, "log": {"entries": items}}
    return draw.choice([items, wrapped]), SAID


@pytest.mark.parametrize("seed", range(100))
def test_whatever_its_fields_are_called_a_message_keeps_its_words_its_person_and_its_time(
    seed: int,
) -> None:
    value, said = drawn(seed)
    events = [record.event for record in read(io.BytesIO(json.dumps(value).encode()))]
    assert [(each.person, each.payload["text"]) for each in events if each] == said
    times = [str(each.ts) for each in events if each]
    assert times == [f"2026-03-01 09:00:0{second}+00:00" for second in range(3)]


def test_comments_within_an_issue_are_of_its_session() -> None:
    issue = {
        "title": "The pump leaks",
        "author": {"login": "odile"},
        "createdAt": "2026-03-01T09:00:00Z",
        "body": "Again.",
        "labels": [{"name": "bug"}],
        "comments": [
            {"author": {"login": "bo"}, "body": "A seal?", "createdAt": "2026-03-02T09:00:00Z"}
        ],
    }
    events = [record.event for record in read(io.BytesIO(json.dumps(issue).encode()))]
    assert [(each.person, each.payload["text"]) for each in events if each] == [
        ("odile", "The pump leaks\nAgain."),
        ("bo", "A seal?"),
    ]
    assert len({str(each.session) for each in events}) == 1


def test_a_note_has_its_title_its_list_and_no_speaker() -> None:
    note = {"title": "Dock", "listContent": [{"text": "rope"}, {"text": "seal"}], "createdTs": 1e9}
    gone = {"title": "Old", "text": "thrown away", "createdTs": 1e9, "isTrashed": True}
    records = list(read(io.BytesIO(json.dumps([note, gone]).encode())))
    (event,) = [record.event for record in records]
    assert event is not None
    assert (event.kind.value, event.person) == ("manual_ingest", None)
    assert event.payload == {"text": "Dock\nrope\nseal"}


@pytest.mark.parametrize(
    "fields",
    [
        {"time": "2026-03-01T09:00:00Z", "level": "info", "msg": "started", "user": "root"},
        {"name": "pump", "version": "1.2", "date": "2026-03-01"},
        {"name": "Odile", "email": "odile@example.org", "created_at": "2026-03-01"},
        {"title": "Pump", "price": 3, "text": "a pump"},
        {"user": "odile", "text": "nobody says when"},
        {"text": "x", "value": 3, "expires_at": "2026-03-01"},
    ],
)
def test_logs_and_records_are_no_messages(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        detect(json.dumps([fields, fields]).encode())
