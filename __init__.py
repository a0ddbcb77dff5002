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
    from .resume.pack import Pack
    from .retrieval.plans.plan import QueryAnalysis
    from .retrieval.recall_result import Hit, Recall
    from .storage.copies.backup import restore

__version__ = "0.2.0"
#: Module → the public names that it has.
_HOMES = {
    "async_memory": ("AsyncMemory",),
    "core.errors": (
        *("Conflict", "Damaged", "InvalidInput", "MeridiaError", "ModelMismatch", "NotFound"),
        *("Refused", "StorageFull", "Stranger", "Unavailable", "UnknownPerson"),
    ),
    "core.settings": ("Settings",),
    "core.settings_loader": ("load_settings",),
    "core.types": ("Acknowledgement", "Artifact", "MemoryRecord"),
    "ingest.importers.import_options": ("ImportOptions",),
    "memory": ("Memory",),
    "resume.pack": ("Pack",),
    "retrieval.plans.plan": ("QueryAnalysis",),
    "retrieval.recall_result": ("Hit", "Recall"),
    "storage.copies.backup": ("restore",),
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
    for home, names in _HOMES.items():
        if name in names:
            module = importlib.import_module(f".{home}", __name__)
            return getattr(module, _NAMES.get(name, name))
    return importlib.import_module(".core.lazy", __name__).door(__name__)(name)
