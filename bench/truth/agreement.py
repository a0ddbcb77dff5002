"""Agreement of two annotators: whether both labelled the same messages, by kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bench.measure import aligned
from bench.truth.labels import Label, Labels

_UNIT = re.compile(r"[DS](\d+)|([ac]\d+)")


@dataclass(frozen=True, slots=True)
class Agreement:
    """Places that the first and the second reader labelled with a kind, and that both did."""

    first: int
    second: int
    both: int

    @property
    def f1(self) -> float:
        """Twice what both have, over what each has, 0 to 1."""
        return 2 * self.both / max(self.first + self.second, 1)


def agreement(first: Mapping[str, Labels], second: Mapping[str, Labels]) -> dict[str, Agreement]:
    """Compare two readers by kind, in the sessions and runs that the second one labelled at all."""
    read = {(source, _unit(label.id)) for source in second for label in second[source]}
    places: dict[str, tuple[set[str], set[str]]] = {}
    for place, reader in enumerate((first, second)):
        for source, labels in reader.items():
            for label in labels:
                if (source, _unit(label.id)) in read:
                    both = places.setdefault(label.kind, (set(), set()))
                    both[place].update(f"{source}/{id}" for id in _ids(label))
    return {
        kind: Agreement(len(mine), len(theirs), len(mine & theirs))
        for kind, (mine, theirs) in places.items()
    }


def agreement_table(by_kind: Mapping[str, Agreement]) -> str:
    """Write the agreement of two readers, a kind a line."""
    heading = ("kind", "first", "second", "both", "second in first", "first in second", "F1")
    rows = [
        (
            kind,
            str(one.first),
            str(one.second),
            str(one.both),
            f"{100 * one.both / max(one.second, 1):.0f} %",
            f"{100 * one.both / max(one.first, 1):.0f} %",
            f"{one.f1:.2f}",
        )
        for kind, one in by_kind.items()
    ]
    return aligned([heading, *rows], right=set(range(1, len(heading))))


def _ids(label: Label) -> set[str]:
    return {f"{label.id}/{id}" for id in label.messages} if label.kind == "event" else {label.id}


def _unit(id: str) -> str:
    """Return the number of the session, or the run, that a label is in."""
    match = _UNIT.match(id)
    return (match[1] or match[2]) if match else id
