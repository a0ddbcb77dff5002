"""The methods of `Memory` that copy it: backups, archives, exports of events.

`meridia.restore` reads backups and archives back.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.calls.arguments import checked
from ...core.lazy import lazy_module
from ...core.types import Space

if TYPE_CHECKING:
    from ..store import Store
    from . import archive, backup
    from .backup import CopiedJournal, Progress
else:
    archive = lazy_module(__package__, "archive")
    backup = lazy_module(__package__, "backup")


@checked
class MemoryCopies:
    """Copies an open journal file; `Memory` is one."""

    space: Space
    _file: Store

    def backup(
        self, path: os.PathLike[str] | str, progress: Progress = lambda done, total: None
    ) -> CopiedJournal:
        """Write a checked copy of the journal's file, with all its spaces, to a new file `path`.

        Others read and write meanwhile; what was acknowledged before is in it. Raises
        `InvalidInput` where `path` exists, `Damaged` where the copy is not whole.
        """
        return backup.back_up(self._file, Path(path), progress)

    def export(self, spaces: Sequence[str] | None = None) -> Iterator[str]:
        """Yield an archive as JSON lines: of some spaces, by default of all; see docs/backup.md."""
        chosen = self._file.journal.spaces() if spaces is None else [Space(s) for s in spaces]
        return archive.archive_lines(self._file, chosen)

    def export_events(
        self, person: str | None = None, session: str | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield the space's events in the form that `capture` takes, in order, without forgotten.

        With `person`, those that have that name; with `session`, those of that session.
        """
        return archive.events(self._file, self.space, person, session)
