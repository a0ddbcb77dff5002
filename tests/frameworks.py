"""An environment with the frameworks that need other versions of libraries than the tests do.

It is set up once for what pyproject.toml asks for (the group `frameworks`), in the user's cache,
and the code of this repository is used in it. Where packages cannot be had, who asks is skipped;
with MERIDIA_REQUIRE_FRAMEWORKS=1 that is an error.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import platformdirs

from tests.needed import missing

ROOT = Path(__file__).resolve().parents[1]
#: Their tests, which are skipped in the environment of the others.
MODULES = ("claude_agent_sdk", "crewai", "google_adk", "strands")

#: Some 170 packages are fetched, 1.6 GB once they are unpacked.
_WAIT_S = 900


def wanted() -> list[str]:
    """Return what the environment has: Meridia's own dependencies and the group."""
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return [*stated["project"]["dependencies"], *stated["dependency-groups"]["frameworks"]]


def python_of_frameworks() -> Path:
    """Return the interpreter of the environment; set it up where it is not there yet."""
    asked = "\n".join([sys.version, *wanted()])
    name = f"frameworks-{hashlib.sha256(asked.encode()).hexdigest()[:12]}"
    folder = Path(platformdirs.user_cache_dir("meridia-tests")) / name
    python, done = folder / "bin/python", folder / "done"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            if problem := _set_up(folder, python):
                shutil.rmtree(folder, ignore_errors=True)
                missing("FRAMEWORKS", problem)
            done.touch()
    return python


def _set_up(folder: Path, python: Path) -> str:
    """Make the environment; return what went wrong, if anything did."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    try:
        made = subprocess.run(
            [*pip, *wanted()], capture_output=True, text=True, check=False, timeout=_WAIT_S
        )
    except subprocess.TimeoutExpired:
        return f"the frameworks were not installed within {_WAIT_S} s"
    said = made.stderr[-500:]
    return f"the frameworks cannot be installed: {said}" if made.returncode else ""


def environment(**more: str) -> dict[str, str]:
    """Return the variables with which the interpreter finds the code of this repository."""
    plain = {name: v for name, v in os.environ.items() if not name.startswith("PYTEST")}
    path = str(ROOT / ".venv/path")
    quiet = {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"}
    return plain | {"PYTHONPATH": path, "MYPYPATH": path} | quiet | more
