"""The end of a journal is known outside of it: what was cut off or replaced is noticed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from meridia import Memory, Refused, restore
from meridia.core.ports import FindingKind
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.storage.companion_files import (
    Acknowledged,
    HeadAnchor,
    PrivateFolder,
    abandoned,
    begun,
    forget_head,
    partial_of,
    remove_abandoned,
    remove_abandoned_folders,
)
from meridia.storage.copies.backup import back_up
from meridia.storage.upkeep import of_file
from tests.ingest.forgetting.told import PLAIN

QUICK = Settings(embedding=EmbeddingSettings(enabled=False))
_KILLED = """
import os, sys
from meridia import Memory
memory = Memory.open(sys.argv[1])
for number in range(20):
    memory.remember(f"heron {number}")
os.kill(os.getpid(), 9)
"""


def remember(path, *texts):
    with Memory.open(path, settings=QUICK) as memory:
        for text in texts:
            memory.remember(text)


def problems(path):
    with Memory.open(path, settings=QUICK) as memory:
        findings = memory.upkeep.verify()
        assert {finding.kind for finding in findings} <= {FindingKind.END}
        return [finding.problem for finding in findings]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_log_that_was_cut_off_is_noticed(tmp_path):
    path, log = tmp_path / "a.db", tmp_path / "a.db-wal"
    subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False)
    os.truncate(log, log.stat().st_size // 2)
    (problem,) = problems(path)
    assert "entry 20 was acknowledged and is not in it" in problem
    remember(path, "a later one")
    assert any("entry 20 was acknowledged" in problem for problem in problems(path))
    forget_head(path)
    assert problems(path) == []


def test_an_older_copy_in_its_place_is_noticed_and_a_restored_backup_is_not(tmp_path):
    path, copied = tmp_path / "a.db", tmp_path / "copy.db"
    remember(path, "one")
    shutil.copy(path, copied)
    remember(path, "two")
    assert problems(path) == []
    shutil.copy(copied, path)
    assert "an older copy was put in its place" in problems(path)[0]


def test_what_was_undone_is_not_noted(tmp_path):
    with Memory.open(tmp_path / "a.db", settings=QUICK) as memory:
        memory.remember("one")
        with suppress(RuntimeError), memory.parts.writing():
            memory.remember("two")
            raise RuntimeError
        assert memory.upkeep.verify() == []


@pytest.mark.parametrize("line", ["", "1 2", "x y z", "1 1 zz"])
def test_half_a_note_says_nothing(tmp_path, line):
    (tmp_path / "a.db-head").write_text(line)
    assert HeadAnchor(tmp_path / "a.db", lambda _: False).lost() == []


def test_a_folder_that_takes_no_file_has_no_note(tmp_path):
    anchor = HeadAnchor(tmp_path / "nowhere" / "a.db", lambda _: True)
    anchor.write(Acknowledged(1, 1, b"x"))
    assert anchor.lost() == []


_KILLED_PRIVATE = """
import os
from meridia import Memory
memory = Memory.open()
memory.remember("a secret heron")
os.kill(os.getpid(), 9)
"""
fcntl = pytest.importorskip("fcntl", reason="locks")


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_what_a_killed_process_left_goes_with_the_next_one(temporary):
    subprocess.run([sys.executable, "-c", _KILLED_PRIVATE], check=False)
    assert len(list(temporary.iterdir())) == 1
    with Memory.open(settings=QUICK) as memory:
        memory.remember("one")
        (mine,) = temporary.iterdir()
        remove_abandoned_folders()
        assert memory.list().memories
        assert list(temporary.iterdir()) == [mine]
    assert list(temporary.iterdir()) == []


def test_a_folder_of_another_user_is_left_alone(monkeypatch):
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        theirs = Path(folder) / "meridia-private-theirs"
        theirs.mkdir()
        (theirs / "in-use").touch()
        Path(folder).chmod(0o755)
        theirs.chmod(0)
        me = os.geteuid()
        if not me:
            os.seteuid(65_534)
        try:
            remove_abandoned_folders()
        finally:
            os.seteuid(me)
        assert theirs.exists()
        theirs.chmod(0o700)


def test_a_folder_that_is_being_made_stays(temporary):
    (temporary / "meridia-private-new").mkdir()
    PrivateFolder().close()
    assert [path.name for path in temporary.iterdir()] == ["meridia-private-new"]


@pytest.mark.parametrize("early", [True, False])
def test_a_folder_that_another_process_takes_for_abandoned_is_made_anew(
    temporary, monkeypatch, early
):
    """The other one comes when the lock is made and not held; `early`, it is gone again."""
    hold = fcntl.flock
    asked: list[int] = []

    def meanwhile(lock: int, how: int) -> None:
        asked.append(lock)
        if len(asked) > 1:
            hold(lock, how)
        elif early:
            remove_abandoned_folders()
            hold(lock, how)
        else:
            with (next(temporary.iterdir()) / "in-use").open() as other:
                hold(other, how)
                hold(lock, how)

    monkeypatch.setattr(fcntl, "flock", meanwhile)
    folder = PrivateFolder()
    remove_abandoned_folders()
    assert folder.path.is_dir()
    assert len(asked) > 2, "somebody came meanwhile, and it was made anew"
    folder.close()


#: Begins a copy of the journal in its first argument, and is killed in it.
KILLED = """
import os, signal, sys
from pathlib import Path
from meridia import Memory
from meridia.storage.copies.backup import back_up
from tests.ingest.forgetting.told import PLAIN
with Memory.open(sys.argv[1], settings=PLAIN) as memory:
    end = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    back_up(memory.parts, Path(sys.argv[2]), end)
