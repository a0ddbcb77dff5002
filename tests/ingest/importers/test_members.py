"""Members"""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput, MeridiaError, Refused
from meridia.ingest.importers.import_reader import folder_members, is_zip, read, zip_members


def packed(files: dict[str, bytes]) -> io.BytesIO:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writing:
        for name, body in files.items():
            writing.writestr(name, body)
    archive.seek(0)
    return archive


@given(
    st.dictionaries(
        st.text("abc/", min_size=1).filter(lambda p: p.strip("/")), st.binary(), min_size=1
    )
)
def test_an_archive_gives_its_files_as_they_were(files: dict[str, bytes]) -> None:
    files = {"/".join(part for part in path.split("/") if part): b for path, b in files.items()}
    members = {member.path: member.open().read() for member in zip_members(packed(files), "x.zip")}
    assert members == files
    assert is_zip(packed(files).getvalue()[:4])


def test_a_folder_gives_its_files_by_name_and_those_of_archives_in_it(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.txt").write_bytes(b"2")
    (tmp_path / "a.txt").write_bytes(b"1")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_bytes(b"x")
    (tmp_path / "c.zip").write_bytes(packed({"in/three.txt": b"3"}).getvalue())
    (tmp_path / "d").symlink_to("/etc/hostname")
    members = {}
    for member in folder_members(tmp_path):
        members[member.path] = member
        if member.container:
            assert member.open().read() == b"3"
    assert list(members) == ["a.txt", "c.zip/in/three.txt", "d", "b/two.txt"]
    assert members["c.zip/in/three.txt"].container == "c"
    assert (members["b/two.txt"].key, members["d"].problem is None) == ("b/two", False)


def test_a_file_beside_is_read_by_its_path_and_never_from_outside(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"no")
    inside = tmp_path / "in"
    (inside / "deep").mkdir(parents=True)
    (inside / "users.json").write_bytes(b"yes")
    (inside / "deep" / "day.json").write_bytes(b"[]")
    archive = packed({"users.json": b"yes", "deep/day.json": b"[]"})
    for members in (folder_members(inside), zip_members(archive, "x.zip")):
        (day,) = [member for member in members if member.path == "deep/day.json"]
        assert day.beside("../users.json") == b"yes"
        assert day.path_beside("../users.json") == "users.json"
        assert day.beside("../../secret") is None
        assert day.beside("gone.json") is None


@pytest.mark.parametrize("path", ["../up.txt", "/etc/up.txt", "a/../../up.txt", "C:/up.txt"])
def test_a_path_that_leads_out_of_an_archive_is_left_alone_and_named(path: str) -> None:
    good, bad = sorted(
        zip_members(packed({path: b"x", "good.txt": b"y"}), "x.zip"),
        key=lambda member: member.problem is not None,
    )
    assert good.path == "good.txt"
    assert "leads out of the archive" in str(bad.problem)
    with pytest.raises(Refused, match="leads out"):
        bad.open()


def test_an_archive_that_unpacks_to_absurd_sizes_is_refused() -> None:
    with pytest.raises(InvalidInput, match="as zip bombs do"):
        list(zip_members(packed({"a.txt": b" " * 80_000_000}), "x.zip"))


def test_an_encrypted_a_damaged_and_an_office_archive_are_told_apart() -> None:
    body = bytearray(packed({"a.txt": b"hello"}).getvalue())
    at = body.index(b"PK\x01\x02") + 8
    body[at] |= 1
    with pytest.raises(InvalidInput, match="encrypted"):
        list(zip_members(io.BytesIO(body), "x.zip"))
    with pytest.raises(InvalidInput, match="damaged"):
        list(zip_members(io.BytesIO(b"PK\x03\x04rest"), "x.zip"))
    with pytest.raises(InvalidInput, match="office"):
        list(zip_members(packed({"[Content_Types].xml": b"<x/>"}), "x.docx"))


@given(data=st.data())
def test_whatever_befalls_an_archive_it_is_read_or_refused_in_words(data: st.DataObject) -> None:
    archive = io.BytesIO()
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    with zipfile.ZipFile(archive, "w", data.draw(st.sampled_from(methods))) as writing:
        writing.writestr(
            "chats/a.json", json.dumps([{"role": "user", "content": "Kim met us."}] * 9)
        )
        writing.writestr("b.eml", "From: Kim <k@x.example>\nMessage-ID: <a@b>\n\nhello\n")
    body = archive.getvalue()
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(body)))
        end = data.draw(st.integers(start, min(start + 20, len(body))))
        body = body[:start] + data.draw(st.binary(max_size=4)) + body[end:]
    with suppress(MeridiaError):
        list(read(io.BytesIO(body)))


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(InvalidInput, match="cannot be opened: embedded null byte"):
        read(Path("a\0b"))
