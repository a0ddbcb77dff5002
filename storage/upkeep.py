"""Verifies what storage holds of a space, explains damage, rebuilds lists, finishes forgettings.

Nothing here asks a model, and vectors stay: they are recorded outputs.
"""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from ..core.codec import JsonObject
from ..core.errors import Damaged, NotFound
from ..core.ports import Finding, FindingKind
from ..core.text import counted
from ..core.time import from_text
from ..core.types import EntryKind, Seq, Space
from . import people
from .companion_files import abandoned
from .database import lost_columns
from .projections import entry_indexes, experience_list, feedback_table
from .search import full_text
from .space_scope import SpaceScope
from .statement_loader import sql
from .store import Store, inline_projections
from .work import TERM

_PAGE = 1000
#: How far the lists know what is read otherwise; and the entries that tell of it.
READINGS = "readings", 1
_FELT = (EntryKind.EXPERIENCE_ENRICHED,)
_NAMED = (EntryKind.ENTITIES_MENTIONED, EntryKind.ENTITIES_MERGED, EntryKind.ENTITIES_UNMERGED)


def verify(file: Store, space: Space) -> Iterator[Finding]:
    """Check the file, every hash of the space's chain, and that the list has what was captured."""
    with file.database.reading() as connection:
        for (problem,) in connection.execute("PRAGMA integrity_check"):
            if problem != "ok":
                yield Finding(space, None, f"the database file: {problem}", FindingKind.FILE)
        for name in lost_columns(connection):
            yield Finding(space, None, f"the database file: it lacks {name}", FindingKind.FILE)
    for entry in file.database.lost():
        yield Finding(
            space,
            None,
            f"the database file: entry {entry.seq} was acknowledged and is not in it: its end was "
            "cut off, or an older copy was put in its place",
            FindingKind.END,
        )
    yield from file.journal.verify(space)
    scope = file.space(space).space_scope
    for seq, held, body in scope.rows("provisional/all"):
        if not experience_list.matches_hash(held, body):
            yield Finding(space, Seq(seq), "its held event is not what was captured")
    captured, listed = scope.only_row("catalog/counts")
    if captured != listed:
        problem = (
            f"{captured} experiences in the journal, {listed} in the list: run `meridia rebuild`"
        )
        yield Finding(space, None, problem, FindingKind.LIST)


def rebuild_lists(file: Store, space: Space) -> None:
    """Drop and rebuild all lists and full-text search, in one transaction."""
    space_store = file.space(space)
    scope = space_store.space_scope
    inline = inline_projections(file.analyser)
    with file.database.writing():
        entry_indexes.rebuild_readings(scope)
        entry_indexes.rebuild_references(scope)
        scope.run("catalog/clear")
        full_text.clear(scope)
        space_store.sessions.clear()
        people.clear(scope)
        scope.run("entities/clear")
        scope.run("facts/clear")
        feedback_table.clear(scope)
        after = 0
        while entries := file.journal.read(space, after, _PAGE):
            for entry in entries:
                for apply_inline in inline:
                    apply_inline(scope, entry)
            after = entries[-1].seq
        space_store.sessions.rebuild()


def refresh_readings(file: Store, space: Space) -> None:
    """Rebuild the lists of feelings and entities, where memories were read again after listing.

    What was written as an entry came in does not know which entry stands in whose place.
    """
    store = file.space(space)
    scope = store.space_scope
    with file.database.writing():
        newest = store.readings.newest()
        if newest <= store.cursors.position(*READINGS):
            return
        scope.run("entities/clear")
        feelings = experience_list.projection(file.analyser)
        for kinds, project in ((_FELT, feelings), (_NAMED, entry_indexes.project_entities)):
            entries = [entry for kind in kinds for entry in file.journal.of_kind(space, kind)]
            for entry in sorted(entries, key=lambda entry: entry.seq):
                project(scope, entry)
        store.cursors.move(*READINGS, newest)


