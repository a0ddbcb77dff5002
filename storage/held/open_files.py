"""How many files this process may hold open."""

from __future__ import annotations

from types import ModuleType

_resource: ModuleType | None
try:
    import resource as _resource
except ImportError:  # Windows
    _resource = None

#: Where nothing says how many.
_USUAL = 512


def open_files_max() -> int:
    """Return how many files the process may hold open at once."""
    if _resource is None:
        return _USUAL
    limit = int(_resource.getrlimit(_resource.RLIMIT_NOFILE)[0])
    return _USUAL if limit < 0 else limit
