"""Merges of entities: which merges may be made and undone, and which entity stands for which.

A merge is recorded at the entity that becomes part of another; undoing it undoes only that merge.
Chains are resolved on reading and never stored.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import Conflict, InvalidInput, NotFound


def check_merge(own: Mapping[str, str], entity: str, into: str) -> None:
    """Refuse a merge that means nothing, before it is written; `own` are the merges there are.

    Raises `InvalidInput` for an entity with itself or in a circle, `Conflict` for an entity that
    is merged already.
    """
    if entity == into:
        raise InvalidInput(f"entity {entity} is given twice: name two entities")
    if entity in own:
        raise Conflict(f"entity {entity} is merged into {own[entity]}: unmerge it first")
    if _leads_to(own, into, entity):
        raise InvalidInput(
            f"entity {into} was merged into {entity} before: unmerge it first, or merge the "
            "other way round"
        )


def check_unmerge(own: Mapping[str, str], entity: str) -> None:
    """Refuse to take back a merge that there is not: `NotFound`."""
    if entity not in own:
        raise NotFound(f"entity {entity} is not merged: entities merged into it stay as they are")


def resolve(own: Mapping[str, str]) -> dict[str, str]:
    """Follow every chain of merges to its end; `InvalidInput` where there is a circle."""
    ends: dict[str, str] = {}
    for first in own:
        chain = dict[str, None]()
        at = first
        while at in own and at not in ends:
            if at in chain:
                raise InvalidInput(f"entity {at} is merged in a circle: unmerge one of {[*chain]}")
            chain[at] = None
            at = own[at]
        end = ends.get(at, at)
        ends.update(dict.fromkeys(chain, end))
    return ends


def _leads_to(own: Mapping[str, str], start: str, goal: str) -> bool:
    """Say whether following merges from `start` passes `goal`; `own` has no circle."""
    at: str | None = start
    while at is not None and at != goal:
        at = own.get(at)
    return at == goal
