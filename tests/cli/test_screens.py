"""What fits on a screen: lines and columns of the commands that are used most, and the pager."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from contextlib import suppress

import pytest
from rich.cells import cell_len

QUESTIONS = [
    "Did Oskar ever send the sail maker's address?",
    "How does Dana feel about her new job, and what did the harbour office say about her start?",
    "ferry 渡し船 مرحبا",
]
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}")
#: Words of the implementation, which no screen shows.
OURS = re.compile(r"text_only|phenomenolog|emotionalSignature|emotional_signature|redelivered")
WIDE = "渡し船は朝七時に出ます。🎂 " * 60
RIGHT_TO_LEFT = "\u202eالعبارة تغادر في السابعة صباحا. " * 40
LOG = "\n".join(f"{n:03} \x1b[31mferry.py\x07 compiled\tin {n * 17} ms" for n in range(400))


@pytest.fixture(scope="module")
def journal(meridia, demo, tmp_path_factory):
    """Give the demo's journal with long, wide and odd messages beside its own."""
    copy = tmp_path_factory.mktemp("screens") / "screens.db"
    assert meridia("backup", copy, "--db", demo.db).status == 0
    where = ("--db", copy, "--space", "demo")
    long = "The ferry leaves at seven, says the harbour office. Nobody slept. " * 100
    for number, (text, person) in enumerate(
        [(WIDE, "宮本武蔵" * 8), (RIGHT_TO_LEFT, "ياسمين"), (long, "Dana"), ("ferry " * 900, "Kim")]
    ):
        event = {"kind": "user_message", "id": f"wide-{number}", "person": person}
        line = json.dumps(event | {"payload": {"text": text}})
        assert meridia("capture", *where, stdin=line).status == 0
    tool = {"kind": "tool_result", "tool": {"name": "bash"}, "payload": {"result": LOG}}
    assert meridia("capture", *where, stdin=json.dumps(tool)).status == 0
    assert meridia("enrich", *where).status == 0
    return where


def lines(meridia, journal, *words, width=80):
    """Return what a command prints on standard output and standard error."""
    done = meridia(*words, *journal, env={"COLUMNS": str(width)})
    assert done.status == 0, done.err
    return (done.out + done.err).splitlines()


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_recall_of_five_is_25_lines_and_with_its_explanation_50(
    meridia, journal, question, width
):
    asked = ("recall", question, "--limit", 5)
    for more, most in (((), 25), (("--explain",), 50)):
        shown = lines(meridia, journal, *asked, *more, width=width)
        assert len(shown) <= most, shown
        assert max(map(cell_len, shown)) <= width
        assert not OURS.search("\n".join(shown))
        assert len(ID.findall("\n".join(shown))) == (1 if more else 0)
        assert len([line for line in shown if re.match(r" \d +-?\d+\.\d\d  ", line)]) == 5


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_list_has_a_line_for_each_memory(meridia, journal, width):
    shown = lines(meridia, journal, "list", "--limit", 200, width=width)
    rows = [line for line in shown if line.startswith("@")]
    listed = meridia("list", *journal, "--limit", 200, "--json").json["memories"]
    assert len(rows) == len(listed) > 130
    assert len(shown) == len(rows) + 1
    assert max(map(cell_len, shown)) <= width
    assert not ID.search("\n".join(shown))


def test_the_status_of_a_space_is_half_a_screen(meridia, journal):
    shown = lines(meridia, journal, "status")
    assert len(shown) <= 12
    assert max(map(cell_len, shown)) <= 80
    assert not OURS.search("\n".join(shown))


@pytest.mark.parametrize("address", ["@14", "wide-0", "wide-1"])
def test_a_memory_is_shown_with_its_address_and_nothing_unseen(meridia, journal, address):
    shown = "\n".join(lines(meridia, journal, "show", address))
    assert re.search(r"^address +@\d+", shown, re.MULTILINE)
    assert not ID.search(shown)
    assert not OURS.search(shown)
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_what_became_of_events_is_said_in_plain_words(meridia, journal, tmp_path):
    event = json.dumps({"kind": "user_message", "id": "w-1", "payload": {"text": "Hello, ferry."}})
    (tmp_path / "one.jsonl").write_text(event + "\n", "utf-8")
    captured = meridia("capture", *journal, stdin=event)
    assert re.fullmatch(r"kept @\d+\n", captured.out)
    assert captured.err == "1 kept\n"
    imported = meridia("import", tmp_path / "one.jsonl", *journal).out
    assert "known already" in imported
    decided = meridia("decide", *journal, stdin=event.replace("w-1", "w-2")).out
    for text in (captured.out, imported, decided):
        assert not OURS.search(text)


def watched(meridia, *words, environment=None):
    """Run a command as a terminal of 80 by 24 sees it; return what came."""
    variables = meridia.environment({"COLUMNS": "80", "LINES": "24", "TERM": "xterm"})
    variables.pop("NO_COLOR")
    variables |= environment or {}
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [meridia.script, *map(str, words)],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=variables,
        close_fds=True,
    )
    os.close(follower)
    shown = b""
    with suppress(OSError):
        # Linux has no more to read where nobody holds the other end.
        while came := os.read(leader, 65_536):
            shown += came
    os.close(leader)
    assert process.wait(10) == 0
    return shown.decode("utf-8", "replace")


@pytest.fixture
def pager(tmp_path):
    """Give a pager that says that it ran, and how many lines it was given."""
    program = tmp_path / "pager"
    program.write_text('#!/bin/sh\necho "PAGED $(wc -l)"\n', "utf-8")
    program.chmod(0o755)
    return str(program)


def test_long_output_goes_through_the_pager_on_a_terminal(meridia, journal, pager):
    asked = ("list", *journal, "--limit", 100)
    assert "PAGED 10" in watched(meridia, *asked, environment={"PAGER": pager})
    for words, more in ((["--no-pager"], {"PAGER": pager}), ([], {"PAGER": ""})):
        shown = watched(meridia, *asked, *words, environment=more)
        assert "PAGED" not in shown
        assert shown.count("@") >= 100
    short = watched(meridia, "list", *journal, "--limit", 3, environment={"PAGER": pager})
    assert "PAGED" not in short
    assert "Morning, Robin." in short


def test_a_terminal_without_colours_gets_none(meridia, journal):
    asked = ("recall", QUESTIONS[0], *journal, "--limit", 2)
    assert "\x1b[" in watched(meridia, *asked)
    assert "\x1b[3" not in watched(meridia, *asked, environment={"NO_COLOR": "1"})


def test_nothing_is_paged_or_coloured_in_a_pipe(meridia, journal, pager):
    done = meridia("list", *journal, "--limit", 100, env={"PAGER": pager, "NO_COLOR": ""})
    assert "PAGED" not in done.out
    assert "\x1b" not in done.out
