"""The embedded graph's file: private, disposable, owned by one process, never trusted blindly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from meridia.core.errors import NotFound, Refused, StorageFull, Unavailable
from meridia.core.ports import Head
from meridia.core.types import NodeUpsert, Seq, Space
from meridia.graph import kglite_store
from meridia.graph.digest import count, digest
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.projector import project
from tests.histories import HistoryEvent, TestJournal, live

HOME = Space("home")


def write(store: KgliteStore, *names: str, seq: int = 1) -> None:
    with store.transaction() as writer:
        writer.apply([NodeUpsert("Person", f"person_{name}", {"name": name}) for name in names])
        writer.move_cursor(Head(Seq(seq), b""))


def names(store: KgliteStore) -> list[str]:
    found = store.query("MATCH (p:Person) RETURN p.name AS name ORDER BY name", {}, 5, 100)
    return [row[0] for row in found.rows]


@contextmanager
def another_process(path: Path, script: str) -> Iterator[subprocess.Popen[str]]:
    """Run `script` with an open `store`; yield once it said `ready`."""
    program = f"""
        import os, sys
        from pathlib import Path
        from meridia.core.ports import Head
        from meridia.core.types import NodeUpsert, Seq, Space
        from meridia.graph.kglite_store import KgliteStore
        store = KgliteStore(Path({str(path)!r}), Space("home"))
    """
    text = textwrap.dedent(program) + textwrap.dedent(script)
    command = [sys.executable, "-c", text]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


WRITE_AND_WAIT = """
    with store.transaction() as writer:
        writer.apply([NodeUpsert("Person", "person_Kim", {"name": "Kim"})])
        writer.move_cursor(Head(Seq(5), b""))
    print("ready", flush=True)
    sys.stdin.readline()
