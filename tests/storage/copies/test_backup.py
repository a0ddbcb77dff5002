"""A backup is one moment of the journal, whole; a restore takes nothing that is not."""

from __future__ import annotations

import io
import json
import sqlite3
import threading
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meridia import (
    Damaged,
    InvalidInput,
    Memory,
    MeridiaError,
    NotFound,
    Refused,
    Unavailable,
    restore,
)
from meridia.core.settings import Settings
from meridia.core.time import system_clock
from meridia.core.types import Space
from meridia.storage.copies.archive import archive_lines, read_archive
from meridia.storage.copies.backup import back_up
from meridia.storage.database import Database
from meridia.storage.store import open_store
from meridia.storage.upkeep import verify
from tests.histories import HistoryEvent, TestJournal, histories, outline, play
from tests.ingest.forgetting.told import PLAIN
from tests.thorough import examples


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    with Memory.open(path, settings=PLAIN, enrich="manual") as memory:
        memory.remember("The ferry leaves at nine.", person="Dana", id="m1")
        memory.in_space("work").remember("Deploy on Friday.", id="m2")
    return path


def test_a_backup_is_the_journal_of_that_moment(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN) as memory:
        memory.enrich()
        digest, copied = memory.graph.digest(), memory.upkeep.backup(tmp_path / "b.db")
        memory.remember("Later.", id="m3")
    assert copied.size == (tmp_path / "b.db").stat().st_size
    assert (tmp_path / "b.db").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.glob("b.db*")) == ["b.db"]
    restored = restore(tmp_path / "b.db", tmp_path / "c.db")
    assert restored.heads == copied.heads
    with Memory.open(tmp_path / "c.db", settings=PLAIN) as memory:
        assert memory.graph.digest() == digest
        assert [m.event_id for m in memory.list().memories] == ["m1"]
        assert memory.spaces() == ["default", "work"]


def test_writers_go_on_while_a_backup_is_made(journal, tmp_path):
    ends, ids = threading.Event(), []
    with Memory.open(journal, settings=PLAIN) as memory:

        def write() -> None:
            while not ends.is_set():
                ids.append(memory.remember(f"Line {len(ids)}.", id=f"w{len(ids)}").event_id)

        writer = threading.Thread(target=write)
        writer.start()
        for number in range(5):
            before = len(ids)
            copied = memory.upkeep.backup(tmp_path / f"{number}.db")
            with Memory.open(copied.path, settings=PLAIN) as copy:
                kept = {m.event_id for m in copy.list(limit=100_000).memories}
            assert kept >= set(ids[:before])
        ends.set()
        writer.join()


def test_what_is_there_is_never_overwritten(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN) as memory:
        backup = memory.upkeep.backup(tmp_path / "b.db").path
        with pytest.raises(InvalidInput, match="exists"):
            memory.upkeep.backup(backup)
        with pytest.raises(InvalidInput, match="cannot be written"):
            memory.upkeep.backup(journal / "under" / "a-file.db")
        memory.remember("Later.", id="m3")
        with pytest.raises(Refused, match="--replace"):
            restore(backup, journal)
        with pytest.raises(Unavailable, match="open in another"):
            restore(backup, journal, replace=True)
    restored = restore(backup, journal, replace=True)
    assert restored.replaced is not None
    with Memory.open(restored.replaced, settings=PLAIN) as memory:
        assert [m.event_id for m in memory.list().memories] == ["m1", "m3"]
    with Memory.open(journal, settings=PLAIN) as memory:
        assert [m.event_id for m in memory.list().memories] == ["m1"]


def test_a_graph_that_is_ahead_of_a_restored_journal_is_built_again(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN) as memory:
        digest = memory.graph.digest()
        backup = memory.upkeep.backup(tmp_path / "b.db").path
        memory.remember("Later.", id="m3")
        assert memory.graph.digest() != digest
    restore(backup, journal, replace=True)
    with Memory.open(journal, settings=PLAIN) as memory:
        assert memory.graph.digest() == digest


def test_a_damaged_journal_makes_no_backup_and_may_be_replaced(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN, enrich="manual") as memory:
        good = memory.upkeep.backup(tmp_path / "good.db").path
        with memory.parts.writing():
            connection = memory.parts.database.connection
            connection.execute("DROP TRIGGER payload_is_never_changed")
            connection.execute("UPDATE payload SET body = replace(body, 'nine', 'ten')")
        with pytest.raises(Damaged, match="entry 1|is damaged"):
            back_up(memory.parts, tmp_path / "b.db")
    assert not list(tmp_path.glob("b.db*"))
    journal.write_bytes(journal.read_bytes()[:100] + b"\xff" * 5000)
    assert restore(good, journal, replace=True).heads["default"].seq == 1


