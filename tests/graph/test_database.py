"""The file under the journal: what users do to it, what befalls it, and what they are told then.

Whatever happens, three things hold: the error says what to do, what was acknowledged is still
there, and no half of an event is.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from meridia.core.errors import (
    Damaged,
    MeridiaError,
    NotFound,
    Refused,
    StorageFull,
    Unavailable,
)
from meridia.core.settings import JournalSettings, Settings
from meridia.graph import statements
from meridia.graph.journal_file import JournalFile, open_journal
from meridia.graph.upkeep import verify
from tests.fakes import SeededBytes, TickingClock
from tests.graph.journal_drafts import HOME, facts, said, small_journal

IMPATIENT = Settings(journal=JournalSettings(busy_timeout_s=0.05))


@contextmanager
def opened(path: Path | None, settings: Settings = IMPATIENT) -> Iterator[JournalFile]:
    file = open_journal(path, settings)
    try:
        yield file
    finally:
        file.close()


def keys(file: JournalFile) -> list[str]:
    return [entry.key for entry in file.journal.read(HOME)]


def whole(file: JournalFile) -> bool:
    """Say whether every event is there in all its parts, and nothing is damaged."""
    count = len(file.journal.read(HOME))
    parts = [
        file.database.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in ("payload", "experience", "search_1", "trace")
    ]
    return parts == [count] * len(parts) and list(verify(file, HOME)) == []


# Locked


def test_a_lock_of_somebody_else_is_waited_for_and_then_told(journal_path):
    with opened(journal_path) as file, closing(sqlite3.connect(journal_path)) as other:
        file.journal.append(HOME, [said("one", "m-1")])
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match=r"locked by another process: try again") as refusal:
            file.journal.append(HOME, [said("two", "m-2")])
        assert refusal.value.retryable
        assert str(journal_path) in str(refusal.value)
        assert keys(file) == ["m-1"]
        other.rollback()
        file.journal.append(HOME, [said("two", "m-2")])
        assert keys(file) == ["m-1", "m-2"]
        assert whole(file)


def test_a_lock_that_is_given_back_in_time_is_not_noticed(journal_path):
    patient = Settings(journal=JournalSettings(busy_timeout_s=30))
    with opened(journal_path, patient) as file, closing(_other(journal_path)) as other:
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.2, other.rollback)
        release.start()
        file.journal.append(HOME, [said("one", "m-1")])
        release.join()
        assert keys(file) == ["m-1"]


def test_a_journal_can_be_opened_and_read_while_somebody_writes(journal_path):
    with opened(journal_path) as file:
        file.journal.append(HOME, [said("one", "m-1")])
    with closing(sqlite3.connect(journal_path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with opened(journal_path) as file:
            assert keys(file) == ["m-1"]


@pytest.mark.parametrize("place", range(12))
def test_a_new_journal_may_be_opened_by_two_at_once(journal_path, monkeypatch, place):
    connect, seen, others = sqlite3.connect, [], []

    def meet(statement: str) -> None:
        """Let somebody else open the journal before our statement of this place."""
        seen.append(statement)
        if len(seen) == place + 1:
            with suppress(Unavailable), monkeypatch.context() as patch:
                patch.setattr(sqlite3, "connect", connect)
                others.append(open_journal(journal_path, IMPATIENT))

    def watched(*arguments, **more) -> sqlite3.Connection:
        connection = connect(*arguments, **more)
        connection.set_trace_callback(meet)
        return connection

    monkeypatch.setattr(sqlite3, "connect", watched)
    with opened(journal_path) as file:
        file.journal.append(HOME, [said("one", "m-1")])
        for other in others:
            assert keys(other) == ["m-1"]
            other.close()
    assert len(seen) > place


def test_a_new_journal_waits_for_whoever_looks_at_the_empty_file(journal_path):
    patient = Settings(journal=JournalSettings(busy_timeout_s=30))
    with closing(_other(journal_path)) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM sqlite_master").fetchall()
        release = threading.Timer(0.2, other.rollback)
        release.start()
        with opened(journal_path, patient) as file:
            assert file.journal.spaces() == []
        release.join()


def _other(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, check_same_thread=False)


# Damaged


@pytest.mark.parametrize("size", [50, 100, 512, 4096, 100_000])
def test_a_file_of_random_bytes_is_damaged_and_stays_as_it_is(journal_path, random_bytes, size):
    noise = random_bytes(size)
    journal_path.write_bytes(noise)
    with pytest.raises(Damaged, match=r"is damaged or no SQLite database.*restore a backup"):
        open_journal(journal_path, IMPATIENT)
    assert journal_path.read_bytes() == noise


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[tuple]]:
    """Return a journal's file, checkpointed and closed, and the facts that it holds."""
    path = tmp_path_factory.mktemp("written") / "journal.db"
    file = open_journal(path, IMPATIENT, TickingClock(), SeededBytes())
    for _ in range(5):
        small_journal(file.journal)
    held = facts(file.journal, HOME)
    file.close()
    return path.read_bytes(), held


