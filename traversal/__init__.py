"""How does activation move over edges?

Pure functions.
"""

from ..core.lazy import door

__getattr__ = door(__name__)
