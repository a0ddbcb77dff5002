"""The settings of either engine, and the demo's journal for one test alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from meridia import Memory

Engine = Callable[[], dict[str, Any]]


@pytest.fixture(params=["kglite", "neo4j"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Return the settings of either engine."""
    if request.param == "kglite":
        return lambda: {"engine": "embedded"}
    server: Any = request.getfixturevalue("neo4j_server")
    return lambda: {
        "engine": "neo4j",
        "neo4j_uri": server.uri,
        "neo4j_user": server.user,
        "neo4j_password": server.password,
    }


@pytest.fixture
def copied(demo: Memory, tmp_path: Path) -> Path:
    """Return a copy of the demo's journal, whose graph nobody else has open."""
    path = tmp_path / "demo.db"
    with demo.parts.database.reading() as connection:
        connection.execute("VACUUM INTO ?", (str(path),))
    return path
