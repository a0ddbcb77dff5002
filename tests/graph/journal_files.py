"""Journal files for tests: opened, looked at, and used by other processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from meridia.core.settings import JournalSettings, Settings
from meridia.storage.store import Store, open_store
from meridia.storage.upkeep import verify
from tests.graph.journal_drafts import HOME

IMPATIENT = Settings(journal=JournalSettings(busy_timeout_s=0.05))


@contextmanager
def opened(path: Path | None, settings: Settings = IMPATIENT) -> Iterator[Store]:
    file = open_store(path, settings)
    try:
        yield file
    finally:
        file.close()


def keys(file: Store) -> list[str]:
    return [entry.key for entry in file.journal.read(HOME)]


def whole(file: Store) -> bool:
    """Say whether every event is there in all its parts, and nothing is damaged."""
    count = len(file.journal.read(HOME))
    parts = [
        file.database.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in ("payload", "experience", "full_text")
    ]
    return parts == [count] * len(parts) and list(verify(file, HOME)) == []


def before_statement(place: int, act: Callable[[], object]) -> Callable[[str], None]:
    """Return a trace callback that acts once, before the statement of a place (0: the first)."""
    places = count()

    def look(statement: str) -> None:
        if next(places) == place:
            act()

    return look


def keys_read_by_another_process(path: Path) -> list[str]:
    """Open, read and close in another process, as a command line beside a service does."""
    answer = child(
        """
        file = open_store(path, Settings())
        print(json.dumps({"keys": [entry.key for entry in file.journal.read(Space("home"))]}))
        file.close()
        """,
        path,
    )
    return answer["keys"]


def descriptors(path: Path) -> list[str]:
    """Return the open descriptors of this process that belong to a journal's files."""
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("descriptors cannot be listed here")
    links = [str(entry.readlink()) for entry in folder.iterdir() if entry.is_symlink()]
    return [link for link in links if link.startswith(str(path))]


_CHILD = """
import json, os, resource, sys
from pathlib import Path
from meridia.core.errors import MeridiaError, StorageFull
from meridia.core.settings import Settings
from meridia.core.entries import ExperienceCaptured
from meridia.core.types import EntryDraft, Space
from meridia.storage.store import open_store
path = Path(sys.argv[1])
def append(file, key, text="hello"):
    event = {"kind": "user_message", "payload": {"text": text}}
    draft = EntryDraft(key, ExperienceCaptured(event))
    file.journal.append(Space("home"), [draft])
"""


def child(steps: str, path: Path) -> dict:
    """Run some steps in a process of its own; return what they print."""
    indent = steps[: len(steps) - len(steps.lstrip())].rpartition("\n")[2]
    script = _CHILD + "\n".join(line.removeprefix(indent) for line in steps.splitlines())
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, timeout=60, check=False
    )
    assert done.stdout, done.stderr.decode()
    return json.loads(done.stdout)
