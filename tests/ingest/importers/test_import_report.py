"""Import report"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from meridia.core.events import parse_event
from meridia.ingest.importers.import_record import ImportRecord, reject, skip
from meridia.ingest.importers.import_report import ImportReport


def said(person: str | None, day: int | None = None, kind: str = "user_message") -> ImportRecord:
    ts: dict[str, Any] = {"ts": datetime(2026, 3, day, tzinfo=UTC)} if day else {}
    whose = {"person": person} if person else {}
    event = {"kind": kind, "payload": {"text": "x"}, **ts, **whose}
    return ImportRecord("a line 1", parse_event(event), None)


def report(*records: ImportRecord, **fields: Any) -> ImportReport:
    account = ImportReport("a", **fields)
    account.read_as["WhatsApp (German)"] = 1
    for record in records:
        account.count(record)
    return account


def test_the_headline_counts_everything_once() -> None:
    account = report(
        *(said("Dana", 2), said("Kim", 1), said("Kim"), said(None, kind="assistant_message")),
        *(skip("a", "system lines", 3), skip("a", "media omitted"), reject("a line 9", "bad")),
    )
    account.add_unread("photo.jpg", "is a picture")
    assert account.headline() == (
        "read as: WhatsApp (German); 4 messages by 2 people; "
        "skipped: 3 system lines, 1 media omitted; refused: 1; not read: 1 file; no time: 0"
    )
    assert (account.total, account.people) == (4, 2)
    assert [at and at.day for at in (account.first, account.last)] == [1, 2]
    assert account.lines()[1:] == ["not read: photo.jpg is a picture"]


def test_one_thing_left_out_is_no_plural() -> None:
    left_out = [skip("a", what) for what in ("empty messages", "lines of bookkeeping")]
    assert "skipped: 1 empty message, 1 line of bookkeeping;" in report(*left_out).headline()


def test_what_has_no_time_is_said_with_the_time_that_stands_for_it() -> None:
    assert report(no_time=1).lines()[1:] == [
        "1 message has no time: taken as now (--at TIME sets it)"
    ]
    given = report(no_time=1200, at=datetime(2026, 3, 1, tzinfo=UTC)).lines()[1]
    assert given.startswith("1,200 messages have no time: taken as 2026-03-01T00:00:00")


def test_a_remark_is_made_once_and_thousands_of_unread_files_are_counted() -> None:
    account = report()
    for number in range(150):
        account.add_remark("times are taken as UTC")
        account.add_unread(f"{number}.jpg", "is a picture")
    lines = account.lines()
    assert lines[1] == "times are taken as UTC"
    assert lines[-1] == "not read: 50 more"
    assert len(lines) == 103


def test_the_account_as_json_has_the_user_without_a_name_apart() -> None:
    document = report(said("Dana", 1), said(None), said(None)).as_json()
    assert (document["people"], document["unnamed"]) == ({"Dana": 1}, 2)
    assert document["first"] == document["last"]
    assert str(document["first"]).startswith("2026-03-01")


def test_a_secret_in_the_place_of_a_name_is_not_told() -> None:
    token = "ghp_" + "q8Zr3TbN5mWx7Kc2Vd9LpYs4Hj6Fg1Ea0UoI"
    assert not any(token in name for name in report(said(token)).as_json()["people"])
