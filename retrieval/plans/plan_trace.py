"""The results of plans as lines of the trace stream, and statistics over them.

Stored without content: which plan, how many nodes of which type, whether it halted, and whether its
draft passed. The journal is not changed; after pruning the trace, fewer plans are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...core.codec import to_object
from ...core.types import Json, Space
from ...storage.trace import TraceEntry, TraceStream
from .context_draft import DraftCheck, DraftVerdict
from .plan import RetrievalPlan, SourceType

KIND = "plan"
PLANNED, HALTED, PASSED, FAILED, ASKED = "planned", "halted", "passed", "failed", "asked"
_ENDS = {DraftVerdict.PASS: PASSED, DraftVerdict.RETRY: FAILED, DraftVerdict.CLARIFY: ASKED}


@dataclass(frozen=True, slots=True)
class PlanStatistics:
    """Sums over the kept plans of a space.

    `asked` counts plans that asked back. `failures` counts plans whose draft did not pass for what
    was wrong with it; `failure_rate` is of those that were checked, None while none was.
    `mean_nodes_failed` and `mean_nodes_passed` say whether larger or smaller plans fail.
    """

    plans: int
    empty: int
    halted: int
    asked: int
    types: Mapping[SourceType, int]
    mean_nodes: float
    expired: int
    checked: int
    failures: int
    failure_rate: float | None
    mean_nodes_failed: float | None
    mean_nodes_passed: float | None

    def as_json(self) -> dict[str, Json]:
        """Return the documented shape of `plan --stats --json`."""
        return to_object(self)


class PlanTrace:
    """Writes down what became of the plans of one space, and sums it up."""

    def __init__(self, trace: TraceStream, space: Space) -> None:
        self._trace = trace
        self._space = space

    def planned(self, id: str, plan: RetrievalPlan, expired: int, *, asks: bool = False) -> None:
        """Keep how many nodes of which type a plan has, and whether it asks back."""
        counts = {type.value: len(ids) for type, ids in plan.selected.items()}
        detail = {"types": counts, "expired": expired, "asks": asks}
        self._trace.write(self._space, KIND, PLANNED, id, detail)

    def halted(self, id: str | None) -> None:
        """Keep that a plan from elsewhere could not be read."""
        self._trace.write(self._space, KIND, HALTED, id, {})

    def checked(self, id: str, result: DraftCheck) -> None:
        """Keep whether what was made of a plan passed, and how much was wrong with it."""
        detail = {"issues": len(result.issues)}
        self._trace.write(self._space, KIND, _ENDS[result.verdict], id, detail)

    def statistics(self) -> PlanStatistics:
        """Return the sums over every plan that is kept."""
        return summarise_plans(self._trace.of_kind(self._space, KIND))


def summarise_plans(lines: Iterable[TraceEntry]) -> PlanStatistics:
    """Sum up what the trace says of plans; of a plan checked twice, the last check counts."""
    types: Counter[SourceType] = Counter()
    sizes: dict[str, int] = {}
    ends: dict[str, str] = {}
    sums: Counter[str] = Counter()
    for line in lines:
        sums[line.decision] += 1
        if line.decision == PLANNED:
            counts = {SourceType(name): n for name, n in line.detail["types"].items()}
            types.update(counts)
            sizes[line.subject or ""] = sum(counts.values())
            sums["expired"] += line.detail["expired"]
            sums["asks"] += bool(line.detail.get("asks"))
        elif line.decision in _ENDS.values():
            ends[line.subject or ""] = line.decision
    failures = sum(end == FAILED for end in ends.values())
    return PlanStatistics(
        plans=len(sizes),
        empty=sum(size == 0 for size in sizes.values()),
        halted=sums[HALTED],
        asked=sums["asks"],
        types={type: types[type] for type in SourceType},
        mean_nodes=sum(sizes.values()) / len(sizes) if sizes else 0.0,
        expired=sums["expired"],
        checked=len(ends),
        failures=failures,
        failure_rate=failures / len(ends) if ends else None,
        mean_nodes_failed=_mean(sizes, ends, FAILED),
        mean_nodes_passed=_mean(sizes, ends, PASSED),
    )


def _mean(sizes: Mapping[str, int], ends: Mapping[str, str], end: str) -> float | None:
    """Return the mean size of the plans that ended so."""
    matching = [sizes[id] for id, ended in ends.items() if ended == end and id in sizes]
    return sum(matching) / len(matching) if matching else None
