"""How does activation move over edges?

Pure functions.
"""

from ..core.lazy import door

__all__ = ["open_clusters", "tracerank", "walk"]
__getattr__ = door(__name__)
