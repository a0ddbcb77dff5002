"""The types of `AsyncMemory`: written from `Memory`, and what a type checker reads of them."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from docs import async_stub

ROOT = Path(__file__).resolve().parents[2]
STUB = ast.parse(async_stub.STUB.read_text("utf-8"))
USE = """
import asyncio
from meridia import AsyncMemory

async def main() -> None:
    async with await AsyncMemory.open() as memory:
        answer = await memory.remember("I sail.", person="Dana", at="2026-03-01")
        reveal_type(answer)
        reveal_type(await memory.upsert("k", "I row."))
        reveal_type((await memory.recall("Who sails?"))[0].person)
        reveal_type(await memory.reasons.why_not("last", answer.id))
        reveal_type(await memory.feedback(answer.id, "useful"))
        reveal_type(await memory.chronicle.facts())
        reveal_type([each.kind for each in await memory.upkeep.trace()])
        await memory.remember("I sail.", persn="Dana")
        await memory.recall(3)
        await memory.reasons.why("last")

asyncio.run(main())
"""
TOLD = [
    'Revealed type is "meridia.core.types.Acknowledgement"',
    'Revealed type is "meridia.core.types.Acknowledgement"',
    'Revealed type is "str | None"',
    'Revealed type is "meridia.retrieval.explain.counterfactual.WhyNot"',
    'Revealed type is "str"',
    'Revealed type is "meridia.core.results.Listing[meridia.core.facts.Fact]"',
    'Revealed type is "list[str]"',
    'Unexpected keyword argument "persn" for "remember" of "AsyncMemory"',
    'Argument 1 to "recall" of "AsyncMemory" has incompatible type "int"',
    'has no attribute "why"',
]


def test_the_stub_and_the_page_are_up_to_date():
    assert async_stub.render() == async_stub.STUB.read_text("utf-8")
    assert async_stub.api() == async_stub.API.read_text("utf-8")


def test_every_method_has_a_type_for_everything():
    methods = [node for node in ast.walk(STUB) if isinstance(node, ast.AsyncFunctionDef)]
    assert len(methods) > 90
    for method in methods:
        taken = [*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs]
        assert method.returns is not None, method.name
        assert all(each.annotation for each in taken if each.arg not in {"self", "cls"}), (
            method.name
        )


@pytest.mark.thorough
def test_a_type_checker_knows_what_is_awaited(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    options = [
        "--config-file",
        ROOT / "pyproject.toml",
        "--strict",
        "--no-error-summary",
        "--hide-error-context",
        "--follow-imports=silent",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, tmp_path / "use.py"],
        cwd=ROOT,
        env=os.environ | {"MYPYPATH": str(ROOT / ".venv/path")},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line.partition(": ")[2] for line in done.stdout.splitlines() if "use.py" in line]
    lines = [line for line in lines if "defined in" not in line]
    assert len(lines) == len(TOLD), done.stdout + done.stderr
    for line, told in zip(lines, TOLD, strict=True):
        assert told in line.replace("builtins.", "")
