"""Names the process that holds a journal's write lock, where the system tells.

Linux lists the locks of all processes. The file itself is not opened: closing it would give up the
locks that this process has on it.
"""

from __future__ import annotations

import os
from pathlib import Path

from ...core.errors import Unavailable

#: The byte of the `-shm` file that is locked by who writes (SQLite's WAL format).
_WRITE_LOCK = 120


class Locked(Unavailable):
    """Another process held the journal's write lock for longer than is waited; nothing was done."""


def locked(journal: Path) -> Locked:
    """Return the error of who waited for a journal's write lock in vain."""
    holder = lock_holder(journal) or "another process"
    return Locked(f"{journal} is locked by {holder}: try again when it is done")


def lock_holder(journal: Path, locks: Path = Path("/proc/locks")) -> str:
    """Return who writes to a journal, such as "process 4711 (meridia serve)"; "" if not known."""
    try:
        file = Path(f"{journal}-shm").stat()
        listed = locks.read_text("ascii").splitlines()
    except OSError:
        return ""
    wanted = f"{os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}:{file.st_ino}"
    for fields in map(str.split, listed):
        if fields[3:4] != ["WRITE"] or fields[5:6] != [wanted]:
            continue
        first, last = (int(place) if place.isdigit() else _WRITE_LOCK for place in fields[6:8])
        if first <= _WRITE_LOCK <= last and fields[4].isdigit():
            return _named(int(fields[4]))
    return ""


def _named(process: int) -> str:
    if process == os.getpid():
        return "another thread of this process"
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return f"process {process}"
    # The program, of ours also the command; what follows may be the words of a memory.
    names = [Path(word).name for word in words]
    ours = names.index("meridia") if "meridia" in names else None
    shown = names[:1] if ours is None else names[ours : ours + 2]
    return f"process {process} ({' '.join(shown)})"
