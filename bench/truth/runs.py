"""Agent runs beside labels: failures and their solutions, outcomes, people, promises.

What no part of the product derives today has a row all the same, in which nothing is derived.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.truth.labels import Labels
from bench.truth.tally import Item, Verdict, judged
from meridia import Memory
from meridia.core.entries import EntitiesMentioned
from meridia.core.ids import fold
from meridia.core.text import shorten
from meridia.core.types import EntryKind, Filters, MemoryRecord
from meridia.core.vocabulary import RecordStatus, Trigger
from meridia.resume.experience_views import ExperienceView, read_experiences
from meridia.resume.failures import ToolFailure, failures_of

_TEXT, _TASKS, _PERSON = 100, 50, "PERSON"
#: What tau-bench's messages are called by, and labels: `4/1/7` is `a54:7`.
_AIRLINE = re.compile(r"(\d+)/(\d+)/(\d+)")
#: Labels of what a message is about: none of them is a mere formula.
_CONTENT = ("decided", "promise", "failed")


@dataclass(frozen=True, slots=True)
class DerivedRun:
    """What the product derived of one run; `unsolved` are failures that nothing mended."""

    views: Sequence[ExperienceView]
    unsolved: Sequence[ToolFailure]
    people: frozenset[str]


def run_id_of(memory: MemoryRecord) -> str:
    """Return a message's id as labels have it."""
    if numbered := _AIRLINE.fullmatch(memory.event_id):
        task, trial, place = map(int, numbered.groups())
        return f"a{task + _TASKS * trial}:{place}"
    return memory.event_id


def derive_runs(here: Memory) -> dict[str, DerivedRun]:
    """Read what was derived of every run in a space, by run as labels name it."""
    named: dict[str, set[str]] = {}
    for entry in here.parts.journal.of_kind(here.space, EntryKind.ENTITIES_MENTIONED):
        if isinstance(entry.payload, EntitiesMentioned):
            names = {e.name for e in entry.payload.entities if e.type == _PERSON}
            named.setdefault(entry.payload.experience, set()).update(names)
    runs = {}
    keys = dict.fromkeys(
        view.memory.session for view in read_experiences(here.parts, here.space, Filters())
    )
    for key in keys:
        views = read_experiences(here.parts, here.space, Filters(session=key))
        people = {name for view in views for name in named.get(view.memory.id, ())}
        people |= {view.memory.person for view in views if view.memory.person}
        name = re.split("[:-]", run_id_of(views[0].memory))[0]
        runs[name] = DerivedRun(
            views,
            [failure for failure in failures_of(views) if failure.is_open],
            frozenset(map(fold, people)),
        )
    return runs


def score_run(labels: Labels, derived: DerivedRun) -> Iterator[Item]:
    """Yield every item of one run."""
    by_id = {run_id_of(view.memory): view for view in derived.views}
    yield from _failures(labels, derived, by_id)
    fixes = {id for id, view in by_id.items() if view.trigger is Trigger.PROBLEM_SOLUTION}
    labelled = {_event(label["fix"], by_id) for label in labels.of("fix")}
    yield from _rows("run fixes", labels, fixes, labelled, by_id)
    yield from _absent("run outcome", labels, "outcome")
    for label in labels.of("person"):
        if label["name"] == "-":
            continue
        right = judged(fold(label["name"]) in derived.people)
        yield Item("run person recall", labels.source, label.id, right, label["name"])
    yield from _formulas(labels, by_id)


def _failures(
    labels: Labels, derived: DerivedRun, by_id: Mapping[str, ExperienceView]
) -> Iterator[Item]:
    failed = {_event(label.id, by_id) for label in labels.of("failed")}
    derived_failed = {id for id, view in by_id.items() if view.error}
    yield from _rows("run failures", labels, derived_failed, failed, by_id)
    for label in labels.of("notfailed"):
        id = _event(label.id, by_id)
        right = judged(id not in derived_failed)
        yield Item("run not failed", labels.source, id, right, _text(by_id, id))
    unsolved = {run_id_of(thread.opened) for thread in derived.unsolved}
    labelled = {_event(label.id, by_id) for label in labels.of("nofix")}
    yield from _rows("run left unsolved", labels, unsolved, labelled, by_id)


def _formulas(labels: Labels, by_id: Mapping[str, ExperienceView]) -> Iterator[Item]:
    """Yield messages told to be noise: only some formulas are labelled, so others are unjudged."""
    formulas = {label.id for label in labels.of("formula")}
    content = {label.id for kind in _CONTENT for label in labels.of(kind)}
    content |= {label["message"] for kind in ("goal", "outcome") for label in labels.of(kind)}
    noise = {id for id, view in by_id.items() if view.memory.status == RecordStatus.NOISE}
    for id in sorted(noise):
        verdict = Verdict.UNJUDGED if id not in formulas | content else judged(id in formulas)
        yield Item("run formulas", labels.source, id, verdict, _text(by_id, id))
    for id in sorted(formulas):
        yield Item("run formulas recall", labels.source, id, judged(id in noise), _text(by_id, id))


def _rows(
    row: str,
    labels: Labels,
    derived: Iterable[str],
    labelled: Iterable[str],
    by_id: Mapping[str, ExperienceView],
) -> Iterator[Item]:
    """Yield precision and recall of messages that were derived to be something."""
    derived, labelled = set(derived), set(labelled)
    for id in sorted(derived):
        yield Item(row, labels.source, id, judged(id in labelled), _text(by_id, id))
    for id in sorted(labelled):
        yield Item(f"{row} recall", labels.source, id, judged(id in derived), _text(by_id, id))


def _absent(row: str, labels: Labels, kind: str) -> Iterator[Item]:
    """Yield the labels of a kind that nothing derives."""
    for label in labels.of(kind):
        yield Item(row, labels.source, label.id, Verdict.ABSENT, label[kind])


def _event(id: str, by_id: Mapping[str, ExperienceView]) -> str:
    """Return the event of a labelled message: a call is no event of its own, but its result is."""
    run, _, number = id.partition(":")
    if id in by_id or not number:
        return id
    following = f"{run}:{int(number) + 1}"
    return following if following in by_id else id


def _text(by_id: Mapping[str, ExperienceView], id: str) -> str:
    return shorten(by_id[id].memory.text, _TEXT) if id in by_id else "not there"
