"""The files of the repository as the tidy tests look at them."""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
#: Folders of the repository that are not shipped in the package.
UNSHIPPED = ("tests", "bench", "docs")
_GENERATED = {"__pycache__", "build", "dist"}


def relative(path: Path) -> str:
    """Return a path as it is written in the repository."""
    return path.relative_to(ROOT).as_posix()


@cache
def files() -> tuple[Path, ...]:
    """Return every file of the repository that a person wrote or reads."""
    paths: list[Path] = []
    pending = [ROOT]
    while pending:
        for path in sorted(pending.pop().iterdir()):
            hidden = path.name.startswith(".") and path.name not in {".ci", ".gitignore"}
            if hidden or path.name in _GENERATED or path.name.endswith(".egg-info"):
                continue
            if path.is_dir():
                pending.append(path)
            else:
                paths.append(path)
    return tuple(sorted(paths))


@cache
def modules(*, shipped_only: bool = True) -> tuple[Path, ...]:
    """Return the Python modules; by default those of the package."""
    return tuple(
        path
        for path in files()
        if path.suffix == ".py" and not (shipped_only and relative(path).split("/")[0] in UNSHIPPED)
    )


@cache
def syntax(path: Path) -> ast.Module:
    """Return a module's syntax tree."""
    return ast.parse(path.read_text("utf-8"), relative(path))


@cache
def project() -> dict[str, Any]:
    """Return pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
