"""The file under the journal: what users do to it, what befalls it, and what they are told then.

Whatever happens, three things hold: the error says what to do, what was acknowledged is still
there, and no half of an event is.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from meridia import Memory
from meridia.core.errors import Damaged, MeridiaError, NotFound, Refused, StorageFull, Unavailable
from meridia.core.settings import EmbeddingSettings, JournalSettings, Settings
from meridia.storage import statement_loader
from meridia.storage.store import Store, open_store
from meridia.storage.upkeep import verify
from tests.fakes import SeededBytes, TickingClock
from tests.graph.journal_drafts import HOME, facts, message_draft, small_journal
from tests.graph.journal_files import (
    IMPATIENT,
    before_statement,
    child,
    descriptors,
    keys,
    keys_read_by_another_process,
    opened,
    whole,
)

# Locked


def test_a_lock_of_somebody_else_is_waited_for_and_then_told(journal_path):
    with opened(journal_path) as file, closing(sqlite3.connect(journal_path)) as other:
        file.journal.append(HOME, [message_draft("one", "m-1")])
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(
            Unavailable, match=r"locked by another (process|thread of this process): try again"
        ) as refusal:
            file.journal.append(HOME, [message_draft("two", "m-2")])
        assert refusal.value.retryable
        assert str(journal_path) in str(refusal.value)
        assert keys(file) == ["m-1"]
        other.rollback()
        file.journal.append(HOME, [message_draft("two", "m-2")])
        assert keys(file) == ["m-1", "m-2"]
        assert whole(file)


def test_a_lock_that_is_given_back_in_time_is_not_noticed(journal_path):
    patient = Settings(journal=JournalSettings(busy_timeout_s=30))
    with opened(journal_path, patient) as file, closing(_other(journal_path)) as other:
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.2, other.rollback)
        release.start()
        file.journal.append(HOME, [message_draft("one", "m-1")])
        release.join()
        assert keys(file) == ["m-1"]


def test_a_journal_can_be_opened_and_read_while_somebody_writes(journal_path):
    with opened(journal_path) as file:
        file.journal.append(HOME, [message_draft("one", "m-1")])
    with closing(sqlite3.connect(journal_path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with opened(journal_path) as file:
            assert keys(file) == ["m-1"]


def test_a_new_journal_may_be_opened_by_two_at_once(tmp_path, monkeypatch):
    for place in range(12):
        path, others = tmp_path / f"{place}.db", []
        with monkeypatch.context() as patch:
            meet = before_statement(place, partial(_open_beside, path, others))
            patch.setattr(sqlite3, "connect", partial(_watched, meet))
            file = open_store(path, IMPATIENT)
        file.journal.append(HOME, [message_draft("one", "m-1")])
        for other in others:
            if other:
                assert keys(other) == ["m-1"]
                other.close()
        file.close()
        assert others


_connect = sqlite3.connect


def _watched(callback: Callable[[str], None], *arguments, **more) -> sqlite3.Connection:
    """Connect to a database and let somebody hear of every statement."""
    connection = _connect(*arguments, **more)
    connection.set_trace_callback(callback)
    return connection


def _open_beside(path: Path, others: list[Store | None]) -> None:
    """Open a journal as another process does, unless it is locked."""
    others.append(None)
    with pytest.MonkeyPatch.context() as patch, suppress(Unavailable):
        patch.setattr(sqlite3, "connect", _connect)
        others[-1] = open_store(path, IMPATIENT)


@pytest.mark.parametrize("begin", ["BEGIN", "BEGIN IMMEDIATE"])
def test_a_new_journal_waits_for_whoever_uses_the_empty_file(journal_path, begin):
    patient = Settings(journal=JournalSettings(busy_timeout_s=30))
    with closing(_other(journal_path)) as other:
        other.execute(begin)
        other.execute("SELECT * FROM sqlite_master").fetchall()
        release = threading.Timer(0.2, other.rollback)
        release.start()
        with opened(journal_path, patient) as file:
            assert file.journal.spaces() == []
        release.join()


def _other(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, check_same_thread=False)


# Not to be written


@pytest.mark.parametrize("path", ["", ".", "folder"])
def test_a_folder_is_no_journal(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(NotFound, match="is not a file: name the journal's file"):
        open_store(Path(path), IMPATIENT)


def test_a_path_through_what_is_no_folder_is_no_journal(tmp_path):
    (tmp_path / "file").write_text("text")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name in ("file", "loop"):
        with pytest.raises(NotFound, match="is not a file"):
            open_store(tmp_path / name / "journal.db", IMPATIENT)


@pytest.mark.parametrize("name", ["n" * 300, "nul\0"], ids=["long", "nul"])
def test_a_path_that_no_file_can_have_is_refused(tmp_path, name):
    with pytest.raises(MeridiaError, match="journal"):
        open_store(tmp_path / name / "journal.db", IMPATIENT)


def test_folders_above_the_journal_are_made_for_the_owner_only(tmp_path):
    with opened(tmp_path / "new" / "newer" / "journal.db") as file:
        file.journal.append(HOME, [message_draft("one")])
    assert stat.S_IMODE((tmp_path / "new" / "newer").stat().st_mode) == 0o700


@pytest.mark.parametrize("case", ["folder", "folder with journal", "file"])
def test_what_may_only_be_read_is_refused(case):
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "journal.db"
        if case != "folder":
            with opened(path) as file:
                file.journal.append(HOME, [message_draft("one", "m-1")])
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
    return child(
        """
        if os.geteuid() == 0:
            os.setuid(65534)
        try:
            append(open_store(path, Settings()), "m-2")
        except MeridiaError as error:
            print(json.dumps({"code": error.code, "text": str(error)}))
        """,
        path,
    )


# Full


def test_a_file_that_may_not_grow_takes_no_half_event_and_goes_on_later(journal_path):
    answer = child(
        """
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        file = open_store(path, Settings())
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
        print(json.dumps({"acknowledged": acknowledged, "read": read, "text": text}), flush=True)
        os._exit(0)
        """,
        journal_path,
    )
    assert (
        "what was acknowledged is kept, nothing else is; free space and repeat it" in answer["text"]
    )
    assert answer["read"] == answer["acknowledged"][:-1]
    with opened(journal_path) as file:
        assert keys(file) == answer["acknowledged"]
        assert whole(file)


def test_a_new_journal_that_may_not_grow_is_not_begun(journal_path):
    answer = child(
        """
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
        try:
            open_store(path, Settings())
        except StorageFull as error:
            print(json.dumps({"text": str(error)}))
        """,
        journal_path,
    )
    assert "cannot grow" in answer["text"]
    with opened(journal_path) as file:
        assert file.journal.spaces() == []


def test_a_full_database_is_told_and_stays_whole(private_file):
    private_file.journal.append(HOME, [message_draft("one", "m-1")])
    connection = private_file.database.connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 3}")
    with pytest.raises(StorageFull):
        private_file.journal.append(HOME, [message_draft("long " * 20_000, "m-2")])
    assert keys(private_file) == ["m-1"]
    connection.execute("PRAGMA max_page_count = 1000000")
    private_file.journal.append(HOME, [message_draft("long " * 20_000, "m-2")])
    assert whole(private_file)


# Files and descriptors


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_the_owner_can_read_the_journal_and_its_companions(journal_path, umask):
    before = os.umask(umask)
    try:
        with opened(journal_path) as file:
            file.journal.append(HOME, [message_draft("one")])
            modes = {
                path.name: stat.S_IMODE(path.stat().st_mode)
                for path in journal_path.parent.iterdir()
            }
    finally:
        os.umask(before)
    assert modes == {f"journal.db{suffix}": 0o600 for suffix in ("", "-wal", "-shm", "-head")}


def test_a_closed_journal_is_one_file_and_a_note_of_its_end(journal_path):
    with opened(journal_path) as file:
        file.journal.append(HOME, [message_draft("one")])
    assert {path.name for path in journal_path.parent.iterdir()} == {
        "journal.db",
        "journal.db-head",
    }
    assert descriptors(journal_path) == []


def test_a_new_journal_has_small_pages_and_one_of_other_pages_keeps_them(tmp_path):
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    with closing(sqlite3.connect(old)) as other:
        other.executescript("PRAGMA page_size = 4096; CREATE TABLE x (y); DROP TABLE x;")
    for path, size in ((new, 2048), (old, 4096)):
        with opened(path) as file:
            file.journal.append(HOME, [message_draft("one", "m-1")])
            assert file.database.connection.execute("PRAGMA page_size").fetchone()[0] == size
            assert whole(file)


def test_a_private_journal_leaves_nothing_behind():
    with opened(None) as file:
        file.journal.append(HOME, [message_draft("one")])
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
        file.journal.append(HOME, [message_draft("one")])
        for _ in range(20):
            thread = threading.Thread(target=lambda: file.journal.head(HOME))
            thread.start()
            thread.join()
        assert len(descriptors(journal_path)) < 20


def test_opening_a_journal_twice_in_one_process_loses_nothing(journal_path):
    with opened(journal_path) as file:
        file.journal.append(HOME, [message_draft("one", "m-1")])
        with opened(journal_path) as second:
            assert keys(second) == ["m-1"]
        assert keys_read_by_another_process(journal_path) == ["m-1"]
        file.journal.append(HOME, [message_draft("two", "m-2")])
        assert keys_read_by_another_process(journal_path) == ["m-1", "m-2"]


def test_two_processes_that_take_turns_lose_nothing(journal_path):
    with opened(journal_path) as file:
        file.journal.append(HOME, [message_draft("one", "m-1")])
        assert keys_read_by_another_process(journal_path) == ["m-1"]
        file.journal.append(HOME, [message_draft("two", "m-2")])
        assert keys_read_by_another_process(journal_path) == ["m-1", "m-2"]
    with opened(journal_path) as file:
        assert whole(file)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[tuple]]:
    """Return a journal's file, checkpointed and closed, and the facts that it holds."""
    path = tmp_path_factory.mktemp("written") / "journal.db"
    file = open_store(path, IMPATIENT, TickingClock(), SeededBytes())
    for _ in range(5):
        small_journal(file.journal)
    held = facts(file.journal, HOME)
    file.close()
    return path.read_bytes(), held


