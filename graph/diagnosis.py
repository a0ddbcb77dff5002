"""Everything that is wrong with one space, explained: its journal, file and projections."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.errors import StorageFull
from ..core.types import Space
from ..storage.copies.diagnosis import Diagnosis, explain, of_file
from ..storage.store import Store
from .maintenance import Status, verify_spaces

#: Projection → the command that brings it up to date.
_COMMANDS = {"graph": "meridia query 'RETURN 1'"}


def diagnose(file: Store, space: Space, status: Status, *, quick: bool = False) -> list[Diagnosis]:
    """Return what is wrong with a space; `status` is its own, with the graph."""
    try:
        damage = [explain(finding) for finding in verify_spaces(file, [space], quick=quick)[space]]
    except StorageFull as error:
        damage = [Diagnosis(str(error), "damage cannot be looked for: that needs room for a copy")]
    return [*damage, *of_file(file, space), *_of_projections(status), *_of_sinks(status)]


def _of_projections(status: Status) -> Iterator[Diagnosis]:
    for name in status.cursors:
        lag = status.lag(name)
        if lag > 0:
            yield Diagnosis(
                f"{name} is {lag} sequences behind the journal",
                "the newest entries are not in it yet; it catches up when it is used",
                _COMMANDS.get(name, "meridia enrich"),
            )
        elif lag < 0:
            yield Diagnosis(
                f"{name} is {-lag} sequences ahead of the journal",
                "it was made from a newer journal: an older file is in its place",
                "meridia rebuild",
                damage=True,
            )
    for note in status.notes:
        yield Diagnosis(note, "the graph cannot be asked; everything else works")


def _of_sinks(status: Status) -> Iterator[Diagnosis]:
    for sink in status.sinks:
        if not sink.is_configured:
            yield Diagnosis(
                f"{sink.name} was given copies, and the settings do not name it any more",
                "it keeps what it has, and forgettings do not reach it: name it, or empty it there",
            )
        if sink.failures:
            yield Diagnosis(
                f"{sink.name} failed {sink.failures} times: {sink.error}",
                f"it lacks {sink.lag} sequences, and is tried again at {sink.retry_at:%H:%M} UTC",
                "meridia sinks sync",
            )
        if sink.forgettings:
            yield Diagnosis(
                f"{sink.name} has not received {sink.forgettings} forgettings",
                "it may still hold what was forgotten here",
                "meridia sinks sync",
            )
