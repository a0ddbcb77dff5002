"""Failures: recognised by what a tool returned, and not by words that only speak of errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.runs.failure_signs import is_error
from tests.ingest.ingest_events import result, user


def fails(output, tool="run_job", **args):
    event = result(tool, args=args)
    event["payload"]["result"] = output
    event["tool"].pop("isError", None)
    return is_error(event)


@pytest.mark.parametrize(
    "output",
    [
        "Error: user not found",
        "Error: payment amount does not add up, total price is 305, but paid 255",
        "User not found",
        "curl: (6) Could not resolve host: status.example",
        "order #W12 does not exist.",
        "Permission denied",
        "invalid reservation id",
        "ValueError: could not convert string to float: '+2,398'",
        "HTTP/1.1 503 Service Unavailable",
        "404 Not Found",
        "Request failed with status code 500",
        "Process exited with code 2",
        "some output\n[exit code: 1]",
        'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nKeyError: 3',
        '{"error": "no such table"}',
        '{"status": "error", "message": "busy"}',
        {"exit_code": 1, "stdout": ""},
        {"status": 404},
        {"success": False},
        [{"type": "text", "text": "Error: quota exceeded"}],
    ],
)
def test_a_result_that_shows_a_failure_is_one_without_the_callers_word(output):
    assert fails(output)


@pytest.mark.parametrize(
    "output",
    [
        "12 passed in 0.3s",
        "1 replacement in config/defaults.toml",
        "0 errors, 0 failed",
        "The reservation was cancelled, the payment was denied a refund by policy.",
        '[{"flight": "HAT01", "status": "cancelled"}]',
        '{"error": null, "status": "cancelled"}',
        {"exit_code": 0, "stderr": "warning: error handling is experimental"},
        {"status": "failed_over", "error": ""},
        {"code": 200},
        "Process exited with code 0",
        "No reservation was lost. All errors of the last build are explained in notes.md.",
        "# Error handling\n\nAn exception is raised where a file is not found.",
        "",
        None,
        42,
    ],
)
def test_a_result_that_only_speaks_of_errors_is_no_failure(output):
    assert not fails(output)


SHELL = [
    (
        "edit 2:2\nx = (1\nend_of_edit",
        "Your edit has introduced new syntax error(s).\n\nERRORS:\n- E999",
    ),
    (
        "edit 2:2\nx = (1\nend_of_edit",
        "9: x\n-----\nYour changes have NOT been applied. Try again.",
    ),
    ("open src/round.py", "File src/round.py not found"),
    ('git commit -m "parser"', "ruff format..........Failed\n- files were modified by this hook"),
    ("make wheel", "a.c:4:10: fatal error: proj.h: No such file or directory\nmake: *** Error 1"),
    ("cat a.txt", "cat: a.txt: No such file or directory"),
    ("frobnicate", "bash: frobnicate: command not found"),
    (
        "pytest -q",
        "..F\nFAILED tests/test_a.py::test_b - KeyError: 3\n1 failed, 2 passed in 1s",
    ),
    (
        "git push",
        "! [rejected] main -> main (fetch first)\nerror: failed to push\nhint: fetch",
    ),
    ("curl -w '%{http_code}' http://h/x", "503 0.2"),
    ("node a.js", "Error: Cannot find module 'x'\n    at Module._load (node:internal:1)"),
    ("release", "node 1: up\nnode 2: failed: cannot unpack: No space left on device"),
]


@pytest.mark.parametrize(("command", "output"), SHELL)
def test_a_shell_fails_by_what_programs_print_when_they_do(command, output):
    assert fails(output, "bash", command=command)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("cat build.log", "make: *** [all] Error 1"),
        ("kubectl logs web-7c9 -n shop", "KeyError: 'DATABASE_URL'"),
        ("journalctl -n 2", "06:02 ERROR disk\nTraceback (most recent call last):\nOSError: full"),
        ("grep -rn Error src", "src/a.py:3: raise ValueError"),
        ("git log --oneline", "9ae1c04 fix: error: no such file"),
        ("curl -w '%{http_code}' http://h/x", "200 11.384"),
        ("pytest -q", "22 passed in 6.54s"),
        (
            "systemctl status app",
            "active (running)\n  warning: it timed out after 5 s (12 times)",
        ),
    ],
)
def test_what_was_only_looked_at_is_no_failure(command, output):
    long = output + "\n" + "x" * 300 if command.startswith("cat") else output
    assert not fails(long, "bash", command=command)


def test_a_directory_is_no_command():
    assert not fails("error.log failed.txt", "bash", command="ls out", workdir="/srv/other")


def test_the_callers_word_counts_and_only_of_a_result():
    assert is_error(result("make", output="fine", failed=True))
    assert not is_error(user("Error: nothing works"))


@given(st.text() | st.lists(st.text()) | st.dictionaries(st.text(), st.integers() | st.text()))
def test_whatever_a_tool_returns_is_judged(output):
    assert fails(output) in (True, False)
