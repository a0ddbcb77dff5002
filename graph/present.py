"""What entries mean to a graph in which something was erased: what hangs on nothing is left out.

An entry names only experiences, facts and people of entries before it. One that is not there by
then lost its payload, and what was said about it goes with it. The same for every projection of
the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..core.types import EdgeUpsert, Entry, EntryKind, Mutation, NodeUpsert
from .mutations import mutations

#: Returns which of some nodes of a label are there.
Known = Callable[[str, Sequence[str]], set[str]]
#: Labels whose nodes may be missing because something was erased.
_ERASABLE = ("Experience", "Fact")


def changes(entries: Sequence[Entry], known: Known) -> list[tuple[Entry, list[Mutation]]]:
    """Return for each entry of a batch what it means, without what refers to something erased."""
    means = [(entry, mutations(entry)) for entry in entries]
    captured = {
        entry.id
        for entry in entries
        if entry.kind is EntryKind.EXPERIENCE_CAPTURED and entry.payload is not None
    }
    subjects = {subject for entry in entries if (subject := _subject(entry))}
    experiences = _present("Experience", captured, subjects | _ends(means, "Experience"), known)
    asserted = {
        entry.payload["fact"]
        for entry in entries
        if entry.kind is EntryKind.FACT_ASSERTED
        and entry.payload is not None
        and entry.payload["experience"] in experiences
    }
    superseded = {fact for entry in entries if (fact := _superseded(entry))}
    facts = _present("Fact", asserted, superseded | _ends(means, "Fact"), known)
    there = {"Experience": experiences, "Fact": facts}
    kept = [
        (entry, [change for change in found if _holds(change, there)])
        for entry, found in means
        if _subject(entry) in experiences | {None} and _superseded(entry) in facts | {None}
    ]
    return _of_the_met(kept, known)


def _of_the_met(
    means: list[tuple[Entry, list[Mutation]]], known: Known
) -> list[tuple[Entry, list[Mutation]]]:
    """Leave out what somebody has become to the agent who was not met before, in order."""
    asked = sorted({person for entry, _ in means if (person := _became(entry))})
    met = known("Person", asked) if asked else set()
    kept = []
    for entry, found in means:
        if _became(entry) in met | {None}:
            kept.append((entry, found))
            met |= {c.id for c in found if isinstance(c, NodeUpsert) and c.label == "Person"}
    return kept


def _became(entry: Entry) -> str | None:
    """Return the person whose relationship to the agent an entry changes."""
    changed = entry.kind is EntryKind.RELATIONSHIP_CHANGED and entry.payload is not None
    return entry.payload["person"] if changed and entry.payload else None


def _present(label: str, fresh: set[str], named: set[str], known: Known) -> set[str]:
    """Return those of some nodes that are there, or come with this batch."""
    asked = sorted(named - fresh)
    return fresh | (known(label, asked) if asked else set())


def _subject(entry: Entry) -> str | None:
    """Return the experience that an entry speaks about, if it speaks about one."""
    return None if entry.payload is None else entry.payload.get("experience")


def _superseded(entry: Entry) -> str | None:
    """Return the fact that an entry takes back, if it takes back one."""
    taken = entry.kind is EntryKind.FACT_SUPERSEDED and entry.payload is not None
    return entry.payload["fact"] if taken and entry.payload else None


def _ends(means: Sequence[tuple[Entry, list[Mutation]]], label: str) -> set[str]:
    ends = (end for _, found in means for change in found for end in _between(change))
    return {id for at, id in ends if at == label}


def _between(change: Mutation) -> list[tuple[str, str]]:
    """Return label and id of both ends of an edge, as far as they may be missing."""
    if not isinstance(change, EdgeUpsert):
        return []
    ends = ((change.source_label, change.source), (change.target_label, change.target))
    return [end for end in ends if end[0] in _ERASABLE]


def _holds(change: Mutation, there: dict[str, set[str]]) -> bool:
    return all(id in there[label] for label, id in _between(change))