def test_a_backup_that_was_cut_off_or_is_newer_is_named(journal, tmp_path):
    cut, newer = tmp_path / "cut.db", tmp_path / "newer.db"
    cut.write_bytes(journal.read_bytes()[:100_000])
    newer.write_bytes(journal.read_bytes())
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 999")
    with pytest.raises(Damaged, match=r"/cut\.db is damaged"):
        restore(cut, tmp_path / "c.db")
    with pytest.raises(Refused, match=r"/newer\.db was written by a newer Meridia"):
        restore(newer, tmp_path / "c.db")
    assert not list(tmp_path.glob("c.db*"))


def test_a_journal_is_never_put_in_the_place_of_a_folder(journal, tmp_path, monkeypatch):
    with Memory.open(journal, settings=PLAIN) as memory:
        good = memory.upkeep.backup(tmp_path / "b.db").path
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    monkeypatch.chdir(folder)
    for target in (folder, Path(), Path("/"), Path("..")):
        with pytest.raises(InvalidInput, match="is a folder: name a file in it"):
            restore(good, target, replace=True)
    assert (folder / "inner").is_dir()


def test_what_is_no_backup_is_refused(tmp_path):
    with pytest.raises(NotFound, match="no.db does not exist"):
        restore(tmp_path / "no.db", tmp_path / "c.db")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(InvalidInput, match="text, line 1"):
        restore(tmp_path / "text", tmp_path / "c.db")
    with sqlite3.connect(tmp_path / "foreign.db") as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    with pytest.raises(Refused, match="another program"):
        restore(tmp_path / "foreign.db", tmp_path / "c.db")
    assert not list(tmp_path.glob("c.db*"))


HOME = Space("home")


def written(path: Path, memory: Memory, spaces: list[str] | None = None) -> Path:
    path.write_text("".join(line + "\n" for line in memory.upkeep.export(spaces)), "utf-8")
    return path


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=histories)
def test_any_history_comes_back_with_its_chain(tmp_path_factory, history):
    folder = tmp_path_factory.mktemp("archive")
    with TestJournal(folder / "a.db") as journal:
        play(journal, HOME, history, lambda: None)
        if journal.spaces():
            outline(journal, HOME, HistoryEvent("held for a while"))
    store = open_store(folder / "a.db", Settings())
    lines = list(archive_lines(store, store.journal.spaces()))
    database = Database(folder / "b.db", Settings().journal)
    spaces = read_archive(lines, "a", database, system_clock)
    database.close()
    copy = open_store(folder / "b.db", Settings())
    assert spaces == store.journal.spaces()
    for space in spaces:
        assert copy.journal.read(space) == store.journal.read(space)
        assert [f for f in verify(copy, space) if "in the list" not in f.problem] == []
    assert list(archive_lines(copy, spaces)) == lines
    store.close()
    copy.close()


def test_a_restored_archive_has_the_digest_and_forgets_what_was_forgotten(tmp_path):
    with Memory.open(tmp_path / "a.db", settings=PLAIN) as memory:
        for number in range(6):
            memory.remember(f"I live in town {number}.", person="Dana", id=f"m{number}")
        memory.in_space("work").remember("Deploy on Friday.", id="m0")
        memory.enrich()
        memory.forget(ids=["m3"])
        digest = memory.graph.digest()
        archive = written(tmp_path / "a.jsonl", memory)
        part = written(tmp_path / "work.jsonl", memory, ["work"])
    restore(archive, tmp_path / "b.db")
    with Memory.open(tmp_path / "b.db", settings=PLAIN) as memory:
        head = memory.parts.journal.head(memory.space)
        memory.enrich()
        assert memory.parts.journal.head(memory.space) == head, "nothing is read twice"
        assert memory.graph.digest() == digest
        assert memory.upkeep.verify() == []
        assert memory.recall("town").hits
        assert memory.remember("I live in town 3.", person="Dana", id="m3").forgotten
    restore(part, tmp_path / "c.db")
    with Memory.open(tmp_path / "c.db", "work", PLAIN) as memory:
        assert memory.spaces() == ["work"]
        assert memory.upkeep.verify() == []


