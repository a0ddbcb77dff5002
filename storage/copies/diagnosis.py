"""Explains damage of a journal: what is wrong, what it means, and the command that repairs it.

`verify` finds the damage; this explains its findings, and checks in addition: file permissions, the
disk, the clock, leases. Nothing is changed.
"""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from ...core.ports import Finding, FindingKind
from ...core.time import from_text
from ...core.types import Space
from ..leases import TERM
from ..store import Store
from .unfinished import abandoned

_RESTORE = "meridia restore BACKUP --replace"
_NOTHING = ""
#: What is damaged → what that means, and the command that mends it.
_MEANINGS = {
    FindingKind.LIST: (
        "what is listed differs from the journal, which is whole",
        "meridia rebuild",
    ),
    FindingKind.END: (
        "memories are missing; if there is no newer backup, delete FILE-head*",
        _RESTORE,
    ),
    FindingKind.FILE: ("pages of the file are torn or were changed", _RESTORE),
    FindingKind.JOURNAL: (
        "the journal is not what was written; only a copy of before has it",
        _RESTORE,
    ),
}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One finding: what was seen, what it means, the command that mends it ("" for none).

    `damage` says that something stored is not what was written.
    """

    finding: str
    meaning: str
    command: str = _NOTHING
    damage: bool = False

    def as_json(self) -> dict[str, object]:
        """Return it as plain data."""
        return asdict(self)


def explain(finding: Finding) -> Diagnosis:
    """Return what a finding of `verify` means."""
    where = f"entry {finding.seq}: " if finding.seq else ""
    meaning, command = _MEANINGS[finding.kind]
    return Diagnosis(f"{where}{finding.problem}", meaning, command, damage=True)


def of_file(store: Store, space: Space) -> Iterator[Diagnosis]:
    """Yield what is wrong around the file and with the clocks that wrote it."""
    mode = stat.S_IMODE(store.path.stat().st_mode)
    if mode & 0o077:
        yield Diagnosis(
            f"{store.path} has the mode {mode:04o}",
            "other users of this machine may read it",
            f"chmod 600 {store.path}",
        )
    for copy in abandoned(store.path):
        yield Diagnosis(
            f"{copy} is left of a backup or a restore that was killed",
            "it holds memories; the next backup or forgetting removes it",
            f"rm {copy}",
        )
    if store.database.read_only:
        yield Diagnosis(str(store.database.read_only), "it can be read, and nothing be added")
    free, size = shutil.disk_usage(store.path.parent).free, store.path.stat().st_size
    if free < size:
        yield Diagnosis(
            f"{free:,} bytes are free beside a journal of {size:,}",
            "backups, verify and forgetting need as much room as the journal has",
        )
    yield from _of_clocks(store, space)


def _of_clocks(store: Store, space: Space) -> Iterator[Diagnosis]:
    scope, now = store.space(space).space_scope, store.clock()
    newest = scope.row("journal/newest", (scope.number,))
    if newest is not None and from_text(newest[0]) > now + TERM:
        yield Diagnosis(
            f"the newest entry was recorded at {newest[0]}, which is to come",
            "a clock ran ahead, or this one was set back: periods and retention follow the clock",
        )
    for work, owner, until in scope.rows("work/leases", (scope.number,)):
        if from_text(until) > now + 2 * TERM:
            ended, meaning = "runs until", "it was given by a clock that ran ahead, and is over"
        elif from_text(until) < now:
            ended, meaning = "ended at", "its process was killed; the next one takes it over"
        else:
            continue
        yield Diagnosis(f"the lease of {owner} for {work} {ended} {until}", meaning)
