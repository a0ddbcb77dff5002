"""The table of docs/integrations.md says what is there."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(
    r"^\| \[[^|]+ \| [^|]+ \| `(\w+)` \| (.+?) \| (.+?) \| [^|]+ \| (\d+) \| [^|]+ \|$",
    (ROOT / "docs/integrations.md").read_text("utf-8"),
    re.MULTILINE,
)

LIBRARIES = {library.split()[0] for row in ROWS for library in row[2].split(", ")}
#: Those that have an environment of their own (tests/frameworks.py).
APART = {"claude-agent-sdk", "crewai", "google-adk", "strands-agents"}
HERE = APART if find_spec("crewai") else LIBRARIES - APART


def test_every_module_has_a_row():
    shared = {"__init__", "transcript"}
    assert {row[0] for row in ROWS} == {
        path.stem for path in (ROOT / "integrations").glob("*.py")
    } - shared


def test_the_libraries_of_this_environment_are_all_there():
    assert [name for name in HERE if not _is_there(name)] == []


def _is_there(name):
    with suppress(PackageNotFoundError):
        return bool(version(name))
    return False


@pytest.mark.parametrize(("module", "there", "tested", "lines"), ROWS)
def test_a_row_says_what_is_there(module, there, tested, lines):
    source = (ROOT / "integrations" / f"{module}.py").read_text("utf-8")
    for name in re.findall(r"`(\w+)`", there):
        assert re.search(rf"^(class|def) {name}\b", source, re.MULTILINE) or name == "BaseStore"
    for library in tested.split(", "):
        name, number = library.split()
        assert name not in HERE or version(name).startswith(f"{number}.")
    assert int(lines) == source.count("\n")
