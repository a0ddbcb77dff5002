"""CrewAI: the memory of a crew, without a model to write or to read it.

    Crew(agents=[…], tasks=[…], memory=MeridiaMemory(memory))

It is CrewAI's `Memory`: scopes and slices, `forget`, `update`, lists and trees work on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from pydantic import PrivateAttr

from ..core.errors import NotFound
from ..core.lazy import extra
from ..core.types import memories_of
from ..memory import Memory

with extra("crewai"):
    from crewai import Memory as CrewMemory
    from crewai.memory.types import MemoryMatch, MemoryRecord, ScopeInfo
    from crewai.memory.utils import join_scope_paths

_SOURCE = "crewai"
#: What CrewAI's `remember` hands on, in its order.
_GIVEN = ("scope", "categories", "metadata", "importance", "source", "private", "root_scope")


class MeridiaMemory(CrewMemory):
    """Keeps what a crew does as it stands, and finds it by words and meaning, with reasons."""

    _records: MeridiaStorage = PrivateAttr()

    def __init__(self, memory: Memory, **given: Any) -> None:
        """Keep records in `memory`; `given` are fields of CrewAI's `Memory`, such as root_scope."""
        records = MeridiaStorage(memory)
        port: Any = records  # CrewAI asks for what matters to vectors too
        super().__init__(storage=port, embedder=_without_vectors, **given)
        self._records = records

    def extract_memories(self, content: str) -> list[str]:
        """Return what is to be kept of a text: all of it."""
        return [content]

    def _encode_batch(self, contents: list[str], *given: Any, **named: Any) -> list[MemoryRecord]:
        """Keep what CrewAI's `remember` and `remember_many` are given, as it stands."""
        fields = dict(zip(_GIVEN, given, strict=False)) | named
        place = join_scope_paths(fields.pop("root_scope", None), fields.pop("scope", None) or "/")
        fields.setdefault("importance", self.default_importance)
        told = {name: value for name, value in fields.items() if value is not None}
        records = [MemoryRecord(content=text, scope=place, **told) for text in contents]
        self._records.save(records)
        return records

    def recall(  # type: ignore[override]
        self,
        query: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        **given: Any,
    ) -> list[MemoryMatch]:
        """Return the records that answer, best first, each with the reason.

        Of CrewAI's other arguments, `source` and `include_private` count; there is one depth.
        """
        self.drain_writes()
        place = join_scope_paths(self.root_scope, scope or "/")
        whole, source = given.get("include_private", False), given.get("source")
        found = self._records.recall(query, place, categories, limit=limit if whole else 1000)
        shown = [m for m in found if whole or not m.record.private or m.record.source == source]
        return shown[:limit]


class MeridiaStorage:
    """CrewAI's port for storage, over one space of a memory; it is asked in words."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def save(self, records: list[MemoryRecord]) -> None:
        """Keep records; one whose id is known becomes its next version."""
        for record in records:
            metadata = {
                "from": _SOURCE,
                "scope": _inside(record.scope),
                "categories": record.categories,
                "item": record.model_dump(mode="json", exclude={"content"}),
            }
            at = record.created_at.replace(tzinfo=record.created_at.tzinfo or UTC)
            self._memory.upsert(
                _id(record.id), record.content, role="note", at=at, metadata=metadata
            )

    def recall(  # type: ignore[override]
        self, query: str, scope: str, categories: list[str] | None, *, limit: int
    ) -> list[MemoryMatch]:
        """Return the records of a scope that answer a question."""
        where = _where(scope, categories)
        hits = self._memory.recall(query, where=where, limit=limit, keep=False)
        return [
            MemoryMatch(
                record=_record(hit.memory), score=hit.score, match_reasons=[hit.summary.sentence]
            )
            for hit in hits
        ]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Forget the records that match, for good; return how many."""
        limit = older_than and older_than.replace(tzinfo=older_than.tzinfo or UTC)
        ids = [
            _id(record.id)
            for record in self._records(scope_prefix, categories, metadata_filter)
            if record_ids is None or record.id in record_ids
            if limit is None or record.created_at.replace(tzinfo=UTC) < limit
        ]
        if ids:
            self._memory.forget(ids=ids)
        return len(ids)

    def update(self, record: MemoryRecord) -> None:
        """Keep the next version of a record."""
        self.save([record])

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """Return a record; None where there is none."""
        try:
            return _record(self._memory.get(_id(record_id)))
        except NotFound:
            return None

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Return records of a scope, newest first."""
        records = sorted(self._records(scope_prefix), key=lambda it: it.created_at, reverse=True)
        return records[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Return how many records a scope has, of which times and categories, and what is below."""
        records = list(self._records(scope))
        times = [record.created_at for record in records]
        return ScopeInfo(
            path=scope,
            record_count=len(records),
            categories=sorted(self.list_categories(scope)),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Return the scopes directly below one."""
        above = _inside(parent)
        below = (_inside(record.scope).removeprefix(above) for record in self._records(parent))
        return sorted({above + rest.split("/")[0] for rest in below if rest})

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Return how many records of a scope each category has."""
        records = self._records(scope_prefix)
        return dict(Counter(each for record in records for each in record.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        """Return how many records a scope has."""
        return sum(1 for _ in self._records(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Forget the records of a scope, for good."""
        self.delete(scope_prefix)

    def _records(
        self,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> Iterator[MemoryRecord]:
        where = _where(scope or "/", categories)
        for record in map(_record, memories_of(self._memory.list, where=where)):
            if (metadata or {}).items() <= record.metadata.items():
                yield record


def _without_vectors(texts: list[str]) -> list[list[float]]:
    """Stand for an encoder where CrewAI asks for one: the memory has its own."""
    return [[] for _ in texts]


def _id(record_id: str) -> str:
    return f"{_SOURCE}:{record_id}"


def _inside(scope: str) -> str:
    return f"{scope.rstrip('/')}/"


def _where(scope: str, categories: list[str] | None) -> dict[str, Any]:
    where: dict[str, Any] = {"from": _SOURCE}
    if scope.strip("/"):
        where["scope"] = {"prefix": _inside(scope)}
    return where | ({"categories": categories} if categories else {})


def _record(record: Any) -> MemoryRecord:
    return MemoryRecord(content=record.text, **record.metadata["item"])
