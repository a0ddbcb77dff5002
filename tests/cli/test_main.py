"""The `meridia` command as a whole: its commands, the options they share, and how it ends."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from meridia.cli.main import COMMANDS, GROUPS, cli
from meridia.core.errors import STATUS

CONTEXT = click.Context(cli, info_name="meridia")
EVENT = '{"id": "x-1", "kind": "user_message", "payload": {"text": "One more heron."}}\n'
#: A way to run every command that succeeds and prints JSON: arguments, and standard input.
RUNS: dict[str, tuple[list[str], str]] = {
    "init": ([], ""),
    "remember": (["Hello."], ""),
    "update": (["d1-01", "Hello."], ""),
    "history": (["d1-01"], ""),
    "capture": ([], EVENT),
    "import": (["chat.jsonl"], ""),
    "enrich": ([], ""),
    "decide": ([], EVENT),
    "recall": (["Where is the boat?"], ""),
    "plan": (["Where is the boat?"], ""),
    "why": (["last"], ""),
    "why-not": (["last", "d1-01"], ""),
    "what-if": (["last", "d2-12"], ""),
    "inspect": (["last"], ""),
    "replay": (["last"], ""),
    "feedback": (["d1-01", "useful"], ""),
    "ideas": ([], ""),
    "resume": (["Dana"], ""),
    "reconstitute": ([], ""),
    "reflect": ([], ""),
    "show": (["d1-01"], ""),
    "list": ([], ""),
    "people": ([], ""),
    "sessions": ([], ""),
    "entities": ([], ""),
    "transitions": ([], ""),
    "facts": ([], ""),
    "episodes": ([], ""),
    "artifacts": ([], ""),
    "query": (["MATCH (p:Person) RETURN p.name AS who ORDER BY who"], ""),
    "shell": ([], "MATCH (p:Person) RETURN p.name AS who ORDER BY who;"),
    "schema": ([], ""),
    "forget": (["--person", "Dana"], ""),
    "spaces": ([], ""),
    "status": ([], ""),
    "verify": ([], ""),
    "rebuild": ([], ""),
    "trace": ([], ""),
    "config": ([], ""),
    "doctor": ([], ""),
    "keys": (["create"], ""),
}
#: Options are shared in one place: each kind of output once, the others in a thorough run.
QUICK = {"capture", "list", "recall", "query", "status", "config"}


def commands():
    """Yield every command by name, those of groups too."""
    for name in cli.list_commands(CONTEXT):
        command = cli.get_command(CONTEXT, name)
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {own}", found) for own, found in command.commands.items())


def shape(value, depth=2):
    """Return the keys of a JSON value, some levels deep, without its values."""
    if isinstance(value, dict):
        return {key: shape(part, depth - 1) for key, part in value.items()} if depth else "object"
    return [shape(part, depth - 1) for part in value[:1]] if isinstance(value, list) else "value"


def test_the_list_of_commands_says_what_each_says_of_itself():
    own = {name: inspect.getdoc(c).splitlines()[0] for name, c in top_level_callbacks().items()}
    assert own == {name: line for name, (_, line) in COMMANDS.items()}


def top_level_callbacks():
    """Return the function behind every top-level command."""
    return {name: cli.get_command(CONTEXT, name).callback for name in COMMANDS}


def test_help_all_lists_every_command_in_one_line_each(meridia):
    shown = f" {' '.join(meridia('help', 'all').out.split())}"
    for name, (_, line) in COMMANDS.items():
        assert f" {name} {line}" in shown, name


def test_the_groups_have_every_command_once_and_the_help_shows_a_dozen(meridia):
    every = [n for parts in GROUPS.values() for n in (*parts["first"], *parts["more"])]
    assert sorted(every) == sorted(COMMANDS)
    lines = meridia("--help").out.splitlines()
    shown = [line.split()[0] for line in lines if line.startswith("  ") and line[2:3].isalpha()]
    assert sum(name in COMMANDS for name in shown) == 12
    assert [line.rstrip(":") for line in lines if line.rstrip(":") in GROUPS] == list(GROUPS)
    assert f"`meridia help all` lists all {len(COMMANDS)} commands." in lines[-1]


def test_help_shows_the_help_of_a_command(meridia):
    assert meridia("help", "recall").out == meridia("recall", "--help").out
    assert meridia("help").out == meridia("--help").out
    done = meridia("help", "nope")
    assert (done.status, done.out) == (2, "")


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (["recall"], 2, "usage"),
        (["nope"], 2, "usage"),
        (["show", "nobody"], 3, "not_found"),
        (["recall", "x", "--where", "nothing"], 2, "invalid_input"),
    ],
)
def test_errors_for_machines_are_one_line_of_json(meridia, demo, arguments, status, code):
    for options in (["--json", *arguments], [*arguments, "--json"]):
        done = (
            meridia(*options[:1], *demo.where, *options[1:])
            if options[0] == "--json"
            else (meridia(*options, *demo.where))
        )
        assert (done.status, done.out) == (status, "")
        error = json.loads(done.err.splitlines()[-1])["error"]
        assert error["code"] == code
        assert error["message"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete_commands(meridia, shell):
    script = meridia(env={"_MERIDIA_COMPLETE": f"{shell}_source"}, cold=True)
    assert (script.status, "_MERIDIA_COMPLETE" in script.out) == (0, True)
    reference = (Path(__file__).parents[2] / "docs" / "reference.md").read_text("utf-8")
    assert f"_MERIDIA_COMPLETE={shell}_source meridia" in reference


@pytest.mark.parametrize(("name", "command"), list(commands()))
def test_every_command_and_every_option_has_help(name, command):
    assert command.help, name
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts}"


@pytest.mark.parametrize(("name", "command"), list(commands()))
def test_every_command_takes_the_shared_options(name, command):
    shared = {option for parameter in cli.params for option in parameter.opts} - {"--version"}
    own = {option for parameter in command.params for option in parameter.opts}
    assert isinstance(command, click.Group) or shared <= own, name


def test_no_line_of_help_is_a_run_of_lines_that_were_meant_to_stand_apart():
    for name, command in commands():
        text = command.get_help(click.Context(command, info_name=name))
        assert "\b" not in text, name
        assert "\\b" not in text, name


def test_every_command_is_run_below():
    own = {
        "backup",
        "bench",
        "demo",
        "export",
        "follow",
        "hook",
        "mcp",
        "models",
        "move",
        "receipt",
        "restore",
        "serve",
        "sinks",
    }
    assert set(RUNS) == set(COMMANDS) - own, "those have tests of their own"


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in QUICK else pytest.mark.thorough) for name in RUNS],
)
def test_shared_options_stand_before_or_after_the_name(meridia, demo_copy, tmp_path, name):
    arguments, stdin = RUNS[name]
    (tmp_path / "chat.jsonl").write_text(EVENT)
    shared = ["--db", str(demo_copy), "--space", "demo", "--json"]
    if name == "ideas":
        meridia(*shared, "ideas", "propose")
    if "last" in arguments:
        meridia(*shared, "recall", "Where is the boat?")
    before = meridia(*shared, name, *arguments, stdin=stdin, cwd=tmp_path)
    after = meridia(name, *arguments, *shared, stdin=stdin, cwd=tmp_path)
    assert (before.status, after.status) == (0, 0), before.err + after.err
    if name in {"capture", "trace"}:
        assert shape(before.lines) == shape(after.lines) != []
    else:
        assert shape(before.json) == shape(after.json)
        assert before.json not in ({}, [])


def test_an_option_after_the_name_wins_over_the_same_before(meridia, demo):
    done = meridia("--space", "nowhere", "list", "--space", "demo", "--db", demo.db, "--limit", 1)
    assert done.status == 0, done.err


def test_the_environment_names_journal_and_space(meridia, demo):
    environment = {"MERIDIA_DB": str(demo.db), "MERIDIA_SPACE": "demo"}
    assert meridia("list", "--limit", 1, env=environment).status == 0
    assert meridia("list", "--space", "nowhere", env=environment).status == 3


def test_a_mistyped_command_is_told_the_nearest_one(meridia):
    done = meridia("recal", "x")
    assert done.status == 2
    assert "Did you mean 'recall'?" in done.err


def test_every_error_code_has_an_exit_status_of_its_kind():
    assert {status for status, _ in STATUS.values()} == {1, 2, 3, 4, 5, 6}


def test_a_reader_that_goes_away_is_no_error(meridia, demo):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [meridia.script, "list", "--json", "--limit", "100", *demo.where],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        env=meridia.environment(),
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("option", [[], ["--json"]])
def test_an_answer_that_cannot_be_written_is_told_in_one_line(meridia, demo, option):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [meridia.script, "list", *option, *demo.where],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env=meridia.environment(),
        )
    lines = [line for line in done.stderr.decode().splitlines() if not line.startswith("more:")]
    assert (done.returncode, len(lines)) == (1, 1)
    assert "No space left on device" in lines[0]


def test_closed_standard_streams_are_no_reason_to_fall_over(meridia, demo, db):
    def close(*numbers):
        return lambda: [os.close(number) for number in numbers]

    assert meridia("capture", "--db", db, before=close(0)).status == 0
    assert meridia("list", *demo.where, "--json", before=close(1)).status == 0
    assert meridia("show", "nobody", *demo.where, before=close(2)).status == 3


def test_a_terminal_of_few_signs_still_gets_an_answer(meridia, demo):
    done = meridia(
        "recall", "boat", "--limit", 1, *demo.where, env={"PYTHONIOENCODING": "ascii"}, cold=True
    )
    assert done.status == 0, done.err
    assert "next: meridia why" in done.out


def test_what_others_wrote_cannot_steer_the_terminal(meridia, db):
    text = "\x1b[2J\x1b]0;owned\x07 wiped \x9b31m [bold]and[/bold] [/nothing]"
    event = {"id": "m", "kind": "user_message", "person": "Eve\x1b[1m", "payload": {"text": text}}
    assert meridia("capture", "--db", db, stdin=json.dumps(event)).status == 0
    for command in (["recall", "wiped"], ["list"], ["show", "m"]):
        done = meridia(*command, "--db", db)
        assert done.status == 0, done.err
        assert "wiped" in done.out
        assert "[bold]and[/bold] [/nothing]" in done.out
    kept = " wiped \x9b31m [bold]and[/bold] [/nothing]"  # without the codes of a terminal
    assert meridia("show", "m", "--db", db, "--json").json["text"] == kept


def test_no_sign_that_a_reader_would_not_see_is_printed_by_any_command(meridia, db):
    unseen = (
        "\x1b[2J \x07 \x7f \x9b31m \u202ebidi\u202c \u2066in\u2069 \u200b \ufeff \U000e0041 \u2028"
    )
    text = f"I promise I will send the photos. {unseen} I am sad that my dog died."
    events = [
        {
            "id": f"m{n}",
            "kind": "user_message",
            "person": f"Eve{unseen}",
            "session": {"key": unseen},
        }
        | {"payload": {"text": f"{n} {text}"}}
        for n in range(3)
    ]
    events.append(
        {"kind": "tool_result", "tool": {"name": unseen, "isError": True}}
        | {"payload": {"args": {"cmd": unseen}, "result": f"fatal: {unseen}"}}
    )
    lines = "\n".join(map(json.dumps, events))
    assert meridia("capture", "--db", db, stdin=lines).status == 0
    statement = f"MATCH (e:Experience) RETURN e.text AS `a{unseen[:9]}b`"
    commands = [
        ["recall", "dog", "--explain=all"], ["why", "last", "1"], ["list"], ["show", "m1"],
        ["people"], ["sessions"], ["entities"], ["facts"], ["transitions"], ["reflect"],
        ["reconstitute"], ["resume", f"Eve{unseen}"], ["resume", f"Ewe{unseen}"], ["plan", "dog"],
        ["export"], ["export", "--events"], ["trace"], ["query", statement], ["show", unseen],
        ["query", "--csv", statement], ["query", f"RETURN '{unseen}' AS a"], ["decide", unseen],
    ]  # fmt: skip
    # One function prints all JSON, another all errors in it.
    commands += [["list", "--json"], ["show", unseen, "--json"]]
    for command in commands:
        done = meridia(*command, "--db", db)
        seen = set((done.out + done.err).replace("\r\n", "\n"))
        assert not {sign for sign in seen if not sign.isprintable()} - {"\n"}, command


def test_an_interrupt_ends_with_130_and_keeps_what_was_acknowledged(meridia, db):
    # A shell starts what runs in its background with interrupts ignored, and so its children.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [meridia.script, "capture", "--db", db],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=meridia.environment(),
    )
    signal.signal(signal.SIGINT, before)
    process.stdin.write(EVENT.encode())
    process.stdin.flush()
    assert process.stdout.readline().startswith(b"kept")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"acknowledged events are stored" in err
    assert meridia("show", "x-1", "--db", db).status == 0


@pytest.mark.parametrize(
    "work",
    [
        # A database that says what happened otherwise.
        """base = sqlite3.connect(":memory:")
base.create_function("f", 0, lambda: signal.raise_signal(2))
base.execute("SELECT f()")""",
        # A destructor.
        "type('_', (), {'__del__': lambda _: signal.raise_signal(2)})(); time.sleep(20)",
    ],
)
def test_an_interrupt_is_told_as_one_wherever_it_comes(work):
    code = (
        "import signal, sqlite3, sys, time; from meridia.cli import main; "
        "signal.signal(2, signal.default_int_handler); "
        f"main.cli.get_command = lambda *_: exec({work!r}); sys.argv = ['meridia', 'list']; "
        "main.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    told = "interrupted; acknowledged events are stored"
    assert (done.returncode, done.stderr.strip()) == (130, told)


def test_an_unforeseen_error_is_seen_whole(meridia):
    code = (
        "import sys; from meridia.cli import main; "
        "main.cli.get_command = lambda *_: 1 / 0; sys.argv = ['meridia', 'list']; main.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 1
    assert b"ZeroDivisionError" in done.stderr
