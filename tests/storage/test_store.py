"""One open journal file: the truth and the projections that are written together with it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict

import pytest

from meridia.core.errors import Damaged, InvalidInput, NotFound
from meridia.core.ids import content_hash, owner_id, person_id
from meridia.core.settings import AnalysisSettings, Settings
from meridia.core.types import EntryKind, Filters, Space
from meridia.graph.adjacency import Adjacency
from meridia.storage import work
from meridia.storage.space_scope import SpaceScope
from meridia.storage.store import IngestCounts, open_store
from tests.drafts import a_draft, recorded
from tests.fakes import SeededBytes, TickingClock, numbered
from tests.graph.journal_drafts import AWAY, HOME, message_draft, small_journal
from tests.histories import HELD, START, HistoryEvent, capture, every_kind, live, outline


def test_a_captured_experience_is_listed_at_once_and_found_by_who_asks(journal_file):
    (answer,) = journal_file.journal.append(HOME, [message_draft("a walk in the rain", "m-1")])
    number = journal_file.journal.scope(HOME).number
    assert journal_file.catalog.find(HOME, "m-1").seq == answer.seq
    assert [seq for seq, _ in numbered(journal_file, number).full_text.match(["rain"], 5)] == [1]


def test_every_entry_is_in_its_lists_once_it_is_acknowledged(journal_file):
    ids = every_kind(journal_file.journal, HOME)
    assert len(journal_file.catalog.page(HOME, Filters(), 0, 100).memories) == len(ids)
    dana = numbered(journal_file).people.find(person_id(HOME, "Dana"))
    assert dana is not None
    assert dana.relationship_type == "collaborator"
    assert numbered(journal_file).entities.counts()[0] == 3
    told = [fact.kind for fact, _ in numbered(journal_file).facts.list_all()]
    assert (told.count("FactAsserted"), told.count("FactSuperseded")) == (6, 6)


def test_what_is_derived_is_in_no_list_of_experiences(journal_file):
    small_journal(journal_file.journal)
    assert len(journal_file.journal.read(HOME)) == 6
    assert len(journal_file.catalog.page(HOME, Filters(), 0, 10).memories) == 5


def test_a_projection_that_fails_keeps_the_entry_out(journal_file):
    journal_file.journal.append(HOME, [message_draft("one")])
    no_event = recorded(message_draft("two"))["event"] | {"payload": None}
    broken = type(message_draft())(message_draft().kind, "m-2", {"event": no_event})
    with pytest.raises((TypeError, AttributeError)):
        journal_file.journal.append(HOME, [message_draft("three"), broken])
    assert len(journal_file.journal.read(HOME)) == 1
    assert len(journal_file.catalog.page(HOME, Filters(), 0, 10).memories) == 1


def test_a_journal_that_was_closed_opens_with_everything_in_it(journal_path):
    first = open_store(journal_path, Settings(), TickingClock(), SeededBytes())
    small_journal(first.journal)
    head = first.journal.head(HOME)
    first.close()
    again = open_store(journal_path, Settings(), TickingClock(), SeededBytes(1))
    assert again.journal.head(HOME) == head
    assert len(again.catalog.page(HOME, Filters(), 0, 10).memories) == 5
    again.close()


def test_the_language_of_the_settings_is_that_of_the_search(tmp_path):
    settings = Settings(analysis=AnalysisSettings(language="german"))
    file = open_store(tmp_path / "journal.db", settings)
    file.journal.append(HOME, [message_draft("die Häuser")])
    assert numbered(file).full_text.match(["haus"], 5) != []
    file.close()


def test_an_unknown_language_is_refused_before_anything_is_made(tmp_path):
    settings = Settings(analysis=AnalysisSettings(language="klingon"))
    with pytest.raises(InvalidInput, match="klingon"):
        open_store(tmp_path / "journal.db", settings)
    assert list(tmp_path.iterdir()) == []


def test_capturing_loads_neither_arrays_nor_engines():
    script = (
        "import sys, meridia.storage.store, meridia.ingest.capture.service\n"
        "print(*sorted({'numpy', 'onnxruntime', 'neo4j', 'kglite', 'networkx'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == ""


def test_each_space_has_a_store_of_its_own(private_file):
    (id,) = capture(private_file.journal, HOME, HistoryEvent("the boat is painted"))
    capture(private_file.journal, AWAY, HistoryEvent("far away"))
    home, away = private_file.space(HOME), private_file.space(AWAY)
    assert (home.name, away.name) == (HOME, AWAY)
    assert private_file.space(HOME) is home
    asked = (content_hash("the boat is painted"), "user_message", owner_id(HOME))
    assert (home.first_with_text(*asked), away.first_with_text(*asked)) == (id, None)
    assert home.tally().statuses == {"evaluated": 1}


def test_a_space_that_was_undone_is_not_there(private_file):
    nowhere = Space("nowhere")

    def broken() -> None:
        with private_file.journal.appending(nowhere):
            assert private_file.space(nowhere).name == nowhere
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    with pytest.raises(NotFound):
        private_file.space(nowhere)


def test_decisions_are_traced_in_the_space(private_file):
    capture(private_file.journal, HOME, HistoryEvent("one"))
    private_file.space(HOME).trace(START, ("event", "capture", None), {"why": "new"})
    (line,) = private_file.trace.read(HOME)
    assert (line.kind, line.decision, line.detail) == ("event", "capture", {"why": "new"})


@pytest.fixture
def scope(private_file) -> SpaceScope:
    private_file.journal.append(HOME, [message_draft(text) for text in ("one", "two", "three")])
    return SpaceScope(private_file.database, 1)


def test_rows_come_at_once_in_parts_or_one_alone(scope):
    rows = scope.rows("journal/read", 0, 9)
    assert [row[0] for row in rows] == [1, 2, 3]
    assert list(scope.row_parts("journal/read", 2, 0, 9)) == [rows[:2], rows[2:]]
    assert scope.row("journal/read", 0, 9) == scope.only_row("journal/read", 0, 9) == rows[0]
    assert SpaceScope(scope.database, 2).row("journal/read", 0, 9) is None


def test_times_and_collections_are_stored_as_text(scope):
    given = {
        "at": START,
        "seqs": [1, 2],
        "gone": {"a": 1}.items(),
        "map": {"a": None},
    }
    _, bound = scope._bound("catalog/find", (), given)
    assert bound == {
        "space": 1,
        "at": "2026-03-01T10:00:00.000000Z",
        "seqs": "[1, 2]",
        "gone": '[["a", 1]]',
        "map": '{"a": null}',
    }


def test_what_is_written_is_counted_and_undone_with_its_transaction(scope):
    def broken() -> None:
        with scope.writing():
            assert scope.run("journal/move_cursor", "p", 1, 3) == 1
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    assert scope.row("journal/cursor", "p") is None


def test_a_statement_is_run_once_for_each_values(scope):
    with scope.writing():
        scope.run_many("journal/move_cursor", [(name, 1, 3) for name in "pq"])
    assert scope.row("journal/cursor", "q") == (3, 1)


def test_errors_of_the_database_are_translated(scope):
    scope.database.connection.execute("DROP TABLE cursor")
    for attempt in (scope.row, scope.rows, scope.run):
        with pytest.raises(Damaged):
            attempt("journal/cursor", "p")


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
        for _ in range(work.ATTEMPTS_MAX):
            numbered(private_file).tasks.fail(4, "s", "", START)
    found = of(private_file)
    assert (found.waiting, found.dead) == (1, 1)
