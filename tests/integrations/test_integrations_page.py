"""The table of docs/integrations.md says what is there."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(
    r"^\| \[[^|]+ \| [^|]+ \| `(\w+)` \| (.+?) \| (.+?) \| [^|]+ \| (\d+) \| [^|]+ \|$",
    (ROOT / "docs/integrations.md").read_text("utf-8"),
    re.MULTILINE,
)


def test_every_module_has_a_row():
    shared = {"__init__", "transcript"}
    assert {row[0] for row in ROWS} == {
        path.stem for path in (ROOT / "integrations").glob("*.py")
    } - shared


def test_every_library_is_in_one_of_the_environments():
    libraries = [library.split()[0] for row in ROWS for library in row[2].split(", ")]
    there = [name for name in libraries if _is_there(name)]
    apart = {"claude-agent-sdk", "crewai", "google-adk", "strands-agents"}
    assert set(there) in (apart, {*libraries} - apart)


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
        with suppress(PackageNotFoundError):  # some have an environment of their own
            assert version(name).startswith(f"{number}.")
    assert int(lines) == source.count("\n")
