"""What `meridia import --dry-run` counts."""

from __future__ import annotations

from datetime import UTC, datetime

from meridia.cli.commands.importing import preview, show_preview
from meridia.core.events import parse_event
from meridia.core.types import Space
from meridia.ingest.importers.import_record import ImportRecord, reject


def record(text, day=None, **fields):
    at = {"ts": datetime(2026, 3, day, tzinfo=UTC)} if day else {}
    event = {"kind": "user_message", "payload": {"text": text}, **at, **fields}
    return ImportRecord("a line 1", parse_event(event), None, fields.get("space"))


def test_each_speaker_is_a_row_with_the_period_and_first_words():
    records = [record("one\n two", 3, person="Dana"), record("two", 1, person="Dana"), record("x")]
    rows, problems, examples = preview(
        "a", [*records, reject("a line 4", "bad")], lambda _: Space("s")
    )
    assert problems == ["a line 4: bad"]
    assert [event.payload["text"] for event in examples] == ["one\n two", "two", "x"]
    assert [(row.who, row.events, row.example) for row in rows] == [
        ("Dana", 2, "one two"),
        (None, 1, "x"),
    ]
    assert rows[0].as_json()["first"].startswith("2026-03-01")
    assert rows[0].as_json()["last"].startswith("2026-03-03")


def test_nothing_is_a_table_of_nothing(capsys):
    show_preview([])
    assert capsys.readouterr().out == "dry run: 0 events would go in; nothing was stored\n"