"""


def kill_backup(path, target):
    """Back a journal up, and kill who does it."""
    done = subprocess.run([sys.executable, "-c", KILLED, path, target], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.fixture
def journal(tmp_path):
    """Make a journal with a secret, of which a backup elsewhere was killed."""
    path = tmp_path / "a.db"
    with Memory.open(path, settings=PLAIN) as memory:
        memory.remember("The word is quokka.", person="Dana", id="m1")
        memory.remember("Another thing is told.", person="Robin", id="m2")
    kill_backup(path, tmp_path / "elsewhere" / "copy.db")
    return path


def held(folder):
    """Return the names of files in which the secret is."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {file.name for file in files if b"quokka" in file.read_bytes()}


def test_what_a_killed_backup_left_is_named_with_what_removes_it(journal, tmp_path):
    left = partial_of(tmp_path / "elsewhere" / "copy.db")
    assert left.name in held(tmp_path)
    with Memory.open(journal, settings=PLAIN) as memory:
        named = [d for d in of_file(memory.parts, memory.space) if "killed" in d.finding]
    assert [(d.finding.split()[0], d.command) for d in named] == [(str(left), f"rm {left}")]


def test_the_next_backup_removes_it_wherever_it_was(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN) as memory:
        back_up(memory.parts, tmp_path / "whole.db")
    assert held(tmp_path) == {"a.db", "whole.db"}
    assert {file.name for file in tmp_path.iterdir()} >= {"a.db", "whole.db"}
    assert not (tmp_path / "a.db-copies").exists()


def test_a_forgetting_reaches_it(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN) as memory:
        memory.forget(person="Dana")
    assert held(tmp_path) == set()


def test_a_killed_restore_is_found_beside_its_journal(journal, tmp_path):
    with Memory.open(journal, settings=PLAIN) as memory:
        back_up(memory.parts, tmp_path / "whole.db")
    target = tmp_path / "b.db"
    partial_of(target).write_bytes((tmp_path / "whole.db").read_bytes())
    assert abandoned(target) == [partial_of(target)]
    restore(tmp_path / "whole.db", target)
    assert abandoned(target) == []
    assert not partial_of(target).exists()


def test_one_that_is_being_written_is_left_alone(tmp_path):
    journal, target = tmp_path / "a.db", tmp_path / "copy.db"
    with begun(journal, target) as partial:
        partial.write_bytes(b"half")
        assert abandoned(journal) == []
        remove_abandoned(journal)
        assert partial.read_bytes() == b"half"
        with pytest.raises(Refused, match="another process is writing"), begun(journal, target):
            pass
        assert partial.read_bytes() == b"half"
        partial.rename(target)
    assert target.read_bytes() == b"half"
    assert [file.name for file in tmp_path.iterdir()] == ["copy.db"]
