"""Which experiences are scored at all?

Candidates by words, meaning and activation.
"""

from ...core.lazy import door

__all__ = ["activation", "pool", "postings", "query_targets"]
__getattr__ = door(__name__)
