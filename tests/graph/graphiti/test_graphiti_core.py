"""graphiti-core is imported without telemetry and without anybody's `.env` file."""

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
