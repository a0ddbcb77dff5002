"""An agent goes on before anything is loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

from meridia.cli import hook_start


@pytest.mark.parametrize(
    ("words", "serves"),
    [
        (["hook"], True),
        (["hook", "--space", "work"], True),
        (["hook", "install", "--dry-run"], False),
        (["hook", "--help"], False),
        (["recall", "hook"], False),
        ([], False),
    ],
)
def test_only_a_hook_is_never_to_fail(monkeypatch, words, serves):
    monkeypatch.setattr(sys, "argv", ["meridia", *words])
    assert hook_start.serves_hook() is serves


def test_who_calls_goes_on_and_the_rest_is_done_apart(tmp_path):
    code = (
        "import pathlib, sys, time; from meridia.cli.hook_start import read_event; read_event();"
        "time.sleep(1); pathlib.Path(sys.argv[1]).write_text(sys.stdin.read() + 'done')"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "a")]
    done = subprocess.run(command, input=b'{"a": 1}', capture_output=True, check=True, timeout=20)
    assert (done.stdout, done.stderr) == (b"", b"")
    assert not (tmp_path / "a").exists(), "the answer came before the work was done"
    start = subprocess.run(command, input=b'{"e": "SessionStart"}', check=True, timeout=20)
    assert start.returncode == 0
    assert (tmp_path / "a").read_text("utf-8") == '{"e": "SessionStart"}done'
