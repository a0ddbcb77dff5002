"""Knows outside of a journal's file which entry was acknowledged last: a lost end is noticed.

One line in `FILE-head`, written after each commit and not waited for. Where the file no longer has
that entry (its log was cut off, or an older copy was put in its place), the line is kept in
`FILE-head.lost` before a newer one takes its place. Knows nothing of SQL.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_LINE_BYTES = 128
#: What the names of the files end with.
COMPANIONS = ("-head", "-head.lost")


class Acknowledged(NamedTuple):
    """The number of a space in its file, a sequence in it, and the chain's hash there."""

    space: int
    seq: int
    hash: bytes


class HeadAnchor:
    """The newest acknowledged entry of one file, whichever process wrote it."""

    def __init__(self, journal: Path, has: Callable[[Acknowledged], bool]) -> None:
        """Take the journal's path, and what says whether its file has an entry."""
        self._path, self._lost = (Path(f"{journal}{end}") for end in COMPANIONS)
        self._has = has
        self._file: int | None = None

    def write(self, newest: Acknowledged) -> None:
        """Note the newest entry; a folder that takes no file has no note."""
        with suppress(OSError):
            if self._file is None:
                self._keep_lost()
                self._file = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
            line = f"{newest.space} {newest.seq} {newest.hash.hex()}"
            os.pwrite(self._file, line.ljust(_LINE_BYTES - 1).encode() + b"\n", 0)

    def lost(self) -> list[Acknowledged]:
        """Return what was acknowledged and is not in the file."""
        noted = (_read(path) for path in (self._lost, self._path))
        return [entry for entry in noted if entry is not None and not self._has(entry)]

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _keep_lost(self) -> None:
        """Set a note aside that names what the file does not have; the first one stays."""
        noted = _read(self._path)
        if noted is not None and not self._lost.exists() and not self._has(noted):
            self._path.rename(self._lost)


def forget(journal: Path) -> None:
    """Drop what is noted of a journal: another file takes its name."""
    for end in COMPANIONS:
        Path(f"{journal}{end}").unlink(missing_ok=True)


def _read(path: Path) -> Acknowledged | None:
    try:
        space, seq, chained = path.read_text("ascii").split()
        return Acknowledged(int(space), int(seq), bytes.fromhex(chained))
    except (OSError, ValueError):  # none, or half a line of a process that was killed
        return None
