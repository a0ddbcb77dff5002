"""Capturing: every event has one outcome, and what was acknowledged survives whatever comes."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import Conflict, InvalidInput, MeridiaError, StorageFull
from meridia.core.events import Event, parse_event
from meridia.core.settings import Settings
from meridia.core.types import Acknowledgement, Outcome, Space
from meridia.ingest.capture.commit import CaptureRules
from meridia.ingest.capture.service import CaptureService, CaptureSummary
from meridia.ingest.importers.import_record import ImportRecord
from meridia.storage.store import Store, open_store
from meridia.storage.upkeep import verify
from tests.drafts import recorded
from tests.fakes import private_journal
from tests.graph.journal_drafts import AWAY, HOME
from tests.thorough import THOROUGH

LIMIT = 2048
#: More than the limit, and no long text to cut.
LARGE = {"artifacts": [{"uri": f"notes-{number}.md"} for number in range(200)]}


def message(text: str = "hello", **fields: Any) -> Event:
    return parse_event({"kind": "user_message", "payload": {"text": text}} | fields)


def capture_into(file: Store) -> CaptureService:
    return CaptureService(file, CaptureRules(event_bytes_max=LIMIT))


def keys(file: Store, space: Space = HOME) -> list[str]:
    return [entry.key for entry in file.journal.read(space)]


# One, all or none, many


def test_an_acknowledged_event_is_in_the_journal(private_file):
    answer = capture_into(private_file).capture_event(HOME, message("hello", id="m-1"))
    (entry,) = private_file.journal.read(HOME)
    assert answer == Acknowledgement(entry.seq, entry.id, "m-1", Outcome.CAPTURED)
    assert set(recorded(entry)) == {"event", "decision", "marks"}
    assert recorded(entry)["event"] == message("hello", id="m-1").as_json()
    assert recorded(entry)["marks"] == ["empty_talk"]


def test_the_same_event_again_is_redelivered_and_another_is_refused(private_file):
    capture = capture_into(private_file)
    first = capture.capture_event(HOME, message("hello", id="m-1"))
    again = capture.capture_event(HOME, message("hello", id="m-1"))
    assert (again.seq, again.outcome) == (first.seq, Outcome.REDELIVERED)
    with pytest.raises(Conflict):
        capture.capture_event(HOME, message("other", id="m-1"))
    assert keys(private_file) == ["m-1"]


def test_one_wrong_event_keeps_all_of_all_or_none_out(private_file):
    capture = capture_into(private_file)
    capture.capture_event(HOME, message("hello", id="m-1"))
    wrong_ones = (message(**LARGE), message("other", id="m-1"))
    for wrong in wrong_ones:
        with pytest.raises(MeridiaError):
            capture.capture_atomically(HOME, [message("new", id="m-2"), wrong])
    assert keys(private_file) == ["m-1"]
    answers = capture.capture_atomically(
        HOME, [message("new", id="m-2"), message("hello", id="m-1")]
    )
    assert [answer.outcome for answer in answers] == [Outcome.TEXT_ONLY, Outcome.REDELIVERED]


def test_of_many_each_has_its_own_answer_in_order(private_file):
    capture = capture_into(private_file)
    capture.capture_event(HOME, message("hello", id="m-1"))
    answers = capture.capture_events(
        HOME,
        [
            message(id="large", **LARGE),
            message("new", id="m-2"),
            message("other", id="m-1"),
            message(id="other", **LARGE),
            message("hello", id="m-1"),
        ],
    )
    kinds = [type(answer) for answer in answers]
    assert kinds == [InvalidInput, Acknowledgement, Conflict, InvalidInput, Acknowledgement]
    assert (answers[1].outcome, answers[4].outcome) == (Outcome.TEXT_ONLY, Outcome.REDELIVERED)
    assert "event large has" in str(answers[0])
    assert keys(private_file) == ["m-1", "m-2"]


def test_where_all_of_many_are_refused_no_space_is_made(private_file):
    (answer,) = capture_into(private_file).capture_events(HOME, [message(**LARGE)])
    assert isinstance(answer, InvalidInput)
    assert capture_into(private_file).capture_events(HOME, []) == []
    assert private_file.journal.spaces() == []


# Streams


def record(number: int, kind: str, space: str | None = None) -> ImportRecord:
    """Return a record of one kind."""
    events = {
        "new": message(f"text {number}", id=f"m-{number}"),
        "same": message("same", id="same"),
        "conflict": message(f"other {number}", id="taken"),
        "large": message(**LARGE),
        "empty": message(" "),
    }
    event = events.get(kind)
    return ImportRecord(f"line {number}", event, None if event else "is not JSON", space)


kinds_of_records = st.lists(
    st.tuples(
        st.sampled_from(["new", "same", "conflict", "large", "unreadable", "empty"]),
        st.sampled_from(["home", "away", None]),
    ),
    max_size=25,
)


@given(kinds_of_records, st.integers(1, 7))
def test_every_record_has_exactly_one_outcome_and_one_answer(drawn, batch):
    with private_journal() as file:
        for space in (HOME, AWAY):
            capture_into(file).capture_event(space, message("first", id="taken"))
        records = [record(i, kind, space) for i, (kind, space) in enumerate(drawn)]
        heard: dict[str, Acknowledgement | MeridiaError] = {}

        def on_answer(of: ImportRecord, answer: Acknowledgement | MeridiaError) -> None:
            assert of.where not in heard
            heard[of.where] = answer
            if isinstance(answer, Acknowledgement):
                if answer.outcome is Outcome.EMPTY:
                    assert not answer.id
                    return
                stored = file.journal.read(Space(of.space or "home"), answer.seq - 1, 1)
                assert recorded(stored[0])["event"] == of.event.as_json()

        summary = capture_into(file).stream(
            iter(records), lambda r: Space(r.space or "home"), batch, on_answer
        )
        assert len(heard) == len(records)
        wrong = [
            r
            for r, (kind, _) in zip(records, drawn, strict=True)
            if kind in ("conflict", "large", "unreadable")
        ]
        assert summary.total() == len(records)
        assert summary.total(Outcome.REFUSED) == len(wrong)
        assert summary.total(Outcome.EMPTY) == sum(kind == "empty" for kind, _ in drawn)
        assert sorted(p.split(":")[0] for p in summary.problems) == sorted(r.where for r in wrong)
        assert summary.clean == (not wrong)
        for space in ("home", "away"):
            mine = {
                r.event.id
                for r, (kind, _) in zip(records, drawn, strict=True)
                if (r.space or "home") == space and kind in ("new", "same")
            }
            assert set(keys(file, Space(space))) == mine | {"taken"}


def test_the_order_of_a_space_is_that_of_the_stream(private_file):
    records = [record(i, "new", "home" if i % 3 else "away") for i in range(20)]
    capture_into(private_file).stream(records, lambda r: Space(r.space), batch=4)
    assert keys(private_file) == [f"m-{i}" for i in range(20) if i % 3]
    assert keys(private_file, AWAY) == [f"m-{i}" for i in range(20) if not i % 3]


def test_problems_are_told_up_to_a_hundred_and_all_are_counted(private_file):
    records = (record(i, "unreadable") for i in range(250))
    summary = capture_into(private_file).stream(records, lambda _: HOME)
    assert len(summary.problems) == 100
    assert summary.problems[0] == "line 0: is not JSON"
    assert summary.outcomes == {HOME: {Outcome.REFUSED: 250}}


def test_a_stream_is_taken_in_as_it_comes(private_file):
    heard: list[str] = []

    def slowly() -> Any:
        for i in range(6):
            yield record(i, "new")
            if i == 4:
                assert heard == ["line 0", "line 1", "line 2", "line 3"]

    capture_into(private_file).stream(
        slowly(), lambda _: HOME, batch=2, on_answer=lambda r, _: heard.append(r.where)
    )
    assert len(heard) == 6


def test_what_was_committed_before_a_stream_broke_stays(private_file):
    def breaking() -> Any:
        yield from (record(i, "new") for i in range(5))
        raise StorageFull("cannot read on")

    with pytest.raises(StorageFull):
        capture_into(private_file).stream(breaking(), lambda _: HOME, batch=2)
    assert keys(private_file) == ["m-0", "m-1", "m-2", "m-3"]


def test_an_empty_stream_has_an_empty_summary(private_file):
    summary = capture_into(private_file).stream([], lambda _: HOME)
    assert summary == CaptureSummary()
    assert summary.clean
    assert private_file.journal.spaces() == []


# Killed

#: Captures events one by one, from a number on, and prints the number of each acknowledged one.
_WRITER = """
import sys
from pathlib import Path
from meridia.core.events import parse_event
from meridia.core.settings import Settings
from meridia.core.types import Space
from meridia.storage.store import open_store
from meridia.ingest.capture.service import CaptureService
path, name, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
capture = CaptureService(open_store(Path(path), Settings()))
while True:
    event = {"kind": "user_message", "id": f"{name}-{number}", "session": {"key": name},
             "payload": {"text": f"number {number} of {name}"}}
    capture.capture_event(Space("home"), parse_event(event))
    print(number, flush=True)
    number += 1
