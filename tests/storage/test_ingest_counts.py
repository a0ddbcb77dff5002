"""The tally: every event counted once, by what became of it."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from meridia.core.types import EntryKind
from meridia.graph.adjacency import Adjacency
from meridia.storage import tasks
from meridia.storage.ingest_counts import IngestCounts
from tests.drafts import a_draft
from tests.fakes import numbered
from tests.graph.listed import AWAY, HOME
from tests.histories import HELD, START, HistoryEvent, capture, live, outline


def of(file, space: int = 1) -> IngestCounts:
    return numbered(file, space).tally()


def trace(file, decision: str, **detail) -> None:
    file.trace.write(HOME, "event", decision, None, detail)


def test_a_space_in_which_nothing_came_has_nothing_to_count(private_file):
    assert asdict(of(private_file)) == {
        "outcomes": {},
        "statuses": {},
        "outlines": 0,
        "outline_bytes": 0.0,
        "held": 0,
        "redacted": {},
        "nodes": {},
        "dead": 0,
        "waiting": 0,
    }


def test_every_event_has_one_outcome_kept_or_not(private_file):
    capture(private_file.journal, HOME, HistoryEvent(), HistoryEvent())
    outline(private_file.journal, HOME, HistoryEvent())
    capture(private_file.journal, AWAY, HistoryEvent())
    for decision in ("capture", "capture", "skip", "redelivered", "error", "error"):
        trace(private_file, decision)
    private_file.trace.write(HOME, "gate", "error", None, {})
    found = of(private_file)
    assert found.outcomes == {"captured": 2, "outline": 1, "redelivered": 1, "refused": 2}
    assert found.statuses == {"evaluated": 2, "skeleton": 1}
    assert of(private_file, 2).outcomes == {"captured": 1}


def test_outlines_are_counted_with_what_the_journal_keeps_of_them(private_file):
    capture(private_file.journal, HOME, HistoryEvent("x" * 10_000))
    ids = [
        outline(private_file.journal, HOME, HistoryEvent("é" * 1000, n)) for n in ("Dana", "Ørsted")
    ]
    sizes = [
        len(body.encode("utf-8"))
        for (body,) in private_file.database.connection.execute(
            "SELECT body FROM payload WHERE seq > 1"
        )
    ]
    found = of(private_file)
    assert (found.outlines, found.held) == (2, 2)
    assert found.outline_bytes == pytest.approx(sum(sizes) / 2)
    payload = {"experience": ids[0], "status": "upgraded", "event": HistoryEvent("é").as_json()}
    private_file.journal.append(HOME, [a_draft(EntryKind.EXPERIENCE_REEVALUATED, "", payload)])
    assert (of(private_file).outlines, of(private_file).held) == (2, 1)
    numbered(private_file).held_events.expire(START + HELD)
    assert (of(private_file).outlines, of(private_file).held) == (2, 0)


def test_redactions_add_up_by_kind(private_file):
    capture(private_file.journal, HOME, HistoryEvent())
    trace(private_file, "capture", redacted={"password": 2, "token": 1})
    trace(private_file, "skip", redacted={"password": 1})
    trace(private_file, "capture")
    assert of(private_file).redacted == {"password": 3, "token": 1}


def test_nodes_are_counted_by_label(private_file):
    live(private_file.journal, HOME, HistoryEvent(person="Dana", concepts={"boat": "boat"}))
    Adjacency(private_file).catch_up(HOME)
    nodes = of(private_file).nodes
    assert (nodes["Experience"], nodes["Person"], nodes["Concept"]) == (1, 1, 1)


def test_work_that_failed_is_counted_as_waiting_or_given_up(private_file):
    with private_file.database.writing():
        numbered(private_file).tasks.fail(3, "s", "", START)
        for _ in range(tasks.ATTEMPTS_MAX):
            numbered(private_file).tasks.fail(4, "s", "", START)
    found = of(private_file)
    assert (found.waiting, found.dead) == (1, 1)