"""


def test_every_file_is_readable_by_its_owner_only(tmp_path: Path):
    before = os.umask(0o022)
    try:
        path = tmp_path / "new" / "graph.kgl"
        store = KgliteStore(path, HOME)
        big = [NodeUpsert("Experience", f"e{n}", {"text": "x" * 5_000}) for n in range(1200)]
        with store.transaction() as writer:
            writer.apply(big)
        assert path.exists(), "a checkpoint was due"
        store.close()
        modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
        assert set(modes.values()) == {0o600}, modes
        assert path.parent.stat().st_mode & 0o777 == 0o700
        assert os.umask(0o022) == 0o022, "the process keeps its own umask"
    finally:
        os.umask(before)


def test_a_process_that_is_killed_loses_nothing_it_committed(tmp_path: Path):
    path = tmp_path / "graph.kgl"
    with another_process(path, WRITE_AND_WAIT) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    store = KgliteStore(path, HOME)
    assert (store.private, store.cursor().seq, names(store)) == (False, 5, ["Kim"])
    store.close()


def test_a_process_killed_inside_a_transaction_leaves_nothing_of_it(tmp_path: Path):
    path = tmp_path / "graph.kgl"
    half_way = """
        with store.transaction() as writer:
            writer.apply([NodeUpsert("Person", "person_Kim", {"name": "Kim"})])
            writer.move_cursor(Head(Seq(5), b""))
            print("ready", flush=True)
            sys.stdin.readline()
    """
    with another_process(path, half_way) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    store = KgliteStore(path, HOME)
    assert (store.cursor().seq, names(store)) == (0, [])
    store.close()


def test_beside_another_process_a_store_works_on_its_own_copy(tmp_path: Path):
    path = tmp_path / "graph.kgl"
    first = KgliteStore(path, HOME)
    write(first, "Dana", seq=3)
    first._opened.save()
    first.close()
    with another_process(path, WRITE_AND_WAIT) as owner:
        store = KgliteStore(path, HOME)
        assert store.private
        assert (store.cursor().seq, names(store)) == (3, ["Dana"]), "the last checkpoint"
        write(store, "Ali", seq=4)
        assert names(store) == ["Ali", "Dana"]
        store.drop()
        assert names(store) == []
        folder = store._path.parent
        assert folder != path.parent
        store.close()
        assert not folder.exists()
        assert owner.stdin is not None
        owner.stdin.write("\n")
        owner.stdin.flush()
        owner.wait()
    again = KgliteStore(path, HOME)
    assert (again.private, again.cursor().seq, names(again)) == (False, 5, ["Dana", "Kim"])
    again.close()


def test_a_copy_is_brought_up_to_date_in_memory(tmp_path: Path):
    journal = TestJournal()
    live(journal, HOME, *(HistoryEvent(f"t{n}", "Dana") for n in range(20)))
    owner = KgliteStore(tmp_path / "graph.kgl", HOME)
    project(journal, owner, HOME, 10)
    copy = KgliteStore(tmp_path / "graph.kgl", HOME)
    assert copy.private
    assert project(journal, copy, HOME, 10) > 0
    assert digest(copy) == digest(owner)
    copy.close()
    owner.close()
    journal.close()


def damaged(text: bytes) -> list[bytes]:
    middle = len(text) // 2
    flipped = text[:middle] + bytes([text[middle] ^ 0xFF]) + text[middle + 1 :]
    return [b"", b"garbage", text[:100], text[:middle], flipped, b"RGF" + bytes(500)]


@pytest.mark.parametrize("how", range(6))
def test_a_file_that_cannot_be_read_is_replaced(tmp_path: Path, how: int):
    path = tmp_path / "graph.kgl"
    store = KgliteStore(path, HOME)
    write(store, "Dana", seq=3)
    store._opened.save()
    store.close()
    path.write_bytes(damaged(path.read_bytes())[how])
    again = KgliteStore(path, HOME)
    assert (again.cursor().seq, names(again)) == (0, [])
    write(again, "Kim")
    assert names(again) == ["Kim"]
    again.close()


def test_a_log_that_cannot_be_read_is_replaced_with_its_graph(tmp_path: Path):
    path = tmp_path / "graph.kgl"
    store = KgliteStore(path, HOME)
    write(store, "Dana", seq=3)
    kglite_store.release(store._opened)
    Path(f"{path}-wal").write_bytes(b"no log at all")
    again = KgliteStore(path, HOME)
    assert again.cursor().seq == 0
    again.close()


def test_a_log_that_a_crash_cut_off_is_projected_again_and_nothing_is_kept_aside(tmp_path: Path):
    journal, path = TestJournal(), tmp_path / "graph.kgl"
    store = KgliteStore(path, HOME)
    for n in range(4):
        live(journal, HOME, HistoryEvent(f"t{n}", "Dana"))
        project(journal, store, HOME, 10)
    before = digest(store)
    # Gone without a word, as in a crash.
    kglite_store.release(store._opened)
    log = Path(f"{path}-wal")
    log.write_bytes(log.read_bytes()[:-30])
    again = KgliteStore(path, HOME)
    assert 0 < again.cursor().seq < journal.head(HOME).seq
    assert [file.name for file in tmp_path.iterdir() if "torn" in file.name] == []
    project(journal, again, HOME, 10)
    assert digest(again) == before
    again.close()
    journal.close()


def test_the_graph_of_another_space_is_replaced(tmp_path: Path):
    store = KgliteStore(tmp_path / "graph.kgl", HOME)
    write(store, "Dana")
    store.close()
    other = KgliteStore(tmp_path / "graph.kgl", Space("work"))
    assert (other.cursor().seq, names(other)) == (0, [])
    other.close()


def test_the_graph_of_another_engine_version_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as earlier:
        earlier.setattr(kglite_store, "_ENGINE", "kglite 0.0.1")
        store = KgliteStore(tmp_path / "graph.kgl", HOME)
        write(store, "Dana", seq=3)
        assert store.cursor().seq == 3
        store.close()
    again = KgliteStore(tmp_path / "graph.kgl", HOME)
    assert (again.cursor().seq, count(again).nodes) == (0, {})
    again.close()


def test_a_path_that_is_no_file_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "graph.kgl"):
        with pytest.raises((NotFound, Refused), match=str(tmp_path)):
            KgliteStore(path, HOME)


def test_a_file_that_cannot_grow_refuses_and_stays_whole(tmp_path: Path):
    path = tmp_path / "graph.kgl"
    script = """
        import resource
        from meridia.core.errors import StorageFull
        def write(names, seq):
            with store.transaction() as writer:
                writer.apply([NodeUpsert("Person", n, {"name": n}) for n in names])
                writer.move_cursor(Head(Seq(seq), b""))
        write(["Dana"], 1)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        try:
            write([f"n{i}" + "x" * 1000 for i in range(500)], 2)
        except StorageFull:
            print("ready", flush=True)
            write(["Kim"], 3)
            store.close()
            print("done", flush=True)
        else:
            print("written", flush=True)
    """
    with another_process(path, script) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "done\n"
        process.wait()
    store = KgliteStore(path, HOME)
    assert (store.cursor().seq, names(store)) == (3, ["Dana", "Kim"])
    store.close()


def test_a_closed_store_can_be_closed_again(tmp_path: Path):
    store = KgliteStore(tmp_path / "graph.kgl", HOME)
    store.close()
    store.close()


def test_what_is_thrown_away_leaves_no_file(tmp_path):
    for name in ("g.kgl", "g.kgl-wal", "g.kgl-wal.torn-1", "other.kgl"):
        (tmp_path / name).write_bytes(b"graph")
    kglite_store.discard(tmp_path / "g.kgl")
    assert [file.name for file in tmp_path.iterdir()] == ["other.kgl"]


def test_a_file_is_emptied_where_it_is(tmp_path):
    file = tmp_path / "g.kgl-wal"
    kglite_store.empty(file)
    assert kglite_store.bytes_of(file) == 0
    assert not file.exists()
    file.write_bytes(b"graph")
    kglite_store.empty(file)
    assert (kglite_store.bytes_of(file), file.exists()) == (0, True)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError(28, "No space left on device"), StorageFull),
        (PermissionError(13, "Permission denied"), Refused),
        (OSError(5, "Input/output error"), Unavailable),
    ],
)
def test_errors_of_the_file_system_are_turned_into_those_of_meridia(tmp_path, error, kind):
    with pytest.raises(kind), kglite_store.translated(tmp_path / "g.kgl"):
        raise error
