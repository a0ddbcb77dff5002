"""Loads Cypher statements by name from the folder `cypher` at the package's root.

A file holds one statement under a first-line comment that says why it exists.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ..storage.statement_loader import without_comment

CYPHER = Path(__file__).parent.parent / "cypher"


@cache
def cypher(name: str) -> str:
    """Return the Cypher statement `name`, such as `write/upsert_node`, without its comment."""
    return without_comment((CYPHER / f"{name}.cypher").read_text("utf-8"), "//")


@cache
def comment(path: Path) -> str:
    """Return the first-line comment of a statement file."""
    return path.read_text("utf-8").splitlines()[0].lstrip("-/ ").strip()
