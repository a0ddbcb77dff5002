"""How does activation move over edges?

Pure functions.
"""

from ..core.lazy import door

__all__ = ["memrank", "open_clusters", "paths", "tracerank", "walk", "wander"]
__getattr__ = door(__name__)
