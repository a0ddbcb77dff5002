"""Every text of an error that a user may see, in one file to be read in one go.

    python -m tests.tidy.error_texts     write tests/data/error_texts.txt anew, as `make docs` does

A value that is put into a text stands there as its expression in braces.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator

from meridia.core import errors
from tests.tidy.tree import ROOT, modules, relative, syntax

SNAPSHOT = ROOT / "tests" / "data" / "error_texts.txt"
CLASSES = {
    name
    for name, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, errors.MeridiaError)
} | {"UsageError", "BadParameter", "ClickException", "RequestRefused"}


def text_of(node: ast.expr) -> str:
    """Return an expression as the text that it makes."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"
            for part in node.values
            if isinstance(part, ast.Constant | ast.FormattedValue)
        )
    if isinstance(node, ast.BinOp):
        return text_of(node.left) + text_of(node.right)
    return f"{{{ast.unparse(node)}}}"


def texts(tree: ast.Module) -> Iterator[str]:
    """Yield the error texts of a module with the classes of their errors."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        if name in CLASSES:
            given = [text_of(argument) for argument in node.args]
            written = [text for text in given if " " in text and not text.startswith("{")]
            if written or any(" " in text for text in given):
                yield f"{name}: {' | '.join(written or given)}"


def snapshot() -> str:
    """Return the texts of all modules."""
    parts = []
    for path in modules():
        found = list(dict.fromkeys(texts(syntax(path))))
        if found:
            parts.append("\n".join([relative(path), *(f"    {text}" for text in found)]))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    SNAPSHOT.write_text(snapshot(), "utf-8")
