"""Which experiences are scored for a question?

Candidates by words, meaning and activation.
"""

from ...core.lazy import door

__all__ = ["activation", "pool", "postings", "query_targets"]
__getattr__ = door(__name__)
