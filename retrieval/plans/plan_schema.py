"""Reads and validates plans from elsewhere, and decides what follows.

An invalid plan halts the work and asks for a person; an empty plan is valid. Nothing is repaired: a
claim that does not follow from the selection is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ...core.calls.outside_json import read_json
from ...core.codec import decode, to_object
from ...core.errors import InvalidInput
from ...core.types import Json
from .plan import COVERED, REASONING_CHARS_MAX, RetrievalPlan, SourceType

_KEYS = ("selected_nodes", "selection_reasons", "coverage", "reasoning")
_TYPES = tuple(type.value for type in SourceType)
#: What stands for the reason of a group with nothing in it.
_NO_REASON = frozenset({"", "none"})

#: The source type of each of some node ids; ids that the index does not hold are left out.
TypesOf = Callable[[Collection[str]], Mapping[str, SourceType]]


class Action(StrEnum):
    """What follows a plan; asking back first is for one that we made ourselves."""

    PROCEED = "proceed"
    CLARIFY = "clarify"
    HALT = "halt"


@dataclass(frozen=True, slots=True)
class Intervention:
    """Why the work stands still, and what somebody has to do."""

    phase: str
    problem: str
    needed: str

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return to_object(self)


@dataclass(frozen=True, slots=True)
class Handoff:
    """Either a plan to go on with, or an intervention; never both."""

    plan: RetrievalPlan | None = None
    intervention: Intervention | None = None

    @property
    def action(self) -> Action:
        """Go on with a plan, stop without one."""
        return Action.HALT if self.plan is None else Action.PROCEED


def read_handoff(
    given: Json,
    types_of: TypesOf,
    further: Callable[[RetrievalPlan], RetrievalPlan] | None = None,
) -> Handoff:
    """Read a plan, as JSON text or plain values; a wrong one halts instead of raising.

    `further` is asked of a plan that is right by itself, and may refuse it as well.
    """
    try:
        plan = read_plan(given, types_of)
        return Handoff(plan=plan if further is None else further(plan))
    except InvalidInput as error:
        needed = "a plan of this schema, with ids of this index only: plan again, or correct it"
        return Handoff(intervention=Intervention("2.1", str(error), needed))


def read_plan(given: Json, types_of: TypesOf) -> RetrievalPlan:
    """Return a plan from JSON text or plain values; `InvalidInput` names the first thing wrong.

    `types_of` looks ids up in the index: an unknown id, and one in a group that is not its own, is
    refused.
    """
    fields = decode(dict[str, Json], _parsed(given), "plan")
    _check_keys(fields, _KEYS, "plan")
    groups = decode(dict[str, Json], fields["selected_nodes"], "plan.selected_nodes")
    _check_keys(groups, _TYPES, "plan.selected_nodes")
    selected = {
        type: decode(
            tuple[str, ...], _listed(groups[type.value], type), f"plan.selected_nodes.{type}"
        )
        for type in SourceType
    }
    _check_ids(selected, types_of)
    plan = RetrievalPlan(selected, _reasons(fields, selected), _reasoning(fields["reasoning"]))
    _check_coverage(fields["coverage"], plan)
    return plan


def reordered(ours: RetrievalPlan, theirs: RetrievalPlan) -> RetrievalPlan:
    """Return our plan in their order; they may leave out, and never add.

    `InvalidInput` names an id that we did not select.
    """
    for type in SourceType:
        more = [id for id in theirs.selected.get(type, ()) if id not in ours.selected.get(type, ())]
        if more:
            raise InvalidInput(
                f"plan.selected_nodes.{type} adds {more[0]!r}: "
                "a selection may be put into another order or made smaller, never widened"
            )
    return theirs


def _parsed(given: Json) -> Json:
    if not isinstance(given, (str, bytes)):
        return given
    return read_json(given, "plan")


def _check_keys(fields: Mapping[str, Any], keys: Collection[str], where: str) -> None:
    missing = [key for key in keys if key not in fields]
    if missing:
        raise InvalidInput(f"{where}.{missing[0]} is missing: every key must be there")
    more = sorted(str(key) for key in fields if key not in keys)
    if more:
        raise InvalidInput(f"{where} has the key {more[0]!r}: only {', '.join(keys)} are known")


def _listed(value: Json, type: SourceType) -> Json:
    if value is None:
        raise InvalidInput(f"plan.selected_nodes.{type} is null: write [] for nothing selected")
    return value


def _check_ids(selected: Mapping[SourceType, tuple[str, ...]], types_of: TypesOf) -> None:
    named = [id for ids in selected.values() for id in ids]
    twice = next((id for place, id in enumerate(named) if id in named[:place]), None)
    if twice is not None:
        raise InvalidInput(f"plan.selected_nodes names {twice!r} twice: name it once")
    types = types_of(named)
    for type, ids in selected.items():
        for id in ids:
            where = f"plan.selected_nodes.{type}: {id[:80]!r}"
            if id not in types:
                raise InvalidInput(f"{where} is not in the memory index: name ids that are")
            if types[id] is not type:
                raise InvalidInput(f"{where} is a {types[id]}: name it in that group")


def _reasons(
    fields: Mapping[str, Any], selected: Mapping[SourceType, tuple[str, ...]]
) -> dict[SourceType, str]:
    where = "plan.selection_reasons"
    given = decode(dict[str, Json], fields["selection_reasons"], where)
    _check_keys(given, _TYPES, where)
    reasons = {}
    for type in SourceType:
        reason = decode(str, given[type.value], f"{where}.{type}")
        empty = reason.strip().casefold() in _NO_REASON
        if selected[type] and empty:
            raise InvalidInput(f"{where}.{type} is empty: say why its nodes were selected")
        if not selected[type] and not empty:
            raise InvalidInput(f'{where}.{type} gives a reason for nothing: write "" or "none"')
        reasons[type] = "" if empty else reason
    return reasons


def _reasoning(value: Json) -> str:
    text = decode(str, value, "plan.reasoning").strip()
    if len(text) > REASONING_CHARS_MAX:
        raise InvalidInput(
            f"plan.reasoning has {len(text)} characters: one paragraph is needed, of at most "
            f"{REASONING_CHARS_MAX}"
        )
    if "\n" in text:
        raise InvalidInput("plan.reasoning has more than one line: one paragraph is needed")
    return text


def _check_coverage(value: Json, plan: RetrievalPlan) -> None:
    given = decode(dict[str, Json], value, "plan.coverage")
    _check_keys(given, tuple(COVERED), "plan.coverage")
    for claim, holds in plan.coverage.items():
        if given[claim] is not holds:
            raise InvalidInput(
                f"plan.coverage.{claim} is {given[claim]!r}, and the selected nodes make it "
                f"{holds}: coverage is derived from them"
            )