# Damaged


@pytest.mark.parametrize("size", [50, 100, 512, 4096, 100_000])
def test_a_file_of_random_bytes_is_damaged_and_stays_as_it_is(journal_path, random_bytes, size):
    noise = random_bytes(size)
    journal_path.write_bytes(noise)
    with pytest.raises(Damaged, match=r"is damaged or not a SQLite database.*restore a backup"):
        open_store(journal_path, IMPATIENT)
    assert journal_path.read_bytes() == noise


@pytest.mark.parametrize("share", [0.001, 0.04, 0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_short_is_damaged(journal_path, written, share):
    content, _ = written
    journal_path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(Damaged, match="restore a backup"):
        _verify(journal_path)


def _verify(path: Path) -> None:
    """Open a journal and raise `Damaged` for what is found in it."""
    with opened(path) as file:
        for found in verify(file, HOME):
            raise Damaged(f"{found.problem}: restore a backup")


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
            found = list(islice(verify(file, HOME), 1000))
            assert len(found) < 1000
            return found != []
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


def test_a_column_of_another_name_is_found(journal_path, written):
    content, _ = written
    journal_path.write_bytes(content.replace(b"shown INTEGER", b"known INTEGER", 1))
    with opened(journal_path) as file:
        found = [finding.problem for finding in verify(file, HOME)]
    assert "the database file: it lacks reading.shown" in found


def test_the_database_of_another_program_is_left_alone(journal_path):
    with closing(sqlite3.connect(journal_path)) as other:
        other.execute("CREATE TABLE bookmark (address TEXT)")
        other.commit()
    before = journal_path.read_bytes()
    with pytest.raises((Refused, Damaged)):
        open_store(journal_path, IMPATIENT)
    assert journal_path.read_bytes() == before


def test_a_journal_that_cannot_be_opened_holds_no_descriptor(journal_path, random_bytes):
    journal_path.write_bytes(random_bytes(4096))
    with pytest.raises(Damaged) as failure:
        open_store(journal_path, IMPATIENT)
    # The error is kept, as a caller that reports it does; nothing may hang on it.
    assert failure.type is Damaged
    assert descriptors(journal_path) == []


# Other versions


def test_a_newer_journal_is_refused_and_not_touched(journal_path, written):
    journal_path.write_bytes(written[0])
    with closing(sqlite3.connect(journal_path)) as newer:
        newer.execute("PRAGMA user_version = 99")
    before = journal_path.read_bytes()
    with pytest.raises(Refused, match=r"newer Meridia \(schema 99, .*upgrade this one"):
        open_store(journal_path, IMPATIENT)
    assert journal_path.read_bytes() == before


def test_a_process_that_runs_while_a_newer_version_changes_the_tables_writes_nothing_more(
    journal_path,
):
    with Memory(journal_path, "home", Settings(embedding=EmbeddingSettings(enabled=False))) as old:
        old.remember("The heron stands near the kettle.", id="one")
        with closing(sqlite3.connect(journal_path)) as newer:
            newer.execute("PRAGMA user_version = 99")
        for do in (
            lambda: old.remember("And the kettle sings.", id="two"),
            lambda: old.recall("Where is the heron?"),
            lambda: old.forget(ids=["one"]),
            old.enrich,
        ):
            with pytest.raises(Refused, match=r"newer Meridia \(schema 99, .*start it again"):
                do()
        with closing(sqlite3.connect(journal_path)) as newer:
            newer.execute(f"PRAGMA user_version = {len(statement_loader.migrations())}")
        assert [each.event_id for each in old.list().memories] == ["one"]


def test_a_migration_that_fails_leaves_the_old_version_as_it_was(
    journal_path, written, monkeypatch
):
    journal_path.write_bytes(written[0])
    schema = _schema(journal_path)
    broken = ("CREATE TABLE added (x)", "DROP TABLE recall", "CREATE TABLE payload (x)")
    known = statement_loader.migrations()
    monkeypatch.setattr(statement_loader, "migrations", lambda: (*known, ("9999_broken", broken)))
    with pytest.raises(MeridiaError, match="payload already exists"):
        open_store(journal_path, IMPATIENT)
    monkeypatch.undo()
    assert _schema(journal_path) == schema
    with opened(journal_path) as file:
        assert facts(file.journal, HOME) == written[1]
        file.journal.append(HOME, [message_draft("goes on")])


def test_a_journal_of_an_older_version_is_brought_forward_once(journal_path, written, monkeypatch):
    journal_path.write_bytes(written[0])
    added = ("0099_added", ("CREATE TABLE added (x TEXT) STRICT",))
    known = statement_loader.migrations()
    monkeypatch.setattr(statement_loader, "migrations", lambda: (*known, added))
    for _ in range(2):
        with opened(journal_path) as file:
            assert facts(file.journal, HOME) == written[1]
            names = file.database.connection.execute("SELECT name FROM sqlite_master")
            assert "added" in {name for (name,) in names}


def _schema(path: Path) -> list[tuple]:
    with closing(sqlite3.connect(path)) as connection:
        version = connection.execute("PRAGMA user_version").fetchall()
        return version + connection.execute("SELECT name, sql FROM sqlite_master").fetchall()


def test_a_copy_of_a_closed_journal_is_a_journal(journal_path, written, tmp_path):
    journal_path.write_bytes(written[0])
    shutil.copy(journal_path, tmp_path / "copy.db")
    with opened(tmp_path / "copy.db") as file:
        assert facts(file.journal, HOME) == written[1]
