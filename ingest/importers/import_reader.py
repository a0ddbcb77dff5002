"""The one way to read any input: a file, a folder, a zip archive or a stream, in any known format.

Each file is read as what its content is. What a format leaves out on purpose goes to the report;
what it refuses is a record, and keeps nothing else out.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, Self

from ...core.errors import InvalidInput, NotFound, Refused, Unavailable
from . import csv_table, dialogue, document, native
from .format_detection import DETECTABLE, FORMATS, detect, formats
from .import_options import FIELDS, ROLES, ImportOptions, apply_options, name_users
from .import_record import ImportFormat, ImportRecord, ImportSource, refusing
from .import_report import ImportReport
from .members import Member, folder_members, is_zip, zip_members

_DOCUMENTS = [entry.name for entry in document.FORMATS]
#: As much as tells an archive from all else; a pipe may give no more for now.
_ZIP_OR_NOT = re.compile(rb"[^P]|P[^K]|PK..", re.DOTALL)
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
        return records if entry is native.FORMAT else name_users(records)

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
    head = b"" if named else source.head(DETECTABLE)
    name = named or detect(head)
    if name in _DOCUMENTS and any(f"{n}:".encode() in head for n in _speakers(options)):
        name = dialogue.DIALOGUE.name
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
    return csv_table.FORMAT.name if "text" in fields and len(fields) > 1 else None


def _open(path: Path) -> ImportSource:
    try:
        about = path.stat()
        total = about.st_size if stat.S_ISREG(about.st_mode) else None
        return ImportSource(path.open("rb"), path.name, total)
    except FileNotFoundError:
        raise NotFound(f"{path} does not exist: check the name") from None
    except PermissionError:
        raise Refused(f"{path} may not be read: check its permissions") from None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be opened: {error.strerror}") from None


def _name(stream: BinaryIO) -> str:
    name = getattr(stream, "name", None)
    is_named = isinstance(name, str) and not name.startswith("<")
    return Path(str(name)).name if is_named else "standard input"
