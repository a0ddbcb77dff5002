"""graphiti-core is imported without telemetry and without anybody's `.env` file."""

import importlib
import os
import subprocess
import sys

import pytest

from meridia.core.errors import InvalidInput
from meridia.graph.graphiti import graphiti_core

SCRIPT = """
import os, socket
from meridia.graph.graphiti.graphiti_core import models
models()
from graphiti_core.telemetry.telemetry import is_telemetry_enabled
print(is_telemetry_enabled(), os.environ.get("FROM_DOTENV"), "PYTHON_DOTENV_DISABLED" in os.environ)
"""


def test_telemetry_is_off_once_it_is_imported(monkeypatch):
    monkeypatch.setenv("GRAPHITI_TELEMETRY_ENABLED", "true")
    graphiti_core.models.cache_clear()
    graphiti_core.models()
    telemetry = importlib.import_module("graphiti_core.telemetry.telemetry")
    assert not telemetry.is_telemetry_enabled()
    assert "PYTHON_DOTENV_DISABLED" not in os.environ


@pytest.mark.thorough  # a process of its own, in which nothing was imported before
def test_nothing_is_sent_and_no_environment_file_is_read(tmp_path):
    (tmp_path / ".env").write_text("FROM_DOTENV=read\n")
    environment = {**os.environ, "GRAPHITI_TELEMETRY_ENABLED": "true", "HOME": str(tmp_path)}
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.split() == ["False", "None", "False"]
    assert not (tmp_path / ".cache").exists()


def test_what_is_not_installed_is_said(monkeypatch):
    monkeypatch.setattr(graphiti_core, "_USED", {"no_such_module": ("Any",)})
    graphiti_core.models.cache_clear()
    with pytest.raises(InvalidInput, match=r"pip install 'meridia\[graphiti\]'"):
        graphiti_core.models()
    graphiti_core.models.cache_clear()
