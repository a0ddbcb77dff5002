"""How does an event become an experience?

Capture before the acknowledgement, enrichment after it.
"""

from ..core.lazy import door

__getattr__ = door(__name__)
