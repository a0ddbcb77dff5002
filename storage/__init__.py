"""Where is everything kept, and how does it stay whole?

The journal and every projection in its file.
"""

from ..core.lazy import door

__all__ = [
    "api_keys",
    "companion_files",
    "connections",
    "cutoff",
    "database",
    "edge_table",
    "journal",
    "mapped_arrays",
    "people",
    "sorted_arrays",
    "space_caches",
    "space_scope",
    "statement_loader",
    "store",
    "trace",
    "upkeep",
    "vectors",
    "work",
]
__getattr__ = door(__name__)
