"""Meridia: graph-native memory for AI agents that can show why it remembered.

The public names are imported on first use, so that a quick command stays quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .async_memory import AsyncMemory
    from .core.errors import (
        Conflict,
        Damaged,
        InvalidInput,
        MeridiaError,
        ModelMismatch,
        NotFound,
        Refused,
        StorageFull,
        Stranger,
        Unavailable,
        UnknownPerson,
    )
    from .core.settings import Settings
    from .core.settings_loader import load as load_settings
    from .core.types import Acknowledgement, Artifact, MemoryRecord
    from .ingest.importers.import_options import ImportOptions
    from .memory import Memory
    from .retrieval.packs.pack import Pack
    from .retrieval.plans.plan import QueryAnalysis
    from .retrieval.recall_result import Hit, Recall
    from .storage.copies.backup import restore

__version__ = "0.1.0"
_HOME = {
    "Acknowledgement": "core.types",
    "Artifact": "core.types",
    "AsyncMemory": "async_memory",
    "Conflict": "core.errors",
    "Damaged": "core.errors",
    "Hit": "retrieval.recall_result",
    "ImportOptions": "ingest.importers.import_options",
    "InvalidInput": "core.errors",
    "Memory": "memory",
    "MemoryRecord": "core.types",
    "MeridiaError": "core.errors",
    "ModelMismatch": "core.errors",
    "NotFound": "core.errors",
    "Pack": "retrieval.packs.pack",
    "QueryAnalysis": "retrieval.plans.plan",
    "Recall": "retrieval.recall_result",
    "Refused": "core.errors",
    "Settings": "core.settings",
    "StorageFull": "core.errors",
    "Stranger": "core.errors",
    "Unavailable": "core.errors",
    "UnknownPerson": "core.errors",
    "load_settings": "core.settings_loader",
    "restore": "storage.copies.backup",
}
#: Names that are called otherwise where they live.
_NAMES = {"load_settings": "load"}
__all__ = [
    "Acknowledgement",
    "Artifact",
    "AsyncMemory",
    "Conflict",
    "Damaged",
    "Hit",
    "ImportOptions",
    "InvalidInput",
    "Memory",
    "MemoryRecord",
    "MeridiaError",
    "ModelMismatch",
    "NotFound",
    "Pack",
    "QueryAnalysis",
    "Recall",
    "Refused",
    "Settings",
    "StorageFull",
    "Stranger",
    "Unavailable",
    "UnknownPerson",
    "__version__",
    "load_settings",
    "restore",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'meridia' has no attribute {name!r}")
    home = importlib.import_module(f".{_HOME[name]}", __name__)
    return getattr(home, _NAMES.get(name, name))