"""


@contextmanager
def writer(path: Path, name: str, number: int):
    """Run a writer until the block ends, then kill it; yield the numbers it acknowledged."""
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path), name, str(number)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    acknowledged: list[int] = []

    def listen() -> None:
        acknowledged.extend(int(line) for line in process.stdout if line.endswith(b"\n"))

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        yield acknowledged
    finally:
        process.kill()
        listener.join()
        complaint = process.stderr.read().decode()
        process.stdout.close()
        process.stderr.close()
        process.wait()
    assert complaint == ""


@pytest.mark.slow
def test_whatever_was_acknowledged_survives_any_kill(journal_path):
    chance = random.Random(7)
    opened = open_store(journal_path, Settings())
    capture_into(opened).capture_event(HOME, message("first", id="first"))
    sent: dict[str, int] = {"steady": 0, "killed": 0}
    read_before = 0
    with writer(journal_path, "steady", 0) as steady:
        for _ in range(20 if THOROUGH else 4):
            with writer(journal_path, "killed", sent["killed"]) as acknowledged:
                _wait_for(acknowledged, chance.random() < 0.8)
                time.sleep(chance.random() * 0.15)
            if acknowledged:
                expected = range(sent["killed"], sent["killed"] + len(acknowledged))
                assert acknowledged == list(expected)
                sent["killed"] = acknowledged[-1] + 1
            entries = opened.journal.read(HOME, limit=1_000_000)
            assert len(entries) >= read_before
            read_before = len(entries)
            _check_complete(entries, "killed", sent["killed"])
        _wait_for(steady, wanted=True)
    sent["steady"] = len(steady)
    opened.close()
    again = open_store(journal_path, Settings())
    entries = again.journal.read(HOME, limit=1_000_000)
    for name, count in sent.items():
        assert count > 0
        _check_complete(entries, name, count)
    assert list(verify(again, HOME)) == []
    again.close()


def _wait_for(acknowledged: list[int], wanted: bool) -> None:
    """Wait for the first acknowledgement, if it is wanted; a kill before it is a case too."""
    end = time.monotonic() + 30
    while wanted and not acknowledged and time.monotonic() < end:
        time.sleep(0.002)


def _check_complete(entries: list[Any], name: str, acknowledged: int) -> None:
    """Check that a writer's acknowledged events are there, each once and in order."""
    numbers = [
        int(entry.key.removeprefix(f"{name}-"))
        for entry in entries
        if entry.key.startswith(f"{name}-")
    ]
    assert numbers == list(range(len(numbers)))
    # The last one may have been committed and not acknowledged any more.
    assert acknowledged <= len(numbers)
    texts = [json.dumps(recorded(e)) for e in entries if e.key == f"{name}-{acknowledged - 1}"]
    assert acknowledged == 0 or f"number {acknowledged - 1} of {name}" in texts[0]
