"""Every example in the README and in docs/ is run as a reader would run it.

Blocks of one document run in order in one folder. A block marked `python` is a program; in one
marked `console` the lines that begin with `$ ` are commands, each in a shell of its own (what is
exported holds for the rest of the block), and what stands below them is compared only when the
block is marked `console exact`. A program marked `python frameworks` runs in the environment of
the frameworks.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.frameworks import environment, python_of_frameworks

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, what else its mark says, its text, and where it begins."""

    language: str
    mark: str
    text: str
    line: int


def blocks(document):
    """Return the blocks of a document that can be run."""
    found = [
        Block(match[1], match[2].strip(), match[3], document.count("\n", 0, match.start()) + 1)
        for match in _BLOCK.finditer(document)
    ]
    return [block for block in found if block.language in {"python", "console"}]


def commands(text):
    """Yield each command of a console block, and the output that is shown below it."""
    command, shown = "", []
    for line in text.splitlines():
        if command.endswith("\\") and not shown:
            command += "\n" + line.removeprefix("> ")
        elif line.startswith("$ "):
            if command:
                yield command, "\n".join(shown)
            command, shown = line.removeprefix("$ "), []
        else:
            shown.append(line)
    if command:
        yield command, "\n".join(shown)


def run(command, folder, *, shell, python=sys.executable, more=None):
    """Run a command in a folder of its own, with the installed `meridia` on the path."""
    plain = {name: v for name, v in os.environ.items() if not name.startswith(("MERIDIA_", "XDG_"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{plain['PATH']}"
    home = {"HOME": str(folder), "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    return subprocess.run(
        ["/bin/sh", "-c", command] if shell else [str(python), "-c", command],
        cwd=folder,
        env=plain | home | (more or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def check(block, folder):
    """Run one block; say what went wrong."""
    if block.language == "python":
        apart = block.mark == "frameworks"
        given = {"python": python_of_frameworks(), "more": environment()} if apart else {}
        done = run(block.text, folder, shell=False, **given)
        assert done.returncode == 0, f"line {block.line}:\n{done.stderr}"
        return
    exported = ""
    for command, shown in commands(block.text):
        done = run(exported + command, folder, shell=True)
        if command.startswith(("export ", "unset ")):
            exported += f"{command}\n"
        assert done.returncode == 0, f"line {block.line}: $ {command}\n{done.stderr}"
        if block.mark == "exact":
            printed = [line.rstrip() for line in done.stdout.splitlines()]
            assert printed == [line.rstrip() for line in shown.splitlines()], command


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "document",
    [path.relative_to(ROOT).as_posix() for path in DOCUMENTS if blocks(path.read_text("utf-8"))],
)
@pytest.mark.thorough  # each command is a new process
def test_the_examples_of_a_document_run(document, tmp_path):
    for block in blocks((ROOT / document).read_text("utf-8")):
        check(block, tmp_path)


def test_the_readme_has_examples_of_both_kinds():
    found = blocks((ROOT / "README.md").read_text("utf-8"))
    assert {block.language for block in found} == {"python", "console"}


def test_a_block_that_fails_is_found(tmp_path):
    check(Block("console", "exact", "$ echo one \\\n>   two\none two\n$ true\n", 1), tmp_path)
    for block in (
        Block("console", "", "$ true\n$ false\n", 1),
        Block("console", "exact", "$ echo one\ntwo\n", 1),
        Block("python", "", "raise SystemExit(1)", 1),
    ):
        with pytest.raises(AssertionError):
            check(block, tmp_path)


def test_blocks_are_told_by_their_marks():
    text = "```python\na\n```\n\n```sh\nb\n```\n```console exact\n$ c\n```\n"
    assert [(b.language, b.mark, b.line) for b in blocks(text)] == [
        ("python", "", 1),
        ("console", "exact", 8),
    ]
