"""Meridia: graph-native memory for AI agents that can show why it remembered.

The public names are imported on first use, so that a quick command stays quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core.errors import MeridiaError
    from .core.types import Acknowledgement, Artifact
    from .ingest.importers.import_options import ImportOptions
    from .memory import Memory

__version__ = "0.1.0"
__all__ = ["Acknowledgement", "Artifact", "ImportOptions", "Memory", "MeridiaError", "__version__"]

_HOME = {
    "Acknowledgement": "core.types",
    "Artifact": "core.types",
    "ImportOptions": "ingest.importers.import_options",
    "Memory": "memory",
    "MeridiaError": "core.errors",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'meridia' has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
