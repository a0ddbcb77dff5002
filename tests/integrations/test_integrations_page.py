"""The table of docs/integrations.md says what is there."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(
    r"^\| [^|]+ \| [^|]+ \| `(\w+)` \| (.+?) \| (.+?) \| (\d+) \|",
    (ROOT / "docs/integrations.md").read_text("utf-8"),
    re.MULTILINE,
)


def test_every_module_has_a_row():
    shared = {"__init__", "transcript"}
    assert {row[0] for row in ROWS} == {
        path.stem for path in (ROOT / "integrations").glob("*.py")
    } - shared


@pytest.mark.parametrize(("module", "there", "tested", "lines"), ROWS)
def test_a_row_says_what_is_there(module, there, tested, lines):
    source = (ROOT / "integrations" / f"{module}.py").read_text("utf-8")
    for name in re.findall(r"`(\w+)`", there):
        assert re.search(rf"^(class|def) {name}\b", source, re.MULTILINE) or name == "BaseStore"
    for library in tested.split(", "):
        name, number = library.split()
        assert version(name).startswith(f"{number}.")
    assert int(lines) == source.count("\n")