def test_a_changed_archive_is_refused_with_its_line(tmp_path):
    with Memory.open(tmp_path / "a.db", settings=PLAIN) as memory:
        memory.remember("The ferry leaves at nine.", id="m1")
        memory.remember("And again at noon.", id="m2")
        lines = list(memory.upkeep.export())
    entry = json.loads(lines[1])
    late = entry | {"payload": json.loads(json.dumps(entry["payload"]).replace("nine", "ten"))}
    cases: list[tuple[list[str], type[MeridiaError], str]] = [
        (lines[:-1], Damaged, "no end"),
        ([lines[0], *lines[2:]], Damaged, "no end"),
        ([lines[0], json.dumps(late), *lines[2:]], Damaged, "not what was written"),
        ([lines[0], lines[2], lines[1], *lines[3:]], InvalidInput, ""),
        ([lines[0], "{}", *lines[2:]], InvalidInput, "line 2"),
        ([lines[0], "[]", *lines[2:]], InvalidInput, "line 2"),
        ([lines[0], json.dumps(entry | {"seq": 1e999})], InvalidInput, "number in it is too large"),
        ([lines[0], '{"space": "x"}'], InvalidInput, "'x' is missing"),
        (lines[1:], InvalidInput, "line 1"),
        ([], Damaged, "no end"),
    ]
    for changed, error, told in cases[:3] + cases[4:]:
        (tmp_path / "x.jsonl").write_text("\n".join(changed), "utf-8")
        with pytest.raises(error, match=told):
            restore(tmp_path / "x.jsonl", tmp_path / "x.db")
        assert not list(tmp_path.glob("x.db*"))


def test_events_are_those_of_a_person_or_a_session_and_can_be_captured_again(tmp_path):
    with Memory.open(tmp_path / "a.db", settings=PLAIN) as memory:
        memory.remember("One.", person="Dana", session="s1", id="m1")
        memory.remember("Two.", person="Kim", session="s1", id="m2")
        memory.remember("Three.", person="Dana", session="s2", id="m3")
        memory.remember("Four.", person="Dana", session="s2", id="m4")
        memory.forget(ids=["m4"])
        assert [e["id"] for e in memory.upkeep.export_events(person="dana")] == ["m1", "m3"]
        assert [e["id"] for e in memory.upkeep.export_events(session="s1")] == ["m1", "m2"]
        events = list(memory.upkeep.export_events())
        captured = {m.event_id: m.at for m in memory.list().memories}
    with Memory.open(tmp_path / "b.db", settings=PLAIN) as memory:
        for event in events:
            memory.capture(event)
        assert {m.event_id: m.at for m in memory.list().memories} == captured
        assert timedelta() == max(captured.values()) - max(m.at for m in memory.list().memories)


_ODD = st.none() | st.booleans() | st.integers() | st.text(st.characters()) | st.floats()
_ODD |= st.just("\ud800") | st.just([[1]]) | st.just({"a": [{}]}) | st.just(10**400)
_DEEP = st.sampled_from([500, 50_000]).map(lambda deep: '{"a":' * deep + "1" + "}" * deep)


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """Return the lines of an archive with some entries of several kinds."""
    with Memory.open(tmp_path_factory.mktemp("lines") / "a.db", settings=PLAIN) as memory:
        for number in range(3):
            memory.remember(f"I live in town {number}.", person="Dana", id=f"m{number}")
        memory.enrich()
        memory.forget(ids=["m1"])
        return list(memory.upkeep.export())