@pytest.mark.parametrize("share", [0.001, 0.04, 0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_short_is_damaged(journal_path, written, share):
    content, _ = written
    journal_path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(Damaged, match="restore a backup"), opened(journal_path) as file:
        if list(verify(file, HOME)):
            raise Damaged("found by verification: restore a backup")


def test_a_flipped_bit_is_found_or_does_no_harm(journal_path, written, random_bytes):
    content, held = written
    used = [place for place, byte in enumerate(content) if byte]
    harmed = 0
    for _ in range(150):
        place, bit = int.from_bytes(random_bytes(4), "big") % len(used), random_bytes(1)[0] % 8
        flipped = bytearray(content)
        flipped[used[place]] ^= 1 << bit
        journal_path.write_bytes(flipped)
        if not _found(journal_path):
            with opened(journal_path) as file:
                assert facts(file.journal, HOME) == held
        else:
            harmed += 1
        for left in journal_path.parent.glob("journal.db-*"):
            left.unlink()
    assert 0 < harmed < 150


def _found(path: Path) -> bool:
    """Say whether damage is found, by whatever error (which one is another test's matter)."""
    try:
        with opened(path) as file:
            return any(verify(file, HOME))
    except (MeridiaError, ValueError, TypeError):
        return True


@pytest.mark.parametrize("words", [b"CREATE TABLE entry (", b"recorded_at TEXT"])
def test_a_schema_that_makes_no_sense_is_damaged(journal_path, written, words):
    content, _ = written
    flipped = bytearray(content)
    flipped[content.index(words) + 3] ^= 128
    journal_path.write_bytes(flipped)
    with pytest.raises(Damaged), opened(journal_path) as file:
        list(verify(file, HOME))


def test_the_database_of_another_program_is_left_alone(journal_path):
    with closing(sqlite3.connect(journal_path)) as other:
        other.execute("CREATE TABLE bookmark (address TEXT)")
        other.commit()
    before = journal_path.read_bytes()
    with pytest.raises((Refused, Damaged)):
        open_journal(journal_path, IMPATIENT)
    assert journal_path.read_bytes() == before


def test_a_journal_that_cannot_be_opened_holds_no_descriptor(journal_path, random_bytes):
    journal_path.write_bytes(random_bytes(4096))
    with pytest.raises(Damaged) as failure:
        open_journal(journal_path, IMPATIENT)
    # The error is kept, as a caller that reports it does; nothing may hang on it.
    assert failure.type is Damaged
    assert _descriptors(journal_path) == []


# Not to be written


@pytest.mark.parametrize("path", ["", ".", "folder"])
def test_a_folder_is_no_journal(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(NotFound, match="is not a file: name the journal's file"):
        open_journal(Path(path), IMPATIENT)


def test_a_path_through_what_is_no_folder_is_no_journal(tmp_path):
    (tmp_path / "file").write_text("text")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name in ("file", "loop"):
        with pytest.raises(NotFound, match="is not a file"):
            open_journal(tmp_path / name / "journal.db", IMPATIENT)


@pytest.mark.parametrize("name", ["n" * 300, "nul\0"], ids=["long", "nul"])
def test_a_path_that_no_file_can_have_is_refused(tmp_path, name):
    with pytest.raises(MeridiaError, match="journal"):
        open_journal(tmp_path / name / "journal.db", IMPATIENT)


def test_folders_above_the_journal_are_made_for_the_owner_only(tmp_path):
    with opened(tmp_path / "new" / "newer" / "journal.db") as file:
        file.journal.append(HOME, [said("one")])
    assert stat.S_IMODE((tmp_path / "new" / "newer").stat().st_mode) == 0o700


@pytest.mark.parametrize("case", ["folder", "folder with journal", "file"])
def test_what_may_only_be_read_is_refused(case):
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "journal.db"
        if case != "folder":
            with opened(path) as file:
                file.journal.append(HOME, [said("one", "m-1")])
        path.touch()
        path.chmod(0o444 if case == "file" else 0o666)
        if case == "folder":
            path.unlink()
        folder.chmod(0o777 if case == "file" else 0o555)
        answer = _as_somebody_without_rights(path)
        folder.chmod(0o700)
        assert answer["code"] == "refused"
        assert str(path) in answer["text"]
        if case != "folder":
            path.chmod(0o600)
            with opened(path) as file:
                assert keys(file) == ["m-1"]
                assert whole(file)


def _as_somebody_without_rights(path: Path) -> dict[str, str]:
    """Open and append in another process, which is not the superuser's even if this one is."""
    return _child(
        """
        if os.geteuid() == 0:
            os.setuid(65534)
        try:
            append(open_journal(path, Settings()), "m-2")
        except MeridiaError as error:
            print(json.dumps({"code": error.code, "text": str(error)}))
        """,
        path,
    )


# Full


def test_a_file_that_may_not_grow_takes_no_half_event_and_goes_on_later(journal_path):
    answer = _child(
        """
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        file = open_journal(path, Settings())
        append(file, "m-0")
        sizes = [p.stat().st_size for p in path.parent.iterdir()]
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (max(sizes) + 300_000, hard))
        acknowledged, text = ["m-0"], ""
        for i in range(1, 60):
            try:
                append(file, f"m-{i}", "x " * 20_000)
                acknowledged.append(f"m-{i}")
            except StorageFull as error:
                text = str(error)
                break
        read = [entry.key for entry in file.journal.read(Space("home"))]
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        append(file, "m-later")
        acknowledged.append("m-later")
        print(json.dumps({"acknowledged": acknowledged, "read": read, "text": text}))
        os._exit(0)
        """,
        journal_path,
    )
    assert "nothing of this call was stored; free space and repeat it" in answer["text"]
    assert answer["read"] == answer["acknowledged"][:-1]
    with opened(journal_path) as file:
        assert keys(file) == answer["acknowledged"]
        assert whole(file)


def test_a_new_journal_that_may_not_grow_is_not_begun(journal_path):
    answer = _child(
        """
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
        try:
            open_journal(path, Settings())
        except StorageFull as error:
            print(json.dumps({"text": str(error)}))
        """,
        journal_path,
    )
    assert "cannot grow" in answer["text"]
    with opened(journal_path) as file:
        assert file.journal.spaces() == []


def test_a_full_database_is_told_and_stays_whole(private_file):
    private_file.journal.append(HOME, [said("one", "m-1")])
    connection = private_file.database.connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 3}")
    with pytest.raises(StorageFull):
        private_file.journal.append(HOME, [said("long " * 20_000, "m-2")])
    assert keys(private_file) == ["m-1"]
    connection.execute("PRAGMA max_page_count = 1000000")
    private_file.journal.append(HOME, [said("long " * 20_000, "m-2")])
    assert whole(private_file)


# Other versions


def test_a_newer_journal_is_refused_and_not_touched(journal_path, written):
    journal_path.write_bytes(written[0])
    with closing(sqlite3.connect(journal_path)) as newer:
        newer.execute("PRAGMA user_version = 99")
    before = journal_path.read_bytes()
    with pytest.raises(Refused, match=r"newer Meridia \(schema 99, .*upgrade Meridia"):
        open_journal(journal_path, IMPATIENT)
    assert journal_path.read_bytes() == before


def test_a_migration_that_fails_leaves_the_old_version_as_it_was(
    journal_path, written, monkeypatch
):
    journal_path.write_bytes(written[0])
    schema = _schema(journal_path)
    broken = ("CREATE TABLE added (x)", "DROP TABLE recall", "CREATE TABLE payload (x)")
    monkeypatch.setattr(
        statements, "migrations", lambda known=statements.migrations(): (*known, ("9", broken))
    )
    with pytest.raises(MeridiaError, match="payload already exists"):
        open_journal(journal_path, IMPATIENT)
    monkeypatch.undo()
    assert _schema(journal_path) == schema
    with opened(journal_path) as file:
        assert facts(file.journal, HOME) == written[1]
        file.journal.append(HOME, [said("goes on")])


def test_a_journal_of_an_older_version_is_brought_forward_once(journal_path, written, monkeypatch):
    journal_path.write_bytes(written[0])
    added = ("0099_added", ("CREATE TABLE added (x TEXT) STRICT",))
    known = statements.migrations()
    monkeypatch.setattr(statements, "migrations", lambda: (*known, added))
    for _ in range(2):
        with opened(journal_path) as file:
            assert facts(file.journal, HOME) == written[1]
            log = file.database.connection.execute("SELECT name FROM migration ORDER BY name")
            assert [name for (name,) in log] == [*(name for name, _ in known), "0099_added"]


def _schema(path: Path) -> list[tuple]:
    with closing(sqlite3.connect(path)) as connection:
        version = connection.execute("PRAGMA user_version").fetchall()
        return version + connection.execute("SELECT name, sql FROM sqlite_master").fetchall()


# Files and descriptors


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_the_owner_can_read_the_journal_and_its_companions(journal_path, umask):
    before = os.umask(umask)
    try:
        with opened(journal_path) as file:
            file.journal.append(HOME, [said("one")])
            modes = {
                path.name: stat.S_IMODE(path.stat().st_mode)
                for path in journal_path.parent.iterdir()
            }
    finally:
        os.umask(before)
    assert modes == {f"journal.db{suffix}": 0o600 for suffix in ("", "-wal", "-shm")}


def test_a_closed_journal_is_one_file(journal_path):
    with opened(journal_path) as file:
        file.journal.append(HOME, [said("one")])
    assert [path.name for path in journal_path.parent.iterdir()] == ["journal.db"]
    assert _descriptors(journal_path) == []


def test_a_private_journal_leaves_nothing_behind():
    with opened(None) as file:
        file.journal.append(HOME, [said("one")])
        folder = file.database.path.parent
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not folder.exists()


def test_each_thread_has_its_own_connection(journal_file):
    connections = {}

    def look(name: str) -> None:
        connections[name] = (journal_file.database.connection, journal_file.database.connection)

    threads = [threading.Thread(target=look, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert connections["a"][0] is connections["a"][1] is not connections["b"][0]


def test_threads_that_ended_hold_no_descriptors(journal_path):
    with opened(journal_path) as file:
        file.journal.append(HOME, [said("one")])
        for _ in range(20):
            thread = threading.Thread(target=lambda: file.journal.head(HOME))
            thread.start()
            thread.join()
        assert len(_descriptors(journal_path)) < 20


def test_opening_a_journal_twice_in_one_process_loses_nothing(journal_path):
    with opened(journal_path) as file:
        file.journal.append(HOME, [said("one", "m-1")])
        with opened(journal_path) as second:
            assert keys(second) == ["m-1"]
        assert _keys_seen_by_another_process(journal_path) == ["m-1"]
        file.journal.append(HOME, [said("two", "m-2")])
        assert _keys_seen_by_another_process(journal_path) == ["m-1", "m-2"]


def test_two_processes_that_take_turns_lose_nothing(journal_path):
    with opened(journal_path) as file:
        file.journal.append(HOME, [said("one", "m-1")])
        assert _keys_seen_by_another_process(journal_path) == ["m-1"]
        file.journal.append(HOME, [said("two", "m-2")])
        assert _keys_seen_by_another_process(journal_path) == ["m-1", "m-2"]
    with opened(journal_path) as file:
        assert whole(file)


def test_a_copy_of_a_closed_journal_is_a_journal(journal_path, written, tmp_path):
    journal_path.write_bytes(written[0])
    shutil.copy(journal_path, tmp_path / "copy.db")
    with opened(tmp_path / "copy.db") as file:
        assert facts(file.journal, HOME) == written[1]


def _keys_seen_by_another_process(path: Path) -> list[str]:
    """Open, read and close in another process, as a command line beside a service does."""
    answer = _child(
        """
        file = open_journal(path, Settings())
        print(json.dumps({"keys": [entry.key for entry in file.journal.read(Space("home"))]}))
        file.close()
        """,
        path,
    )
    return answer["keys"]


def _descriptors(path: Path) -> list[str]:
    """Return the open descriptors of this process that belong to a journal's files."""
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("descriptors cannot be listed here")
    links = [os.readlink(entry) for entry in folder.iterdir() if entry.is_symlink()]
    return [link for link in links if link.startswith(str(path))]


_CHILD = """
import json, os, resource, sys
from pathlib import Path
from meridia.core.errors import MeridiaError, StorageFull
from meridia.core.settings import Settings
from meridia.core.types import Draft, EntryKind, Space
from meridia.graph.journal_file import open_journal
path = Path(sys.argv[1])
def append(file, key, text="hello"):
    event = {"kind": "user_message", "payload": {"text": text}}
    draft = Draft(EntryKind.EXPERIENCE_CAPTURED, key, {"event": event})
    file.journal.append(Space("home"), [draft])
"""


def _child(steps: str, path: Path) -> dict:
    """Run some steps in a process of its own; return what they print."""
    indent = steps[: len(steps) - len(steps.lstrip())].rpartition("\n")[2]
    script = _CHILD + "\n".join(line.removeprefix(indent) for line in steps.splitlines())
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, timeout=60, check=False
    )
    assert done.stdout, done.stderr.decode()
    return json.loads(done.stdout)