def chosen_spaces(file: Store, space: Space | None) -> list[Space]:
    """Return one space, which must exist, or all of them.

    Raises `Damaged` where there is none any more: the note beside the file knows of one.
    """
    spaces = file.journal.spaces()
    if not spaces and (lost := file.database.lost()):
        raise Damaged(
            f"{file.path} is empty, but entry {lost[0].seq} was acknowledged in it: restore a "
            f"backup; or, to start again, delete {file.path} and all files whose names begin with "
            "it"
        )
    if space is None:
        return spaces
    if space not in spaces:
        raise NotFound(f"space {space!r} does not exist: `meridia spaces` lists them")
    return [space]


def unfinished(store: Store) -> list[tuple[Space, int]]:
    """Return the forgettings, by space and sequence, of which something may be left."""
    with store.database.reading() as connection:
        rows = connection.execute(sql("forgetting/unfinished")).fetchall()
    return [(Space(name), seq) for name, seq in rows]


def finish(store: Store, space: Space, seq: int) -> bool:
    """Leave nothing in the file and its log; return whether that is done, and note it.

    It is not while another process reads what was there before: then somebody else finishes it.
    """
    if not store.database.compact():
        return False
    return bool(_scope(store, space).run("forgetting/finished", seq=seq))


def newest_forgetting(store: Store, space: Space) -> int:
    """Return the sequence of a space's newest forgetting; 0 where there was none."""
    return _scope(store, space).only_row("forgetting/newest")[0] or 0


def is_any_before(store: Store, space: Space, kind: str | None, before: datetime) -> bool:
    """Return whether any memory, optionally of one kind, is older than a time."""
    scope = _scope(store, space)
    return scope.row("forgetting/is_any_before", kind=kind, before=before) is not None


def erased_count(store: Store, space: Space) -> int:
    """Return how many entries of a space were erased."""
    return int(_scope(store, space).only_row("forgetting/erased_count")[0])


def _scope(store: Store, space: Space) -> SpaceScope:
    return store.space(space).space_scope


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
class Diagnosis(JsonObject):
    """One finding: what was seen, what it means, the command that mends it ("" for none).

    `damage` says that something stored is not what was written.
    """

    finding: str
    meaning: str
    command: str = _NOTHING
    damage: bool = False


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
            f"{copy} is left over from a backup or restore that was killed",
            "it holds memories; the next backup or forgetting removes it",
            f"rm {copy}",
        )
    if store.database.read_only:
        yield Diagnosis(str(store.database.read_only), "it can be read, but not written")
    free, size = shutil.disk_usage(store.path.parent).free, store.path.stat().st_size
    if free < size:
        yield Diagnosis(
            f"{free:,} bytes are free beside a journal of {size:,}",
            "backups, verify and forgetting need as much room as the journal has",
        )
    yield from _of_clocks(store, space)
    yield from _of_replicas(store, space)


def _of_replicas(store: Store, space: Space) -> Iterator[Diagnosis]:
    head, forgotten = store.shared_head(), newest_forgetting(store, space)
    for each in store.replicas(others=True):
        if each.cleaned < forgotten:
            yield Diagnosis(
                f"replica {each.name} has not told since {each.seen_at} that it forgot what was "
                f"forgotten up to {forgotten}",
                "it forgets before it answers next; one that is no more is not waited for with",
                f"meridia follow --forget {each.name}",
            )
        elif each.seq < head:
            yield Diagnosis(
                f"replica {each.name} was {counted(head - each.seq, 'sequence')} behind "
                f"at {each.seen_at}",
                "it takes in what is missing before it answers next",
            )


def _of_clocks(store: Store, space: Space) -> Iterator[Diagnosis]:
    scope, now = store.space(space).space_scope, store.clock()
    if (newest := scope.row("journal/newest")) is not None and from_text(newest[0]) > now + TERM:
        yield Diagnosis(
            f"the newest entry was recorded at {newest[0]}, which is in the future",
            "a clock ran ahead, or this one was set back: periods and retention follow the clock",
        )
    for work, owner, until in scope.rows("work/leases"):
        if from_text(until) > now + 2 * TERM:
            ended, meaning = "runs until", "a clock that ran ahead granted it; it has expired"
        elif from_text(until) < now:
            ended, meaning = "ended at", "its process was killed; the next one takes it over"
        else:
            continue
        yield Diagnosis(f"the lease of {owner} for {work} {ended} {until}", meaning)
