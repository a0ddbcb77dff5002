"""Do facets and profiles change the order of the best memories?

Off by default.
"""

from ...core.lazy import door

__getattr__ = door(__name__)
