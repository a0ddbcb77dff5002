"""An extra brings all that its part of Meridia imports, and what is missing says which extra it is.

A part is imported in a process where every package is hidden that `pip install meridia[EXTRA]`
would not bring, as the requirements of the installed packages say.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys

import pytest
from packaging.requirements import Requirement

from tests.tidy.tree import project

#: What a user of the extra reaches first.
PARTS = {
    "": "meridia.memory, meridia.cli.main",
    "graphiti": "meridia.graph.graphiti.mapping; meridia.graph.graphiti.mapping.models()",
    "postgres": "meridia.storage.sinks.pgvector_table",
    "llm": "meridia.models.model_client, pydantic_ai.models.openai, pydantic_ai.models.anthropic",
    "service": "meridia.service.server, meridia.service.mcp_server, uvicorn",
    "mcp": "meridia.service.mcp_server",
    "langgraph": "meridia.integrations.langgraph",
    "langchain": "meridia.integrations.langchain",
    "llama-index": "meridia.integrations.llama_index",
    "openai-agents": "meridia.integrations.openai_agents",
    "pydantic-ai": "meridia.integrations.pydantic_ai",
}
HIDDEN = """\
import sys
hidden = set({hidden!r})
class Hider:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hider())
"""
#: Those whose packages take seconds to import.
SLOW = {*PARTS} - {"", "postgres"}
NOWHERE = "postgresql://nobody@127.0.0.1:1/none"
MODEL = {"MERIDIA_MODEL_DIALECT": "openai", "MERIDIA_MODEL_NAME": "some-model"}
#: For each extra but those of adapters: libraries of it, and commands that need them.
NEEDED = [
    ("service", "fastapi uvicorn starlette", "serve --no-keys", {}),
    ("service", "fastapi uvicorn starlette", "inspect --open", {}),
    ("service", "prometheus_client", "serve --no-keys", {}),
    ("service", "structlog", "serve --no-keys", {}),
    ("mcp", "mcp", "mcp", {}),
    ("networkx", "networkx", "export --graph here.graphml", {}),
    ("postgres", "psycopg", f"move --to {NOWHERE}", {}),
    ("postgres", "psycopg", "--db other.db list", {"MERIDIA_JOURNAL_URL": NOWHERE}),
    ("postgres", "pgvector", "sinks sync", {"MERIDIA_POSTGRES_URL": NOWHERE}),
    ("llm", "pydantic_ai openai anthropic", "enrich", MODEL),
    ("ner", "spacy", "enrich --again", {"MERIDIA_ENTITIES_PIPELINE": "some_pipeline"}),
    ("encoders", "tokenizers", "recall boat", {"MERIDIA_EMBEDDING_MODEL": "encoder"}),
    ("graphiti", "graphiti_core", "sinks sync", {"MERIDIA_GRAPHITI_URI": "bolt://127.0.0.1:1"}),
]
#: Nothing fails without it: it is only faster.
SILENT = {"speed"}
#: The adapters, which are modules of their extras' names, and what each imports first.
ADAPTERS = {
    "langgraph": "langgraph",
    "langchain": "langchain_core",
    "openai-agents": "agents",
    "llama-index": "llama_index",
    "pydantic-ai": "pydantic_ai",
    "google-adk": "google",
    "crewai": "crewai",
    "claude-agent-sdk": "claude_agent_sdk",
    "strands": "strands",
}


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
    done = without(sorted(hidden), f"import {PARTS[extra]}")
    assert done.returncode == 0, done.stderr[-2000:]


def without(hidden, code, folder=None, more=None):
    """Run a program that finds no module of some names."""
    return subprocess.run(
        [sys.executable, "-c", HIDDEN.format(hidden=hidden) + code],
        cwd=folder,
        env=os.environ | {"MERIDIA_DB": "here.db", "COLUMNS": "200", **(more or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a journal, and an encoder that only seems to be one."""
    folder = tmp_path_factory.mktemp("hints")
    run(folder, [], "remember Hello --person Kim", {})
    (folder / "encoder").mkdir()
    (folder / "encoder" / "model.onnx").write_bytes(b"")
    (folder / "encoder" / "tokenizer.json").write_text(json.dumps({"model": {"type": "BPE"}}))
    return folder


def run(folder, hidden, command, more):
    code = (
        f"from meridia.cli.main import main\nsys.argv = ['meridia', *{command.split()!r}]\nmain()"
    )
    return without(hidden, code, folder, {"MERIDIA_EMBEDDING_ENABLED": "false"} | more)


@pytest.mark.thorough
@pytest.mark.parametrize(("extra", "hidden", "command", "more"), NEEDED)
def test_a_command_says_which_extra_it_needs(folder, extra, hidden, command, more):
    if extra in {"encoders", "graphiti"}:  # they work with vectors
        more = more | {"MERIDIA_EMBEDDING_ENABLED": "true"}
    done = run(folder, hidden.split(), command, more)
    said = " ".join((done.stdout + done.stderr).split())
    assert f"pip install 'meridia[{extra}]'" in said
    assert "Traceback" not in said


@pytest.mark.thorough
@pytest.mark.parametrize("extra", ADAPTERS)
def test_an_adapter_says_which_extra_it_needs(extra):
    name = extra.replace("-", "_")
    done = without([ADAPTERS[extra]], f"import meridia.integrations.{name}")
    assert f"is not installed: pip install 'meridia[{extra}]'" in done.stderr.splitlines()[-1]


def test_every_extra_has_its_hint():
    asked = {extra for extra, *_ in NEEDED} | {*ADAPTERS} | SILENT
    assert asked == {*project()["project"]["optional-dependencies"]}


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
