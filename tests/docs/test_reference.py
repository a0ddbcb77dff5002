"""The command reference is what the commands say of themselves, all of it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from docs import reference
from meridia.cli.main import COMMANDS, cli
from meridia.core.settings_loader import keys

ROOT = Path(__file__).resolve().parents[2]
TEXT = reference.REFERENCE.read_text("utf-8")


def run(*options):
    command = [sys.executable, "-m", "docs.reference", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_reference_is_up_to_date():
    done = run("--check")
    assert done.returncode == 0, done.stderr


def test_a_reference_that_is_out_of_date_is_told_with_the_difference(monkeypatch, tmp_path):
    stale = tmp_path / "reference.md"
    wanted = reference.reference()
    stale.write_text(wanted.replace("meridia recall", "meridia remember", 1))
    monkeypatch.setattr(reference, "REFERENCE", stale)
    monkeypatch.setattr(sys, "argv", ["reference", "--check"])
    with pytest.raises(SystemExit) as ended:
        reference.main()
    assert "+## `meridia recall`" in str(ended.value)
    assert "run `make docs`" in str(ended.value)
    monkeypatch.setattr(sys, "argv", ["reference"])
    reference.main()
    assert stale.read_text() == wanted


def test_every_command_has_its_section():
    context = click.Context(cli, info_name="meridia")
    found = [own.command_path for own, _ in reference.commands(context)]
    assert [path.split()[1] for path in found if path.count(" ") == 1] == list(COMMANDS)
    assert re.findall(r"^## `(meridia .+)`$", TEXT, re.MULTILINE) == found


def test_every_option_of_a_command_stands_in_its_section():
    context = click.Context(cli, info_name="meridia")
    shared = {name for parameter in cli.params for name in parameter.opts}
    for own, command in reference.commands(context):
        section = TEXT.split(f"## `{own.command_path}`\n", 1)[1].split("\n## ", 1)[0]
        for parameter in command.params:
            for name in parameter.opts if isinstance(parameter, click.Option) else []:
                assert name in shared or name in section, (own.command_path, name)


def test_every_setting_is_in_the_reference():
    assert [key for key in keys() if f"| `{key}` |" not in TEXT] == []


def test_an_example_stands_as_code():
    section = TEXT.split("## `meridia capture`\n", 1)[1]
    assert re.search(r"^    echo .+ \| meridia capture$", section, re.MULTILINE)
