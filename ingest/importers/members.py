"""The files of a folder or a zip archive, one after another; nothing is unpacked to disk.

An archive that is encrypted, damaged or unpacks to absurd sizes is refused whole; a file whose
path leads out of it is named and not read. Hidden files, and what links elsewhere, are left out.
"""

from __future__ import annotations

import os
import posixpath
import stat
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, cast

from ...core.errors import InvalidInput, Refused

ZIP_MAGIC = b"PK\x03\x04"
#: Text packs to a tenth; what packs to less than this share is made to fill a disk.
_RATIO_MAX = 200
_BOMB_BYTES = 64 * 1024 * 1024
_MEMBERS_MAX = 1_000_000
_ENCRYPTED = 0x1
#: What the archives that office programs write hold.
_OFFICE = "[Content_Types].xml"
#: What `beside` may hold in memory.
_BESIDE_BYTES_MAX = 64 * 1024 * 1024
#: What systems put beside people's files.
_SYSTEM_FILES = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})


@dataclass(frozen=True, slots=True)
class Member:
    """One file: its path from the top with `/`, and how to open it, or why it cannot be read.

    `beside` reads another file of the same folder or archive by its path from this file's folder.
    """

    path: str
    size: int
    open: Callable[[], BinaryIO]
    beside: Callable[[str], bytes | None]
    problem: str | None = None
    container: str | None = None

    @property
    def key(self) -> str:
        """The path without its suffix: what a session without a name of its own is called."""
        return str(PurePosixPath(self.path).with_suffix(""))

    def path_beside(self, relative: str) -> str:
        """Return the path of a file that `beside` reads."""
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.path), relative))


def is_zip(head: bytes) -> bool:
    """Whether content begins as a zip archive does."""
    return head.startswith(ZIP_MAGIC)


def folder_members(folder: Path) -> Iterator[Member]:
    """Yield the files of a folder and of all folders in it, by name; archives with their files."""
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        for name in sorted(names):
            if _is_hidden(name):
                continue
            path = Path(top, name)
            relative = path.relative_to(folder).as_posix()
            about = path.lstat()
            if not stat.S_ISREG(about.st_mode):
                yield _unread(relative, "is a link or a device: name the file itself")
                continue
            beside = partial(_beside_in_folder, folder, relative)
            member = Member(relative, about.st_size, partial(_open, path), beside)
            yield from _expanded(member)


def zip_members(file: BinaryIO, name: str) -> Iterator[Member]:
    """Yield the files of a zip archive in its order. `InvalidInput` where it is refused whole."""
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InvalidInput(f"is a damaged zip archive ({error}): create it again") from None
    infos = [info for info in archive.infolist() if not info.is_dir()]
    if any(info.filename == _OFFICE for info in infos):
        raise InvalidInput("is a document of an office program: save it as text or CSV")
    _check_archive(infos)
    container = PurePosixPath(name).stem
    for info in sorted(infos, key=_order):
        parts = PurePosixPath(info.filename.replace("\\", "/")).parts
        if any(_is_hidden(name) for name in parts if name != ".."):
            continue
        if ".." in parts or info.filename.startswith(("/", "\\")) or ":" in parts[0]:
            yield _unread(info.filename, "has a path that leads out of the archive: left alone")
            continue
        opener = cast("Callable[[], BinaryIO]", partial(_open_packed, archive, info))
        path = posixpath.join(*parts)
        beside = partial(_beside_in_archive, archive, path)
        yield Member(path, info.file_size, opener, beside, container=container)


def _expanded(member: Member) -> Iterator[Member]:
    """Yield a file, or the files of an archive; one in an archive is not looked into."""
    try:
        with member.open() as file:
            packed = is_zip(file.read(len(ZIP_MAGIC)))
    except Refused as error:
        yield _unread(member.path, str(error))
        return
    if not packed:
        yield member
        return
    try:
        with member.open() as archive:
            for inner in zip_members(archive, member.path):
                yield replace(inner, path=f"{member.path}/{inner.path}")
    except InvalidInput as error:
        yield _unread(member.path, str(error))


def _order(info: zipfile.ZipInfo) -> list[tuple[bool, str]]:
    """Return what sorts files as a walk through folders does: those of a folder before deeper."""
    *folders, name = info.filename.split("/")
    return [*((True, folder) for folder in folders), (False, name)]


def _check_archive(infos: list[zipfile.ZipInfo]) -> None:
    if any(info.flag_bits & _ENCRYPTED for info in infos):
        raise InvalidInput("is an encrypted zip archive: unpack it, and import the folder")
    packed, size = (sum(getattr(i, n) for i in infos) for n in ("compress_size", "file_size"))
    if len(infos) > _MEMBERS_MAX or (size > _BOMB_BYTES and size > packed * _RATIO_MAX):
        raise InvalidInput(
            f"is a zip archive of {packed:,} bytes that would unpack to {size:,} bytes in "
            f"{len(infos):,} files, as zip bombs do: unpack it yourself if you trust it"
        )


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise Refused(f"may not be read ({error.strerror}): check its permissions") from None


def _open_packed(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    try:
        return archive.open(info)
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError) as error:
        raise Refused(f"cannot be unpacked ({error})") from None


def _beside(path: str, relative: str) -> str | None:
    """Return where a path leads from the folder of another, if it stays inside."""
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))
    return None if joined.startswith(("..", "/")) else joined


def _beside_in_folder(folder: Path, path: str, relative: str) -> bytes | None:
    if (inside := _beside(path, relative)) is None:
        return None
    file = folder / inside
    if file.is_symlink() or not file.is_file() or file.stat().st_size > _BESIDE_BYTES_MAX:
        return None
    try:
        return file.read_bytes()
    except OSError:
        return None


def _beside_in_archive(archive: zipfile.ZipFile, path: str, relative: str) -> bytes | None:
    try:
        info = archive.getinfo(_beside(path, relative) or "")
        return archive.read(info) if info.file_size <= _BESIDE_BYTES_MAX else None
    except (KeyError, zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError):
        return None


def _unread(path: str, problem: str) -> Member:
    def refuse() -> BinaryIO:
        raise Refused(problem)

    return Member(path, 0, refuse, lambda _: None, problem)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name in _SYSTEM_FILES
