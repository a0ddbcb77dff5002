"""Full text of one space: the terms of each memory, stored as they stand, scored in memory.

`experience_list` writes them in the transaction that lists the memory. Who asks holds them as
arrays (`term_index`), reads what came since, and leaves out what was changed or removed since.
Every space has its own statistics: nothing of another space can move a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...core.codec import stored_event
from ...core.events import texts_of
from ...core.types import Payload, Space
from ...language.analyser import Analyser
from .. import mapped_arrays
from ..space_caches import SpaceCache
from ..space_scope import SpaceScope
from ..statement_loader import sql
from . import term_index

if TYPE_CHECKING:
    from .term_index import Ints, TermIndex, Vocabulary

#: Memories of an older version that are read at once.
_BATCH = 500
#: A change of this sequence is one of all memories.
ALL_TEXTS = 0


def terms_of(event: Payload, analyser: Analyser) -> str:
    """Return the terms that an event is found by, as they are stored."""
    return " ".join(analyser.terms(" ".join(texts_of(event))))


def index(space: SpaceScope, seq: int, terms: str) -> None:
    """Store the terms of a memory."""
    space.run("search/add", seq, terms)


def replace(space: SpaceScope, seq: int, terms: str) -> None:
    """Store other terms for a memory."""
    mapped_arrays.drop(space)
    index(space, seq, terms)
    space.run("search/change", seq)


def clear(space: SpaceScope) -> None:
    """Remove a space's full text before a rebuild, inside the caller's transaction."""
    mapped_arrays.drop(space)
    space.run("search/clear")
    space.run("search/change", ALL_TEXTS)
    _forget_older(space)


def _forget_older(space: SpaceScope) -> None:
    """Remove the tables that an older version had of a space, and the note that they are there."""
    for statement in ("search/drop_vocabulary", "search/drop"):
        text = sql(statement).replace("{search}", f"search_{space.number:d}")
        space.database.connection.execute(text)
    space.run("search/made")


class FullText:
    """Full-text search over one space."""

    def __init__(
        self,
        name: Space,
        scope: SpaceScope,
        analyser: Analyser,
        held: SpaceCache[TermIndex],
        arrays: mapped_arrays.SpaceArrays,
    ) -> None:
        self._name, self._scope = name, scope
        self._analyser = analyser
        self._held, self._arrays = held, arrays

    @property
    def is_made(self) -> bool:
        """Whether nothing is left to take over from an older version."""
        return self._scope.row("search/is_unmade") is None

    def make(self) -> None:
        """Take over what an older version of Meridia indexed otherwise, in one transaction."""
        if self.is_made:
            return
        after = 0
        with self._scope.writing():
            while rows := self._scope.rows("search/listed", after, _BATCH):
                for seq, body in rows:
                    if body is not None:
                        index(self._scope, seq, terms_of(stored_event(body), self._analyser))
                after = rows[-1][0]
            _forget_older(self._scope)

    def match(
        self, terms: Sequence[str], limit: int, among: Ints | None = None
    ) -> list[tuple[int, float]]:
        """Return (sequence, BM25 > 0) of the best matches for any of `terms`, best first.

        In single precision, so that a kept answer holds half of each. `among` are the sequences
        that may be named, ascending.
        """
        return self.index().match(terms, limit, among)

    def phrase(self, terms: Sequence[str], after: int = 0) -> list[int]:
        """Return the sequences after one in which `terms` stand together, stop words aside."""
        return self.index().phrase(terms, after)

    def vocabulary(self, index: TermIndex) -> Vocabulary:
        """Return every term that was ever met; later calls extend the same one."""
        with self._held.lock(self._name):
            if index.vocabulary.catch_up() and self._held.get(self._name) is index:
                self._held.put(self._name, index)  # which has grown
        return index.vocabulary

    def changed(self, after: int) -> tuple[set[int], int]:
        """Return the memories whose text changed or went since a change, and the last change."""
        changes = self._scope.rows("search/changes", after)
        return {seq for _, seq in changes}, changes[-1][0] if changes else after

    def index(self) -> TermIndex:
        """Return the arrays as of now: those that are held, with what came and went since.

        They stay as they are, for who asks them several things.
        """
        self.make()
        number = self._scope.number
        with self._held.lock(self._name), self._scope.database.snapshot():
            held = before = self._held.get(self._name)
            if held is None or held.space != number:
                last = self._scope.only_row("search/last_change")[0]
                held = term_index.loaded(self._arrays, number, last)
            changed, last = self.changed(held.changes)
            fresh = held.without(changed, last) if changed else held
            if ALL_TEXTS in changed:
                fresh, changed = term_index.TermIndex(number, fresh.changes), set()
            documents = self._scope.rows("search/documents", fresh.until, sorted(changed))
            if documents:
                fresh = fresh.extended(documents)
            # What is read inside of a transaction that writes may still be undone.
            if fresh is not before and not self._scope.database.is_writing:
                self._held.put(self._name, fresh)
                term_index.offer(self._arrays, fresh)
            return fresh
