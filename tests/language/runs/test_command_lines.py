"""Command lines: what a shell was asked to run."""

from __future__ import annotations

import pytest

from meridia.language.runs.command_lines import commands_of, is_shell, only_looks


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("make wheel", [("make", ("wheel",))]),
        ("cd src && FLAG=1 sudo make -j 2 all", [("make", ())]),
        ("timeout 60s python3 -m pytest -x tests/a.py", [("pytest", ("tests/a.py",))]),
        ("uv run pytest tests", [("pytest", ("tests",))]),
        ("git push --force origin main", [("git push", ("main",))]),
        ("release --to 0.8 --node=2 > log 2>/dev/null", [("release", ("log",))]),
        ("pytest --lf tests/a.py", [("pytest", ("tests/a.py",))]),
        ("ls; cat ./a.txt | grep x", [("ls", ()), ("cat", ("a.txt",)), ("grep", ("x",))]),
        ("make --dry-run", []),
        ("export A=1", []),
    ],
)
def test_a_line_is_read_as_programs_and_what_they_work_on(line, commands):
    assert [tuple(command) for command in commands_of(line)] == commands


def test_a_call_only_looks_when_all_its_programs_do():
    assert is_shell("bash")
    assert is_shell("run_command")
    assert not is_shell("book_flight")
    assert only_looks("bash", ["cat", "git log"])
    assert not only_looks("bash", ["cat", "make"])
    assert only_looks("get_user_details", [])
    assert not only_looks("update_reservation", [])
