"""Which vector index names the candidates of a question, and what if it does not answer?

Every source is a `core.ports.VectorSource`. Whichever source names candidates, scores are computed
from the vectors recorded beside the journal.
"""

from ...core.lazy import door

__all__ = [
    "built_in_source",
    "candidates",
    "graphiti_source",
    "neo4j_source",
    "paused_source",
    "pgvector_source",
]
__getattr__ = door(__name__)
