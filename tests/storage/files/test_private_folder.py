"""A memory without a path leaves nothing for long, however its process ended."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from meridia import Memory
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.storage.files.private_folder import PrivateFolder, remove_abandoned

QUICK = Settings(embedding=EmbeddingSettings(enabled=False))
_KILLED = """
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
    subprocess.run([sys.executable, "-c", _KILLED], check=False)
    assert len(list(temporary.iterdir())) == 1
    with Memory.open(settings=QUICK) as memory:
        memory.remember("one")
        (mine,) = temporary.iterdir()
        remove_abandoned()
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
            remove_abandoned()
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
            remove_abandoned()
            hold(lock, how)
        else:
            with (next(temporary.iterdir()) / "in-use").open() as other:
                hold(other, how)
                hold(lock, how)

    monkeypatch.setattr(fcntl, "flock", meanwhile)
    folder = PrivateFolder()
    remove_abandoned()
    assert folder.path.is_dir()
    assert len(asked) > 2, "somebody came meanwhile, and it was made anew"
    folder.close()
