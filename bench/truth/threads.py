"""Promises and questions beside labels: is each one real, is it open, and what closed it?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from bench.truth.labels import Label, Labels
from bench.truth.tally import Item, judged
from meridia.core.types import MemoryRecord
from meridia.retrieval.history.deed_closings import ThreadState
from meridia.retrieval.history.open_threads import Thread

#: Kinds of threads that are promises; the last three may come.
PROMISES = frozenset({"promise", "proposal", "plan", "deadline", "reminder"})
QUESTION, OPEN = "question", "open"


def score_threads(
    labels: Labels, threads: Sequence[Thread], id_of: Callable[[MemoryRecord], str]
) -> Iterator[Item]:
    """Yield the items of threads; `id_of` returns the message's id as labels have it."""
    promises = [thread for thread in threads if thread.kind.value in PROMISES]
    opened = {id_of(thread.opened) for thread in promises}
    closed = {id_of(thread.opened) for thread in promises if thread.closed is not None}
    asked = [thread for thread in threads if thread.kind.value == QUESTION and thread.is_open]
    for thread in promises:
        yield from _promise(labels, thread, id_of)
    for label in labels.of("promise"):
        yield _missing("promises recall", label, opened)
    for label in labels.of("promise"):
        yield _missing(f"promises recall, {label['type']}", label, opened)
    for label in labels.of("promise"):
        if label["state"] != OPEN:
            yield _missing("closings recall", label, closed)
    for thread in asked:
        id = id_of(thread.opened)
        right = judged(bool(labels.at(id, "question")))
        yield Item("questions", labels.source, id, right, thread.text)
    for label in labels.of("question"):
        yield _missing("questions recall", label, {id_of(thread.opened) for thread in asked})


def _promise(
    labels: Labels, thread: Thread, id_of: Callable[[MemoryRecord], str]
) -> Iterator[Item]:
    """Yield whether it is a promise, and open; of a closed one that is labelled, what closed it.

    Expired is right where readers left it open: nothing showed it done when it was due.
    """
    id, closed = id_of(thread.opened), thread.closed and id_of(thread.closed)
    labelled = labels.at(id, "promise")
    rows = {"promises": bool(labelled)}
    if thread.is_open:
        rows["promises open"] = any(label["state"] == OPEN for label in labelled)
    elif thread.state is ThreadState.EXPIRED:
        rows["promises expired"] = any(label["state"] == OPEN for label in labelled)
    elif labelled:
        rows["closings"] = any(_same_state(thread, label) for label in labelled)
        rows["closings exact"] = any(label["closed"] == closed for label in labelled)
    text = thread.text if closed is None else f"{thread.text} ← {closed}"
    for row, right in rows.items():
        yield Item(row, labels.source, id, judged(right), text)


def _missing(row: str, label: Label, derived: Collection[str]) -> Item:
    text = label.values.get("deed", "")
    return Item(row, label.source, label.id, judged(label.id in derived), text)


def _same_state(thread: Thread, label: Label) -> bool:
    """Say whether a closed thread is labelled closed the same way."""
    return label["state"] == thread.state
