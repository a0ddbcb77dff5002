"""A file that follows the journal which several replicas share, entry by entry.

The shared journal alone says what is true; the file is a projection of it, verified by the chain,
that can be thrown away. What is appended is committed there first, under the lock of its head, and
in the file afterwards: a crash in between, or a cut connection, is mended by following. What
another replica forgot is forgotten here as well, before anything is answered.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.codec import decode_text
from ...core.entries import Forgotten
from ...core.errors import MeridiaError, NotFound, Refused, Unavailable
from ...core.ids import RandomBytes
from ...core.lazy import extra
from ...core.ports import Head
from ...core.settings import JournalSettings, Settings
from ...core.time import Clock, system_clock, to_text
from ...core.types import Space
from .. import upkeep
from ..database import Replica
from ..forgetting import erasure
from ..journal import MISFIT, Journal
from ..statement_loader import sql
from ..store import Store, open_store
from . import shared_journal

if TYPE_CHECKING:
    from .shared_journal import Row, SharedHead, SharedJournal

_PAGE = 500
_KEY_BYTES = 32
#: Before the name of a pass: how far it was, here or elsewhere, when that was last told.
_TOLD = "shared "
#: A writer follows first where that was longer ago, seconds, to hold the head for a short time.
_RECENT_S = 1.0


class Follower:
    """Keeps one file equal to the shared journal.

    Each call but `follow` and `prepare`, which take it, is made by the holder of the file's lock.
    """

    def __init__(self, file: Store, shared: SharedJournal, *, moving: bool = False) -> None:
        """Follow with a file. Raises `Refused` where it is not one of this journal.

        Unless it is `moving` into a server that holds none yet.
        """
        assert isinstance(file.journal, Journal)
        self._file, self._journal, self._shared = file, file.journal, shared
        #: The head that is held, while this file's lock is.
        self._base: SharedHead | None = None
        self._followed_at, self._moving = -_RECENT_S, moving
        head = shared.head()
        self._check(head)
        key = head.receipt_key
        if key is None:
            own = self._run("forgetting/key")
            ((key,),) = shared.ask("keep_key", own[0][0] if own else os.urandom(_KEY_BYTES))
        self._run("shared_file/set_receipt_key", key)
        self._run("shared_file/set_followed", shared.place.encode())
        self._share_keys()
        self._name = f"{socket.gethostname()}:{file.path.absolute()}"

    def follow(self) -> set[Space]:
        """Take in what others wrote; return the spaces that have more now.

        Inside of a transaction nothing is taken in: that has begun with all there was.
        """
        if self._file.database.connection.in_transaction:
            return set()
        self._followed_at = time.monotonic()
        head = self._shared.head()
        taken = self._take_in(head) if self._end()[0] < head.seq else set()
        self._check(head)
        if taken:
            self.note()
        return taken

    def prepare(self) -> None:
        """Follow before a transaction, where that was long ago."""
        if time.monotonic() - self._followed_at > _RECENT_S:
            self.follow()

    def begin(self, *, inner: bool) -> None:
        """Hold the head, and take in what is missing: nothing may be if `inner`."""
        if self._base is not None:
            return
        head = self._base = self._shared.lock()
        if self._end()[0] < head.seq:
            if inner:
                self.give_up()
                raise Unavailable("another replica wrote at the same time: try again")
            self._take_in(head)
        self._check(head)

    def publish(self) -> None:
        """Write to the shared journal what was appended since `begin`, and commit it there."""
        base = self._base
        if base is None:
            return
        seq, chained = self._end()
        if seq > base.seq:
            self._shared.publish(self._batch(base.seq, seq, chained))
        else:
            self._shared.release()
        self._base = None

    def give_up(self) -> None:
        """Release the head, and leave there nothing of what was appended."""
        if self._base is not None:
            self._base = None
            self._shared.release()

    def take_lease(self, space: int, work: str, owner: str, times: tuple[str, str, str]) -> bool:
        """Take or renew a lease among replicas; `times` are until when, now, and the latest."""
        return bool(self._shared.ask("take_lease", self._name_of(space), work, owner, *times))

    def release_lease(self, space: int, work: str, owner: str) -> None:
        """Release a lease, if it is still the owner's."""
        self._shared.ask("release_lease", self._name_of(space), work, owner)

    def erase_held(self, space: int, seqs: Sequence[int]) -> None:
        """Erase held events there of which only the outline stays."""
        self._shared.ask("erase_held", self._name_of(space), list(seqs))

    def keys(self, statement: str, *values: Any) -> list[Row]:
        """Read or change the keys of callers, which all replicas share."""
        return self._shared.ask(statement, *values)

    def head(self) -> int:
        """Return the last sequence of the shared journal."""
        return self._shared.head().seq

    def replicas(self, *, others: bool = False) -> list[Replica]:
        """Return every replica that has followed, or those but this one."""
        known = [Replica(*row) for row in self._shared.ask("replicas")]
        return [each for each in known if not (others and each.name == self._name)]

    def forget_replica(self, name: str) -> None:
        """Wait no more for a replica; raise `NotFound` where none is called so."""
        if name not in {each.name for each in self.replicas()}:
            raise NotFound(f"no replica is called {name!r}: `meridia follow` lists them")
        self._shared.ask("forget_replica", name)

    def note(self) -> None:
        """Tell how far this replica is, and which forgettings it has finished."""
        if self._file.database.is_private:
            return
        seq, _ = self._end()
        left = [forgotten for _, forgotten in upkeep.unfinished(self._file)]
        cleaned = min(left, default=seq + 1) - 1
        now = to_text(self._file.clock())
        self._shared.ask("note_replica", self._name, seq, cleaned, now)

    def close(self) -> None:
        """Tell how far the file came, if that is possible, and close the connections."""
        with suppress(MeridiaError):
            self.note()
        self._shared.close()

    def _share_keys(self) -> None:
        """Take the file's keys there, and all of there here, for a copy that follows no more."""
        own = self._run("service/list_keys")
        if own == self._shared.ask("list_keys"):
            return
        for key in own:
            self._shared.ask("take_key", *key)
        if not self._file.database.read_only:
            with self._file.database.writing() as connection:
                connection.executemany(sql("service/keep_key"), self._shared.ask("list_keys"))

    def _end(self) -> tuple[int, bytes]:
        rows = self._run("archive/end")
        return (rows[0][0], rows[0][1]) if rows and rows[0][0] else (0, b"")

    def _name_of(self, space: int) -> str:
        return str(self._run("shared_file/space_name", space)[0][0])

    def _run(self, statement: str, *values: Any) -> list[Row]:
        return self._file.database.ask(sql(statement), values, lambda cursor: cursor.fetchall())

    def _check(self, head: SharedHead) -> None:
        """Raise `Refused` where the file holds what the shared journal does not."""
        seq, chained = self._end()
        if not seq or (seq, chained) == (head.seq, head.hash):
            return
        # What another process of this file wrote since `head` is there too: it is committed first.
        if self._shared.ask("hash_at", seq) == [(chained,)]:
            return
        if self._shared.head().seq:
            raise Refused(f"{self._file.path} does not fit {MISFIT}")
        if not self._moving:
            raise Refused(
                f"{self._file.path} has a journal of its own, and {self._shared.place} is empty: "
                "`meridia move --to` moves the journal there"
            )

    def _take_in(self, head: SharedHead) -> set[Space]:
        taken: dict[Space, int] = {}
        while (after := self._end()[0]) < head.seq:
            rows = self._shared.ask("entries", after, _PAGE)
            if not rows:
                break
            with self._file.database.writing():
                here = self._end()[0]  # another process of this file may have been quicker
                page = [self._journal.take_in(row) for row in rows if row[0] > here]
                erased = {
                    entry.space
                    for entry in page
                    if isinstance(entry.payload, Forgotten)
                    and erasure.erase_again(self._file, entry.space, entry.seq, entry.payload)
                }
                for space in erased:
                    upkeep.rebuild_lists(self._file, space)
                    self._file.space(space).edges.clear()
                    self._file.space(space).cursors.forget("adjacency")
                first = {entry.space: int(entry.seq) for entry in reversed(page)}
                self._take_cursors(first)
            taken = first | taken
        return set(taken)

    def _take_cursors(self, first: Mapping[Space, int]) -> None:
        """Take over how far passes are elsewhere, and read sessions anew that went on there.

        A pass that begins again here, behind where it was when that was last told, goes its way.
        """
        end = self._end()[0]
        for name, projection, version, seq in self._shared.ask("cursors", list(first), end):
            cursors = self._file.space(Space(name)).cursors
            with suppress(Refused):  # what an older version tells is of no use here
                told = cursors.position(_TOLD + projection, version)
                if cursors.position(projection, version) >= told:
                    cursors.move(projection, version, seq)
                cursors.move(_TOLD + projection, version, seq)
        for space, seq in first.items():
            self._file.space(space).sessions.read_anew(seq - 1)

    def _batch(self, base: int, last: int, chained: bytes) -> shared_journal.SharedBatch:
        erased, cursors = [], []
        for name, body in self._run("shared_file/forgettings", base) if base else ():
            runs = decode_text(Forgotten, body).erased
            erased += [(name, *run) for run in runs]
        for number, name, projection, version, seq in self._run("shared_file/cursors", base):
            cursors.append((name, projection, version, seq, last))
            self._run("journal/move_cursor", number, _TOLD + projection, version, seq)
        return shared_journal.SharedBatch(
            base, last, chained, lambda: self._pages(base), erased, cursors
        )

    def _pages(self, base: int) -> Iterator[Sequence[Row]]:
        with self._file.database.reading() as connection:
            cursor = connection.execute(sql("archive/after"), (base,))
            while rows := cursor.fetchmany(_PAGE):
                yield rows


