"""Verification of what storage holds of a space, and rebuilding its lists.

Nothing here asks a model, and vectors stay: they are recorded outputs.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.errors import Damaged, NotFound
from ..core.ports import Finding, FindingKind
from ..core.types import EntryKind, Seq, Space
from .projections import (
    entity_list,
    experience_list,
    fact_index,
    feedback_table,
    identities,
    person_list,
    readings,
    references,
)
from .search import full_text
from .store import Store, inline_projections

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
    for seq, held, body in scope.rows("provisional/all", (scope.number,)):
        if not experience_list.matches_hash(held, body):
            yield Finding(space, Seq(seq), "its held event is not what was captured")
    captured, listed = scope.only_row("catalog/counts", {"space": scope.number})
    if captured != listed:
        problem = (
            f"{captured} experiences in the journal, {listed} in the list: run `meridia rebuild`"
        )
        yield Finding(space, None, problem, FindingKind.LIST)


def rebuild_lists(file: Store, space: Space) -> None:
    """Drop and rebuild all lists and full-text search, in one transaction."""
    space_store = file.space(space)
    number = space_store.space_scope.number
    inline = inline_projections(file.analyser)
    with file.database.writing() as connection:
        readings.rebuild(connection, number)
        references.rebuild(connection, number)
        space_store.space_scope.run("catalog/clear", (number,))
        full_text.clear(connection, number)
        space_store.sessions.clear()
        for projection in (person_list, identities, entity_list, fact_index, feedback_table):
            projection.clear(connection, number)
        after = 0
        while entries := file.journal.read(space, after, _PAGE):
            for entry in entries:
                for apply_inline in inline:
                    apply_inline(connection, number, entry)
            after = entries[-1].seq
        space_store.sessions.rebuild()


def refresh_readings(file: Store, space: Space) -> None:
    """Rebuild the lists of feelings and entities, where memories were read again after listing.

    What was written as an entry came in does not know which entry stands in whose place.
    """
    store = file.space(space)
    number = store.space_scope.number
    with file.database.writing() as connection:
        newest = store.readings.newest()
        if newest <= store.cursors.position(*READINGS):
            return
        entity_list.clear(connection, number)
        feelings = experience_list.projection(file.analyser)
        for kinds, project in ((_FELT, feelings), (_NAMED, entity_list.projection)):
            entries = [entry for kind in kinds for entry in file.journal.of_kind(space, kind)]
            for entry in sorted(entries, key=lambda entry: entry.seq):
                project(connection, number, entry)
        store.cursors.move(*READINGS, newest)


def chosen_spaces(file: Store, space: Space | None) -> list[Space]:
    """Return one space, which must exist, or all of them.

    Raises `Damaged` where there is none any more: the note beside the file knows of one.
    """
    spaces = file.journal.spaces()
    if not spaces and (lost := file.database.lost()):
        raise Damaged(
            f"{file.path} holds nothing, and entry {lost[0].seq} was acknowledged in it: restore a "
            f"backup; or, to begin anew, delete {file.path} and all files whose names begin with it"
        )
    if space is None:
        return spaces
    if space not in spaces:
        raise NotFound(f"space {space!r} does not exist: `meridia spaces` lists them")
    return [space]
