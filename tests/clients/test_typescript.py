"""The TypeScript client is generated, built and used against a real `meridia serve`.

Node and npm are needed, and a registry or npm's cache. Where they are not to be had the test is
skipped; with MERIDIA_REQUIRE_NODE=1 it fails instead.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import Command
from tests.cli.service.test_serve import serve

SOURCE = Path(__file__).resolve().parents[2] / "clients" / "typescript"
REQUIRED = os.environ.get("MERIDIA_REQUIRE_NODE") == "1"


def npm(folder, *arguments, **variables):
    """Run npm; return its output and whether it succeeded."""
    done = subprocess.run(
        ["npm", *arguments],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    return done.stdout + done.stderr, done.returncode == 0


@pytest.fixture
def installed(tmp_path):
    """Give a copy of the client's source with what it is built with."""
    folder = tmp_path / "client"
    shutil.copytree(
        SOURCE, folder, ignore=shutil.ignore_patterns("node_modules", "dist", "generated")
    )
    problem = None
    if shutil.which("npm") is None:
        problem = "npm is not installed"
    else:
        output, succeeded = npm(folder, "ci", "--prefer-offline", "--no-audit", "--no-fund")
        problem = None if succeeded else f"npm ci failed: {output}"
    if problem and REQUIRED:
        pytest.fail(problem)
    if problem:
        pytest.skip(problem)
    return folder


@pytest.mark.thorough
def test_it_captures_recalls_resumes_and_forgets_with_a_real_service(installed, tmp_path):
    meridia = Command(tmp_path)
    db = tmp_path / "served.db"
    made = meridia("--db", db, "keys", "create", "--for", "work", "--access", "admin", "--json")
    assert made.status == 0, made.err
    process, url = serve(meridia, db)
    try:
        output, built = npm(installed, "run", "build", MERIDIA_OPENAPI=f"{url}/openapi.json")
        assert built, output
        output, passed = npm(installed, "test", MERIDIA_URL=url, MERIDIA_KEY=made.json["key"])
        assert passed, output
        assert "# pass 2" in output
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        meridia.close()
