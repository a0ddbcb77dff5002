"""Which experiences are scored at all?

Candidates by words, meaning and activation.
"""

from ...core.lazy import door

__all__ = [
    "activation",
    "activator",
    "fresh_vectors",
    "pool",
    "postings",
    "query_targets",
    "tracerank_history",
    "word_lookup",
]
__getattr__ = door(__name__)
