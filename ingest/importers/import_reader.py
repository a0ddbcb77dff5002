"""The one way to read any input: a file, a folder, a zip archive or a stream, in any known format.

Each file is read as what its content is. What a format leaves out on purpose goes to the report;
what it refuses is a record, and keeps nothing else out.

The files of a folder or a zip archive, one after another; nothing is unpacked to disk.

An archive that is encrypted, damaged or unpacks to absurd sizes is refused whole; a file whose
path leads out of it is named and not read. Hidden files, and what links elsewhere, are left out.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, Self, cast

from ...core.errors import InvalidInput, NotFound, Refused, Unavailable
from .format_detection import DETECTABLE, FORMATS, detect, detect_inside, formats
from .import_options import FIELDS, ROLES, ImportOptions, apply_options, name_users
from .import_record import UNREADABLE, ImportFormat, ImportRecord, ImportSource, refusing
from .import_report import ImportReport
from .json_pieces import list_lines

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
    unread: list[OSError] = []
    for top, folders, names in os.walk(folder, onerror=unread.append):
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        for name in sorted(names):
            if _is_hidden(name):
                continue
            path = Path(top, name)
            relative = path.relative_to(folder).as_posix()
            try:
                about = path.lstat()
            except OSError as error:
                unread.append(error)
                continue
            if not stat.S_ISREG(about.st_mode):
                yield _unread(relative, "is a link or a device: name the file itself")
                continue
            beside = partial(_beside_in_folder, folder, relative)
            member = Member(relative, about.st_size, partial(_open_binary, path), beside)
            yield from _expanded(member)
    for failed in unread:
        yield _unread(os.path.relpath(failed.filename, folder), _denied(failed))


def zip_members(file: BinaryIO, name: str) -> Iterator[Member]:
    """Yield the files of a zip archive in its order. `InvalidInput` where it is refused whole."""
    try:
        archive = zipfile.ZipFile(file)
    except UNREADABLE as error:
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
    except (Refused, OSError) as error:
        yield _unread(member.path, _denied(error) if isinstance(error, OSError) else str(error))
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


def _open_binary(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise Refused(_denied(error)) from None


def _denied(error: OSError) -> str:
    return f"may not be read ({error.strerror}): check its permissions"


def _open_packed(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    try:
        return archive.open(info)
    except UNREADABLE as error:
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
    with suppress(KeyError, *UNREADABLE):
        info = archive.getinfo(_beside(path, relative) or "")
        return archive.read(info) if info.file_size <= _BESIDE_BYTES_MAX else None
    return None


def _unread(path: str, problem: str) -> Member:
    def refuse() -> BinaryIO:
        raise Refused(problem)

    return Member(path, 0, refuse, lambda _: None, problem)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name in _SYSTEM_FILES


_DOCUMENTS = ("markdown", "document")
#: As much as tells an archive from all else; a pipe may give no more for now.
_ZIP_OR_NOT = re.compile(rb"[^P]|P[^K]|PK..", re.DOTALL)
#: Where the first line ends, in a file of whatever system.
_FIRST_LINE = re.compile(rb"[^\r\n]*(?:\n|\r.)", re.DOTALL)
_Opened = tuple[ImportSource, ImportFormat]


@dataclass(slots=True)
class ImportReader:
    """An iterator over records that knows how far it is, for a progress bar.

    `report` is complete when the last record is read. `bytes_total` is None where the size is not
    known, such as for a pipe. A file is closed at its end, by `close`, or by leaving a `with`
    block; a stream handed in is left open.
    """

    name: str
    format: str
    report: ImportReport
    bytes_total: int | None
    _opened: Iterator[_Opened]
    _options: ImportOptions
    _is_single: bool = False
    _source: ImportSource | None = None
    _archive: ImportSource | None = None
    _bytes_before: int = 0
    _matched: set[str] = field(default_factory=set)
    _records: Iterator[ImportRecord] = field(init=False)

    def __post_init__(self) -> None:
        self._records = self._read()

    @property
    def bytes_read(self) -> int:
        """How many bytes are consumed so far."""
        return self._bytes_before + (self._source.bytes_read if self._source else 0)

    @property
    def unmatched(self) -> frozenset[str]:
        """What the user mapped and the input, as far as it is read, does not hold."""
        return frozenset(self._options.mapping) - self._matched

    def close(self) -> None:
        """Close the files that this reading opened."""
        for source in (self._source, self._archive):
            if source is not None:
                source.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> ImportRecord:
        for record in self._records:
            self.report.count(record)
            if record.skipped is None:
                return record
        self.close()
        raise StopIteration

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> Iterator[ImportRecord]:
        for source, entry in self._opened:
            self._source = source
            source.mapping, source.matched = self._options.mapping, self._matched
            try:
                yield from self._records_of(source, entry)
            except Unavailable as error:
                if self._is_single:
                    raise
                self.report.add_unread(source.name, f"is damaged: {error}")
            variant = f" ({source.variant})" if source.variant else ""
            self.report.read_as[f"{entry.title}{variant}"] += 1
            for remark in source.remarks:
                self.report.add_remark(remark)
            if not self._is_single:
                self._bytes_before += source.bytes_read
                source.close()
                self._source = None
        if not (self._is_single or self.report.read_as):
            why = "; ".join(self.report.unread[:3]) or "it holds no file"
            raise InvalidInput(f"{self.name}: nothing could be read: {why}")

    def _records_of(self, source: ImportSource, entry: ImportFormat) -> Iterator[ImportRecord]:
        records = self._without_time(refusing(source.name, entry.read(source)))
        if self._options != ImportOptions():
            records = apply_options(records, self._options, source.matched)
        # Events in the native form name people themselves, and may be read as they are written.
        return records if entry.name == "native" else name_users(records)

    def _without_time(self, records: Iterable[ImportRecord]) -> Iterator[ImportRecord]:
        for record in records:
            self.report.no_time += record.event is not None and record.event.ts is None
            yield record


def read(
    origin: Path | BinaryIO,
    format_name: str | None = None,
    options: ImportOptions | None = None,
) -> ImportReader:
    """Open a file, a folder, an archive or a binary stream, and return its records.

    Without the name of a format, the content of each file says it. Raises at once `NotFound` or
    `Refused` for what cannot be opened, and `InvalidInput` for a file in no known format; for a
    folder or archive of which nothing can be read, at its end. After that, bad content only gives
    refusals.
    """
    if format_name is not None and format_name not in formats():
        raise InvalidInput(f"format {format_name!r} is not known: use {', '.join(formats())}")
    options = options or ImportOptions()
    format_of = partial(_format_of, format_name, options)
    if isinstance(origin, Path) and os.path.isdir(origin):  # noqa: PTH112 - any name is no error
        report = ImportReport(origin.name or str(origin), options.at)
        opened = _open_members(folder_members(origin), report, format_of)
        return ImportReader(report.name, "", report, None, opened, options)
    source = _open(origin) if isinstance(origin, Path) else ImportSource(origin, _name(origin))
    source.owned = isinstance(origin, Path)
    report = ImportReport(source.name, options.at)
    try:
        if is_zip(source.head(_ZIP_OR_NOT)[:4]):
            members = zip_members(source.file(), source.name)
            opened = _open_members(members, report, format_of)
            return ImportReader(source.name, "", report, None, opened, options, _archive=source)
        entry = format_of(source)
    except InvalidInput as error:
        source.close()
        raise InvalidInput(f"{source.name} {error}") from None
    return ImportReader(
        source.name,
        entry.name,
        report,
        source.bytes_total,
        iter([(source, entry)]),
        options,
        _is_single=True,
        _source=source,
    )


def _open_members(
    members: Iterator[Member],
    report: ImportReport,
    format_of: Callable[[ImportSource], ImportFormat],
) -> Iterator[_Opened]:
    """Yield all files with their formats; those that cannot be read go to the report."""
    unknown: dict[str, str] = {}
    asked: set[str] = set()
    for member in members:
        try:
            source = _member_source(member, asked)
        except Refused as error:
            unknown[member.path] = str(error)
            continue
        try:
            entry = format_of(source)
        except (InvalidInput, Unavailable) as error:
            source.close()
            unknown[member.path] = str(error)
        else:
            yield source, entry
    for path, reason in unknown.items():
        if path not in asked:
            report.add_unread(path, reason)


def _format_of(
    format_name: str | None, options: ImportOptions, source: ImportSource
) -> ImportFormat:
    """Return the format of a file; `InvalidInput` where it is in none that is known."""
    named = format_name or _by_columns(options)
    head = source.head(_FIRST_LINE if named else DETECTABLE)
    if b"\r" in head and b"\n" not in head:  # as old programs end their lines
        head = head.replace(b"\r", b"\n")
        source.recode(lambda blocks: (block.replace(b"\r", b"\n") for block in blocks))
    try:
        name = named or detect(head)
    except InvalidInput:
        if (inside := detect_inside(head)) is None:
            raise
        name = inside[1]
        source.recode(partial(list_lines, inside[0], source.bytes_max))
    if name in _DOCUMENTS and any(f"{n}:".encode() in head for n in _speakers(options)):
        name = "text"
    return next(entry for entry in FORMATS if entry.name == name)


def _member_source(member: Member, asked: set[str]) -> ImportSource:
    source = ImportSource(member.open(), member.path, member.size)
    source.key, source.container = member.key, member.container

    def beside(relative: str) -> bytes | None:
        body = member.beside(relative)
        if body is not None:
            asked.add(member.path_beside(relative))
        return body

    source.beside = beside
    return source


def _speakers(options: ImportOptions) -> list[str]:
    """Return the names that the user gives a role: where they stand before a colon, people talk."""
    return [name for name, target in options.mapping.items() if target in ROLES]


def _by_columns(options: ImportOptions) -> str | None:
    """Return the format of tables where the user named the column of the text, and another."""
    fields = {target for target in options.mapping.values() if target in FIELDS}
    return "csv" if "text" in fields and len(fields) > 1 else None


def _open(path: Path) -> ImportSource:
    try:
        about = path.stat()
        total = about.st_size if stat.S_ISREG(about.st_mode) else None
        return ImportSource(path.open("rb"), path.name, total)
    except FileNotFoundError:
        raise NotFound(f"{path} does not exist: check the name") from None
    except PermissionError:
        raise Refused(f"{path} may not be read: check its permissions") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InvalidInput(f"{str(path)!r} cannot be opened: {why}") from None


def _name(stream: BinaryIO) -> str:
    name = getattr(stream, "name", None)
    is_named = isinstance(name, str) and not name.startswith("<")
    return Path(str(name)).name if is_named else "standard input"
