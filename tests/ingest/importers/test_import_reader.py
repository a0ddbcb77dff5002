"""Import reader"""

from __future__ import annotations

import io
import json
import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from meridia.core.errors import InvalidInput
from meridia.ingest.importers.import_options import ImportOptions
from meridia.ingest.importers.import_reader import read
from tests.ingest.importers.samples import DATA

CHAT = json.dumps({"messages": [{"role": "user", "content": "The heron is back."}]})


def mixed(folder: Path) -> Path:
    """Make a folder of several formats, with files that nothing can be made of."""
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "chat.json").write_text(CHAT)
    (folder / "events.jsonl").write_text('{"kind": "user_message", "payload": {"text": "Hi"}}\n')
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    (folder / "other.json").write_text('{"some": "thing"}')
    return folder


def texts(reading: object) -> list[str]:
    return [record.event.payload["text"] for record in reading if record.event]  # type: ignore[attr-defined]


def test_a_folder_is_read_file_by_file_and_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with read(mixed(tmp_path / "x")) as reading:
        assert texts(reading) == ["Hi", "The heron is back."]
    report = reading.report
    assert dict(report.read_as) == {"Meridia events": 1, "OpenAI chat": 1}
    assert [line.partition(" ")[0] for line in report.unread] == ["other.json", "photo.jpg"]
    assert report.no_time == 2
    assert reading.unmatched == frozenset()


def test_an_archive_gives_the_events_of_its_folder_whether_file_or_stream(tmp_path: Path) -> None:
    folder = mixed(tmp_path / "x")
    archive = tmp_path / "x.zip"
    with zipfile.ZipFile(archive, "w") as writing:
        for file in folder.rglob("*.*"):
            writing.write(file, file.relative_to(folder))
    unpacked = [record.event for record in read(folder)]
    assert [record.event for record in read(archive)] == unpacked

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    assert [record.event for record in read(Pipe(archive.read_bytes()))] == unpacked


def test_where_nothing_can_be_read_the_input_is_refused_with_the_reasons(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.raises(InvalidInput, match=r"nothing could be read: photo\.jpg is a picture"):
        list(read(tmp_path))


def test_files_of_one_name_in_several_folders_are_sessions_of_their_own(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "chat.json").write_text(CHAT)
    sessions = [record.event and record.event.session for record in read(tmp_path)]
    assert [session and session.key for session in sessions] == ["a/chat", "b/chat"]


def test_what_a_format_leaves_out_is_counted_and_no_record() -> None:
    with read(DATA / "chatgpt.json") as reading:
        assert all(record.event or record.problem for record in reading)
    assert reading.report.skipped["messages on other branches"] > 0


def test_a_named_format_is_read_as_it_comes_whatever_its_first_line() -> None:
    receiving, sending = os.pipe()
    os.write(sending, b"torn\n")
    with os.fdopen(receiving, "rb") as stream:
        assert "is not JSON" in str(next(read(stream, "native")).problem)
        os.close(sending)


@pytest.mark.parametrize("format_name", [None, "native"])
def test_lines_may_end_as_they_did_on_old_systems(format_name: str | None) -> None:
    said = [json.dumps({"kind": "user_message", "payload": {"text": text}}) for text in "ab"]
    with read(io.BytesIO("\r".join(said).encode()), format_name) as reading:
        assert [r.event.payload["text"] for r in reading if r.event] == ["a", "b"]


def test_what_has_no_time_is_counted_though_the_user_says_one() -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    with read(io.BytesIO(CHAT.encode()), options=ImportOptions(at=at)) as reading:
        (record,) = reading
    assert record.event is not None
    assert record.event.ts == at
    assert reading.report.no_time == 1
