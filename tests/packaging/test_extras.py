"""An extra brings all that its part of Meridia imports: nothing comes from the development's own.

A part is imported in a process where every package is hidden that `pip install meridia[EXTRA]`
would not bring, as the requirements of the installed packages say.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest
from packaging.requirements import Requirement

#: What a user of the extra reaches first.
PARTS = {
    "": "meridia.memory, meridia.cli.main",
    "graphiti": "meridia.graph.graphiti.mapping; meridia.graph.graphiti.mapping.models()",
    "postgres": "meridia.storage.sinks.pgvector_table",
    "llm": "meridia.models.model_client, pydantic_ai.models.openai, pydantic_ai.models.anthropic",
    "service": "meridia.service.http_app, meridia.service.mcp_server, uvicorn",
    "mcp": "meridia.service.mcp_server",
}
HIDE = """\
import sys
hidden = set({hidden!r})
class Hider:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hider())
import {part}
"""


#: Those whose packages take seconds to import.
SLOW = {"graphiti", "llm", "service", "mcp"}


@pytest.mark.parametrize(
    "extra",
    [pytest.param(e, marks=pytest.mark.thorough if e in SLOW else []) for e in PARTS],
)
def test_an_extra_brings_what_it_imports(extra: str):
    brought = packages(Requirement(f"meridia[{extra}]" if extra else "meridia"))
    hidden = {
        module
        for module, owners in importlib.metadata.packages_distributions().items()
        if not brought & {name(owner) for owner in owners}
    }
    code = HIDE.format(hidden=sorted(hidden), part=PARTS[extra])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_what_an_extra_does_not_bring_is_hidden():
    assert "fastapi" not in packages(Requirement("meridia"))
    assert "fastapi" in packages(Requirement("meridia[service]"))


def packages(wanted: Requirement) -> set[str]:
    """Return the names of all packages that a requirement brings, itself included."""
    brought: set[str] = set()
    seen, waiting = set(), [wanted]
    while waiting:
        one = waiting.pop()
        for extra in ("", *one.extras):
            if (name(one.name), extra) in seen:
                continue
            seen.add((name(one.name), extra))
            try:
                requires = importlib.metadata.requires(one.name) or []
            except importlib.metadata.PackageNotFoundError:
                continue
            brought.add(name(one.name))
            needed = map(Requirement, requires)
            waiting += [r for r in needed if not r.marker or r.marker.evaluate({"extra": extra})]
    return brought


def name(distribution: str) -> str:
    """Return the name of a package as pip compares it."""
    return distribution.lower().replace("_", "-").replace(".", "-")
