"""An archive has all that a journal holds, and a changed one is noticed."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meridia import Damaged, InvalidInput, Memory, MeridiaError, restore
from meridia.core.settings import Settings
from meridia.core.time import system_clock
from meridia.core.types import Space
from meridia.storage.copies.archive import archive_lines, read_archive
from meridia.storage.database import Database
from meridia.storage.store import open_store
from meridia.storage.upkeep import verify
from tests.histories import HistoryEvent, TestJournal, histories, outline, play
from tests.ingest.forgetting.told import PLAIN

HOME = Space("home")


def written(path: Path, memory: Memory, spaces: list[str] | None = None) -> Path:
    path.write_text("".join(line + "\n" for line in memory.export(spaces)), "utf-8")
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
    database = Database(folder / "b.db", Settings().journal, system_clock)
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
        digest = memory.digest()
        archive = written(tmp_path / "a.jsonl", memory)
        part = written(tmp_path / "work.jsonl", memory, ["work"])
    restore(archive, tmp_path / "b.db")
    with Memory.open(tmp_path / "b.db", settings=PLAIN) as memory:
        head = memory.parts.journal.head(memory.space)
        memory.enrich()
        assert memory.parts.journal.head(memory.space) == head, "nothing is read twice"
        assert memory.digest() == digest
        assert memory.verify() == []
        assert memory.recall("town").hits
        assert memory.remember("I live in town 3.", person="Dana", id="m3").forgotten
    restore(part, tmp_path / "c.db")
    with Memory.open(tmp_path / "c.db", "work", PLAIN) as memory:
        assert memory.spaces() == ["work"]
        assert memory.verify() == []


def test_a_changed_archive_is_refused_with_its_line(tmp_path):
    with Memory.open(tmp_path / "a.db", settings=PLAIN) as memory:
        memory.remember("The ferry leaves at nine.", id="m1")
        memory.remember("And again at noon.", id="m2")
        lines = list(memory.export())
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
        assert [e["id"] for e in memory.export_events(person="dana")] == ["m1", "m3"]
        assert [e["id"] for e in memory.export_events(session="s1")] == ["m1", "m2"]
        events = list(memory.export_events())
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
        return list(memory.export())


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
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
        (tmp_path / "a.jsonl").write_text("\n".join(memory.export()), "utf-8")
    restore(tmp_path / "a.jsonl", tmp_path / "b.db")
    with Memory.open(tmp_path / "b.db") as memory:
        assert memory.get("n").metadata == {"big": 2**70, "deep": [[[1.5]]]}
