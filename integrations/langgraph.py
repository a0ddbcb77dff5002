"""A LangGraph store: JSON values under namespaces and keys, searched by words and meaning.

    from meridia.integrations.langgraph import MeridiaStore
    graph = builder.compile(store=MeridiaStore(Memory.open("agent.sqlite")))

Every value is a memory: its versions, reasons and forgetting are those of any other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any

from ..core.errors import NotFound
from ..core.lazy import extra
from ..core.types import MemoryRecord, memories_of
from ..memory import Memory

with extra("langgraph"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        get_text_at_path,
        tokenize_path,
    )
    from langgraph.store.base import validate_op_namespace as check_namespace

_SOURCE = "langgraph"
#: A lifetime is renewed by a read once this share of it is over: each renewal is a version.
_RENEWED_AFTER = 0.1
#: A longer lifetime, in minutes, is one of two hundred years.
_MINUTES_MAX = 10.0**8
_WORDS_ALONE = 2
_COMPARISONS = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte")


class MeridiaStore(BaseStore):
    """A store in one space of a memory; `fields` are the paths of a value that are searched."""

    __slots__ = ("fields", "memory", "ttl_config")
    supports_ttl = True

    def __init__(
        self, memory: Memory, *, fields: Sequence[str] = ("$",), ttl: TTLConfig | None = None
    ) -> None:
        """Keep values in `memory`; `ttl` has the default lifetime, as in LangGraph's own stores."""
        self.memory, self.fields, self.ttl_config = memory, tuple(fields), ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Answer reads, in order, then write; of two writes to a key the last stands."""
        results: list[Result] = []
        writes: dict[str, PutOp] = {}
        for op in ops:
            check_namespace(op)
            if isinstance(op, PutOp):
                writes[_id(op.namespace, op.key)] = op
            results.append(None if isinstance(op, PutOp) else self._read(op))
        for id, op in writes.items():
            self._write(id, op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Answer in a worker thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Forget what is over; return how many values that were."""
        now = datetime.now(UTC).isoformat()
        over = [r.id for r in self._listed((), {"expires_at": {"lte": now}})]
        if over:
            self.memory.forget(ids=over)
        return len(over)

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise ValueError(f"{type(op).__name__} is not an operation that a store knows")

    def _get(self, op: GetOp) -> Item | None:
        record = self._record(_id(op.namespace, op.key))
        if record is None or _is_over(record):
            return None
        if op.refresh_ttl:
            self._renew(record)
        return Item(**_fields(record))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted = op.offset + op.limit
        scored: dict[str, tuple[MemoryRecord, float | None]] = {}
        if op.query and wanted > 0:
            # A filter that the memory cannot apply is applied here, to as many as it gives.
            where, exact = _where(op.namespace_prefix, op.filter or {})
            recall = self.memory.recall(
                op.query, where=where, limit=min(1000, wanted if exact else 1000), keep=False
            )
            scored = {hit.id: (hit.memory, hit.score) for hit in recall}
        records: list[tuple[MemoryRecord, float | None]] = []
        for record, score in chain(scored.values(), self._rest(op, scored)):
            if len(records) >= wanted:
                break
            if not _is_over(record) and _matches(_value(record), op.filter or {}):
                records.append((record, score))
        found = records[op.offset : wanted]
        if op.refresh_ttl:
            for record, _ in found:
                self._renew(record)
        return [SearchItem(**_fields(record), score=score) for record, score in found]

    def _rest(
        self, op: SearchOp, scored: Mapping[str, Any]
    ) -> Iterator[tuple[MemoryRecord, float | None]]:
        where, _ = _where(op.namespace_prefix, op.filter or {})
        for record in memories_of(self.memory.list, where=where):
            if record.id not in scored:
                yield record, None

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        there = {_namespace(record) for record in self._listed(()) if not _is_over(record)}
        found = {
            namespace[: op.max_depth]
            for namespace in there
            if all(_fits(condition, namespace) for condition in op.match_conditions or ())
        }
        return sorted(found)[op.offset : op.offset + op.limit]

    def _write(self, id: str, op: PutOp) -> None:
        before = self._record(id)
        if op.value is None:
            if before is not None:
                self.memory.forget(ids=[before.id])
            return
        if before is not None and _is_over(before):
            self.memory.forget(ids=[before.id])
            before = None
        now = datetime.now(UTC)
        metadata: dict[str, Any] = {
            "from": _SOURCE,
            "namespace": ".".join(op.namespace) + ".",
            "called": op.key,
            "says": op.value,
            "created_at": now.isoformat() if before is None else before.metadata["created_at"],
        }
        if op.ttl is not None:
            metadata |= {"ttl_minutes": op.ttl, "expires_at": _after(now, op.ttl)}
        text = "" if op.index is False else self._text(op.value, op.index or self.fields)
        if not text:
            metadata["status"] = "inactive"
        # A few words are told with their key: by themselves they may say nothing.
        said = text if len(text.split()) > _WORDS_ALONE else f"{op.key}: {text or 'no words'}"
        self.memory.upsert(id, said, role="note", metadata=metadata)

    def _text(self, value: Mapping[str, Any], paths: Sequence[str]) -> str:
        if list(paths) == ["$"]:
            return "\n".join(_lines(value))
        found = (get_text_at_path(value, path) for path in map(tokenize_path, paths))
        return "\n".join(text for texts in found for text in texts)

    def _renew(self, record: MemoryRecord) -> None:
        minutes, expires = record.metadata.get("ttl_minutes"), record.metadata.get("expires_at")
        if not isinstance(minutes, int | float) or not isinstance(expires, str):
            return
        now = datetime.now(UTC)
        left = datetime.fromisoformat(expires) - now
        if left < timedelta(minutes=minutes * (1 - _RENEWED_AFTER)):
            self.memory.update(
                record.id, record.text, metadata={"expires_at": _after(now, minutes)}
            )

    def _record(self, id: str) -> MemoryRecord | None:
        try:
            return self.memory.get(id)
        except NotFound:
            return None

    def _listed(
        self, prefix: tuple[str, ...], where: Mapping[str, Any] | None = None
    ) -> Iterator[MemoryRecord]:
        return memories_of(self.memory.list, where=_where(prefix, {})[0] | dict(where or {}))