def open_journal(
    path: Path | None,
    settings: Settings,
    clock: Clock = system_clock,
    random_bytes: RandomBytes = os.urandom,
) -> Store:
    """Open the journal at `path`; with `journal.url`, as a replica that follows the shared one.

    Without it, what followed one can only be read.
    """
    file = open_store(path, settings, clock, random_bytes)
    if settings.journal.url:
        try:
            file.database.sharing = _follower(file, settings.journal)
            file.database.sharing.follow()
        except BaseException:
            file.close()
            raise
    elif followed := file.database.ask(sql("shared_file/followed"), (), lambda c: c.fetchone()):
        place = followed[0].decode()
        file.database.read_only = file.database.read_only or Refused(
            f"{file.path} follows {place}: set journal.url to write to that, or have "
            "`meridia backup` copy it into a journal of its own"
        )
    return file


def move_in(path: Path, settings: Settings, url: str) -> dict[Space, Head]:
    """Write the journal of a file into the PostgreSQL at `url`; return the ends of its chains.

    All or nothing; the file is its first replica's from then on. Raises `Refused` where another
    journal is there.
    """
    journal = settings.journal.model_copy(update={"url": url})
    file = open_store(path, settings.model_copy(update={"journal": journal}))
    try:
        follower = file.database.sharing = _follower(file, journal, moving=True)
        with file.database.writing(shared=True):
            pass
        follower.note()
        return {space: file.journal.head(space) for space in file.journal.spaces()}
    finally:
        file.close()


def _follower(file: Store, settings: JournalSettings, *, moving: bool = False) -> Follower:
    with extra("postgres", "journal.url is set, but "):
        shared = shared_journal.SharedJournal(settings.url, settings.busy_timeout_s)
    try:
        return Follower(file, shared, moving=moving)
    except BaseException:
        shared.close()
        raise
