"""How does Graphiti, beside us, get what we know, and what does it find?

Through graphiti-core's own models and driver. Imported only where the settings name a target.
"""

from ...core.lazy import door

__all__ = ["client", "mapping"]
__getattr__ = door(__name__)
