"""The installed command and journals for the tests of the command line."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import Command, Demo


@pytest.fixture(scope="session")
def meridia(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    """Give the command."""
    command = Command(tmp_path_factory.mktemp("home"))
    yield command
    command.close()


@pytest.fixture(scope="module")
def without_encoder(meridia: Command) -> Iterator[None]:
    """Let the commands of a module load no encoder: for what has nothing to do with meaning."""
    meridia.variables["MERIDIA_EMBEDDING_ENABLED"] = "false"
    yield
    meridia.variables.clear()


@pytest.fixture(scope="session")
def demo(meridia: Command, tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """Give a journal that `meridia demo --keep` filled; for commands that only read."""
    db = tmp_path_factory.mktemp("demo") / "demo.db"
    with_encoder = {"MERIDIA_EMBEDDING_ENABLED": "true"}
    result = meridia("demo", "--keep", db, env=with_encoder)
    assert result.status == 0, result.err
    return Demo(db, result, ("--db", str(db), "--space", "demo"))


@pytest.fixture
def demo_copy(demo: Demo, tmp_path: Path) -> Path:
    """Give a copy of the demo's journal and its companions, to be changed."""
    for file in demo.db.parent.iterdir():
        shutil.copy(file, tmp_path / file.name)
    return tmp_path / demo.db.name


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Give the name of a journal that does not exist yet."""
    return tmp_path / "agent.db"