def _id(namespace: Sequence[str], key: str) -> str:
    return f"{_SOURCE}:{'.'.join(namespace)}.{key}"


def _namespace(record: MemoryRecord) -> tuple[str, ...]:
    return tuple(str(record.metadata["namespace"])[:-1].split("."))


def _value(record: MemoryRecord) -> dict[str, Any]:
    said = record.metadata["says"]
    return dict(said) if isinstance(said, Mapping) else {}


def _fields(record: MemoryRecord) -> dict[str, Any]:
    return {
        "value": _value(record),
        "key": record.metadata["called"],
        "namespace": _namespace(record),
        "created_at": datetime.fromisoformat(str(record.metadata["created_at"])),
        "updated_at": record.at,
    }


def _is_over(record: MemoryRecord) -> bool:
    expires = record.metadata.get("expires_at")
    return isinstance(expires, str) and datetime.fromisoformat(expires) <= datetime.now(UTC)


def _after(now: datetime, minutes: float) -> str:
    return (now + timedelta(minutes=min(minutes, _MINUTES_MAX))).isoformat()


def _lines(value: Any, name: str = "") -> Iterator[str]:
    """Yield what stands in a value, with its name: `diet: vegetarian`."""
    if isinstance(value, Mapping):
        for inner, field in value.items():
            yield from _lines(field, inner)
    elif isinstance(value, list):
        for field in value:
            yield from _lines(field, name)
    elif value is not None and str(value).strip():
        yield f"{name}: {value}" if name else str(value)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _where(prefix: Sequence[str], filter: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return what the memory filters by, and whether that is all of the filter."""
    where: dict[str, Any] = {"from": _SOURCE}
    if prefix:
        where["namespace"] = {"prefix": ".".join(prefix) + "."}
    plain = {name: value for name, value in filter.items() if _is_plain(value) and "." not in name}
    return where | {f"says.{name}": value for name, value in plain.items()}, plain == filter


def _matches(value: Any, wanted: Any) -> bool:
    """Return whether a value is as a filter wants it: equal, part by part, or compared."""
    if isinstance(wanted, Mapping) and any(name.startswith("$") for name in wanted):
        return all(_compares(value, name, other) for name, other in wanted.items())
    if isinstance(wanted, Mapping):
        return isinstance(value, Mapping) and all(
            _matches(value.get(name), other) for name, other in wanted.items()
        )
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list)
            and len(value) == len(wanted)
            and all(map(_matches, value, wanted))
        )
    return bool(value == wanted)


def _compares(value: Any, name: str, other: Any) -> bool:
    if name not in _COMPARISONS:
        raise ValueError(f"the comparison {name!r} is not known: use {', '.join(_COMPARISONS)}")
    if name in ("$eq", "$ne"):
        return bool(value == other) is (name == "$eq")
    try:
        left, right = float(value), float(other)
    except (TypeError, ValueError):
        return False
    larger, equal = left > right, left == right
    return {"$gt": larger, "$gte": larger or equal, "$lt": left < right, "$lte": not larger}[name]


def _fits(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))
