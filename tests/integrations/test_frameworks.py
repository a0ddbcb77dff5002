"""The adapters of frameworks with an environment of their own pass their tests and types there."""

from __future__ import annotations

import subprocess

import pytest

from tests.frameworks import MODULES, ROOT, environment, python_of_frameworks

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1800)]


def run(*arguments):
    """Run a module of the environment's Python; say what it printed where it fails."""
    done = subprocess.run(
        [str(python_of_frameworks()), "-m", *arguments],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    return done.stdout


def test_their_tests_pass_with_the_real_libraries():
    tests = [f"tests/integrations/test_{name}.py" for name in MODULES]
    tests.append("tests/integrations/test_integrations_page.py")
    said = run("pytest", "--confcutdir=tests/integrations", "-p", "no:cacheprovider", *tests)
    assert "skipped" not in said


def test_their_types_are_those_of_the_real_libraries(tmp_path):
    modules = [part for name in MODULES for part in ("-m", f"meridia.integrations.{name}")]
    run("mypy", "--follow-imports=silent", "--cache-dir", str(tmp_path), *modules)
