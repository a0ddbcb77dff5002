"""Do facets and profiles change the order of the best memories?

Off by default.
"""

from ...core.lazy import door

__all__ = ["facets", "reranker"]
__getattr__ = door(__name__)