@settings(max_examples=examples(15), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_is_changed_in_an_archive_it_is_refused_in_words(tmp_path, lines, data):
    changed = list(lines)
    place = data.draw(st.integers(0, len(lines) - 1))
    fields = json.loads(lines[place])
    name = data.draw(st.sampled_from(sorted(fields)))
    fields[name] = data.draw(_ODD)
    if data.draw(st.booleans()):
        del fields[name]
    changed[place] = data.draw(st.just(json.dumps(fields)) | _DEEP)
    archive = tmp_path / "changed.jsonl"
    archive.write_text("\n".join(changed), "utf-8", "surrogatepass")
    with suppress(InvalidInput, Damaged):  # and nothing else: some changes change nothing
        restore(archive, tmp_path / "changed.db")
    for file in tmp_path.iterdir():
        file.unlink()


def test_a_number_that_needs_more_than_64_bits_comes_back(tmp_path):
    with Memory.open(tmp_path / "a.db") as memory:
        memory.remember("A large number.", id="n", metadata={"big": 2**70, "deep": [[[1.5]]]})
        (tmp_path / "a.jsonl").write_text("\n".join(memory.upkeep.export()), "utf-8")
    restore(tmp_path / "a.jsonl", tmp_path / "b.db")
    with Memory.open(tmp_path / "b.db") as memory:
        assert memory.get("n").metadata == {"big": 2**70, "deep": [[[1.5]]]}


def test_a_memory_offers_a_backup_an_archive_and_its_events(tmp_path):
    with Memory.open(tmp_path / "a.db", settings=PLAIN) as memory:
        memory.remember("The ferry leaves at nine.", id="m1")
        memory.in_space("work").remember("Deploy on Friday.", id="m2")
        moved: list[tuple[int, int]] = []
        memory.upkeep.backup(
            str(tmp_path / "b.db"), lambda done, total: moved.append((done, total))
        )
        assert moved[-1][0] == moved[-1][1] > 0
        names = [
            [s["name"] for s in json.loads(next(memory.upkeep.export(c)))["spaces"]]
            for c in (None, ["work"])
        ]
        assert names == [["default", "work"], ["work"]]
        assert [event["id"] for event in memory.upkeep.export_events()] == ["m1"]
        assert [event["id"] for event in memory.in_space("work").upkeep.export_events()] == ["m2"]
    assert restore(tmp_path / "b.db", tmp_path / "c.db").heads.keys() == {"default", "work"}


START = datetime(2026, 3, 1, 10, tzinfo=UTC)
WORDS = st.sampled_from(["kiln", "loom", "heron", "the race is on the 12th", "I like jazz", "🎻"])
TEXTS = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
TIMES = st.none() | st.integers(0, 10**9).map(
    lambda s: (START + timedelta(milliseconds=s)).isoformat()
)


@st.composite
def captured(draw: st.DrawFn) -> dict[str, Any]:
    """Draw an event with any of its fields."""
    kind = draw(st.sampled_from(["user_message", "assistant_message", "tool_result"]))
    event: dict[str, Any] = {"kind": kind, "payload": {"text": draw(TEXTS)}}
    if kind == "tool_result":
        event["tool"] = {"name": "bash", "isError": draw(st.booleans()), "callId": draw(WORDS)}
        event["payload"] = {"args": {"z": draw(TEXTS), "a": 1}, "result": draw(TEXTS)}
    others = {
        "ts": TIMES,
        "session": st.none() | st.sampled_from(["s1", "s2"]).map(lambda key: {"key": key}),
        "person": st.none() | st.sampled_from(["Dana", "Łucja"])
        if kind == "user_message"
        else None,
        "metadata": st.none() | st.dictionaries(st.text(max_size=4), VALUES, max_size=3),
        "artifacts": st.none() | st.just([{"uri": "a.png", "kind": "image", "extra": 1}]),
        "x_unknown": st.none() | VALUES,
    }
    for name, values in others.items():
        if values is not None and (value := draw(values)) is not None:
            event[name] = value
    return event


STEPS = st.lists(
    st.tuples(st.just("capture"), captured(), st.booleans())
    | st.tuples(st.just("update"), st.integers(0, 30), TEXTS)
    | st.tuples(st.just("forget"), st.integers(0, 30), st.none()),
    max_size=8,
)


def lived(memory: Memory, steps: list[Any]) -> None:
    for number, (what, place, more) in enumerate(steps):
        listed = memory.list().memories
        if what == "capture":
            own = {"id": f"own-{number}"} if more else {}
            memory.capture(place | own)
        elif listed and what == "update":
            memory.update(listed[place % len(listed)].id, more)
        elif listed and listed[place % len(listed)].kind != "tool_result":
            # What was decided of a later result was decided beside this one, and stays so.
            memory.forget(ids=[listed[place % len(listed)].id])


def told(memory: Memory) -> list[Any]:
    memory.enrich()
    listed = memory.list().memories
    answers = [
        [(hit.text, round(hit.score, 9)) for hit in memory.recall(question).hits]
        for question in ("kiln", "When is the race?")
    ]
    versions = [[v.text for v in memory.history(m.event_id)] for m in listed]
    shown = [(m.event_id, m.text, m.at, m.person, m.session, m.metadata, m.status) for m in listed]
    return [shown, versions, answers]


@settings(max_examples=examples(3), deadline=None)
@given(STEPS)
def test_what_is_exported_and_imported_tells_the_same(steps: list[Any]) -> None:
    now = [START + timedelta(days=30)]

    def clock() -> datetime:
        now[0] += timedelta(seconds=1)
        return now[0]

    with Memory(None, "home", PLAIN, clock) as one, Memory(None, "home", PLAIN, clock) as other:
        lived(one, steps)
        lines = "".join(json.dumps(event) + "\n" for event in one.upkeep.export_events())
        if not lines:
            return
        summary = other.import_file(io.BytesIO(lines.encode()), "native")
        assert summary.clean, summary.problems
        again = [json.dumps(event, sort_keys=True) for event in other.upkeep.export_events()]
        assert again == [
            json.dumps(json.loads(line), sort_keys=True) for line in lines.splitlines()
        ]
        one._components.capture.end_sessions("home", ["s1", "s2"])  # as they are behind an import
        assert told(other) == told(one)
        assert [a.outcome for a in other.capture_many(map(json.loads, lines.splitlines()))] == [
            "redelivered"
        ] * len(lines.splitlines())
        back = one.capture_many(map(json.loads, lines.splitlines()))
        assert [getattr(answer, "outcome", answer) for answer in back] == ["redelivered"] * len(
            back
        )
