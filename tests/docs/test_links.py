"""Links inside the repository lead somewhere, and documents name what exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from meridia.cli.main import COMMANDS
from tests.tidy.tree import files, modules, relative

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
_COMMAND = re.compile(r"`meridia ([a-z][a-z0-9-]*)")
each_document = pytest.mark.parametrize(
    "path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix()
)


@each_document
def test_every_link_leads_to_a_file(path):
    targets = [link for link in _LINK.findall(path.read_text("utf-8")) if "://" not in link]
    assert [link for link in targets if not (path.parent / link).exists()] == []


@each_document
def test_every_command_that_is_named_exists(path):
    named = set(_COMMAND.findall(path.read_text("utf-8")))
    assert named <= {*COMMANDS, "help"}


def test_every_command_of_the_makefile_that_is_named_exists():
    rules = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for path in DOCUMENTS:
        named = set(re.findall(r"`?make ([a-z]+(?:-[a-z]+)*)\b", path.read_text("utf-8")))
        said = named & {"demo", "test", "check", "bench", "docs", "format", "clean"}
        assert said <= rules, path
    assert {"demo", "test", "check", "bench"} <= rules


def test_the_architecture_has_a_line_for_every_folder():
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    named = {line.split("|")[1] for line in text.splitlines() if line.startswith("| ")}
    folders = {
        path.name
        for path in ROOT.iterdir()
        if (path.is_dir() and (path / "__init__.py").exists()) or path.name in {"cypher", "docker"}
    }
    assert {name for name in folders if not any(f"`{name}/" in cell for cell in named)} == set()


def test_the_architecture_names_only_folders_that_exist():
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    named = [name for cell in cells for name in re.findall(r"`([\w/]+(?:/|\.py))`", cell)]
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_walks_of_the_architecture_name_modules_that_exist():
    walks = (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("## First walk")[2]
    places = {f"/{relative(path).removesuffix('.py')}/" for path in modules()}
    named = set(re.findall(r"`([a-z_/]+)`", walks))
    assert [name for name in named if not any(f"/{name}/" in place for place in places)] == []


@each_document
def test_every_module_that_is_named_exists(path):
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", path.read_text("utf-8"))
    wanted = [name for name in named if "NAME" not in name]
    assert [name for name in wanted if not (ROOT / name).is_file()] == []


def test_every_name_that_contributors_are_told_is_in_the_code():
    named = re.findall(r"`([A-Za-z_]\w*(?:\.py)?)`", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    texts = [path.read_text("utf-8") for path in files() if path.suffix in {".py", ".sql", ".toml"}]
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    words |= {path.name for path in files()}
    assert {name for name in named if name not in words} - {"NAME"} == set()
