"""Decisions of a person about memories: which entities are the same, what a person is to the agent.

Every decision is a journal entry, so that it is permanent and can be undone.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.calls.arguments import checked
from ..core.codec import check_same_content
from ..core.entities.entity_gazetteer import EntityType, GazetteerEntity
from ..core.entities.entity_merges import check_merge, check_unmerge
from ..core.entries import EntitiesMerged, EntitiesUnmerged, EntryPayload, RelationshipChanged
from ..core.errors import InvalidInput, NotFound
from ..core.ids import fold
from ..core.people import Person
from ..core.types import EntryDraft, Space
from ..core.vocabulary import EntryKind, Relationship, word_of
from ..storage.projections.entry_indexes import EntityRow
from ..storage.store import Store
from .extraction.duplicates import MergeCandidate, duplicates
from .people_curation import PeopleCuration


@checked
class CurationService:
    """Takes decisions about one space of one file."""

    def __init__(self, file: Store, space: Space) -> None:
        self._file = file
        self._space = space

    @property
    def people(self) -> PeopleCuration:
        """Decisions about people: `merge`, `unmerge`, `name`, `refuse`."""
        return PeopleCuration(self._file, self._space)

    def merge(
        self, entity: str, into: str, reason: str = "", *, id: str = ""
    ) -> tuple[EntityRow, EntityRow] | tuple[Person, Person]:
        """Merge one into another, by id or name; both stay, and `unmerge` separates them.

        `id` is the caller's own, here and below: the same id with the same content is one decision,
        with other content a `Conflict`.

        Two people who spoke are merged as people, all else as entities. Raises `NotFound` for a
        name that nothing has, `InvalidInput` where it is not clear which one is meant, and for a
        merge that would lead round in a circle.
        """
        people = self.people
        if people.has(entity) and people.has(into):
            return people.merge(entity, into, id=id)
        with self._file.writing():  # nobody else merges meanwhile
            listed = self._listed()
            source, target = _resolve_entity(listed, entity), _resolve_entity(listed, into)
            merged = EntitiesMerged(source.id, target.id, reason, by="user")
            if not self._was_taken(merged, id):
                check_merge(_merges(listed), source.id, target.id)
                self._append(merged, id)
        return source, target

    def unmerge(self, entity: str, *, id: str = "") -> EntityRow | Person:
        """Undo the merge of an entity or a person; others that were merged into it stay merged."""
        if self.people.has(entity) and not self._is_merged(entity):
            return self.people.unmerge(entity, id=id)
        with self._file.writing():
            listed = self._listed()
            entity_row = _resolve_entity(listed, entity)
            unmerged = EntitiesUnmerged(entity_row.id, by="user")
            if not self._was_taken(unmerged, id):
                check_unmerge(_merges(listed), entity_row.id)
                self._append(unmerged, id)
        return entity_row

    def duplicates(self) -> list[MergeCandidate]:
        """Return pairs of entities that may be one, likeliest first; nothing is merged."""
        return duplicates(
            [
                GazetteerEntity(e.id, EntityType(e.type), e.name, canonical=e.merged_into)
                for e in self._listed()
            ]
        )

    def set_relationship(
        self,
        name: str,
        type: Relationship | str,
        threshold: float | None = None,
        *,
        id: str = "",
    ) -> None:
        """Set the relationship of a person to the agent, and their threshold of a full capture.

        `type` is primary, collaborator, user or unknown; the threshold is 0 to 1. Raises `NotFound`
        for somebody never met.
        """
        if threshold is not None and not 0 <= threshold <= 1:
            raise InvalidInput(f"threshold {threshold:g} is out of range: give 0 to 1")
        relationship = word_of(Relationship, type, "type")
        person = self._file.space(self._space).identities.directory().speakers.find(name)
        if person is None:
            raise NotFound(f"no person called {name!r} is known: `meridia people` lists them")
        current = self._file.space(self._space).people.type_and_threshold(person.id)
        before = current and current[0]
        kind = EntryKind.RELATIONSHIP_CHANGED
        for entry in self._file.journal.by_keys(self._space, kind, [id] if id else []):
            if isinstance(entry.payload, RelationshipChanged):  # the same decision once more
                before = entry.payload.before
        self._append(RelationshipChanged(person.id, relationship, threshold, "user", before), id)

    def _is_merged(self, name: str) -> bool:
        """Return whether an entity of this name was itself merged."""
        return any(e.merged_into and fold(e.name) == fold(name) for e in self._listed())

    def _listed(self) -> list[EntityRow]:
        return self._file.space(self._space).entities.list_all()

    def _was_taken(self, payload: EntryPayload, id: str) -> bool:
        """Return whether the journal has a decision under the caller's id, even a replaced one."""
        entries = self._file.journal.by_keys(self._space, payload.kind, [id]) if id else []
        for entry in entries:
            if entry.payload is not None:
                check_same_content(id, entry.payload, payload, self._space)
        return bool(entries)

    def _append(self, payload: EntryPayload, id: str) -> None:
        draft = EntryDraft(id, payload, has_own_key=bool(id))
        self._file.journal.append(self._space, [draft])


def _merges(listed: Sequence[EntityRow]) -> dict[str, str]:
    return {e.id: e.merged_into for e in listed if e.merged_into is not None}


def _resolve_entity(listed: Sequence[EntityRow], name: str) -> EntityRow:
    """Return the entity of this id, name, or `TYPE:name`."""
    kind, _, rest = name.partition(":")
    typed = rest and kind.upper() in set(EntityType)
    matches = [
        e
        for e in listed
        if e.id == name
        or fold(e.name) == fold(name)
        or (typed and e.type == kind.upper() and fold(e.name) == fold(rest))
    ]
    if not matches:
        raise NotFound(
            f"there is no entity {name!r}: `meridia entities` lists them, with the label "
            "Entity; merge people who spoke with `meridia people merge`; concepts cannot be merged"
        )
    if len(matches) > 1:
        which = ", ".join(f"{e.type}:{e.name}" for e in matches)
        raise InvalidInput(f"{name!r} is the name of several entities: choose from {which}")
    return matches[0]
