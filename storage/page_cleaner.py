"""Overwrites what SQLite leaves of rows that it has moved: bytes of a page that belong to no row.

With `secure_delete` deleted rows are overwritten where they were. But a page that is put in order
keeps copies of rows between its list of cells and the first of them, and SQLite never looks there.
Run as a process of its own: closing a file would take from this one the locks that SQLite holds on
it. It says how many pages hold anything, and cleans them when it is told to go on; nobody may
write to the database meanwhile, and its log must be folded in.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

#: Kinds of pages with cells, by their first byte, and the bytes of their headers.
_HEADERS = {2: 12, 5: 12, 10: 8, 13: 8}
_FIRST_HEADER = 100
_PAGES_READ = 2048
_LARGEST = 65536


def clean(path: Path, holding: Callable[[], bool]) -> bool:
    """Clean the pages of a database; return whether that is done.

    Pages are looked for first. Where any has something left, `holding` is called: it keeps others
    from writing, and says whether it does. Raises `OSError` where no process can do it.
    """
    command = [sys.executable, "-I", "-S", __file__, os.fspath(path)]
    with subprocess.Popen(  # noqa: S603 - itself
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        counted = child.stdout.readline().strip()
        is_left = counted not in {"", "0"}
        if is_left and not holding():
            child.kill()
            return False
        output, _ = child.communicate("go on\n" if is_left else "")
    if child.returncode or not counted or output.strip() != (counted if is_left else ""):
        raise OSError(f"the pages of {path} were not cleaned")
    return True


def left_in(page: bytes, first: int) -> tuple[int, int] | None:
    """Return from where to where a page has bytes of no row; `first` is where its header is."""
    header = _HEADERS.get(page[first])
    if header is None:
        return None
    start = first + header + 2 * int.from_bytes(page[first + 3 : first + 5], "big")
    end = int.from_bytes(page[first + 5 : first + 7], "big") or _LARGEST
    return (start, end) if page[start:end].strip(b"\0") else None


def _size_of(file: BinaryIO) -> int:
    file.seek(16)
    size = int.from_bytes(file.read(2), "big")
    return _LARGEST if size == 1 else size


def _look(file: BinaryIO) -> list[int]:
    """Return where pages begin that have bytes of no row."""
    size, at, places = _size_of(file), 0, []
    file.seek(0)
    while block := file.read(size * _PAGES_READ):
        for place in range(0, len(block), size):
            if block[place] in _HEADERS or not at + place:
                page = block[place : place + size]
                if left_in(page, 0 if at + place else _FIRST_HEADER):
                    places.append(at + place)
        at += len(block)
    return places


def _clean(file: BinaryIO, places: list[int]) -> int:
    size = _size_of(file)
    for at in places:
        file.seek(at)
        left = left_in(file.read(size), 0 if at else _FIRST_HEADER)
        if left is not None:
            file.seek(at + left[0])
            file.write(bytes(left[1] - left[0]))
    os.fsync(file.fileno())
    return len(places)


def _say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def main() -> None:
    """Clean the database of the given path."""
    with Path(sys.argv[1]).open("r+b", buffering=0) as file:
        places = _look(file)
        _say(len(places))
        if places and sys.stdin.readline():
            _say(_clean(file, places))


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(1)  # who asked is gone, and looks again when it is back
