"""How is a memory forgotten everywhere?

`storage/forgetting` erases in the file; this says what takes its place, and empties the graph.
"""

from ...core.lazy import door

__all__ = [
    "forgetting_service",
]
__getattr__ = door(__name__)
