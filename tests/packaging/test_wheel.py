"""The wheel: built, installed into a fresh environment, and used far away from the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.tidy.tree import ROOT, files, project, relative

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
LIBRARY = "meridia/service/inspector/assets/cytoscape.esm.min.mjs"
NET = "meridia/language/data/secrets.npz"
SHIPPED = (
    "cli",
    "core",
    "cypher",
    "evaluation",
    "graph",
    "ingest",
    "integrations",
    "language",
    "models",
    "resume",
    "retrieval",
    "service",
    "storage",
    "traversal",
)


def run(*command, cwd, **more):
    """Run a command to its end and return what it printed; its errors are shown when it fails."""
    plain = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MERIDIA_", "PYTHON")) and name != "VIRTUAL_ENV"
    }
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=plain | {"HOME": str(cwd), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
        **more,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel from a copy, so that nothing is left in the repository."""
    folder = tmp_path_factory.mktemp("source")
    for path in files():
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder / "out", folder, cwd=folder)
    (built,) = (folder / "out").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Install the wheel into a fresh environment; return the folder of its commands."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder / "venv", with_pip=True)
    commands = folder / "venv" / "bin"
    pip = [commands / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, wheel, cwd=folder)
    return commands


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Return an empty folder."""
    return tmp_path_factory.mktemp("elsewhere")


def test_the_wheel_holds_every_file_of_the_package(wheel):
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    wanted = {
        f"meridia/{relative(path)}"
        for path in files()
        if relative(path).split("/")[0] in SHIPPED
        or relative(path)
        in {
            "__init__.py",
            "async_memory.py",
            "async_memory.pyi",
            "components.py",
            "memory.py",
            "memory_groups.py",
            "py.typed",
        }
    }
    assert held == wanted
    for name in (
        "py.typed",
        "cli/data/demo.jsonl",
        "models/data/minilm-vocab.txt",
    ):
        assert f"meridia/{name}" in held
    for kind in (".cypher", ".sql"):
        assert any(name.endswith(kind) for name in held)


def test_the_wheel_carries_its_licences(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for licence in project()["project"]["license-files"]:
        assert any(n.endswith(f".dist-info/licenses/{licence}") for n in names), licence


@pytest.mark.thorough
def test_the_wheel_is_small_beside_the_graph_library_of_the_explorer(wheel):
    library = zipfile.ZipFile(wheel).getinfo(LIBRARY).compress_size
    assert library < 150_000
    net = zipfile.ZipFile(wheel).getinfo(NET).compress_size
    assert net < 1_100_000
    assert wheel.stat().st_size - library - net < 3_000_000


@pytest.mark.thorough
def test_the_installed_command_tells_its_version(installed, elsewhere):
    version = project()["project"]["version"]
    assert run(installed / "meridia", "--version", cwd=elsewhere) == f"meridia, version {version}\n"


@pytest.mark.thorough
def test_the_installed_package_is_not_that_of_the_repository(installed, elsewhere):
    code = "import meridia; from meridia import Memory; print(meridia.__file__, Memory.__module__)"
    file, module = run(installed / "python", "-c", code, cwd=elsewhere).split()
    assert Path(file).is_relative_to(installed.parent)
    assert module == "meridia.memory"


@pytest.mark.thorough
def test_the_installed_demo_does_the_main_job(installed, elsewhere):
    said = run(installed / "meridia", "demo", "--keep", "demo.db", cwd=elsewhere)
    assert "127 events" in said
    where = ["--db", "demo.db", "--space", "demo"]
    query = ["query", "--named", "last_messages", "--param", "person=Dana"]
    assert "Two weeks until the new desk" in run(
        installed / "meridia", *where, *query, cwd=elsewhere
    ).replace("\n", " ")
    run(installed / "meridia", *where, "rebuild", "--verify", cwd=elsewhere)


@pytest.mark.thorough
def test_type_checkers_find_the_types(installed, elsewhere):
    (elsewhere / "typed.py").write_text(
        "from meridia import Memory\n\nwith Memory.open() as memory:\n"
        "    reveal_type(memory.recall('x').hits[0].score)\n"
    )
    mypy = [sys.executable, "-m", "mypy", "--python-executable", installed / "python"]
    said = run(*mypy, "--strict", "--ignore-missing-imports", "typed.py", cwd=elsewhere)
    assert 'Revealed type is "float"' in said.replace("builtins.", "")
