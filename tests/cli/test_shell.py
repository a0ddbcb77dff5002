"""`meridia shell`: through a pipe, and at a real terminal with completion and several lines."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import termios
import time

import pyte
import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from meridia.cli.commands.shell import GraphCompleter
from meridia.graph.schema import EDGES, LABELS

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>]|\][^\x07]*\x07)")


class Terminal:
    """A pseudo terminal with the shell in it."""

    def __init__(self, meridia, *arguments):
        self._ours, theirs = pty.openpty()
        termios.tcsetwinsize(self._ours, (50, 200))
        environment = {"TERM": "xterm", "COLUMNS": "200", "PROMPT_TOOLKIT_NO_CPR": "1"}
        self.process = subprocess.Popen(
            [meridia.script, "shell", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=meridia.environment(environment),
            start_new_session=True,
        )
        os.close(theirs)
        self._seen = ""
        self._screen = pyte.Screen(200, 50)
        self._stream = pyte.ByteStream(self._screen)

    def expect(self, text, seconds=60):
        """Read until `text` is on the screen; what was read is used up."""
        deadline = time.monotonic() + seconds
        while text not in self._seen:
            self._read(text, deadline)
        before, _, self._seen = self._seen.partition(text)
        return before

    def _read(self, text, deadline):
        ready, _, _ = select.select([self._ours], [], [], deadline - time.monotonic())
        assert ready, f"{text!r} never came: {self._seen[-2000:]!r}"
        try:
            part = os.read(self._ours, 65536)
        except OSError:
            part = b""
        assert part, f"the shell ended before {text!r}: {self._seen[-2000:]!r}"
        self._stream.feed(part)
        self._seen = _ESCAPES.sub("", self._seen + part.decode("utf-8", "replace"))

    def type(self, text):
        """Type some keys, one after another."""
        for key in text:
            os.write(self._ours, key.encode())
            time.sleep(0.01)

    def complete(self, line):
        """Type a tab and wait, as a person does, until the line on the screen ends so."""
        self.type("\t")
        deadline = time.monotonic() + 60
        while not any(row.rstrip().endswith(line) for row in self._screen.display):
            self._read(line, deadline)

    def close(self):
        """End the shell, if it has not ended."""
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


@pytest.fixture
def terminal(meridia, demo):
    opened = Terminal(meridia, *demo.where)
    yield opened
    opened.close()


def test_at_a_terminal_words_complete_and_statements_take_several_lines(terminal):
    terminal.expect("space demo; :help for help")
    terminal.expect("meridia>")
    terminal.type("MATCH (p:Pers")
    terminal.complete("(p:Person")
    terminal.type(") RETURN p.na")
    terminal.complete("RETURN p.name")
    terminal.type(" AS who\r")
    terminal.expect("...>")
    terminal.type("ORDER BY who;\r")
    terminal.expect("who")
    terminal.expect("Oskar")
    terminal.expect("3 rows")
    terminal.expect("meridia>")
    terminal.type("MATCH (n) DELETE n;\r")
    terminal.expect("can only read")
    terminal.expect("meridia>")
    terminal.type("half a statement\r")
    terminal.expect("...>")
    terminal.type("\x03")
    terminal.expect("meridia>")
    terminal.type("RETURN 6 * 7 AS answer;\r")
    terminal.expect("42")
    terminal.expect("meridia>")
    terminal.type(":quit\r")
    assert terminal.process.wait(30) == 0


def test_history_is_kept_for_the_next_time(terminal, meridia):
    terminal.expect("meridia>")
    terminal.type("RETURN 'remembered' AS x;\r")
    terminal.expect("1 row")
    terminal.expect("meridia>")
    terminal.type("\x04")
    assert terminal.process.wait(30) == 0
    kept = list(meridia.home.rglob("history"))
    assert len(kept) == 1
    assert "RETURN 'remembered' AS x;" in kept[0].read_text()


def run(meridia, demo, text, *options):
    return meridia("shell", *demo.where, *options, stdin=text)


def test_statements_come_through_a_pipe(meridia, demo):
    done = run(
        meridia,
        demo,
        "RETURN 1 AS a;\nRETURN ';' AS b; RETURN 3 AS c;\nRETURN 4\n  AS d\n\nRETURN 5 AS e",
    )
    assert done.status == 0, done.err
    assert done.out.split() == ["a", "1", "b", ";", "c", "3", "d", "4", "e", "5"]


def test_commands_come_through_a_pipe(meridia, demo):
    done = run(
        meridia,
        demo,
        ":help\n:schema\n:named\n:named last_messages person=Dana\n:quit\nRETURN 'too late' AS x;",
    )
    assert done.status == 0, done.err
    assert ":named NAME" in done.out
    assert "IN_SESSION" in done.out
    assert "last_messages" in done.out
    assert "Two weeks until the new desk" in done.out
    assert "too late" not in done.out


def test_with_json_each_answer_is_a_document(meridia, demo):
    done = run(meridia, demo, "RETURN 1 AS a;", "--json")
    assert done.json == {"columns": ["a"], "rows": [[1]], "truncated": False}


@pytest.mark.parametrize(
    "wrong",
    ["MATCH (n) DELETE n;", "MATCH (;", ":named nothing", ":named [/x]", ":named last_messages x"],
)
def test_a_statement_that_fails_is_told_and_the_others_run(meridia, demo, wrong):
    done = run(meridia, demo, f"{wrong}\nRETURN 'after' AS x;\n")
    assert done.status == 1
    assert "after" in done.out
    assert "Traceback" not in done.err
    assert done.err.strip()


def test_a_shell_over_nothing_says_so(meridia, db):
    done = meridia("shell", env={"MERIDIA_DB": str(db)}, stdin="RETURN 1 AS a;")
    assert (done.status, "there is no journal" in done.err) == (0, True)


def completions(text):
    document = Document(text, len(text))
    return [found.text for found in GraphCompleter().get_completions(document, CompleteEvent())]


def test_what_may_stand_at_the_cursor_completes():
    assert completions("MATCH (p:Per") == ["Person"]
    assert set(LABELS) < set(completions("MATCH (p:"))
    assert set(completions("MATCH (a)-[:")) == set(EDGES)
    assert completions("MATCH (a)-[:SPOK") == ["SPOKEN_BY"]
    assert completions("RETURN p.nam") == ["name"]
    assert "weight" in completions("RETURN r.")
    assert completions("mat") == ["MATCH"]
    assert "last_messages" in completions(":named ")
    assert completions(":named last_m") == ["last_messages"]
