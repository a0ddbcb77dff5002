"""The installed command, for what is promised of the whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import Command


@pytest.fixture(scope="session")
def meridia(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    """Give the command."""
    command = Command(tmp_path_factory.mktemp("home"))
    yield command
    command.close()


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Give the name of a journal that does not exist yet."""
    return tmp_path / "agent.db"
