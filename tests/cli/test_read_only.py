"""What cannot be written can be read: read-only media and full disks, by the installed command."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

_MOUNTS = hasattr(os, "geteuid") and os.geteuid() == 0 and sys.platform == "linux"
pytestmark = pytest.mark.skipif(not _MOUNTS, reason="only the superuser may mount a small disk")
MERIDIA = Path(sys.executable).with_name("meridia")
QUICK = {"MERIDIA_EMBEDDING_ENABLED": "false"}


@pytest.fixture
def disk(tmp_path):
    """Mount a small disk; give its folder."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", tmp_path],
        check=False,
    )
    if mounted.returncode:
        pytest.skip("this machine mounts no disks")
    yield tmp_path
    subprocess.run(["umount", "-l", tmp_path], check=True)


def test_read_only_media_are_read(meridia, disk):
    where = ("--db", disk / "a.db")
    assert meridia("remember", "A heron.", "--person", "Dana", *where, env=QUICK).status == 0
    assert meridia("enrich", *where, env=QUICK).status == 0
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    asked = ["list", "show @1", "people", "status", "verify", "export", "recall heron"]
    for command in [*asked, "resume Dana", "reconstitute"]:
        done = meridia(*command.split(), *where, env=QUICK)
        assert (done.status, "Traceback" in done.err) == (0, False), (command, done.err)
    counted = meridia("query", "MATCH (e:Experience) RETURN e.text AS text", *where, env=QUICK)
    assert "A heron." in counted.out
    assert "A heron." in meridia("recall", "heron", *where, env=QUICK).out
    refused = meridia("remember", "More.", *where, env=QUICK)
    assert (refused.status, "cannot be opened for writing" in refused.err) == (4, True)


@pytest.fixture
def open_folder():
    """Give a folder that other users reach, which those of pytest are not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def test_another_user_reads_what_may_be_read_and_is_told_what_may_not(meridia, open_folder):
    where = ("--db", open_folder / "a.db")
    assert meridia("remember", "A heron.", "--person", "Dana", *where, env=QUICK).status == 0
    assert meridia("enrich", *where, env=QUICK).status == 0

    def nobody(*command):
        other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        command = [*other, MERIDIA, *command]
        environment = {**QUICK, "HOME": "/", "PATH": os.environ["PATH"]}
        return subprocess.run(
            command, check=False, capture_output=True, text=True, env=environment, cwd="/"
        )

    for file in open_folder.iterdir():
        file.chmod(0o444)
    read = nobody("status", *where)
    if read.returncode in {126, 127}:
        pytest.skip("another user may not start it")
    assert read.returncode == 0, "its folder may be written, the files may not"
    (open_folder / "a.db").chmod(0o400)
    refused = nobody("list", *where)
    assert (refused.returncode, "this user may not read" in refused.stderr) == (4, True)


def test_a_folder_that_may_not_be_entered_is_told(meridia, tmp_path):
    folder = tmp_path / "theirs"
    where = ("--db", folder / "a.db")
    assert meridia("remember", "A heron.", *where, env=QUICK).status == 0
    os.chown(folder, 65534, 65534)
    # The superuser without the right to enter every folder.
    without = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all", "--"]
    for command in ("recall heron", "remember More."):
        done = subprocess.run(
            [*without, MERIDIA, *command.split(), *where],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, **QUICK},
        )
        assert done.returncode == 4, (command, done.stderr)
        assert "this user may not read" in done.stderr


def test_a_full_disk_says_so_and_is_read(meridia, disk):
    where = ("--db", disk / "a.db")
    assert meridia("remember", "A heron.", *where, env=QUICK).status == 0
    with suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(bytes(1024))
    refused = meridia("remember", "More. " * 900, *where, env=QUICK)
    assert (refused.status, "disk full" in refused.err) == (1, True)
    assert "A heron." in meridia("show", "@1", *where, env=QUICK).out
    assert meridia("status", *where, env=QUICK).status == 0
    found = meridia("doctor", *where, env=QUICK)
    assert (found.status, "the check for damage needs room" in found.out) == (0, True)
    copied = meridia("backup", disk / "b.db", *where, env=QUICK)
    assert (copied.status, "b.db was not written" in copied.err) == (1, True)
    assert not list(disk.glob("b.db*"))
    recalled = meridia("recall", "heron", *where, env=QUICK)
    assert "disk full" in recalled.err.replace("\n", " ")
    assert "there are no memories" not in recalled.err.replace("\n", " ")
    (disk / "filler").unlink()
    assert meridia("remember", "More.", *where, env=QUICK).status == 0
    assert "A heron." in meridia("recall", "heron", *where, env=QUICK).out


@pytest.mark.parametrize(
    "command", "people sessions entities transitions facts episodes list status".split()
)
def test_lists_are_shown_of_media_that_are_read_before_they_are_enriched(meridia, disk, command):
    where = ("--db", disk / "a.db")
    assert meridia("remember", "A heron.", "--person", "Dana", *where, env=QUICK).status == 0
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    done = meridia(command, *where, env=QUICK)
    assert (done.status, "Traceback" in done.err) == (0, False), done.err
    if command in {"people", "list"}:
        assert "Dana" in done.out
