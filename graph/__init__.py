"""How does the journal become a graph that can be asked?

Mutations, the two engines, arrays of edges, and the guard of queries.
"""

from ..core.lazy import door

__all__ = [
    "adjacency",
    "digest",
    "drawing",
    "engines",
    "maintenance",
    "projector",
    "removal",
    "schema",
    "view",
]
__getattr__ = door(__name__)
