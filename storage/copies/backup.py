"""Backups: a copy of the journal's file as of one moment, checked before it gets its name.

Projections outside of the file (the graph) are not included: they can be rebuilt.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TextIO

from ...core.calls.arguments import checked
from ...core.errors import Damaged, InvalidInput, NotFound, Refused, StorageFull, Unavailable
from ...core.ports import Head
from ...core.settings import Settings
from ...core.time import system_clock
from ...core.types import Space
from .. import companion_files, upkeep
from ..companion_files import COMPANIONS
from ..connections import translated
from ..database import Database
from ..statement_loader import sql
from ..store import Store, open_store
from .archive import read_archive

#: Called as (done, total): pages of a file, or entries of an archive.
Progress = Callable[[int, int], None]
#: Pages copied between two calls of `Progress`.
_PAGES = 4096
_MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class CopiedJournal:
    """A checked copy: its file, its size in bytes, and the end of each space's chain in it.

    `replaced` is where the file that stood there before lies now, if there was one.
    """

    path: Path
    size: int
    heads: Mapping[Space, Head]
    replaced: Path | None = None


def back_up(
    store: Store, target: Path, progress: Progress = lambda done, total: None
) -> CopiedJournal:
    """Copy the file to `target` as it is at this moment; others go on reading and writing.

    Raises `InvalidInput` where `target` exists or cannot be made, and `Damaged` where the copy is
    not whole; then nothing is left under its name.
    """
    if target.exists():
        raise InvalidInput(f"{target} exists: name a file that does not")
    companion_files.remove_abandoned(store.path)
    with _new_file(store.path, target, store.path) as partial:
        copy_file(store, partial, progress)
        heads = _checked(partial)
    return CopiedJournal(target, target.stat().st_size, heads)


@checked
def restore(
    source: Path | str,
    target: Path | str,
    *,
    replace: bool = False,
    settings: Settings | None = None,
    progress: Progress = lambda done, total: None,
) -> CopiedJournal:
    """Make the journal `target` of a backup or an archive, checked before it has its name.

    Of an archive, lists and full text are made in the language of `settings`, by default English.
    With `replace` a journal that is there is set aside under another name; without, `Refused`.
    Raises `NotFound` without `source`, `InvalidInput` where it is neither, `Damaged` where it is
    not whole, `Unavailable` while another process has the journal open.
    """
    source, target = Path(source), Path(target)
    if target.exists() and not replace:
        raise Refused(
            f"{target} exists: name another file with --db, or set it aside with --replace"
        )
    aside = None
    with _new_file(target, target, source) as partial:
        if _is_database(source):
            read_only = f"file:{source.absolute()}?mode=ro"
            with translated(source), closing(sqlite3.connect(read_only, uri=True)) as opened:
                _copy(opened, partial, progress)
        else:
            with source.open(encoding="utf-8", errors="surrogateescape") as lines:
                _read_archive(lines, source, partial, settings or Settings(), progress)
        heads = _checked(partial)
        if target.exists():
            aside = set_aside(target)
    return CopiedJournal(target, target.stat().st_size, heads, aside)


def copy_file(store: Store, target: Path, progress: Progress = lambda done, total: None) -> None:
    """Copy the file as it is at this moment, unchecked; others go on reading and writing."""
    with store.database.snapshot() as source:
        # The first read fixes the moment: else the writes of others would restart the copy.
        source.execute("PRAGMA user_version").fetchone()
        _copy(source, target, progress)


@contextmanager
def _new_file(journal: Path, target: Path, source: Path) -> Iterator[Path]:
    """Yield an empty file beside `target`, which gets that name on success.

    It is noted beside `journal` until then. What is wrong with it, is told of `source`.
    """
    if target.is_dir():
        raise InvalidInput(f"{target} is a folder: name a file in it")
    partial = companion_files.partial_of(target)
    with ExitStack() as beginning:
        try:
            beginning.enter_context(companion_files.begun(journal, target))
        except OSError as error:
            raise InvalidInput(f"{target} cannot be written: {error.strerror}") from None
        try:
            yield partial
            with partial.open("rb") as written:
                os.fsync(written.fileno())
            partial.rename(target)
            companion_files.forget_head(target)
        except StorageFull:
            raise StorageFull(f"{target} was not written: its disk has no room for it") from None
        except (Damaged, Refused) as error:
            raise type(error)(str(error).replace(str(partial), str(source))) from None


def _copy(source: sqlite3.Connection, target: Path, progress: Progress) -> None:
    with translated(target), closing(sqlite3.connect(target)) as copy:
        source.backup(
            copy,
            pages=_PAGES,
            progress=lambda _, remaining, total: progress(total - remaining, total),
        )


def _read_archive(
    lines: TextIO, source: Path, target: Path, settings: Settings, progress: Progress
) -> None:
    database = Database(target, settings.journal)
    try:
        spaces = read_archive(lines, source.name, database, system_clock, progress)
    finally:
        database.close()
    store = open_store(target, settings)
    try:
        for space in spaces:
            upkeep.rebuild_lists(store, space)
    finally:
        store.close()


def _checked(path: Path) -> dict[Space, Head]:
    """Return the end of each space's chain in a file; raise `Damaged` where it is not whole."""
    store = open_store(path, Settings())
    try:
        for space in store.journal.spaces():
            for finding in upkeep.verify(store, space):
                where = f"entry {finding.seq}: " if finding.seq else ""
                raise Damaged(f"the copy is damaged: space {space!r}: {where}{finding.problem}")
        heads = {space: store.journal.head(space) for space in store.journal.spaces()}
        store.database.connection.execute(sql("shared_file/follow_none"))
        store.database.connection.execute("PRAGMA journal_mode = DELETE")  # all in one file
    finally:
        store.close()
    return heads


def _is_database(source: Path) -> bool:
    try:
        with source.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except FileNotFoundError:
        raise NotFound(f"{source} does not exist: name a backup or an archive") from None
    except OSError as error:
        raise InvalidInput(f"{source} cannot be read: {error.strerror}") from None


def set_aside(journal: Path) -> Path:
    """Rename a journal that no process has open, with its companion files."""
    try:
        with closing(sqlite3.connect(journal, timeout=1)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")  # fails while others have it open
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            raise Unavailable(
                f"{journal} is open in another process: close it, then restore again"
            ) from None
    except sqlite3.DatabaseError:
        pass  # damaged: that is why it is replaced
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")  # noqa: DTZ005 - a name for people
    aside = journal.with_name(f"{journal.name}.replaced-{stamp}")
    for name in ("", *COMPANIONS):
        companion = journal.with_name(journal.name + name)
        if companion.exists():
            companion.rename(aside.with_name(aside.name + name))
    return aside
