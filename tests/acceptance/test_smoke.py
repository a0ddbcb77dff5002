"""Row 126: the smoke script runs through the installed command."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.command import Command

SMOKE = Path(__file__).parents[1] / "smoke.sh"


@pytest.mark.thorough
def test_row_126_the_smoke_script_passes(meridia: Command):
    done = subprocess.run(
        ["sh", SMOKE, meridia.script],
        capture_output=True,
        text=True,
        check=False,
        env=meridia.environment(),
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "smoke: ok"


def test_row_30_nothing_about_a_question_is_said_as_such(meridia: Command, db: Path):
    said = '{"kind": "user_message", "payload": {"text": "The sail of my boat is torn."}}'
    assert meridia("capture", "--db", db, stdin=said).status == 0
    asked = ["reconstitute", "--db", db, "--mode", "topic_reentry", "--query", "Mongolia?"]
    assert meridia(*asked).out == "there are no memories about this yet\n"
    assert meridia(*asked, "--json").json is None
